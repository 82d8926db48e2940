#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_datagrams.py - a server of datagrams on threads, against peers over real sockets.

    test_datagrams.py DATAGRAM_ECHO [NAME]

Each case starts a server of its own and prints a line of TAP. A bound of time catches what hangs.
"""

import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

LONG = 20  # seconds, for what takes milliseconds
SERVER = sys.argv[1]
cases = []


def case(function):
    cases.append(function)
    return function


class Server:
    """A server of datagrams."""

    def __init__(self, *args, address="udp:127.0.0.1:0"):
        self.process = subprocess.Popen([SERVER, address, *args], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.text = ""
        self.address = self.wait_for(r"^at (.*)\n")[1]

    def wait_for(self, pattern):
        """Until the server has written that."""
        end, out = time.monotonic() + LONG, self.process.stdout.fileno()
        while not (found := re.search(pattern, self.text, re.M)):
            ready = select.select([out], [], [], max(0, end - time.monotonic()))[0]
            more = os.read(out, 65536) if ready else b""
            assert more, f"the server wrote: {self.text[-600:]}"
            self.text += more.decode()
        return found

    def peer(self, host=None):
        """A socket that is connected to the server."""
        own, port = self.address[4:].rsplit(":", 1)
        host = host or own.strip("[]")
        peer = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        peer.settimeout(LONG)
        peer.connect((host, int(port)))
        return peer

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(LONG) == 0, self.text[-600:]


def ask(peer, text):
    peer.send(text)
    return peer.recv(65536)


def equal(is_, wanted):
    assert is_ == wanted, f"{is_!r:.300} is not {wanted!r:.300}"


def has_v6():
    return os.path.exists("/proc/net/if_inet6") and open("/proc/net/if_inet6").read()


@case
def datagrams_are_answered_over_ipv4_ipv6_and_both(start):
    peer = start().peer()
    for i in range(1000):
        equal(ask(peer, b"%d" % i), b"%d: %d" % (i + 1, i))
    if has_v6():
        equal(ask(start(address="udp:[::1]:0").peer(), b"x"), b"1: x")
    both = start(address="udp:*:0")
    equal(ask(both.peer("127.0.0.1"), b"x"), b"1: x")
    if has_v6():
        equal(ask(both.peer("::1"), b"x"), b"2: x")


@case
def a_large_datagram_is_cut_and_the_next_one_is_whole(start):
    peer = start("size_max=100").peer()
    equal(ask(peer, b"y" * 60000), b"1: " + b"y" * 100)
    equal(ask(peer, b"z"), b"2: z")
    equal(ask(peer, b"counts"), b"received 3, cut 1, missed 0, sent 2")


@case
def of_a_burst_each_datagram_was_received_or_missed(start):
    server = start("receive_buffer=4096")
    peer, many = server.peer(), 20000
    for _ in range(many):
        peer.send(b"x" * 50)
    counted = {}
    # The question itself may be missed.
    asked, end = 0, time.monotonic() + LONG
    peer.settimeout(0.2)
    while not counted and time.monotonic() < end:
        asked += 1
        peer.send(b"counts")
        try:
            while not counted:
                text = peer.recv(65536)
                if text.startswith(b"received"):
                    counted = dict(part.split() for part in text.decode().split(", "))
        except socket.timeout:
            pass
    assert counted, "no counts"
    equal(int(counted["received"]) + int(counted["missed"]), many + asked)
    assert int(counted["missed"]) > 0, counted


@case
def many_peers_get_their_own_answers(start):
    server = start()
    peers = [server.peer() for _ in range(100)]
    for number, peer in enumerate(peers):
        peer.send(b"from %d" % number)
    for number, peer in enumerate(peers):
        equal(peer.recv(100).split(b": ")[1], b"from %d" % number)


@case
def a_restart_has_the_same_port(start):
    server = start()
    number = server.address.rsplit(":", 1)[1]
    server.end()
    server = start(address=f"udp:127.0.0.1:{number}")
    peer = server.peer()
    equal(ask(peer, b"a"), b"1: a")
    peer.send(b"fail")
    server.text = ""
    server.wait_for(r"^at udp:127.0.0.1:%s\n" % number)
    equal(ask(peer, b"b"), b"1: b")


@case
def a_port_in_use_is_a_clear_failure(start):
    server = start()
    other = subprocess.run([SERVER, server.address], capture_output=True, text=True, timeout=LONG)
    assert other.returncode == 1, other
    assert f"{server.address}: bind: Address already in use" in other.stdout, other.stdout


@case
def a_path_serves_and_goes_with_its_server(start):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/sock"
        server = start(address=f"unixgram:{path}")
        equal(server.address, f"unixgram:{path}")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
            peer.settimeout(LONG)
            peer.bind(f"{folder}/peer")
            peer.connect(path)
            equal(ask(peer, b"x"), b"1: x")
        server.end()
        assert not os.path.exists(path), "the path is left"


def main():
    chosen = [c for c in cases if len(sys.argv) < 3 or sys.argv[2] in c.__name__]
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for number, function in enumerate(chosen, 1):
        servers = []

        def start(*args, **more):
            servers.append(Server(*args, **more))
            return servers[-1]

        try:
            function(start)
            for server in servers:
                if server.process.poll() is None:
                    server.end()
            print(f"ok {number} - {function.__name__}", flush=True)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            failed += 1
            text = str(error).replace("\n", "\n# ")
            print(f"not ok {number} - {function.__name__}\n# {text}", flush=True)
        finally:
            for server in servers:
                server.process.kill()
                server.process.wait()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
