# SPDX-License-Identifier: MIT
"""serving.py - servers and clients of lines in processes of their own, for tests that are their
peers."""

import os
import re
import resource
import select
import signal
import socket
import subprocess
import time

LONG = 20  # seconds, for what takes milliseconds
GROWTH = 4 << 20  # bytes, of a server that keeps nothing: a page of 2 MiB may be the first of its kind
SANITIZED = b"__sanitizer_get_current_allocated_bytes"
# What a sanitizer keeps of the memory that is no longer used, for memory(): nothing.
LEAN = ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0:detect_stack_use_after_return=0"


def read_line(peer):
    data = b""
    while not data.endswith(b"\n"):
        more = peer.recv(1 << 16)
        assert more, f"ended after {data[-80:]}"
        data += more
    return data


def say(peer, text):
    peer.sendall(text)
    return read_line(peer)


def all_files():
    """This process may have as many descriptors as the system allows."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Program:
    """A server or client in a process of its own, which prints its address first."""

    def __init__(self, path, *args, files=None, lean=False):
        def limit():
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        options = os.environ.get("ASAN_OPTIONS", "") + (LEAN if lean else "")
        self.process = subprocess.Popen([path, *args], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, preexec_fn=limit,
                                        env=dict(os.environ, ASAN_OPTIONS=options))
        self.out = self.process.stdout.fileno()
        self.text = ""
        self.address = self.wait_for(r"(?:^|listens )at (\S+)\n")[1]
        self.base = self.files()
        self.asked = 0
        with open(path, "rb") as program:
            self.sanitized = SANITIZED in program.read()

    def wait_for(self, pattern):
        """Until the server has written that."""
        end = time.monotonic() + LONG
        while not (found := re.search(pattern, self.text, re.M)):
            ready = select.select([self.out], [], [], max(0, end - time.monotonic()))[0]
            more = os.read(self.out, 65536) if ready else b""
            assert more, f"the server wrote: {self.text[-600:]}"
            self.text += more.decode()
        return found

    def log(self):
        """What it has written so far."""
        while select.select([self.out], [], [], 0)[0] and (more := os.read(self.out, 65536)):
            self.text += more.decode()
        return self.text

    def wait_text(self, part):
        self.wait_for(re.escape(part))

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def memory(self):
        """Bytes. The pages of the process; of one with a sanitizer, which keeps records of all that
        has happened, what the program itself has allocated (allocated.c)."""
        if self.sanitized:
            self.asked += 1
            self.process.send_signal(signal.SIGUSR2)
            return int(self.wait_for(rf"^allocated {self.asked}: (\d+)\n")[1])
        for line in open(f"/proc/{self.process.pid}/smaps_rollup"):
            if line.startswith("Anonymous"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no Anonymous")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(LONG) == 0, self.text[-600:]


class Server(Program):
    """A line server, at an address of its own."""

    def __init__(self, path, *args, address="tcp:127.0.0.1:0", **more):
        super().__init__(path, address, *args, **more)

    def wait_files(self, other=None):
        """Until no descriptor of another connection is left, here or in another program: as many
        answers as that takes."""
        program = other or self
        own = 1 if program is self else 0
        end = time.monotonic() + LONG
        with self.connect() as peer:
            while say(peer, b"?\n") and program.files() != program.base + own:
                assert time.monotonic() < end, f"{program.files()}, and {program.base} at first"

    def ticks(self):
        return sum(map(int, open(f"/proc/{self.process.pid}/stat").read().split()[13:15]))

    def connect(self):
        if self.address.startswith("unix:"):
            path = self.address[5:]
            peer = socket.socket(socket.AF_UNIX)
            peer.settimeout(LONG)
            peer.connect("\0" + path[1:] if path[0] == "@" else path)
            return peer
        host, port = self.address[4:].rsplit(":", 1)
        peer = socket.create_connection((host.strip("[]"), int(port)), LONG)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return peer


class Proxied(Server):
    """A proxy, at an address of its own, to a server."""

    def __init__(self, path, server, **more):
        super().__init__(path, server.address, **more)
        self.server = server

    def wait_files(self, other=None):
        self.server.wait_files(self)
        self.server.wait_files()
