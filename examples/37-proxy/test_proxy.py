#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_proxy.py - clients, curl among them, and a server behind a proxy, which is killed and started.

    test_proxy.py PROXY [CURL]
    test_proxy.py --serve PORT

Each side ends first in turn. What one side has sent, the other must get, byte for byte. Prints TAP.
"""

import hashlib
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

LONG = 6  # seconds, for what takes milliseconds
MANY = 3_000_000  # bytes, more than the buffers of the way take


def data(size, salt):
    return hashlib.shake_128(salt.encode()).digest(size)


def digest(bytes_):
    return f"{len(bytes_)} {hashlib.sha256(bytes_).hexdigest()}\n".encode()


def read_all(peer):
    got = bytearray()
    while more := peer.recv(65536):
        got += more
    return bytes(got)


# ---- the server ------------------------------------------------------------------------------


def answer_http(peer, file, line):
    """GET /SIZE and POST; one request for each connection."""
    size = 0
    while (head := file.readline().strip().lower()):
        if head.startswith(b"content-length:"):
            size = int(head.split(b":")[1])
    method, path = line.split()[:2]
    body = digest(file.read(size)) if method == b"POST" else data(int(path[1:]), "get")
    peer.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body))
    peer.sendall(body)


def serve_one(peer):
    with peer, peer.makefile("rb") as file:
        line = file.readline()
        if line == b"digest\n":  # the client ends first
            peer.sendall(digest(file.read()))
        elif line == b"send\n":  # the server ends first
            peer.sendall(data(MANY, "send"))
            peer.shutdown(socket.SHUT_WR)
            print("got", digest(file.read()).decode(), end="", flush=True)
        elif line == b"hang\n":
            peer.sendall(b"yes\n")
            file.read()
        elif line:
            answer_http(peer, file, line)


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


def serve(port):
    threading.Thread(target=end_with_parent, daemon=True).start()
    listening = socket.create_server(("127.0.0.1", port))
    print("at", listening.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve_one, args=(listening.accept()[0],), daemon=True).start()


# ---- the test --------------------------------------------------------------------------------


class Process:
    """A process, and what it writes."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.log, self.changed = "", threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.log += line
                self.changed.notify()

    def wait_for(self, pattern):
        """Until it has written that."""
        with self.changed:
            good = self.changed.wait_for(lambda: re.search(pattern, self.log), LONG)
            assert good, f"not {pattern}: {self.log[-1000:]}"
            return good

    def end(self, number):
        self.process.send_signal(number)
        status = self.process.wait(LONG)
        self.reader.join()
        return status


class Trial:
    def __init__(self):
        self.asked, self.answered, self.ended, self.left = 0, 0, 0, 0
        self.there, self.back, self.lock = 0, 0, threading.Lock()
        self.port = 0
        self.start_server()
        self.proxy = Process(sys.argv[1], "tcp:127.0.0.1:0", f"tcp:127.0.0.1:{self.port}")
        self.at = int(self.proxy.wait_for(r"listens at tcp:127\.0\.0\.1:(\d+)")[1])

    def start_server(self):
        self.server = Process(sys.executable, __file__, "--serve", str(self.port))
        self.port = int(self.server.wait_for(r"at (\d+)\n")[1])

    def connect(self, text):
        with self.lock:
            self.asked += 1
        peer = socket.create_connection(("127.0.0.1", self.at), LONG)
        try:
            peer.sendall(text)
        except ConnectionError:
            pass
        return peer

    def check(self, got, wanted, there=0):
        """Counts an answer; `there` bytes of the client's are in it as a digest."""
        with self.lock:
            if not got:
                self.ended += 1
            elif got == wanted:
                self.answered += 1
                self.there += there
                self.back += len(got)
        return bool(got) and got == wanted

    def ask(self, size):
        """The client ends first."""
        text = data(size, "ask")
        with self.connect(b"digest\n" + text) as peer:
            try:
                peer.shutdown(socket.SHUT_WR)
                got = read_all(peer)
            except OSError:
                got = b""
        return self.check(got, digest(text), size)

    def curl(self, path, text=None):
        """An answer by curl; with a text it posts that."""
        self.asked += 1
        post = [] if text is None else ["--data-binary", "@-"]
        return subprocess.run([sys.argv[2], "-sS", "--max-time", str(LONG), *post,
                               f"http://127.0.0.1:{self.at}/{path}"],
                              input=text or b"", stdout=subprocess.PIPE).stdout


