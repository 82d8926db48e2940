#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_tls_trials.py - lines over TLS, with peers of other libraries, over real sockets.

    test_tls_trials.py TLS_SERVER TLS_CLIENT CERTIFICATES PROXY [NAME]

CERTIFICATES makes keys and certificates, PROXY is that of the examples. Each case starts what it needs and prints a line of
TAP. A bound of time catches what hangs.
"""

import os
import re
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../net"))
from serving import Program  # noqa: E402

LONG = 30  # seconds, for what takes milliseconds
SERVER, CLIENT, CERTIFICATES, PROXY = sys.argv[1:5]
cases = []


def case(function):
    cases.append(function)
    return function


class Server:
    """A server, with a folder of certificates of its own."""

    def __init__(self, made, *args, certificate="server"):
        self.folder = tempfile.mkdtemp()
        for name in os.listdir(made):
            shutil.copy(f"{made}/{name}", self.folder)
        self.become(certificate)
        self.process = subprocess.Popen([SERVER, self.folder, *args], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.out = self.process.stdout.fileno()
        self.text = ""
        self.port = int(self.wait_for(r"^at tcp:127.0.0.1:(.*)\n")[1])
        self.proxy = None

    def hide(self):
        """From now on clients reach it through a proxy, which knows nothing of TLS."""
        self.proxy = Program(PROXY, "tcp:127.0.0.1:0", f"tcp:127.0.0.1:{self.port}")
        self.port = self.proxy.port()

    def path(self, name):
        return f"{self.folder}/{name}"

    def become(self, certificate):
        """Other files for the next reload."""
        if certificate != "server":
            for end in ("pem", "key"):
                shutil.copy(self.path(f"{certificate}.{end}"), self.path(f"server.{end}"))

    def wait_for(self, pattern):
        """Until the server has written that."""
        end = time.monotonic() + LONG
        while not (found := re.search(pattern, self.text, re.M)):
            ready = select.select([self.out], [], [], max(0, end - time.monotonic()))[0]
            more = os.read(self.out, 65536) if ready else b""
            assert more, f"the server wrote: {self.text[-600:]}"
            self.text += more.decode()
        return found

    def wait_text(self, part):
        self.wait_for(re.escape(part))

    def context(self):
        return ssl.create_default_context(cafile=self.path("authority.pem"))

    def connect_plain(self):
        return socket.create_connection(("127.0.0.1", self.port), LONG)

    def connect(self, context=None, name="localhost"):
        return (context or self.context()).wrap_socket(self.connect_plain(), server_hostname=name)

    def s_client(self, *args, say=b""):
        """What openssl s_client prints, and its status; the last line ends the connection."""
        done = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{self.port}", "-quiet",
             "-CAfile", self.path("authority.pem"), "-verify_return_error",
             "-verify_hostname", "localhost", *args],
            input=say, capture_output=True, timeout=LONG, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def curl(self, *args):
        done = subprocess.run(["curl", "-sS", "--max-time", str(LONG), *args,
                               f"https://localhost:{self.port}/"], capture_output=True, text=True,
                              timeout=LONG + 5, check=False)
        return done.returncode, done.stdout, done.stderr

    def end(self):
        if self.proxy:
            self.proxy.end()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(LONG) == 0, self.text[-600:]

    def clean(self):
        for process in [self.process, *([self.proxy.process] if self.proxy else [])]:
            process.kill()
            process.wait()
        shutil.rmtree(self.folder)


class Openssl:
    """A server of openssl, which answers each line with its reverse."""

    def __init__(self, made, *args, certificate="server"):
        self.folder = made
        self.process = subprocess.Popen(
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-rev", "-cert",
             f"{made}/{certificate}.pem", "-key", f"{made}/{certificate}.key",
             *(f"{made}/authority.pem" if arg == "AUTHORITY" else arg for arg in args)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = b""
        while not (found := re.search(rb"ACCEPT 127.0.0.1:(\d+)\n", text)):
            more = os.read(self.process.stdout.fileno(), 4096)
            assert more, text
            text += more
        self.port = int(found[1])

    def clean(self):
        self.process.kill()
        self.process.wait()


def client(port, folder, *args):
    """What our client printed, and its status."""
    done = subprocess.run([CLIENT, str(port), folder, *args], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=LONG, check=False)
    return done.returncode, done.stdout


def read_line(peer):
    data = b""
    while not data.endswith(b"\n"):
        more = peer.recv(1 << 16)
        assert more, f"ended after {data[-80:]}"
        data += more
    return data.decode()


def say(peer, text):
    peer.sendall(text.encode() + b"\n")
    return read_line(peer)


def equal(is_, wanted):
    assert is_ == wanted, f"{is_!r:.300} is not {wanted!r:.300}"


def close_plain(peer):
    """Without an end of TLS."""
    socket.socket(fileno=peer.detach()).close()


def ends(peer):
    """How a plain connection ends."""
    try:
        while peer.recv(65536):
            pass
        return "end"
    except ConnectionResetError:
        return "reset"


@case
def s_client_of_each_version_is_served_and_sees_the_end(start, _):
    server = start()
    for version in ("-tls1_2", "-tls1_3"):
        status, out, err = server.s_client(version, say=b"one\ntwo\nbye\n")
        equal((status, out), (0, "1: one\n2: two\n3: bye\n"))
        assert "error" not in err.lower(), err


@case
def s_client_of_an_old_version_is_refused(start, _):
    server = start()
    status, out, _ = server.s_client("-tls1_1", "-cipher", "ALL:@SECLEVEL=0", say=b"bye\n")
    assert status != 0 and out == "", (status, out)
    server.wait_text(": tls: unsupported protocol")


@case
def curl_gets_a_page_with_the_protocol_that_both_have(start, _):
    server = start("protocols=http/1.1")
    equal(server.curl("--cacert", server.path("authority.pem")), (0, "hello\n", ""))
    equal(server.curl("--cacert", server.path("authority.pem"), "--tls-max", "1.2"),
          (0, "hello\n", ""))


@case
def curl_that_does_not_know_the_authority_refuses_and_the_session_says_why(start, _):
    server = start()
    status, _, err = server.curl("--cacert", server.path("stranger.pem"))
    equal(status, 60)
    assert "unable to get local issuer certificate" in err, err
    server.wait_text("ward_not_trusted: tcp:127.0.0.1:")
    server.wait_text(": tls: tlsv1 alert unknown ca")


@case
def an_expired_and_a_wrong_and_a_self_signed_certificate_are_refused_by_clients(start, _):
    for certificate, alert, words in (
            ("expired", "sslv3 alert certificate expired", "certificate has expired"),
            ("wrong", "sslv3 alert bad certificate", "hostname mismatch"),
            ("self", "tlsv1 alert unknown ca", "self-signed certificate")):
        server = start(certificate=certificate)
        status, out, err = server.s_client(say=b"bye\n")
        assert status != 0 and out == "" and words in err.lower(), (status, out, err)
        server.wait_text(f": tls: {alert}")
        server.end()


@case
def a_client_without_the_required_certificate_is_told_so(start, _):
    server = start("verify=required")
    for version in ("-tls1_2", "-tls1_3"):
        status, out, err = server.s_client(version, say=b"bye\n")
        assert status != 0 and out == "", (status, out)
        assert "alert" in err, err
    server.wait_text(": tls: peer did not return a certificate")
    done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}"],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=LONG, check=False)
    assert b"client certificate CA names\nCN = authority\n" in done.stdout, done.stdout[-600:]
    status, out, _ = server.s_client("-cert", server.path("client.pem"), "-key",
                                     server.path("client.key"), say=b"look\nbye\n")
    equal((status, out), (0, "TLSv1.3 '' '' 'CN=client' verified\n1: bye\n"))


class Piecewise:
    """A client of TLS that does one step at a time."""

    def __init__(self, server):
        self.into, self.out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = server.context().wrap_bio(self.into, self.out, server_hostname="localhost")
        self.peer = socket.socket()
        self.peer.settimeout(LONG)
        self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.peer.connect(("127.0.0.1", server.port))

    def shake(self):
        """The last word is this side's; what the server says to it is not read."""
        while True:
            try:
                self.tls.do_handshake()
                return self.peer.sendall(self.out.read())
            except ssl.SSLWantReadError:
                self.peer.sendall(self.out.read())
                self.into.write(self.peer.recv(65536))

    def say(self, text):
        self.tls.write(text)
        self.peer.sendall(self.out.read())

    def say_wrong(self):
        self.tls.write(b"wrong")
        record = bytearray(self.out.read())
        record[-1] ^= 1
        self.peer.sendall(record)

    def wait_text(self, text):
        """Reads this, and no more in one piece than a small buffer has."""
        while text:
            try:
                got = self.tls.read(len(text))
                assert text.startswith(got), got
                text = text[len(got):]
            except ssl.SSLWantReadError:
                self.into.write(self.peer.recv(1024))

    def wait_end(self):
        """Until the server has ended, in whatever way."""
        end = select.poll()
        end.register(self.peer, select.POLLRDHUP)
        assert end.poll(LONG * 1000), "the server has not ended"

    def read_all(self):
        """All that came, and how TLS ended."""
        while more := self.peer.recv(65536):
            self.into.write(more)
        self.into.write_eof()
        self.peer.close()
        got = b""
        try:
            while more := self.tls.read():
                got += more
            return got, "end"
        except ssl.SSLError as error:
            return got, str(error)


