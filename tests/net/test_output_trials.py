#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_output_trials.py - what a stream sends to slow and to lost peers, over real sockets.

    test_output_trials.py OUTPUT_SERVER [NAME]

Files, given bytes, pipes, and connections that move to another actor. See test_trials.py.
"""

import os
import select
import socket
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import test_trials as trials  # noqa: E402
from serving import GROWTH  # noqa: E402
from test_trials import LONG, case, equal, read_all, read_line, reset, say  # noqa: E402

trials.cases.clear()
MIB = 1 << 20


def pattern(size):
    """Bytes without a period that a buffer has."""
    line = b"".join(b"%d," % (i * 7919) for i in range(20000))
    return (line * (size // len(line) + 1))[:size]


def make_file(folder, size):
    path = f"{folder}/file"
    with open(path, "wb") as file:
        file.write(pattern(size))
    return path


def connect_slow(server):
    """A peer with a small buffer."""
    host, port = server.address[4:].rsplit(":", 1)
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.settimeout(LONG)
    peer.connect((host, int(port)))
    return peer


def read_size(peer, size, at_once=1 << 20):
    data = bytearray()
    while len(data) < size:
        more = peer.recv(min(at_once, size - len(data)))
        assert more, f"ended after {len(data)} of {size} bytes"
        data += more
    return bytes(data)


def send_all_it_takes(peer, data):
    """Sends until nothing is taken for a while; returns how much was."""
    peer.setblocking(False)
    sent = 0
    while sent < len(data) and select.select([], [peer], [], 0.5)[1]:
        sent += peer.send(data[sent:sent + 65536])
    peer.settimeout(LONG)
    return sent


@case
def a_large_file_for_a_slow_reader_takes_no_memory(start):
    server, size = start(lean=True), 100 * MIB
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, size)
        other, peer = server.connect(), connect_slow(server)
        equal(say(other, b"hi\n"), b"1: hi\n")
        before = server.memory()
        peer.sendall(b"file 0 %d %s\nafter\n" % (size, path.encode()))
        equal(read_size(peer, len(b"%d bytes\n" % size)), b"%d bytes\n" % size)
        wanted, got = pattern(size), 0
        while got < size:
            at_once = 1000 if got < MIB // 2 else 256 * 1024
            more = read_size(peer, min(at_once, size - got))
            assert more == wanted[got:got + len(more)], f"wrong bytes at {got}"
            got += len(more)
            if got < MIB // 2 and got % 100000 == 0:
                equal(say(other, b"hi\n")[-3:], b"hi\n")
            assert got % (10 * MIB) > len(more) or server.memory() - before < GROWTH, "memory"
        equal(read_line(peer), b"1: after\n")
        grown = server.memory() - before
        assert grown < GROWTH, f"{grown} bytes"
        peer.close()
        other.close()
        server.wait_files()


@case
def a_large_file_leaves_others_their_turns(start):
    server, size = start(), 100 * MIB
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, size)
        other, peer = server.connect(), server.connect()
        peer.sendall(b"file 0 %d %s\n" % (size, path.encode()))
        got = answers = 0
        while got < size:
            got += len(peer.recv(1 << 20))
            if got < size // 2:
                say(other, b"hi\n")
                answers += 1
        assert answers > 10, answers


@case
def files_bytes_and_given_bytes_come_in_the_order_of_the_calls(start):
    server = start()
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, 100000)
        all_, wanted = pattern(100000), b""
        for i in range(50):
            wanted += b"%d\n%d bytes\n" % (i, i * 1000) + all_[i:i + i * 1000]
            wanted += b"g" * (i * 500) + b"\n"
        for connect, at_once in ((server.connect, MIB), (lambda: connect_slow(server), 3000)):
            peer = connect()
            peer.sendall(b"mixed %s\nlast\n" % path.encode())
            equal(read_size(peer, len(wanted), at_once), wanted)
            equal(read_line(peer), b"1: last\n")
            peer.close()
        server.wait_files()


@case
def a_reset_within_a_file_closes_it_and_leaves_the_server_alive(start):
    server = start()
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, 20 * MIB)
        for _ in range(5):
            peer = connect_slow(server)
            peer.sendall(b"file 0 %d %s\n" % (20 * MIB, path.encode()))
            read_size(peer, 100000)
            reset(peer)
        server.wait_text("ward_peer_lost: tcp:127.0.0.1:")
        server.wait_files()


@case
def a_peer_that_closes_within_a_file_raises_no_signal(start):
    server = start(address="unix:@ward-output-%d" % os.getpid())
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, 20 * MIB)
        for _ in range(5):
            peer = server.connect()
            peer.sendall(b"file 0 %d %s\n" % (20 * MIB, path.encode()))
            read_size(peer, 100000)
            peer.close()
        server.wait_text("Broken pipe")
        server.wait_files()


@case
def a_reset_within_given_bytes_releases_them_once(start):
    server = start()
    peer = connect_slow(server)
    peer.sendall(b"given 500000\n")
    read_size(peer, 1000)
    assert "released" not in server.text
    reset(peer)
    server.wait_text("released")
    server.wait_files()
    server.end()
    server.text += os.read(server.out, 65536).decode()
    equal(server.text.count("released"), 1)


@case
def a_hundred_files_that_are_asked_for_at_once_are_open_one_by_one(start):
    server = start()
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, 4 * MIB)
        peer = connect_slow(server)
        peer.sendall(b"file 0 %d %s\n" % (4 * MIB, path.encode()) * 100)
        read_size(peer, 1000)
        equal(say(server.connect(), b"x\n"), b"1: x\n")
        files = server.files() - server.base
        assert files <= 4, f"{files} descriptors"
        reset(peer)
        server.wait_files()


@case
def a_shorter_file_is_a_reset_and_a_failure(start):
    server = start()
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, 1000)
        peer = server.connect()
        peer.sendall(b"file 500 1000 %s\n" % path.encode())
        data, how = read_all(peer)
        equal(how, "reset")
        server.wait_text("file: it is shorter than what was to be sent")
        server.wait_files()


@case
def what_is_no_regular_file_is_read_or_refused(start):
    server = start()
    peer = server.connect()
    peer.sendall(b"file 0 100000 /dev/zero\n")
    equal(read_size(peer, 13 + 100000), b"100000 bytes\n" + bytes(100000))
    peer.sendall(b"file 0 100 /\n")
    equal(read_all(peer)[1], "reset")
    server.wait_text("file: Is a directory")
    peer = server.connect()
    peer.sendall(b"file 0 100 /no/such/file\n")
    equal(read_all(peer)[1], "reset")
    server.wait_text("ward_misuse")
    server.wait_files()


# ---- pipes ----


def meet(server, connect=None):
    one, two = server.connect(), (connect or server.connect)()
    for peer in one, two:
        peer.sendall(b"meet\n")
    for peer in one, two:
        equal(read_line(peer), b"met\n")
    return one, two


def check_ends(first, second):
    first.sendall(b"question")
    first.shutdown(socket.SHUT_WR)
    equal(read_all(second), (b"question", "end"))
    second.sendall(b"answer")
    second.shutdown(socket.SHUT_WR)
    equal(read_all(first), (b"answer", "end"))
    first.close()
    second.close()


@case
def a_pair_half_closes_in_both_orders(start):
    server = start()
    for _ in range(10):
        one, two = meet(server)
        check_ends(one, two)
        one, two = meet(server)
        check_ends(two, one)
    server.wait_files()


@case
def bytes_that_came_with_the_last_line_go_through(start):
    server = start()
    one, two = server.connect(), server.connect()
    one.sendall(b"meet\nearly")
    two.sendall(b"meet\n")
    equal(read_size(two, 9), b"met\nearly")
    equal(read_line(one), b"met\n")
    check_ends(one, two)


@case
def megabytes_pass_through_a_pair_in_both_directions(start):
    server, size = start(), 30 * MIB
    one, two = meet(server)
    wanted = pattern(size)
    sent, came = {one: 0, two: 0}, {one: bytearray(), two: bytearray()}
    for peer in one, two:
        peer.setblocking(False)
    while min(map(len, came.values())) < size:
        reads, writes, _ = select.select([one, two], [p for p in sent if sent[p] < size], [], LONG)
        assert reads or writes, "nothing moves"
        for peer in writes:
            sent[peer] += peer.send(wanted[sent[peer]:sent[peer] + 262144])
        for peer in reads:
            came[peer] += peer.recv(262144)
    assert came[one] == wanted and came[two] == wanted, "other bytes"


@case
def a_slow_reader_of_a_pipe_holds_its_writer_and_takes_no_memory(start):
    server = start(lean=True)
    one, two = meet(server, lambda: connect_slow(server))
    before = server.memory()
    data = pattern(64 * MIB)
    sent = send_all_it_takes(one, data)
    assert sent < len(data), "all was taken"
    grown = server.memory() - before
    assert grown < GROWTH, f"{grown} bytes"
    two.sendall(b"meanwhile\n")
    equal(read_line(one), b"meanwhile\n")
    equal(read_size(two, sent), data[:sent])
    one.sendall(b"more")
    one.shutdown(socket.SHUT_WR)
    two.shutdown(socket.SHUT_WR)
    equal(read_all(two), (b"more", "end"))
    equal(read_all(one), (b"", "end"))
    one.close()
    two.close()
    server.wait_files()


@case
def a_reset_of_one_of_a_pair_is_a_reset_of_the_other(start):
    server = start()
    one, two = meet(server)
    one.sendall(b"x")
    equal(read_size(two, 1), b"x")
    reset(one)
    equal(read_all(two)[1], "reset")
    server.wait_files()


# ---- connections that move ----


@case
def a_connection_moves_in_the_middle_of_a_line(start):
    server = start()
    peer = server.connect()
    equal(say(peer, b"a\n"), b"1: a\n")
    peer.sendall(b"b\nmove\nc\nhal")
    equal(read_size(peer, len(b"2: b\n1: c\n")), b"2: b\n1: c\n")
    peer.sendall(b"f\nmove\nmo")
    equal(read_line(peer), b"2: half\n")
    peer.sendall(b"ve\nlast")
    peer.shutdown(socket.SHUT_WR)
    equal(read_all(peer), (b"1: last\n", "end"))
    peer.close()
    server.wait_files()


@case
def a_connection_that_nobody_takes_is_reset_after_what_was_written(start):
    server = start()
    peer = server.connect()
    equal(say(peer, b"a\n"), b"1: a\n")
    peer.sendall(b"b\nnobody\nc\n")
    equal(read_all(peer)[1], "reset")
    peer.close()
    server.wait_files()


@case
def what_waits_to_be_sent_moves_too(start):
    server = start()
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, 3 * MIB)
        peer = connect_slow(server)
        peer.sendall(b"given 200000\nfile 0 %d %s\nmove\nlast\n" % (3 * MIB, path.encode()))
        wanted = b"g" * 200000 + b"\n" + b"%d bytes\n" % (3 * MIB) + pattern(3 * MIB)
        equal(read_size(peer, len(wanted)), wanted)
        equal(read_line(peer), b"1: last\n")
        peer.close()
        server.wait_files()


if __name__ == "__main__":
    sys.exit(trials.main())
