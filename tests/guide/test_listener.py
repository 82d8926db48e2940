#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_listener.py PROGRAM - the listener of chapter 3, with two connections at most (listener.py),
# serves clients after more resets than that, and ends in order. Prints TAP.
import signal
import socket
import struct
import subprocess
import sys

RESETS = 5
TIMEOUT_S = 60


def reset(port):
    client = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
    client.sendall(b"x")
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def served(port):
    """Whether a peer reads to the end, and closes."""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as client:
        client.sendall(b"x")
        client.shutdown(socket.SHUT_WR)
        try:
            return client.recv(1) == b""
        except OSError:
            return False


def ends_in_order(program):
    try:
        return program.wait(TIMEOUT_S) == 0
    except subprocess.TimeoutExpired:
        program.kill()
        return False


def main():
    failed = 0
    command = [sys.argv[1]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        port = int(program.stdout.readline())
        for _ in range(RESETS):
            reset(port)
        outcomes = {"a client is served after resets": served(port)}
        program.send_signal(signal.SIGTERM)
        outcomes["the listener ends in order"] = ends_in_order(program)
    for number, (name, good) in enumerate(outcomes.items(), 1):
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
    print(f"1..{len(outcomes)}")
    return failed != 0


sys.exit(main())