@case
def a_refused_client_that_writes_on_is_told_so(start, _):
    server = start("verify=required")
    client = Piecewise(server)
    client.shake()
    client.wait_end()
    for text in (b"bye\n", b"x" * 100, b"x" * 100000):
        client.say(text)
    got, how = client.read_all()
    assert got == b"" and "certificate required" in how, (got, how)
    server.wait_text(": tls: peer did not return a certificate")


@case
def a_client_that_reads_late_gets_its_answers_and_the_alert(start, _):
    server = start()
    client = Piecewise(server)
    client.shake()
    client.say(b"big 20000\n")
    client.wait_text(b"x")
    client.say_wrong()
    client.peer.shutdown(socket.SHUT_WR)
    server.wait_text(": tls: decryption failed or bad record mac")
    got, how = client.read_all()
    assert got == b"x" * 19999 + b"\n" and "bad record mac" in how, (len(got), how)


@case
def s_client_through_a_proxy_gets_all_answers_and_the_end(start, _):
    server = start()
    server.hide()
    lines = [f"line {number}" for number in range(2000)] + ["bye"]
    wanted = "".join(f"{number}: {line}\n" for number, line in enumerate(lines, 1))
    for version in ("-tls1_2", "-tls1_3"):
        status, out, err = server.s_client(version, say=("\n".join(lines) + "\n").encode())
        equal((status, out), (0, wanted))
        assert "error" not in err.lower(), err


