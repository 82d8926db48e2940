#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_listen.py - the command ward with files that have listeners and connectors.

    test_listen.py WARD LINES TOYS [NAME]

LINES is a module that is linked with ward-net, TOYS one that is not. Prints a line of TAP for each
case. A bound of time catches what hangs.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

LONG = 20  # seconds, for what takes milliseconds
WARD, LINES, TOYS = map(os.path.abspath, sys.argv[1:4])
cases = []


def case(function):
    cases.append(function)
    return function


def equal(is_, wanted):
    assert is_ == wanted, f"{is_!r:.300} is not {wanted!r:.300}"


class Folder:
    """A folder with a file, and the processes that were started with it."""

    def __init__(self, path):
        self.path, self.processes = path, []

    def write(self, actors, module=LINES):
        with open(f"{self.path}/a.conf", "w", encoding="utf-8") as file:
            file.write(f'modules = ["{module}"];\nactors: {{\n{actors}\n}};\n')

    def check(self):
        """Returns the exit status of `ward check`, and what it printed."""
        done = subprocess.run([WARD, "check", "a.conf"], cwd=self.path, capture_output=True,
                              text=True, timeout=LONG)
        return done.returncode, done.stderr

    def run(self):
        process = subprocess.Popen([WARD, "run", "a.conf"], cwd=self.path,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.processes.append(process)
        return process

    def connect(self, name):
        """A connection to a path, as soon as somebody listens there."""
        end = time.monotonic() + LONG
        while True:
            peer = socket.socket(socket.AF_UNIX)
            peer.settimeout(LONG)
            try:
                peer.connect(f"{self.path}/{name}")
                return peer
            except (FileNotFoundError, ConnectionRefusedError):
                peer.close()
                assert time.monotonic() < end, "nobody listens"
                os.sched_yield()


def say(peer, text):
    peer.sendall(text)
    data = b""
    while not data.endswith(b"\n"):
        more = peer.recv(4096)
        assert more, data
        data += more
    return data


def refused(folder, actors, *parts, module=LINES):
    folder.write(actors, module)
    status, text = folder.check()
    assert status != 0, "it was accepted"
    for part in parts:
        assert part in text, text
    equal(text.count("\n"), 1)


@case
def an_address_is_a_listener(folder):
    folder.write(f'front: {{ behavior = "session"; listen = "unix:{folder.path}/s"; }};')
    equal(folder.check(), (0, ""))
    process = folder.run()
    one, two = folder.connect("s"), folder.connect("s")
    equal(say(one, b"a\n"), b"1: a\n")
    equal(say(two, b"b\n"), b"1: b\n")
    equal(say(one, b"c\n"), b"2: c\n")
    process.send_signal(signal.SIGTERM)
    equal(one.recv(100), b"")
    equal(process.wait(LONG), 0)
    assert not os.path.exists(f"{folder.path}/s"), "the path is left"


@case
def the_limits_of_a_listener_are_keys(folder):
    folder.write(f"""front: {{ behavior = "session"; strategy = "stopping"; listen: {{
        address = "unix:{folder.path}/s unix:{folder.path}/t"; connections-max = 1; backlog = 5;
        unix-mode = 0x1b0; unix-replace = true; reuse-port = false; drain = "300 ms"; }}; }};""")
    equal(folder.check(), (0, ""))
    process = folder.run()
    one, two = folder.connect("s"), folder.connect("t")
    equal(os.stat(f"{folder.path}/s").st_mode & 0o777, 0o660)
    equal(say(one, b"a\n"), b"1: a\n")
    two.sendall(b"b\n")
    two.settimeout(0.1)
    try:
        raise AssertionError(f"two were served: {two.recv(100)}")
    except socket.timeout:
        pass
    two.settimeout(LONG)
    one.close()
    equal(two.recv(100), b"1: b\n")
    process.send_signal(signal.SIGTERM)
    equal(process.wait(LONG), 0)


@case
def an_address_that_is_in_use_refuses_the_start(folder):
    folder.write(f'front: {{ behavior = "session"; listen = "unix:{folder.path}/s"; }};')
    folder.run()
    folder.connect("s").close()
    other = folder.run()
    text = other.stderr.read().decode()
    assert other.wait(LONG) != 0, "it runs"
    assert "a.conf:3: actors.front: failed during its start" in text, text
    assert f"unix:{folder.path}/s" in text, text


@case
def errors_have_line_key_and_what_to_do(folder):
    refused(folder, 'front: { behavior = "session"; listen = "tcp:127.0.0.1"; };',
            "a.conf:3: actors.front.listen", "there is no port: write tcp:HOST:PORT")
    refused(folder, 'front: { behavior = "session"; listen: {\naddress = "tcp:localhost:80"; }; };',
            "a.conf:4: actors.front.listen.address", "is no address to listen at: write one of")
    refused(folder, 'front: { behavior = "session"; listen: { }; };',
            "a.conf:3: actors.front.listen.address: is missing")
    refused(folder, 'front: { behavior = "session"; listen: { address = "unix:@a";\n'
            "connection-max = 3; }; };",
            "a.conf:4: actors.front.listen.connection-max",
            'unknown key; did you mean "connections-max"?')
    for key in ("memory-max = 4096;", "mailbox: { messages-max = 1; };", "stash-max = 1;"):
        refused(folder, f'front: {{ behavior = "session"; listen = "unix:@a";\n{key} }};',
                "a.conf:4: actors.front." + key.split()[0].rstrip(":"),
                "would limit the listener")
    refused(folder, 'front: { behavior = "session"; listen = 7000; };',
            "a.conf:3: actors.front.listen", 'must be an address, such as "tcp:127.0.0.1:7000"')
    refused(folder, 'front: { behavior = "session"; };',
            "a.conf:3: actors.front.behavior",
            'serves connections: give the actor a key listen or connect, such as')
    refused(folder, 'front: { behavior = "idle"; listen = "unix:@a"; };',
            "a.conf:3: actors.front.behavior", '"idle" does not take connections')
    refused(folder, 'front: { behavior = "session"; listen: { address = "unix:@a";\n'
            'child = "session"; }; };',
            "a.conf:4: actors.front.listen.child", "is not allowed here")
    refused(folder, 'front: { behavior = "session"; args: { }; listen = "unix:@a"; };',
            "a.conf:3: actors.front.args", "listen and args exclude each other")
    refused(folder, 'front: { behavior = "ward-listener"; args: { address = "unix:@a"; }; };',
            "a.conf:3: actors.front.args.child", "is missing, must be the behavior that serves")


@case
def a_dead_path_is_named_with_the_key_of_the_file(folder):
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(f"{folder.path}/s")
    dead.close()
    folder.write(f'front: {{ behavior = "session"; listen = "unix:{folder.path}/s"; }};')
    process = folder.run()
    text = process.stderr.read().decode()
    assert process.wait(LONG) != 0, "it runs"
    assert "remove it, or set unix_replace (in a file unix-replace)" in text, text


def accept(server, timeout=LONG):
    server.settimeout(timeout)
    peer, _ = server.accept()
    peer.settimeout(LONG)
    return peer


def read_until(process, part):
    """What the process writes, up to a line with this in it."""
    text = ""
    for line in process.stderr:
        text += line.decode()
        if part in text:
            return text
    raise AssertionError(f"no {part!r} in {text}")


@case
def an_actor_with_connect_is_a_connector(folder):
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"{folder.path}/s")
    server.listen()
    folder.write(f"""link: {{ behavior = "session"; connect: {{ address = "unix:{folder.path}/s";
        min-backoff = "20 ms"; max-backoff = "40 ms"; tries-max = 3; }}; }};""")
    equal(folder.check(), (0, ""))
    process = folder.run()
    for _ in range(2):  # each with a session of its own
        peer = accept(server)
        equal(say(peer, b"a\n"), b"1: a\n")
        equal(say(peer, b"b\n"), b"2: b\n")
        time_of_end = time.monotonic()
        peer.close()
    accept(server).close()
    assert time.monotonic() - time_of_end >= 0.02, "there was no pause"
    server.close()
    os.unlink(f"{folder.path}/s")
    text = read_until(process, "; 3 tries")
    assert "the connection has ended (session: normal); connects again in 0.020 s" in text, text
    assert f"ward_not_connected: unix:{folder.path}/s: connect: " in text, text
    text = process.stderr.read().decode()  # it is stopped, and there is no other actor
    assert "all actors at the top have ended" in text, text
    equal(process.wait(LONG), 1)