def client_ends_first(trial):
    return trial.ask(MANY)


def server_ends_first(trial):
    text = data(MANY, "back")
    with trial.connect(b"send\n") as peer:
        good = trial.check(read_all(peer), data(MANY, "send"), MANY)
        peer.sendall(text)
        peer.shutdown(socket.SHUT_WR)
        return good and bool(trial.server.wait_for("got " + digest(text).decode()))


def curl_gets_and_posts(trial):
    text = data(MANY, "post")
    return (trial.check(trial.curl(str(MANY)), data(MANY, "get"))
            and trial.check(trial.curl("", text), digest(text), MANY))


def server_is_killed(trial):
    """Its client sees the end."""
    with trial.connect(b"hang\n") as peer:
        good = trial.check(peer.recv(100), b"yes\n")
        trial.server.end(signal.SIGKILL)
        try:
            return good and peer.recv(100) == b""
        except ConnectionResetError:
            return good


def clients_reset(trial):
    """Which is no failure of the server: the next one is served."""
    for _ in range(50):
        with trial.connect(b"hang\n") as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        trial.left += 1
    return trial.ask(1000)


def client_waits_for_a_server(trial):
    """It has connected before the server is started."""
    text = data(1000, "wait")
    with trial.connect(b"digest\n" + text) as peer:
        peer.shutdown(socket.SHUT_WR)
        trial.start_server()
        return trial.check(read_all(peer), digest(text), 1000)


def breaker_opens_and_closes(trial):
    """Three wait in vain; then one at a time does, until the server is there again."""
    def timed(size):
        begin = time.monotonic()
        return trial.ask(size), time.monotonic() - begin

    trial.server.end(signal.SIGKILL)
    with ThreadPoolExecutor(4) as pool:
        vain = list(pool.map(timed, [1000] * 4)) + list(pool.map(timed, [1000] * 2))
    trial.start_server()
    end = time.monotonic() + LONG
    while not trial.ask(1000):
        if time.monotonic() > end:
            return False
    return not any(good for good, _ in vain) and min(took for _, took in vain[-2:]) < 2


def proxy_ends_in_order(trial):
    return trial.proxy.end(signal.SIGTERM) == 0


def main():
    cases = [client_ends_first, server_ends_first, clients_reset, server_is_killed,
             client_waits_for_a_server, breaker_opens_and_closes, proxy_ends_in_order]
    if len(sys.argv) > 2:
        cases.insert(0, curl_gets_and_posts)
    trial, failed = Trial(), 0
    print(f"1..{len(cases)}")
    try:
        for number, case in enumerate(cases, 1):
            good = case(trial)
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {case.__name__}", flush=True)
    finally:
        for process in trial.server, trial.proxy:
            if process.process.poll() is None:
                process.end(signal.SIGKILL)
    if failed:
        print("".join(f"# {line}\n" for line in trial.proxy.log.splitlines()[-20:]), end="")
    wrong = trial.asked - trial.answered - trial.ended - trial.left
    print(f"# {trial.asked} asked: {trial.answered} answered, {trial.left} left, {trial.ended} ended"
          f" while the server was down, {wrong} wrong;"
          f" {trial.there} bytes arrived there, {trial.back} came back")
    return failed > 0 or wrong > 0


if sys.argv[1] == "--serve":
    serve(int(sys.argv[2]))
sys.exit(main())
