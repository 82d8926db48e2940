#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fault_proxy.py - a proxy that does to TCP connections what networks and other programs do.

    fault_proxy.py PORT SERVER_PORT [SEED]      on loopback; says what became of each connection

What happens to a connection is drawn from the seed and its number, for both directions: `up` from
the client to the server, and `down`.

    reset   one side gets a reset. That is the server (up), and the client is closed; or the client
            (down), and the server gets the end
    half    one side gets the end while the other still sends; what it sends is thrown away
    stall   nothing passes for some milliseconds
    bytes   some bytes pass one by one
    cuts    some bytes pass in pieces of random sizes

Each begins behind a number of bytes. It is noted when it happens: a connection may be over before.
"""

import errno
import heapq
import itertools
import random
import select
import socket
import struct
import sys
import time
import zlib

WAYS = ("up", "down")
KINDS = ("reset", "half", "stall", "bytes", "cuts")
ROOM = 1 << 14  # bytes between two sockets
FIRST = 16  # bytes of each direction that are kept
LINGER = struct.pack("ii", 1, 0)


class Loop:
    """Calls when a descriptor is ready, and when some time has passed."""

    def __init__(self):
        self.poll = select.epoll()
        self.watched = {}  # events and call, by descriptor
        self.due = []
        self.numbers = itertools.count()

    def watch(self, fd, events, call):
        """`call` is told nothing, and must not mind being called too often."""
        if events == 0:
            self.forget(fd)
        elif fd not in self.watched:
            self.poll.register(fd, events)
            self.watched[fd] = events, call
        elif self.watched[fd][0] != events:
            self.poll.modify(fd, events)
            self.watched[fd] = events, call

    def forget(self, fd):
        if self.watched.pop(fd, None):
            self.poll.unregister(fd)

    def after(self, seconds, call):
        heapq.heappush(self.due, (time.monotonic() + seconds, next(self.numbers), call))

    def step(self, seconds):
        """Until something was called, or so long."""
        if self.due:
            seconds = min(seconds, max(0, self.due[0][0] - time.monotonic()))
        for fd, _ in self.poll.poll(seconds):
            if fd in self.watched:
                self.watched[fd][1]()
        while self.due and self.due[0][0] <= time.monotonic():
            heapq.heappop(self.due)[2]()


class Sum:
    """Of bytes that have passed somewhere."""

    def __init__(self):
        self.size, self.check = 0, 0

    def add(self, data):
        self.size += len(data)
        self.check = zlib.crc32(data, self.check)

    def both(self):
        return self.size, self.check


class Fault:
    """What happens behind so many bytes; `size` is in milliseconds for a stall, else in bytes."""

    def __init__(self, rng, places, kinds):
        self.kind = rng.choice(kinds)
        self.at = rng.choice([0] + [rng.randint(1, most) for most in places])
        self.size = rng.randint(5, 60)


def draw(rng, places=(30, 300, 3000), numbers=(1, 1, 1, 2, 3), ways=WAYS, kinds=KINDS):
    """The faults of a connection, by way; one of ten has none. Others have so many, each at the
    begin or behind up to so many bytes as one of `places` says."""
    plan = {way: [] for way in WAYS}
    if rng.random() >= 0.1:
        for _ in range(rng.choice(numbers)):
            plan[rng.choice(ways)].append(Fault(rng, places, kinds))
    for faults in plan.values():
        faults.sort(key=lambda fault: fault.at)
    return plan


class Way:
    """One direction of a connection."""

    def __init__(self, relay, name, source, sink):
        self.relay, self.name, self.source, self.sink = relay, name, source, sink
        self.faults = relay.plan[name]
        self.data = bytearray()
        self.passed = 0
        self.came, self.went = Sum(), Sum()
        self.first = b""  # of what came
        self.ended = False  # the source has sent its end, or is gone
        self.told = False  # the sink has got the end, or is gone
        self.lost = False  # what comes is thrown away
        self.held = False
        self.slow = None  # a fault of bytes or cuts
        self.left, self.pieces = 0, 0  # of it

    def over(self):
        return self.ended and self.told

    def reads(self):
        return not self.ended and not self.held and (self.lost or len(self.data) < ROOM)

    def writes(self):
        return not self.told and not self.held and (len(self.data) > 0 or self.ended)

    def read(self):
        try:
            more = self.source.recv(ROOM)
        except BlockingIOError:
            return
        self.came.add(more)
        self.first = (self.first + more[:FIRST])[:FIRST]
        self.relay.came(self.name, more)
        if not more:
            self.ended = True
            self.relay.how[self.source] = "end"
        elif not self.lost:
            self.data += more

    def most(self):
        """Bytes of the next piece."""
        count = ROOM
        if self.faults:
            count = self.faults[0].at - self.passed
        if self.slow:
            piece = 1 if self.slow.kind == "bytes" else self.relay.rng.randint(1, 20)
            count = min(count, self.left, piece)
        return count

    def write(self):
        if self.data:
            try:
                count = self.sink.send(self.data[: self.most()])
            except BlockingIOError:
                return
            self.went.add(self.data[:count])
            self.relay.went(self.name, bytes(self.data[:count]))
            self.passed += count
            del self.data[:count]
            self.pass_slowly(count)
        elif self.ended:
            self.end()

    def pass_slowly(self, count):
        if not self.slow:
            return
        self.left -= count
        self.pieces += 1
        if self.pieces == 2:
            self.relay.note(self, self.slow.kind)
        if self.left == 0:
            self.slow = None

    def end(self):
        self.told = True
        self.relay.went(self.name, b"")
        try:
            self.sink.shutdown(socket.SHUT_WR)
        except OSError as error:
            if error.errno != errno.ENOTCONN:  # it has been reset
                raise

    def fail(self):
        """Lets faults happen whose place was reached."""
        while self.faults and not self.over() and self.passed >= self.faults[0].at:
            fault = self.faults.pop(0)
            if fault.kind == "stall":
                self.relay.note(self, "stall")
                self.held = True
                self.relay.loop.after(fault.size / 1000, self.go_on)
                return
            if fault.kind in ("bytes", "cuts"):
                self.slow, self.left, self.pieces = fault, fault.size, 0
            elif not self.told and (self.data or not self.ended):
                self.relay.note(self, fault.kind)
                self.data.clear()
                self.lost = True
                if fault.kind == "half":
                    self.end()
                else:
                    self.relay.reset(self)
                return

    def go_on(self):
        self.held = False
        self.relay.turn()


class Relay:
    """A connection through the proxy. `witness` is told what went to the server (`sent`), its end
    (`ended`), and what came back (`answered`)."""

    def __init__(self, loop, number, rng, plan, client, server, witness):
        self.loop, self.number, self.rng, self.witness = loop, number, rng, witness
        self.plan = plan
        self.client, self.server = client, server
        self.up = Way(self, "up", client, server)
        self.down = Way(self, "down", server, client)
        self.happened = []  # (way, kind)
        self.gone = {client: False, server: False}
        self.how = {client: None, server: None}  # the "end" or "reset" that came from there
        self.broken = None  # what the server did that nobody has asked it for
        self.turn()

    def note(self, way, kind):
        self.happened.append((way.name, kind))

    def came(self, way, data):
        if way == "down" and data:
            self.witness.answered(data)

    def went(self, way, data):
        if way == "up" and data:
            self.witness.sent(data)
        elif way == "up":
            self.witness.ended()

    def drop(self, end, reset):
        """Closes one side."""
        if self.gone[end]:
            return
        self.gone[end] = True
        self.loop.forget(end.fileno())
        if reset:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
        end.close()
        for way in (self.up, self.down):
            if way.source is end:
                way.ended = True
            if way.sink is end:
                way.told = way.lost = True
                way.data.clear()

    def reset(self, way):
        self.drop(way.sink, True)
        if way is self.up:
            self.drop(self.client, False)

    def over(self):
        return self.up.over() and self.down.over()

    def turn(self):
        """One piece each way, as far as that goes."""
        for way in (self.up, self.down):
            at = way.sink
            try:
                way.fail()
                if way.reads():
                    at = way.source
                    way.read()
                if way.writes():
                    at = way.sink
                    way.write()
                way.fail()
            except OSError as error:
                self.lose(at, error)
        for end in (self.client, self.server):
            if self.over():
                self.drop(end, False)
            elif not self.gone[end]:
                self.loop.watch(end.fileno(), self.events(end), self.turn)

    def lose(self, end, error):
        """A socket has an error: the other side is told."""
        self.how[end] = "reset"
        if end is self.server:
            self.broken = str(error)
            self.drop(self.client, False)
        self.drop(end, False)

    def events(self, end):
        events = 0
        for way in (self.up, self.down):
            if way.source is end and way.reads():
                events |= select.EPOLLIN
            if way.sink is end and way.writes():
                events |= select.EPOLLOUT
        return events


class Proxy:
    """Listens on loopback, at `port`. Connections are numbered as they come; `relays` has all by
    their number. `witness(number)` makes the witness of one, `draw(rng)` its faults."""

    def __init__(self, loop, server_port, seed, witness, port=0, draw=draw):
        self.draw = draw
        self.loop, self.server_port, self.seed, self.witness = loop, server_port, seed, witness
        self.relays = []
        self.listening = socket.create_server(("127.0.0.1", port), backlog=1024)
        self.listening.setblocking(False)
        self.port = self.listening.getsockname()[1]
        loop.watch(self.listening.fileno(), select.EPOLLIN, self.accept)

    def accept(self):
        try:
            while True:
                self.relay(self.listening.accept()[0])
        except BlockingIOError:
            pass

    def relay(self, client):
        number = len(self.relays)
        rng = random.Random(f"{self.seed} {number}")
        server = socket.socket()
        if rng.random() < 0.2:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        server.connect(("127.0.0.1", self.server_port))
        for end in (client, server):
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        witness = self.witness(number)
        self.relays.append(Relay(self.loop, number, rng, self.draw(rng), client, server, witness))


class Teller:
    """Says how much has passed."""

    def __init__(self, number):
        self.number, self.up, self.down = number, 0, 0
        print(f"{number}: begins", flush=True)

    def sent(self, data):
        self.up += len(data)

    def ended(self):
        print(f"{self.number}: end, {self.up} bytes up, {self.down} down", flush=True)

    def answered(self, data):
        self.down += len(data)


def main():
    if not 3 <= len(sys.argv) <= 4:
        sys.exit("usage: fault_proxy.py PORT SERVER_PORT [SEED]")
    loop = Loop()
    proxy = Proxy(loop, int(sys.argv[2]), (sys.argv[3:] or ["1"])[0], Teller, int(sys.argv[1]))
    told = 0
    while True:
        loop.step(1)
        while told < len(proxy.relays) and proxy.relays[told].over():
            print(f"{told}: {proxy.relays[told].happened or 'no fault'}", flush=True)
            told += 1


if __name__ == "__main__":
    main()