@case
def errors_of_a_connector_have_line_key_and_what_to_do(folder):
    refused(folder, 'link: { behavior = "session"; connect = "tcp:*:80"; };',
            "a.conf:3: actors.link.connect", "it is to listen at: connect to one as")
    refused(folder, 'link: { behavior = "session"; connect: { address = "unix:@a";\n'
            'max-backoff = "50 ms"; }; };',
            "a.conf:4: actors.link.connect.max-backoff: is less than min-backoff")
    refused(folder, 'link: { behavior = "session"; connect: { address = "unix:@a";\n'
            'min-back-off = "50 ms"; }; };',
            "a.conf:4: actors.link.connect.min-back-off",
            'unknown key; did you mean "min-backoff"?')
    refused(folder, 'link: { behavior = "session"; listen = "unix:@a"; connect = "unix:@a"; };',
            "a.conf:3: actors.link.connect: listen and connect exclude each other")


@case
def without_the_library_the_error_says_what_is_needed(folder):
    refused(folder, 'front: { behavior = "puppet"; listen = "unix:@a"; };',
            "a.conf:3: actors.front.listen", "no module brings the library ward-net: link a module",
            module=TOYS)


@case
def the_long_form_is_a_behavior_with_arguments(folder):
    folder.write(f"""front: {{ behavior = "ward-listener"; args: {{
        address = "unix:{folder.path}/s"; child = "session"; }}; }};""")
    process = folder.run()
    equal(say(folder.connect("s"), b"a\n"), b"1: a\n")
    process.send_signal(signal.SIGTERM)
    equal(process.wait(LONG), 0)


def main():
    chosen = [c for c in cases if len(sys.argv) < 5 or sys.argv[4] in c.__name__]
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for number, function in enumerate(chosen, 1):
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(path)
            try:
                function(folder)
                print(f"ok {number} - {function.__name__}", flush=True)
            except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                failed += 1
                text = str(error).replace("\n", "\n# ")
                print(f"not ok {number} - {function.__name__}\n# {text}", flush=True)
            finally:
                for process in folder.processes:
                    process.kill()
                    process.wait()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
