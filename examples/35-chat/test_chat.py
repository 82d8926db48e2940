#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_chat.py - clients that count what they get while sessions and rooms fail.

    test_chat.py CHAT [CLIENTS [LINES]]

In each of two rooms CLIENTS clients say LINES lines each. Some make their session or their room
fail in between. One client of each room reads only while all others have nothing to read and cannot
send, so that they have to wait for it. Each client must get each line of the others, once, and those
of one sender in order. Prints TAP.
"""

import random
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading

LONG = 60  # seconds, for what takes milliseconds
ROOMS = "garden", "cellar"
CHAT = sys.argv[1]
CLIENTS, LINES = (int(a) for a in (sys.argv[2:] + ["10", "1500"][len(sys.argv) - 2:]))
PAD = "." * 200


class Client:
    """A client, which has sent what is not in `out`."""

    def __init__(self, path, room, number):
        self.name, self.room = f"c{number}", room
        self.slow = number == 0
        self.out, self.rest = f"/join {room} {self.name}\n".encode(), b""
        self.last, self.wrong, self.joined, self.count = {}, [], False, 0
        self.peer = socket.socket(socket.AF_UNIX)
        self.peer.connect(path)
        self.peer.setblocking(False)

    def talk(self, chance):
        """What it will say; returns how many lines of it make something fail."""
        fails = [chance.random() < 0.02 for _ in range(LINES)]
        poisons = [chance.random() < 0.01 for _ in range(LINES)]
        text = ""
        for i in range(LINES):
            text += "/fail\n" * fails[i] + "/poison\n" * poisons[i] + f"{i + 1} {PAD}\n"
        self.out = text.encode()
        return sum(fails), sum(poisons)

    def send(self):
        try:
            self.out = self.out[self.peer.send(self.out[:65536]):]
        except BlockingIOError:
            pass

    def take(self, line):
        sender, _, said = line.partition(": ")
        if line == "joined":
            self.joined = True
            return
        number, last = int(said.split()[0]), self.last.get(sender, 0)
        if number != last + 1:
            self.wrong.append(f"{self.name} got {number} of {sender} after {last}")
        self.last[sender] = number
        self.count += 1

    def read(self):
        data = self.peer.recv(300 if self.slow else 65536)
        if not data:
            return False
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.take(line.decode())
        return True


def move(clients, done):
    """Sends and reads until all are done."""
    ready = selectors.DefaultSelector()
    for client in clients:
        ready.register(client.peer, selectors.EVENT_READ | selectors.EVENT_WRITE, client)
    while not all(map(done, clients)):
        events = ready.select(LONG)
        assert events, "nothing comes: " + ", ".join(
            f"{c.name} {c.count}" for c in clients if not done(c))
        patient = all(key.data.slow for key, _ in events)
        for key, mask in events:
            client = key.data
            if client.slow and not patient:
                continue
            if mask & selectors.EVENT_WRITE:
                client.send()
                if not client.out:
                    ready.modify(client.peer, selectors.EVENT_READ, client)
            if mask & selectors.EVENT_READ:
                assert client.read(), f"{client.name}: the end, after {client.count} lines"


def trial(path):
    chance = random.Random(1)
    clients = [Client(path, room, i) for room in ROOMS for i in range(CLIENTS)]
    move(clients, lambda client: client.joined)
    failing = [client.talk(chance) for client in clients]
    wanted = (CLIENTS - 1) * LINES
    move(clients, lambda client: client.count >= wanted and not client.out)
    for client in clients:
        client.peer.setblocking(True)
        client.peer.shutdown(socket.SHUT_WR)
        while client.read():
            pass
    wrong = [text for client in clients for text in client.wrong]
    got = sum(client.count for client in clients)
    return got, len(clients) * wanted, wrong, [sum(counts) for counts in zip(*failing)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/chat"
        server = subprocess.Popen([CHAT, f"unix:{path}"], stderr=subprocess.PIPE, text=True)
        log = []
        for line in server.stderr:
            log.append(line)
            if "listens at" in line:
                break
        reader = threading.Thread(target=lambda: log.extend(server.stderr))
        reader.start()
        try:
            got, wanted, wrong, failing = trial(path)
        finally:
            server.send_signal(signal.SIGTERM)
            status = server.wait(LONG)
            reader.join()
    failed = [sum(bool(re.search(where + r".*-> restart", line)) for line in log)
              for where in (r"/listener/\S+ failed", r"/hall/\S+ failed")]
    cases = {
        "each client gets each line of the others, once and in order": got == wanted and not wrong,
        "sessions and rooms have failed as often as they were told to": failed == failing,
        "it ends in order": status == 0,
    }
    print(f"1..{len(cases)}")
    for number, (name, good) in enumerate(cases.items(), 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not all(cases.values()):
        print("".join(f"# {text.rstrip()}\n" for text in wrong[:20] + log[-20:]), end="")
        print(f"# failed {failed}, told to {failing}, status {status}")
    print(f"# {2 * CLIENTS} clients sent {2 * CLIENTS * LINES} lines, and {failing[0]} at which a"
          f" session failed, {failing[1]} a room: {got} of {wanted} received,"
          f" {len(wrong)} out of order")
    return not all(cases.values())


sys.exit(main())
