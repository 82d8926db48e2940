#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_trials.py - a line server against peers that misbehave, over real sockets; and a client.

    test_trials.py LINE_SERVER LINE_CLIENT [NAME]

Each case starts a server or a client of its own and prints a line of TAP. A bound of time catches what
hangs.
"""

import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from serving import GROWTH, LONG, Program, Server, all_files, read_line, say  # noqa: E402

SERVER, CLIENT = (sys.argv[1:] + [None])[:2]
cases = []


def case(function):
    cases.append(function)
    return function


def read_all(peer):
    data = b""
    try:
        while True:
            more = peer.recv(65536)
            if not more:
                return data, "end"
            data += more
    except ConnectionResetError:
        return data, "reset"


def equal(is_, wanted):
    assert is_ == wanted, f"{is_!r:.300} is not {wanted!r:.300}"


def reset(peer):
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


@case
def a_half_closed_peer_gets_all_answers_then_the_end(start):
    server = start()
    peer = server.connect()
    peer.sendall(b"a\nb\r\nlast")
    peer.shutdown(socket.SHUT_WR)
    equal(read_all(peer), (b"1: a\n2: b\n3: last\n", "end"))
    server.wait_files()


@case
def twenty_thousand_lines_at_once_are_all_answered_in_order(start):
    server = start()
    peer = server.connect()
    wanted = b"".join(b"%d: %d\n" % (i + 1, i) for i in range(20000))
    text, got = b"".join(b"%d\n" % i for i in range(20000)), b""
    peer.setblocking(False)
    while len(got) < len(wanted):
        reads, writes, _ = select.select([peer], [peer] if text else [], [], LONG)
        assert reads or writes, "nothing moves"
        if writes:
            text = text[peer.send(text):]
        if reads:
            got += peer.recv(1 << 16)
    equal(got, wanted)


@case
def a_reset_within_a_line_is_peer_lost_with_the_address_and_leaves_nothing(start):
    server = start()
    peer = server.connect()
    name = "tcp:127.0.0.1:%d" % peer.getsockname()[1]
    equal(say(peer, b"a\n"), b"1: a\n")
    peer.sendall(b"part")
    reset(peer)
    server.wait_text(f"ward_peer_lost: {name}: read: Connection reset by peer")
    server.wait_files()


@case
def an_end_within_a_frame_of_a_length_is_no_answer(start):
    server = start("frame_max=100")
    peer = server.connect()
    peer.sendall(b"x" * 50)
    peer.shutdown(socket.SHUT_WR)  # of lines, the last one needs no end
    equal(read_all(peer), (b"1: " + b"x" * 50 + b"\n", "end"))


@case
def a_line_byte_by_byte_is_answered(start):
    server = start()
    peer = server.connect()
    line = b"x" * 3000 + b"\n"
    for i in range(len(line)):
        peer.sendall(line[i:i + 1])
    equal(read_line(peer), b"1: " + line)


@case
def a_line_over_frame_max_is_bad_and_others_go_on(start):
    server = start()
    other = server.connect()
    equal(say(other, b"hi\n"), b"1: hi\n")
    peer = server.connect()
    peer.sendall(b"good\n" + b"y" * 5000)
    equal(read_all(peer)[1], "reset")
    server.wait_text("frame: a line of more than 4096 bytes")
    server.wait_text("ward_bad_frame: tcp:127.0.0.1:")
    equal(say(other, b"hi\n"), b"2: hi\n")


@case
def a_peer_that_never_reads_is_slow_and_costs_no_memory(start):
    server = start("write_ms=400", lean=True)
    other = server.connect()
    equal(say(other, b"hi\n"), b"1: hi\n")
    before = server.memory()
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    host, port = server.address[4:].rsplit(":", 1)
    peer.connect((host, int(port)))
    peer.setblocking(False)
    begin = time.monotonic()
    while True:
        assert time.monotonic() - begin < LONG, "it was not ended"
        select.select([], [peer], [], 0.1)
        try:
            peer.send(b"z" * 999 + b"\n")
        except BlockingIOError:
            pass
        except (ConnectionResetError, BrokenPipeError):
            break
    assert time.monotonic() - begin >= 0.4, "too early"
    server.wait_text("write: it has read nothing for 0.400 s")
    grown = server.memory() - before
    assert grown < GROWTH, f"{grown} bytes"
    equal(say(other, b"hi\n"), b"2: hi\n")


@case
def a_peer_that_is_faster_than_its_lines_are_handed_out_costs_no_memory(start):
    server = start(lean=True)
    peer = server.connect()
    equal(say(peer, b"x\n"), b"1: x\n")
    peer.setblocking(False)
    before, text, most = server.memory(), b"x\n" * 100000, 0
    for number in range(1000):
        reads, writes, _ = select.select([peer], [peer], [], LONG)
        assert reads or writes, "nothing moves"
        if writes:
            text = text[peer.send(text):] or b"x\n" * 100000
        if reads:
            peer.recv(1 << 16)
        if number % 20 == 0:
            most = max(most, server.memory())
    assert most - before < GROWTH, f"{most - before} bytes"


@case
def an_answer_over_write_max_fails_the_stream(start):
    server = start("write_max=100000", "write_high=50000")
    peer = server.connect()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.sendall(b"big 20000000\n")
    server.wait_text("more than write_max bytes wait")


@case
def without_descriptors_the_listener_waits_and_goes_on(start):
    server = start(files=48)
    peers = [server.connect() for _ in range(70)]
    server.wait_text("accepts no more for now: Too many open files")
    before = server.ticks()
    assert not select.select(peers, [], [], 1)[0], "nobody was asked"
    assert server.ticks() - before <= 5, "it spins"
    served, waiting = [], []
    for peer in peers:
        peer.sendall(b"q\n")
    for peer in peers:
        (served if select.select([peer], [], [], 0.02)[0] else waiting).append(peer)
    assert served and waiting, (len(served), len(waiting))
    for peer in served:
        equal(read_line(peer), b"1: q\n")
        peer.close()
    for peer in waiting:  # each was kept in the queue of the kernel
        equal(read_line(peer), b"1: q\n")
        peer.close()
    server.wait_text("accepts again")
    server.wait_files()


@case
def at_connections_max_further_ones_wait_their_turn(start):
    server = start("connections_max=10")
    peers = [server.connect() for _ in range(12)]
    for peer in peers:
        peer.sendall(b"q\n")
    for peer in peers[:10]:
        equal(read_line(peer), b"1: q\n")
    server.wait_text("the limit is reached, 10 connections")
    assert not select.select(peers[10:], [], [], 0.1)[0], "more than ten were served"
    peers[0].close()
    peers[1].close()
    for peer in peers[10:]:
        equal(read_line(peer), b"1: q\n")


@case
def an_idle_peer_is_ended_not_earlier_and_a_busy_one_not_at_all(start):
    server = start("idle_ms=400")
    idle, busy = server.connect(), server.connect()
    begin = time.monotonic()
    while not select.select([idle], [], [], 0.02)[0]:
        assert time.monotonic() - begin < LONG, "it was not ended"
        say(busy, b"x\n")
    assert time.monotonic() - begin >= 0.38, "too early"
    equal(read_all(idle)[1], "reset")
    server.wait_text("ward_peer_idle")
    say(busy, b"x\n")


@case
def a_peer_that_sends_nothing_at_first_is_ended(start):
    server = start("first_ms=300")
    good, bad = server.connect(), server.connect()
    say(good, b"x\n")
    equal(read_all(bad)[1], "reset")
    server.wait_text("read: no first frame for 0.300 s")
    say(good, b"x\n")


@case
def a_byte_now_and_then_does_not_get_around_frame_ms(start):
    server = start("frame_ms=300")
    peer = server.connect()
    begin = time.monotonic()
    try:
        while time.monotonic() - begin < LONG:
            peer.sendall(b"x")
            select.select([peer], [], [], 0.02)  # readable: it was ended
    except (ConnectionResetError, BrokenPipeError):
        pass
    assert 0.3 <= time.monotonic() - begin < LONG / 2, time.monotonic() - begin
    server.wait_text("read: a frame has not ended for 0.300 s")


@case
def a_failing_line_stops_the_session_after_the_answers_before_it(start):
    server = start()
    peer = server.connect()
    peer.sendall(b"a\nfail\nc\n")
    equal(read_all(peer), (b"1: a\n", "reset"))
    server.wait_text("ward_exception: line 1 says so")


@case
def failing_lines_restart_the_session_and_lose_only_themselves(start):
    server = start("restart=1")
    peer = server.connect()
    peer.sendall(b"a\nb\nfail\nc\nfail\nhal")
    equal(read_line(peer)[:5], b"1: a\n")
    peer.sendall(b"f\n")
    peer.shutdown(socket.SHUT_WR)
    text, how = read_all(peer)
    assert how == "end" and text.endswith(b"1: half\n"), (text, how)


@case
def jumps_out_of_the_loop_lose_only_their_line(start):
    server = start("restart=1")
    peer = server.connect()
    peer.sendall(b"a\nb\njump\nc\njump\njump\n" + b"x\n" * 200)
    peer.shutdown(socket.SHUT_WR)
    text, how = read_all(peer)
    equal((text.count(b"\n"), how), (203, "end"))
    equal(text[:20], b"1: a\n2: b\n1: c\n1: x\n")


@case
def a_session_that_has_aborted_and_fails_is_stopped_and_not_restarted_forever(start):
    server = start("restart=1")
    peer = server.connect()
    peer.sendall(b"abort\n")
    assert read_all(peer)[1] == "reset"
    server.wait_for(r"ward_post_restart: .*-> stop")
    server.wait_files()


@case
def bye_is_answered_and_what_follows_is_thrown_away(start):
    server = start()
    peer = server.connect()
    peer.sendall(b"a\nbye\n" + b"more\n" * 1000)
    equal(read_all(peer), (b"1: a\n2: bye\n", "end"))
    peer.close()
    server.wait_files()


@case
def a_peer_that_does_not_end_after_bye_is_left(start):
    server = start("write_ms=200")
    peer = server.connect()
    peer.sendall(b"bye\n")
    equal(read_all(peer), (b"1: bye\n", "end"))
    server.wait_files()  # though the peer is still open
    peer.close()


@case
def an_ordered_end_answers_what_has_come(start):
    server = start()
    idle, busy = server.connect(), server.connect()
    equal(say(idle, b"x\n"), b"1: x\n")
    busy.sendall(b"big 3000000\nx\n")
    select.select([busy], [], [], LONG)
    server.process.send_signal(signal.SIGTERM)
    equal(read_all(idle), (b"", "end"))
    text, how = read_all(busy)
    equal((len(text), how), (3000001 + 5, "end"))
    equal(server.process.wait(LONG), 0)


@case
def a_drain_that_takes_too_long_is_cut_short(start):
    server = start("drain_ms=300")
    peer = server.connect()
    equal(say(peer, b"x\nhalf a line"), b"1: x\n")
    begin = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    equal(server.process.wait(LONG), 0)
    assert time.monotonic() - begin >= 0.3, "it did not wait"


@case
def ten_thousand_connects_in_a_burst_are_all_answered(start):
    server = start("workers=2")
    wanted, done, opened = 10000, 0, {}
    host, port = server.address[4:].rsplit(":", 1)
    poll = select.epoll()
    while done < wanted:
        while len(opened) < 1000 and done + len(opened) < wanted:
            peer = socket.socket()
            peer.setblocking(False)
            peer.connect_ex((host, int(port)))
            opened[peer.fileno()] = peer
            poll.register(peer.fileno(), select.EPOLLOUT)
        events = poll.poll(LONG)
        assert events, f"stuck at {done}"
        for number, event in events:
            peer = opened[number]
            if event & select.EPOLLOUT:
                peer.sendall(b"%d\n" % number)
                poll.modify(number, select.EPOLLIN)
            else:
                equal(peer.recv(100), b"1: %d\n" % number)
                poll.unregister(number)
                del opened[number]
                peer.close()
                done += 1
    server.wait_files()


@case
def unix_sockets_serve_and_their_path_goes_with_them(start):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/sock"
        server = start(address=f"unix:{path}")
        equal(os.stat(path).st_mode & 0o777, 0o600)
        equal(say(server.connect(), b"x\n"), b"1: x\n")
        server.end()
        assert not os.path.exists(path), "the path is left"


@case
def abstract_and_ipv6_addresses_serve(start):
    server = start(address="unix:@ward-trial-%d" % os.getpid())
    equal(say(server.connect(), b"x\n"), b"1: x\n")
    if os.path.exists("/proc/net/if_inet6") and open("/proc/net/if_inet6").read():
        server = start(address="tcp:[::1]:0")
        equal(say(server.connect(), b"x\n"), b"1: x\n")


@case
def a_port_in_use_is_a_clear_failure(start):
    server = start()
    other = subprocess.run([SERVER, server.address], capture_output=True, text=True, timeout=LONG)
    assert other.returncode == 1, other
    assert f"{server.address}: bind: Address already in use" in other.stdout, other.stdout


# ---- a client ---------------------------------------------------------------------------------


def taken_port(number=0):
    """A port at which nobody listens until listen() is called."""
    port = socket.socket()
    port.settimeout(LONG)
    port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    port.bind(("127.0.0.1", number))
    return port


def at(port, host="127.0.0.1"):
    return "tcp:%s:%d" % (host, port.getsockname()[1])


def next_peer(listener):
    peer = listener.accept()[0]
    peer.settimeout(LONG)
    return peer


@case
def a_client_waits_for_a_port_where_nobody_listens_yet(start):
    port = taken_port()
    client = start.client(at(port), "connect_tries=1000", "min_backoff_ms=10", "max_backoff_ms=20")
    client.wait_text("retry\nretry")
    port.listen()
    peer = next_peer(port)
    equal(read_line(peer), b"hello\n")
    client.wait_text("opened " + at(port))
    peer.sendall(b"a\n")
    client.wait_text("line a")
    peer.shutdown(socket.SHUT_WR)
    equal(read_all(peer), (b"", "end"))


@case
def a_client_gives_up_after_its_tries_and_says_why(start):
    port = taken_port()
    client = start.client(at(port), "connect_tries=3", "min_backoff_ms=10")
    client.wait_text(f"ward_not_connected: {at(port)}: connect: Connection refused: "
                     "nobody listens there; 3 tries")
    equal(client.text.count("retry\n"), 2)


@case
def a_listener_whose_queue_is_full_is_waited_for_no_longer_than_connect_ms(start):
    listener = taken_port()
    listener.listen(0)
    filler = socket.create_connection(listener.getsockname(), LONG)
    begin = time.monotonic()
    client = start.client(at(listener), "connect_ms=300")
    client.wait_text("connect: Connection timed out: no answer within 0.300 s")
    assert time.monotonic() - begin >= 0.3, "too early"
    filler.close()


@case
def a_listener_whose_queue_is_full_for_a_while_is_reached(start):
    listener = taken_port()
    listener.listen(0)
    filler = socket.create_connection(listener.getsockname(), LONG)
    client = start.client(at(listener), "connect_tries=100", "connect_ms=200", "min_backoff_ms=10")
    client.wait_text("retry")
    listener.accept()[0].close()
    filler.close()
    equal(read_line(next_peer(listener)), b"hello\n")


@case
def a_name_is_looked_up_and_where_ipv6_is_refused_ipv4_is_used(start):
    listener = taken_port()
    listener.listen()
    client = start.client(at(listener, "localhost"))
    equal(read_line(next_peer(listener)), b"hello\n")
    client.wait_text("opened " + at(listener))


@case
def a_hundred_clients_of_a_name_are_all_served(start):
    listener = taken_port()
    listener.listen(100)
    client = start.client(at(listener, "localhost"), "count=100", "workers=2")
    peers = [next_peer(listener) for _ in range(100)]
    for peer in peers:
        equal(read_line(peer), b"hello\n")
        peer.sendall(b"bye\n")
        peer.shutdown(socket.SHUT_WR)
    for peer in peers:
        equal(read_all(peer), (b"", "end"))
    for _ in range(100):
        client.wait_text("line bye\n")
        client.text = client.text.replace("line bye\n", "", 1)


@case
def a_client_that_is_told_to_end_while_it_connects_ends(start):
    listener = taken_port()
    listener.listen(0)
    filler = socket.create_connection(listener.getsockname(), LONG)
    start.client(at(listener)).end()
    start.client(at(listener), "connector=1").end()
    filler.close()


@case
def a_connector_comes_back_whatever_ends_its_connections(start):
    listener = taken_port()
    listener.listen()
    client = start.client(at(listener), "connector=1", "min_backoff_ms=10", "max_backoff_ms=20")
    for i in range(6):
        peer = next_peer(listener)
        equal(read_line(peer), b"hello\n")
        (reset if i % 2 else socket.socket.close)(peer)
    number = listener.getsockname()[1]
    listener.close()
    client.wait_text("connect: Connection refused: nobody listens there; tries again")
    listener = taken_port(number)
    listener.listen()
    peer = next_peer(listener)
    equal(read_line(peer), b"hello\n")
    client.wait_text("is connected")
    client.end()
    equal(read_all(peer), (b"", "end"))


def main():
    chosen = [c for c in cases if len(sys.argv) < 4 or sys.argv[3] in c.__name__]
    all_files()
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for number, function in enumerate(chosen, 1):
        servers = []

        def start(*args, **more):
            servers.append(Server(SERVER, *args, **more))
            return servers[-1]

        def start_client(*args):
            servers.append(Program(CLIENT, *args))
            return servers[-1]

        start.client = start_client
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
