#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_clients.py - servers of lines, and clients that others wrote: nc, socat, curl.

    test_clients.py LINE_SERVER LINES PROXY [--quick] [NAME]

LINE_SERVER is that of the trials, LINES that of the examples, and so is PROXY, which leads to a
LINE_SERVER. What a client was given and what came
out of it is compared byte for byte. Prints TAP, and what was counted.
"""

import os
import re
import select
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from serving import LONG, Proxied, Server, all_files  # noqa: E402

WORDS = [word for word in sys.argv[1:] if word != "--quick"]
LINE_SERVER, LINES, PROXY = WORDS[:3]
QUICK = "--quick" in sys.argv
MANY = 2000 if QUICK else 20000  # lines of a connection
CROWD = 20 if QUICK else 200  # clients at once
cases = []


def case(*programs):
    """A case for each of these servers."""

    def add(function):
        for program in programs:
            cases.append((function, program))
        return function

    return add


def numbered(count):
    return b"".join(b"line %d\n" % i for i in range(count))


def answers(text):
    return b"".join(b"%d: %s\n" % (i, line) for i, line in enumerate(text.splitlines(), 1))


def talk(command, text, status=0):
    """What a client prints that is given this text."""
    done = subprocess.run(command, input=text, capture_output=True, timeout=5 * LONG)
    assert done.returncode == status, f"{command[0]}: {done.returncode}: {done.stderr.decode()}"
    return done.stdout


def count(client, sent, got):
    print(f"# {client}: {len(sent)} bytes in {sent.count(10)} lines sent, "
          f"{len(got)} bytes in {got.count(10)} lines received")


def compare(client, command, text):
    got = talk(command, text)
    count(client, text, got)
    wanted = answers(text)
    at = len(os.path.commonprefix([got, wanted]))
    assert got == wanted, f"byte {at}: {got[at:at + 80]!r} in place of {wanted[at:at + 80]!r}"


def host_and_port(server):
    return server.address[4:].rsplit(":", 1)


# ---- nc --------------------------------------------------------------------------------------


@case(LINE_SERVER, LINES, PROXY)
def nc_that_half_closes_gets_all_answers(start, folder):
    server = start()
    compare("nc", ["nc", "-N", *host_and_port(server)], numbered(MANY) + b"the last one")
    server.wait_files()


@case(LINE_SERVER, LINES, PROXY)
def nc_at_a_path_gets_all_answers(start, folder):
    server = start(address=f"unix:{folder}/sock")
    compare("nc -U", ["nc", "-N", "-U", f"{folder}/sock"], numbered(MANY))
    server.wait_files()


@case(LINE_SERVER, LINES, PROXY)
def nc_that_goes_away_leaves_nothing(start, folder):
    server = start()
    text = numbered(MANY)
    for _ in range(10):
        got = talk(["nc", "-q", "0", *host_and_port(server)], text)
        assert answers(text).startswith(got), got[:80]
        talk(["nc", "-z", *host_and_port(server)], b"")
    server.wait_files()


@case(LINE_SERVER, LINES, PROXY)
def many_nc_at_once_are_all_answered(start, folder):
    server = start()
    text = numbered(200)
    command = ["nc", "-N", *host_and_port(server)]
    with ThreadPoolExecutor(CROWD) as crowd:
        got = list(crowd.map(lambda _: talk(command, text), range(CROWD)))
    count(f"{CROWD} nc", text * CROWD, b"".join(got))
    assert got == [answers(text)] * CROWD
    server.wait_files()


# ---- socat -----------------------------------------------------------------------------------

# For that long it waits for what still comes, once it has sent its end.
SOCAT = ["socat", "-t", str(LONG)]


@case(LINE_SERVER, LINES, PROXY)
def socat_that_half_closes_gets_all_answers(start, folder):
    server = start()
    compare("socat", [*SOCAT, "-", "TCP4:" + ":".join(host_and_port(server))], numbered(MANY))
    server.wait_files()


@case(LINE_SERVER, LINES, PROXY)
def socat_byte_by_byte_gets_all_answers(start, folder):
    server = start()
    at = "TCP4:" + ":".join(host_and_port(server))
    compare("socat -b 1", [*SOCAT, "-b", "1", "-", f"{at},nodelay"], numbered(MANY // 10))
    server.wait_files()


@case(LINE_SERVER, LINES, PROXY)
def socat_at_a_path_gets_all_answers(start, folder):
    server = start(address=f"unix:{folder}/sock")
    compare("socat", [*SOCAT, "-", f"UNIX-CONNECT:{folder}/sock"], numbered(MANY))
    server.wait_files()


@case(LINE_SERVER, PROXY)
def socat_at_an_abstract_address_gets_all_answers(start, folder):
    server = start(address=f"unix:@{os.path.basename(folder)}")
    at = f"ABSTRACT-CONNECT:{os.path.basename(folder)}"
    compare("socat", [*SOCAT, "-", at], numbered(MANY))
    server.wait_files()


@case(LINE_SERVER, PROXY)
def socat_that_resets_is_a_lost_peer(start, folder):
    server = start()
    at = "TCP4:" + ":".join(host_and_port(server))
    talk(["socat", "-u", "-", f"{at},linger=0,shut-close"], numbered(10))
    server.wait_text("ward_peer_lost: tcp:127.0.0.1:")
    server.wait_files()


@case(LINE_SERVER, LINES, PROXY)
def socat_between_client_and_server_passes_the_half_close_on(start, folder):
    server = start()
    to = "TCP4:" + ":".join(host_and_port(server))
    relay = subprocess.Popen([*SOCAT, "-d", "-d", f"UNIX-LISTEN:{folder}/relay,fork", to],
                             stderr=subprocess.PIPE)
    try:
        assert b"listening on" in relay.stderr.readline()
        for _ in range(5):
            compare("nc through socat", ["nc", "-N", "-U", f"{folder}/relay"], numbered(MANY // 5))
        server.wait_files()
    finally:
        relay.kill()
        relay.wait()
        relay.stderr.close()


# ---- curl ------------------------------------------------------------------------------------


class Telnet:
    """curl, which looks at its input when it has read the socket, or waited 100 ms for that, and then
    at nothing else until there is some."""

    def __init__(self, address):
        command = ["curl", "-sN", "telnet://" + address]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sent, self.got = b"", b""

    def write(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def ask(self, line):
        """Reads the answer. Where it did not come within these 100 ms, one more line makes curl look;
        that is answered, too, unless the connection ends."""
        self.write(line)
        self.sent += line
        end = time.monotonic() + LONG
        wanted = self.sent.count(b"\n")
        while self.got.count(b"\n") < wanted:
            assert time.monotonic() < end, f"no answer to {self.sent[-80:]}: {self.got[-80:]}"
            out = self.process.stdout
            if select.select([out], [], [], 1)[0]:
                more = os.read(out.fileno(), 1 << 16)
                assert more, f"curl has ended: {self.got[-80:]}"
                self.got += more
            else:
                self.write(b"more\n")
                self.sent += b"more\n" if line != b"bye\n" else b""

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(LONG) == 0
        self.got += self.process.stdout.read()


@case(LINE_SERVER, PROXY)
def curl_by_telnet_gets_each_answer_and_the_end(start, folder):
    server = start()
    curl = Telnet(":".join(host_and_port(server)))
    try:
        for line in numbered(MANY // 100).splitlines(True):
            curl.ask(line)
        curl.ask(b"bye\n")
        curl.end()
        count("curl telnet://", curl.sent, curl.got)
        assert curl.got == answers(curl.sent), curl.got[-200:]
    finally:
        curl.process.kill()
        curl.process.wait()
    server.wait_files()


def curl_says(command, text=b""):
    """What it prints, and its own numbers: bytes of the request, of its body, received."""
    numbers = "%{stderr}%{size_request} %{size_upload} %{size_download}"
    done = subprocess.run(["curl", "-s", "-w", numbers, *command], input=text, capture_output=True,
                          timeout=LONG)
    assert done.returncode == 0, f"{command}: {done.returncode}: {done.stderr.decode()}"
    return done.stdout, [int(number) for number in done.stderr.split()]


def check_http(command, body):
    """A server of lines answers a request and its body as any other lines."""
    got, (sent, body_sent, received) = curl_says(command, body)
    said = [re.fullmatch(rb"(\d+): (.*)", line) for line in got.split(b"\n")[:-1]]
    assert all(said) and got.endswith(b"\n"), got
    assert [int(line[1]) for line in said] == list(range(1, len(said) + 1)), got
    head, _, rest = b"\n".join(line[2] for line in said).partition(b"\n\n")
    print(f"# curl: {sent} bytes sent, {received} received")
    assert head.startswith(b"POST /"), head
    assert rest + b"\n" == body and len(body) == body_sent, (rest, body_sent)
    head_size = len(head) + head.count(b"\n") + len(b"\r\n\r\n")
    assert head_size + body_sent == sent, (head, sent)
    assert len(got) == received


HTTP = ["--http0.9", "-H", "Content-Type: text/lines", "-H", "Expect:", "--data-binary", "@-"]


@case(LINE_SERVER, PROXY)
def curl_that_posts_gets_its_request_back(start, folder):
    server = start()
    check_http([*HTTP, "http://" + ":".join(host_and_port(server))], numbered(100) + b"bye\n")
    server.wait_files()


@case(LINE_SERVER, PROXY)
def curl_at_a_path_gets_its_request_back(start, folder):
    server = start(address=f"unix:{folder}/sock")
    at = ["--unix-socket", f"{folder}/sock", "http://here"]
    check_http([*HTTP, *at], numbered(100) + b"bye\n")
    server.wait_files()


@case(LINE_SERVER, PROXY)
def curl_by_gopher_gets_its_answer_and_the_end(start, folder):
    server = start()
    got, numbers = curl_says(["gopher://" + ":".join(host_and_port(server)) + "/1bye"])
    print(f"# curl gopher://: {numbers[2]} bytes received")
    assert (got, numbers[2]) == (b"1: bye\n", 7), (got, numbers)
    server.wait_files()


# ----------------------------------------------------------------------------------------------


def run(function, program):
    """Returns why a case has failed, or None."""
    servers = []

    def start(**more):
        if program == PROXY:
            servers.append(Server(LINE_SERVER))
            servers.append(Proxied(PROXY, servers[-1], **more))
        else:
            servers.append(Server(program, **more))
        return servers[-1]

    try:
        with tempfile.TemporaryDirectory(prefix="ward-net-") as folder:
            function(start, folder)
            for server in reversed(servers):
                server.end()
        return None
    except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        for server in servers:
            server.process.kill()
            server.process.wait()


def main():
    chosen = [one for one in cases if len(WORDS) < 4 or WORDS[3] in one[0].__name__]
    all_files()
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for number, (function, program) in enumerate(chosen, 1):
        why = run(function, program)
        name = f"{os.path.basename(program)}: {function.__name__}"
        print(f"{'not ok' if why else 'ok'} {number} - {name}", flush=True)
        if why:
            failed += 1
            print("# " + why.replace("\n", "\n# "), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
