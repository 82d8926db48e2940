#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_gateway.py - clients that send each line until it is acknowledged, and count.

    test_gateway.py GATEWAY [CLIENTS [LINES]]

While they send, the gateway is killed and another one started, which gets what was not
acknowledged; then the database is locked, then the disk is full. Each line that was acknowledged
must be in the database, and in the end all lines must be. Prints TAP.
"""

import contextlib
import os
import re
import resource
import selectors
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

LONG = 60  # seconds, for what takes milliseconds
GATEWAY = sys.argv[1]
CLIENTS, LINES = (int(a) for a in (sys.argv[2:] + ["2", "10000"][len(sys.argv) - 2:]))
PAD = "." * 1000


class Gateway:
    """A gateway, and what it writes."""

    def __init__(self, database):
        self.process = subprocess.Popen([GATEWAY, "tcp:127.0.0.1:0", database],
                                        stderr=subprocess.PIPE, restore_signals=False)
        self.log = ""
        while not (at := re.search(r"listens at tcp:127\.0\.0\.1:(\d+)", self.log)):
            self.read()
        self.port = int(at[1])

    def read(self):
        data = os.read(self.process.stderr.fileno(), 65536)
        assert data, f"the gateway has ended: {self.log[-1000:]}"
        self.log += data.decode()

    def limit_files(self, size):
        """Nothing can be written behind so many bytes: as if the disk were full."""
        hard = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE,
                         (hard if size is None else size, hard))

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(LONG)


class Client:
    """A client. Its lines are those that are not acknowledged; it sends them in order."""

    def __init__(self, number):
        self.keys = {f"{number}-{i}" for i in range(LINES)}
        self.acknowledged, self.twice = set(), 0

    def connect(self, port):
        self.peer = socket.create_connection(("127.0.0.1", port), LONG)
        self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        self.peer.setblocking(False)
        left = sorted(self.keys - self.acknowledged, key=lambda key: int(key.split("-")[1]))
        self.out = memoryview("".join(f"{key} {PAD}\n" for key in left).encode())
        self.rest, self.open = b"", True

    def send(self):
        """True: all is sent, and so is the end."""
        with contextlib.suppress(BlockingIOError):
            self.out = self.out[self.peer.send(self.out[:65536]):]
        if not self.out:
            self.peer.shutdown(socket.SHUT_WR)
        return not self.out

    def read(self):
        data = self.peer.recv(65536)
        self.open = bool(data)
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            key = line.decode().removeprefix("ok ")
            assert key in self.keys, line
            self.twice += key in self.acknowledged
            self.acknowledged.add(key)


class Trial:
    def __init__(self, folder):
        self.database = f"{folder}/lines.db"
        self.clients = [Client(number) for number in range(CLIENTS)]
        self.start()

    def start(self):
        self.gateway = Gateway(self.database)
        self.ready = selectors.DefaultSelector()
        self.ready.register(self.gateway.process.stderr, selectors.EVENT_READ, self.gateway)
        for client in self.clients:
            client.connect(self.gateway.port)
            self.ready.register(client.peer, selectors.EVENT_READ | selectors.EVENT_WRITE, client)

    def acknowledged(self):
        return sum(len(client.acknowledged) for client in self.clients)

    def step(self, wait):
        """Sends and reads what can be; returns false if nothing can for so long."""
        events = self.ready.select(wait)
        for key, mask in events:
            if mask & selectors.EVENT_WRITE and key.data.send():
                self.ready.modify(key.data.peer, selectors.EVENT_READ, key.data)
            if mask & selectors.EVENT_READ:
                key.data.read()
                if key.data is not self.gateway and not key.data.open:
                    self.ready.unregister(key.data.peer)
        return bool(events)

    def until(self, done):
        while not done():
            assert self.step(LONG), f"nothing comes, {self.acknowledged()} acknowledged"

    def until_share(self, share):
        """Until so many percent are acknowledged."""
        self.until(lambda: self.acknowledged() * 100 >= CLIENTS * LINES * share)

    def until_said(self, pattern):
        """Until the gateway has written that."""
        self.until(lambda: re.search(pattern, self.gateway.log))

    def until_blocked(self):
        """Until no client could send for a second; returns how many bytes wait in them."""
        left, since = None, time.monotonic()
        while time.monotonic() < since + 1:
            self.step(1)
            before, left = left, sum(len(client.out) for client in self.clients)
            if left != before:
                since = time.monotonic()
        return left

    def stored(self):
        with contextlib.closing(sqlite3.connect(self.database)) as reader:
            return {key for key, in reader.execute("SELECT key FROM lines")}

    def lost(self):
        return len({key for client in self.clients for key in client.acknowledged} - self.stored())


def run(trial, cases):
    trial.until_share(20)
    trial.gateway.end(signal.SIGKILL)
    cases["what it acknowledged before it was killed is stored"] = trial.lost() == 0
    trial.start()
    trial.until_share(21)
    with contextlib.closing(sqlite3.connect(trial.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        trial.until_said("database is locked")
        cases["it takes no more than fits while the database is locked"] = trial.until_blocked() > 0
        other.execute("ROLLBACK")
    trial.until_share(50)
    trial.gateway.limit_files(1)
    trial.until_said("disk I/O error|database or disk is full")
    trial.gateway.limit_files(None)
    trial.until(lambda: not any(client.open for client in trial.clients))
    cases["it ends in order"] = trial.gateway.end(signal.SIGTERM) == 0


def main():
    cases, sent = {}, CLIENTS * LINES
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(folder)
        try:
            run(trial, cases)
        finally:
            if trial.gateway.process.poll() is None:
                trial.gateway.end(signal.SIGKILL)
        acknowledged, stored, lost = trial.acknowledged(), len(trial.stored()), trial.lost()
    cases["each line is acknowledged"] = acknowledged == sent
    cases["each line is stored, and no other"] = stored == sent and lost == 0
    print(f"1..{len(cases)}")
    for number, (name, good) in enumerate(cases.items(), 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
    print(f"# {sent} sent, {acknowledged} acknowledged, {stored} stored, {lost} lost")
    return not all(cases.values())


sys.exit(main())
