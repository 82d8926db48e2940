#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_lines.py - clients of the server of lines, which count what they get while sessions fail.

    test_lines.py SERVER [CLIENTS [LINES]]

Each client sends its lines without waiting, the last one without an end, then half-closes; some
lines make its session fail. It must get the answer of each other line, once and in order, numbered
anew after a failure. Prints TAP.
"""

import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading

LONG = 60  # seconds, for what takes milliseconds
SERVER = sys.argv[1]
CLIENTS, LINES = (int(a) for a in (sys.argv[2:] + ["20", "1000"][len(sys.argv) - 2:]))


class Client(threading.Thread):
    def __init__(self, path, number):
        super().__init__()
        chance = random.Random(number)
        self.path, self.got = path, b""
        self.lines = ["fail" if chance.random() < 0.02 else f"{number}.{i}" for i in range(LINES)]
        self.lines[0], self.lines[-1] = "first", "last"
        self.start()

    def wanted(self):
        answers, count = "", 0
        for line in self.lines:
            count = 0 if line == "fail" else count + 1
            answers += "" if line == "fail" else f"{count}: {line}\n"
        return answers.encode()

    def run(self):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(LONG)
            peer.connect(self.path)
            sender = threading.Thread(target=self.send, args=(peer,))
            sender.start()
            while data := peer.recv(65536):
                self.got += data
            sender.join()

    def send(self, peer):
        peer.sendall("\n".join(self.lines).encode())
        peer.shutdown(socket.SHUT_WR)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/lines"
        server = subprocess.Popen([SERVER, f"unix:{path}"], stderr=subprocess.PIPE, text=True)
        log = []
        for line in server.stderr:
            log.append(line)
            if "listens at" in line:
                break
        reader = threading.Thread(target=lambda: log.extend(server.stderr))
        reader.start()
        clients = [Client(path, number) for number in range(CLIENTS)]
        for client in clients:
            client.join()
        server.send_signal(signal.SIGTERM)
        status = server.wait(LONG)
        reader.join()
        left = subprocess.run(["ls", folder], stdout=subprocess.PIPE, check=True).stdout
    told = sum(client.lines.count("fail") for client in clients)
    failed = sum("-> restart" in line for line in log)
    cases = {
        "a line that fails costs itself alone": all(c.got == c.wanted() for c in clients),
        "sessions have failed as often as they were told to": failed == told > 0,
        "it ends in order, and removes its path": (status, left) == (0, b""),
    }
    print(f"1..{len(cases)}")
    for number, (name, good) in enumerate(cases.items(), 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not all(cases.values()):
        print("".join(f"# {line}" for line in log[-20:]), end="")
    came = sum(client.got.count(b"\n") for client in clients)
    print(f"# {CLIENTS} clients sent {CLIENTS * LINES} lines, {told} of which failed a session:"
          f" {came} of {CLIENTS * LINES - told} answers received")
    return not all(cases.values())


sys.exit(main())