@case
def what_is_refused_through_a_proxy_is_told_so(start, _):
    server = start("verify=required")
    server.hide()
    status, out, err = server.s_client("-tls1_3", say=b"bye\n")
    assert status != 0 and out == "" and "alert certificate required" in err, (status, out, err)
    client = Piecewise(server)
    client.shake()
    client.wait_end()
    for text in (b"bye\n", b"x" * 100, b"x" * 100000):
        client.say(text)
    got, how = client.read_all()
    assert got == b"" and "certificate required" in how, (got, how)


@case
def a_client_of_another_authority_is_refused(start, _):
    server = start("verify=wanted")
    status, out, _ = server.s_client("-cert", server.path("intruder.pem"), "-key",
                                     server.path("intruder.key"), say=b"bye\n")
    assert status != 0 and out == "", (status, out)
    server.wait_text("certificate verify failed: unable to get local issuer certificate")
    equal(server.s_client(say=b"bye\n")[:2], (0, "1: bye\n"))


@case
def a_slow_handshake_is_idle_and_others_are_served(start, _):
    server = start("first_ms=400")
    silent, slow = server.connect_plain(), server.connect_plain()
    begin = time.monotonic()
    into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        server.context().wrap_bio(into, out, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        pass
    with server.connect() as good:
        equal(say(good, "hi"), "1: hi\n")
        try:
            for byte in out.read():
                slow.sendall(bytes([byte]))
                if select.select([slow], [], [], 0.02)[0]:
                    break
        except (ConnectionResetError, BrokenPipeError):
            pass
        assert time.monotonic() - begin >= 0.38, "too early"
        equal(ends(silent), "reset")
        equal(ends(slow), "reset")
        equal(say(good, "hi"), "2: hi\n")
    server.wait_text("ward_peer_idle")
    server.wait_text("read: no first frame for 0.400 s")


@case
def certificates_are_loaded_again_while_connections_are_open(start, _):
    server = start()

    def names(peer):
        return peer.getpeercert()["subject"][0][0][1]

    before = server.connect()
    equal(names(before), "server")
    equal(say(before, "a"), "1: a\n")
    server.become("second")
    with server.connect() as still:
        equal(names(still), "server")  # nobody has loaded them
        equal(say(still, "reload"), "loaded\n")
    after = server.connect()
    equal(names(after), "second")
    equal(say(before, "b"), "2: b\n")
    open(server.path("server.pem"), "w", encoding="utf-8").close()
    assert "server.pem: no certificate in PEM" in say(before, "reload")
    equal(names(server.connect()), "second")
    equal(say(after, "c"), "1: c\n")


@case
def an_end_without_a_close_notify_is_cut_off(start, _):
    server = start()
    peer = server.connect()
    equal(say(peer, "a"), "1: a\n")
    peer.sendall(b"transfer 10")
    close_plain(peer)
    server.wait_text("ward_peer_cut_off: tcp:127.0.0.1:")
    assert "transfer" not in server.text


@case
def an_end_with_a_close_notify_is_answered_with_one(start, _):
    server = start()
    peer = server.connect()
    equal(say(peer, "a"), "1: a\n")
    equal(ends(peer.unwrap()), "end")  # it raises unless the peer answers with its own
    server.end()
    server.text += os.read(server.out, 65536).decode()
    assert "ward_" not in server.text, server.text


@case
def a_peer_that_speaks_http_is_refused(start, _):
    server = start()
    peer = server.connect_plain()
    peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
    equal(ends(peer), "reset")
    server.wait_text(": tls: http request")


@case
def many_bytes_come_whole_to_a_reader_that_is_slow(start, _):
    server = start()
    peer = server.connect()
    peer.sendall(b"big 900000\nhi\n")
    data = b""
    while len(data) < 900001 + 6:
        data += peer.recv(3000)
    equal(data, b"x" * 900000 + b"\n1: hi\n")


@case
def a_reset_while_it_writes_is_lost_and_raises_no_signal(start, _):
    server = start()
    for _ in range(20):
        peer = server.connect()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.sendall(b"big 900000\n")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        close_plain(peer)
    with server.connect() as good:
        equal(say(good, "hi"), "1: hi\n")
    server.wait_text("ward_peer_lost")


@case
def nothing_is_resumed_and_nothing_renegotiated(start, _):
    server = start()
    session = server.path("session")
    for version in ("-tls1_2", "-tls1_3"):
        server.s_client(version, "-sess_out", session, say=b"bye\n")
        done = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", version, "-ign_eof",
             *(["-sess_in", session] if os.path.exists(session) else [])],
            input=b"bye\n", capture_output=True, timeout=LONG, check=False)
        assert b"New, TLSv1" in done.stdout, done.stdout[-900:]
        assert b"Secure Renegotiation IS supported" in done.stdout or version == "-tls1_3"
    client = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}",
                             "-tls1_2"], input=b"R\n", capture_output=True, timeout=LONG,
                            check=False)
    assert b"no renegotiation" in client.stderr, client.stderr[-300:]


