#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_faults.py - a server of lines behind a proxy that resets, halves, stalls and cuts.

    test_faults.py LINE_SERVER [CONNECTIONS [SEED]]

Clients send numbered requests through fault_proxy.py, some hundred at once. What the proxy has
given to the server says which answers are due, byte for byte; what comes back is compared with that
at once. What a client gets is compared with what it has sent. Prints TAP, and figures.
"""

import collections
import errno
import os
import random
import select
import socket
import sys
import time
import zlib

sys.dont_write_bytecode = True
from fault_proxy import KINDS, WAYS, Loop, Proxy  # noqa: E402
from serving import LONG, Server, all_files  # noqa: E402

AT_ONCE = 300
WARM = 0.2  # of the connections: by then the server has what it needs for any
GROWTH = 1 << 20  # bytes that it may have more at the end
# While connections are open: a part of an answer for each of those that read slowly.
PEAK = 64 << 20
SHARE = 25  # each fault happens to one connection of so many, at least


class Witness:
    """The answers that are due to bytes that a server gets, and those that come."""

    def __init__(self, _number=0):
        self.rest = b""
        self.numbered, self.asked, self.answers = 0, 0, 0
        self.size, self.sum = 0, 0  # of what came
        self.due = bytearray()
        self.wrong = None
        self.is_ended = False

    def sent(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.ask(line.removesuffix(b"\r"))

    def ended(self):
        """The last line needs no end."""
        self.is_ended = True
        if self.rest:
            self.ask(self.rest)

    def ask(self, line):
        self.asked += 1
        if line.startswith(b"big "):
            self.due += b"x" * int(line[4:].strip() or 0) + b"\n"
        else:
            self.numbered += 1
            self.due += b"%d: %s\n" % (self.numbered, line)

    def answered(self, data):
        if not self.wrong and not self.due.startswith(data):
            self.wrong = f"{data!r:.200} came, {bytes(self.due[:200])!r} was due"
        del self.due[: len(data)]
        self.answers += data.count(b"\n")
        self.size += len(data)
        self.sum = zlib.crc32(data, self.sum)

    def came(self):
        return self.size, self.sum


def requests_of(number, rng):
    """Numbered, of different sizes; the last one may have no end. A few have a large answer, some of
    which is more than the operating system takes at once."""
    requests = []
    for i in range(rng.randint(1, 20)):
        size = rng.choice((0, rng.randint(1, 20), rng.randint(1, 150), rng.randint(1, 150)))
        requests.append(b"r%06d.%d %s" % (number, i, b"-" * size))
        if rng.random() < 0.01:
            requests.append(b"big %d" % rng.randint(1, 300000))
    if rng.random() < 0.005:
        requests.append(b"big %d" % rng.randint(3000000, 4000000))
    ends = [rng.choice((b"\n", b"\n", b"\r\n")) for _ in requests]
    ends[-1] = rng.choice((b"\n", b"\n", b"\n", b""))
    return [line + end for line, end in zip(requests, ends)]


class Client:
    """Keeps some requests under way, until all are answered or the connection is over."""

    def __init__(self, loop, port, number, seed):
        rng = random.Random(f"client {seed} {number}")
        self.loop, self.number = loop, number
        self.requests = requests_of(number, rng)
        self.window = rng.randint(1, 8)
        self.waits = rng.random() < 0.5  # for all answers, before it ends
        self.wanted = len(self.requests)
        self.left = b""
        self.witness = Witness()
        self.how = None  # how it ended
        self.peer = socket.socket()
        if rng.random() < 0.2:
            self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.peer.connect(("127.0.0.1", port))
        self.peer.setblocking(False)
        self.turn()

    def turn(self):
        if self.how:
            return
        try:
            self.read()
            self.write()
        except OSError as error:
            if error.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
                raise
            self.end("reset")
        if not self.how:
            writes = select.EPOLLOUT if self.left else 0
            self.loop.watch(self.peer.fileno(), select.EPOLLIN | writes, self.turn)

    def read(self):
        try:
            data = self.peer.recv(1 << 16)
        except BlockingIOError:
            return
        if data:
            self.witness.answered(data)
        else:
            self.end("end")

    def write(self):
        while not self.how:
            if not self.left and self.requests and self.under_way() < self.window:
                self.left = self.requests.pop(0)
            if not self.left:
                break
            try:
                count = self.peer.send(self.left)
            except BlockingIOError:
                return
            self.witness.sent(self.left[:count])
            self.left = self.left[count:]
        self.finish()

    def under_way(self):
        return self.witness.asked - self.witness.answers

    def finish(self):
        """Sends the end. A last line without an end is no line before that."""
        if self.how or self.requests or self.left or self.witness.is_ended:
            return
        if self.waits and self.under_way() > 0:
            return
        self.witness.ended()
        self.peer.shutdown(socket.SHUT_WR)

    def end(self, how):
        self.how = how
        self.loop.forget(self.peer.fileno())
        self.peer.close()


def judge_server(relay):
    """Returns what is wrong with what the server has answered, or None."""
    there = relay.witness
    if there.wrong:
        return there.wrong
    if relay.broken:
        return f"the server ended it: {relay.broken}"
    if there.due and ("up", "reset") not in relay.happened:
        return f"{there.asked - there.answers} of {there.asked} requests were not answered"
    return None


def judge_client(client, came, happened):
    """The same of what the client got of `came`, behind these faults."""
    here = client.witness
    lossy = {("down", "reset"), ("down", "half"), ("up", "reset")} & happened
    # Of a line that was cut short, the server has the part, and the client knows the whole.
    shortened = ("up", "half") in happened
    if here.wrong and not shortened:
        return here.wrong
    if not lossy and (here.came(), client.how) != (came, "end"):
        return f"the client got {here.came()} of {came}, then the {client.how}"
    if not lossy and not shortened and here.asked != client.wanted:
        return f"{here.asked} of {client.wanted} requests were sent"
    return None


def judge(client, relay):
    """Returns what is wrong with a connection that is over, or None."""
    return judge_server(relay) or judge_client(client, relay.witness.came(), set(relay.happened))


class Memory:
    """Of a program during a trial. It may grow by so much while connections are open."""

    def __init__(self, name, program, peak=PEAK):
        self.name, self.program, self.peak_max = name, program, peak
        self.first = self.warm = self.peak = self.last = program.memory()

    def look(self):
        self.last = self.program.memory()
        self.peak = max(self.peak, self.last)

    def bounded(self):
        return self.peak - self.first <= self.peak_max and self.last - self.warm <= GROWTH


class Trial:
    """All connections, and the sums over them."""

    def __init__(self, loop, server, at, count, seed, **more):
        """`at` is what the proxy with faults leads to."""
        self.loop, self.server, self.count, self.seed = loop, server, count, seed
        self.proxy = Proxy(loop, at.port(), seed, Witness, **more)
        self.clients = {}  # that are not over
        self.made, self.done = 0, 0
        self.wrong = []
        self.stuck = False
        self.faults = collections.Counter()
        self.faultless = 0
        self.sums = collections.Counter()
        self.memories = [Memory("server", server)]

    def run(self):
        """The memory is looked at when nothing is under way, too."""
        self.run_until(int(self.count * WARM))
        self.look()
        for memory in self.memories:
            memory.warm = memory.last
        self.run_until(self.count)
        self.look()

    def look(self):
        for memory in self.memories:
            memory.look()

    def run_until(self, count):
        end = time.monotonic() + LONG
        while self.done < count and not self.stuck:
            while len(self.clients) < AT_ONCE and self.made < count:
                self.clients[self.made] = Client(self.loop, self.proxy.port, self.made, self.seed)
                self.made += 1
            self.loop.step(1)
            if self.collect():
                end = time.monotonic() + LONG
            if time.monotonic() > end:
                self.give_up()

    def give_up(self):
        number = min(self.clients)
        relay = self.proxy.relays[number] if number < len(self.proxy.relays) else None
        self.stuck = True
        self.wrong.append(f"{len(self.clients)} connections do not end; the first is {number}, "
                          f"{relay and relay.happened}")

    def collect(self):
        """Judges connections that are over; returns their number."""
        relays = self.proxy.relays
        over = [
            (number, client)
            for number, client in self.clients.items()
            if client.how and number < len(relays) and relays[number].over()
        ]
        for number, client in over:
            del self.clients[number]
            self.add(client, relays[number])
            relays[number] = None
            self.done += 1
            if self.done % 100 == 0:
                self.look()
        return len(over)

    def add(self, client, relay):
        wrong = judge(client, relay)
        if wrong:
            self.wrong.append(f"connection {client.number}, {relay.happened}: {wrong}")
        self.faults.update(set(relay.happened))
        self.faultless += not relay.happened
        self.add_client(client)
        self.add_server(relay.witness)

    def add_client(self, client):
        self.sums["sent"] += client.witness.asked
        self.sums["back"] += client.witness.answers

    def add_server(self, witness):
        self.sums["reached"] += witness.asked
        self.sums["answered"] += witness.answers
        self.sums["bytes"] += witness.size


class Report:
    """Cases in TAP."""

    def __init__(self):
        self.count, self.failed = 0, 0

    def case(self, name, holds, why=""):
        self.count += 1
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} {self.count} - {name}", flush=True)
        if not holds and why:
            print("# " + str(why).replace("\n", "\n# "), flush=True)


def report_faults(faults, count, report, where=""):
    """Each has happened often enough."""
    for way in WAYS:
        print(f"# {where}{way}: " + ", ".join(f"{kind} {faults[way, kind]}" for kind in KINDS))
    few = [(way, kind) for way in WAYS for kind in KINDS if faults[way, kind] * SHARE < count]
    report.case(f"{where}each fault has happened in each direction", not few, f"too few: {few}")


def report_answers(trial, report):
    print(f"# {trial.count} connections, {AT_ONCE} at once, seed {trial.seed}")
    sums = trial.sums
    print(f"# requests: {sums['sent']} sent, {sums['reached']} reached the server; answers: "
          f"{sums['answered']} ({sums['bytes']} bytes) left it, {sums['back']} came to clients")
    print(f"# connections without a fault: {trial.faultless}")
    report.case("each request that reached the server is answered once, and in order",
                trial.done == trial.count and not trial.wrong and sums["answered"] > 0,
                "\n".join([*trial.wrong[:10], *(memory.program.log()[-2000:]
                                                for memory in trial.memories)]))


def report_files(name, program, server, report):
    """Descriptors, which are counted between answers of the server."""
    why = None
    try:
        server.wait_files(program)
    except (AssertionError, OSError) as error:
        why = error
    print(f"# {name}: descriptors: {program.base} at the start, {why or program.base} at the end")
    report.case(f"no descriptor is left in the {name}", why is None, why)


def report_memory(memory, report):
    """Once more, since behind a proxy a connection is over later than that of its client."""
    memory.look()
    print(f"# {memory.name}: memory: {memory.first >> 10} KiB at the start, {memory.warm >> 10} after "
          f"a fifth, {memory.peak >> 10} at most, {memory.last >> 10} at the end")
    report.case(f"the memory of the {memory.name} is bounded", memory.bounded())


def report_end(name, program, report):
    why = None
    try:
        program.end()
    except AssertionError as error:
        why = error
    report.case(f"the {name} ends in order", why is None, why)


def start_server(path):
    """No limit of these is reached: one that ends a connection is a failure. What is freed is no
    longer there: else glibc keeps large blocks for their next use."""
    os.environ["MALLOC_MMAP_THRESHOLD_"] = os.environ["MALLOC_TRIM_THRESHOLD_"] = str(1 << 17)
    return Server(path, "workers=2", "idle_ms=60000", "frame_ms=60000", "write_ms=60000",
                  "write_max=8000000", lean=True)


def main():
    words = sys.argv[1:]
    count = int(words[1]) if len(words) > 1 else 600
    seed = words[2] if len(words) > 2 else "1"
    all_files()
    report = Report()
    server = start_server(words[0])
    try:
        trial = Trial(Loop(), server, server, count, seed)
        begin = time.monotonic()
        trial.run()
        print(f"# {time.monotonic() - begin:.1f} s")
        report_answers(trial, report)
        report_faults(trial.faults, count, report)
        report_files("server", server, server, report)
        report_memory(trial.memories[0], report)
        report_end("server", server, report)
    finally:
        server.process.kill()
    print(f"1..{report.count}")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