# ---- our client ------------------------------------------------------------------------------


@case
def our_client_talks_to_a_server_of_openssl(_, openssl):
    for version in ("-tls1_2", "-tls1_3"):
        server = openssl(version, "-alpn", "http/1.1")
        status, text = client(server.port, server.folder, "protocols=h2 http/1.1")
        equal((status, text), (0, "with 'http/1.1' '' 'CN=server' verified\ngot olleh\n"))


@case
def our_client_refuses_what_it_cannot_verify(_, openssl):
    for certificate, words in (("expired", "certificate has expired"),
                               ("wrong", "hostname mismatch"),
                               ("self", "self-signed certificate"),
                               ("intruder", "unable to get local issuer certificate")):
        server = openssl(certificate=certificate)
        status, text = client(server.port, server.folder)
        assert status == 1 and "got" not in text, text
        assert f"ward_not_trusted: tcp:127.0.0.1:{server.port}: tls: certificate verify failed: " \
            f"{words}" in text, text
    server = openssl()
    assert "hostname mismatch" in client(server.port, server.folder, "name=wrong.test")[1]
    equal(client(server.port, server.folder, "name=server.test")[0], 0)
    equal(client(server.port, server.folder, "name=127.0.0.1")[0], 0)


@case
def our_client_shows_its_certificate_where_one_is_required(_, openssl):
    for version in ("-tls1_2", "-tls1_3"):
        server = openssl("-Verify", "1", "-verify_return_error", "-CAfile", "AUTHORITY", version)
        status, text = client(server.port, server.folder)
        assert status == 1 and "ward_not_trusted" in text and "alert" in text, text
        equal(client(server.port, server.folder, "certificate=client")[0], 0)


@case
def our_client_does_not_wait_for_a_silent_server_nor_take_its_end_for_one(_, openssl):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        status, text = client(port, openssl().folder, "first_ms=300")
        assert status == 1 and "ward_peer_idle" in text, text
        listening.accept()[0].close()
        running = subprocess.Popen([CLIENT, str(port), openssl().folder], stdout=subprocess.PIPE,
                                   text=True)
        peer = listening.accept()[0]
        peer.recv(4096)
        peer.close()
        text = running.communicate(timeout=LONG)[0]
        assert "ward_peer_cut_off" in text and "within the handshake of tls" in text, text


def main():
    chosen = [c for c in cases if len(sys.argv) < 6 or sys.argv[5] in c.__name__]
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    made = tempfile.mkdtemp()
    subprocess.run([CERTIFICATES, made], check=True)
    for number, function in enumerate(chosen, 1):
        servers, others = [], []

        def start(*args, **more):
            servers.append(Server(made, *args, **more))
            return servers[-1]

        def openssl(*args, **more):
            others.append(Openssl(made, *args, **more))
            return others[-1]

        try:
            function(start, openssl)
            for server in servers:
                if server.process.poll() is None:
                    server.end()
            print(f"ok {number} - {function.__name__}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            failed += 1
            text = f"{type(error).__name__}: {error}".replace("\n", "\n# ")
            print(f"not ok {number} - {function.__name__}\n# {text}", flush=True)
        finally:
            for server in servers + others:
                server.clean()
    shutil.rmtree(made)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
