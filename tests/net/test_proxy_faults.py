#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_proxy_faults.py - the proxy of the examples between two that reset, halve, stall and cut.

    test_proxy_faults.py LINE_SERVER PROXY [CONNECTIONS [SEED]]

    client - faults (front) - PROXY - faults (back) - LINE_SERVER

As test_faults.py, whose clients and server these are. Besides, what goes into the proxy is compared
with what comes out of it, byte for byte in both directions, and so is how each connection ends: an
end as an end, a reset as a reset. Then its server is out of reach for a while. Prints TAP, and
figures.
"""

import collections
import re
import select
import socket
import sys
import time

sys.dont_write_bytecode = True
from fault_proxy import KINDS, Loop, Proxy, draw  # noqa: E402
from serving import LONG, Program, all_files  # noqa: E402
from test_faults import (  # noqa: E402
    AT_ONCE, GROWTH, Memory, Report, Trial, Witness, judge_client, judge_server, report_answers,
    report_end, report_faults, report_files, report_memory, start_server)

HELD = 64 << 10  # bytes of one direction that the proxy holds at most
PEAK = AT_ONCE * 2 * HELD + GROWTH
MANY = 20  # clients in a row that show the state of the breaker
CROWD = 500  # that wait for a server: then nothing has ended them
NAMED = len(b"r000000.")  # the first bytes, which say whose connection it is
RESETS = {("up", "reset"), ("down", "reset")}


def draw_near(rng):
    """More faults, and nearer ones, than where a connection has one such proxy to pass: few answers
    come back through two."""
    return draw(rng, (10, 100, 1000), (1, 2, 3), ("up", "up", "down", "down", "down"),
                KINDS + ("bytes", "cuts"))


def whose(relay):
    """The number of the client whose bytes came first; None: too few came."""
    named = re.match(rb"r(\d{6})\.", relay.up.first)
    return int(named[1]) if named else None


def judge_halves(front, back):
    """Returns what is wrong with a connection through the proxy that nothing has reset, or None."""
    if front.how[front.server] != "end" or back.how[back.client] != "end":
        return (f"it ended by the {front.how[front.server]} to the client and by the "
                f"{back.how[back.client]} to the server")
    for way, into, out in (("up", front.up.went, back.up.came),
                           ("down", back.down.went, front.down.came)):
        if into.both() != out.both():
            return f"{way}: {out.both()} of {into.both()} came out of the proxy"
    return None


def judge_resets(front, back):
    """The same of one with resets: one that goes in on one side comes out on the other. (Where the
    server is reset, the proxy sees an end, or a reset if it writes.)"""
    if ("up", "reset") in front.happened and not RESETS & set(back.happened):
        if back.how[back.client] != "reset":
            return f"a reset by the client reached the server as the {back.how[back.client]}"
    if ("down", "reset") in back.happened and ("up", "reset") not in front.happened:
        if front.how[front.server] != "reset":
            return f"a reset by the server reached the client as the {front.how[front.server]}"
    for way, into, out in (("up", front.up.went, back.up.came),
                           ("down", back.down.went, front.down.came)):
        if out.size > into.size:
            return f"{way}: {out.size} bytes came out of the proxy, {into.size} went in"
    return None


def judge_chain(client, front, back):
    happened = set(front.happened) | set(back.happened)
    resets = ("up", "reset") in front.happened or RESETS & set(back.happened)
    wrong = judge_resets(front, back) if resets else judge_halves(front, back)
    return wrong or judge_client(client, back.witness.came(), happened)


class Chain(Trial):
    """The connections of the front, and behind the proxy those of the back: nothing but their bytes
    says which belong together."""

    def __init__(self, loop, server, path, count, seed):
        self.back = Proxy(loop, server.port(), f"back {seed}", Witness, draw=draw_near)
        self.ward = Program(path, "tcp:127.0.0.1:0", f"tcp:127.0.0.1:{self.back.port}", lean=True)
        super().__init__(loop, server, self.ward, count, seed, draw=draw_near)
        self.memories.append(Memory("proxy", self.ward, PEAK))
        self.behind = collections.Counter()  # faults of the back
        self.fronts, self.backs = {}, {}  # that are over, by number, until the other one is
        self.swept, self.seen = 0, set()
        self.resets, self.ends, self.early = 0, 0, 0

    def add(self, client, relay):
        self.faults.update(set(relay.happened))
        self.add_client(client)
        self.fronts[client.number] = client, relay
        self.sweep()

    def sweep(self):
        """What is over behind the proxy, in any order."""
        relays = self.back.relays
        for number in range(self.swept, len(relays)):
            if relays[number] and relays[number].over():
                self.add_back(relays[number])
                relays[number] = None
        while self.swept < len(relays) and not relays[self.swept]:
            self.swept += 1
        for number in self.fronts.keys() & self.backs.keys():
            self.pair(*self.fronts.pop(number), self.backs.pop(number))

    def add_back(self, relay):
        number = whose(relay)
        self.behind.update(set(relay.happened))
        self.add_server(relay.witness)
        self.note(number, relay, judge_server(relay))
        if number is None:
            self.early += bool(RESETS & set(relay.happened))
            return
        if number in self.seen:
            self.note(number, relay, "it has come twice")
        self.seen.add(number)
        self.backs[number] = relay

    def pair(self, client, front, back):
        self.note(client.number, back, judge_chain(client, front, back), front)
        self.faultless += not front.happened and not back.happened
        self.resets += front.how[front.server] == "reset"
        self.ends += front.how[front.server] == "end"

    def judge_rest(self):
        """When all is over. Only a reset behind the proxy keeps it from passing on what it has."""
        self.step_until(lambda: all(not relay or relay.over() for relay in self.back.relays))
        self.sweep()
        lost = sum(front.up.went.size >= NAMED and ("up", "reset") not in front.happened
                   for _, front in self.fronts.values())
        if lost > self.early or self.backs:
            self.wrong.append(f"{lost} connections were not passed on, {self.early} reset before; "
                              f"{len(self.backs)} of no client")

    def note(self, number, back, wrong, front=None):
        if wrong:
            self.wrong.append(f"connection {number}, {front and front.happened}, "
                              f"{back.happened}: {wrong}")

    def step_until(self, holds):
        end = time.monotonic() + LONG
        while not holds() and time.monotonic() < end:
            self.loop.step(1)
        if not holds():
            self.wrong.append("connections behind the proxy do not end")


class Outage:
    """A server that is out of reach, at an address that nobody else gets, and then is there."""

    def __init__(self, path):
        self.port = socket.socket()
        self.port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.port.bind(("127.0.0.1", 0))
        self.ward = Program(path, "tcp:127.0.0.1:0", f"tcp:127.0.0.1:{self.port.getsockname()[1]}")
        self.waiting = []
        self.ended, self.given_up, self.served = 0, 0, 0

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.ward.port()), LONG)

    def opens(self):
        """The first clients wait for the server; then others are ended at once."""
        end = time.monotonic() + LONG
        while self.ended < MANY and len(self.waiting) < CROWD and time.monotonic() < end:
            self.waiting.append(self.connect())
            # Until one ends, or so long: the proxy has to find out that nobody is there.
            for peer in select.select(self.waiting, [], [], 0.02)[0]:
                self.waiting.remove(peer)
                self.look(peer)
        return self.ended >= MANY

    def look(self, peer):
        with peer:
            try:
                assert peer.recv(100) == b"", "an answer without a server"
                self.ended += 1
            except ConnectionResetError:
                self.given_up += 1

    def closes(self):
        """The server is there: clients are served again, and then all of them."""
        end, before = time.monotonic() + LONG, 0
        self.port.listen(100)
        while self.served < before + MANY and time.monotonic() < end:
            if self.serve():
                self.served += 1
            else:
                before = self.served
        return self.served >= before + MANY

    def serve(self):
        """Whether one client is."""
        with self.connect() as peer:
            while not (ready := select.select([peer, self.port], [], [], LONG)[0]) == [peer]:
                assert ready, "it is neither served nor ended"
                with self.port.accept()[0] as session:
                    session.sendall(b"here\n")
            return peer.recv(100) == b"here\n"

    def leave(self):
        for peer in self.waiting:
            peer.close()
        self.port.close()


def report_outage(path, server, report):
    outage = Outage(path)
    try:
        report.case("the breaker opens when the server is out of reach", outage.opens())
        report.case("the breaker closes when the server is there again", outage.closes())
        print(f"# out of reach: {outage.ended} ended at once, {len(outage.waiting)} waited, "
              f"{outage.given_up} given up; then {outage.served} served")
        outage.leave()
        report_files("proxy without a server", outage.ward, server, report)
        report_end("proxy without a server", outage.ward, report)
    finally:
        outage.ward.process.kill()


def report_chain(trial, report):
    print(f"# of the proxy: {trial.ends} ends and {trial.resets} resets to clients; "
          f"{len(trial.back.relays)} connections to the server, {len(trial.fronts)} clients "
          f"without one")
    report_answers(trial, report)
    report_faults(trial.faults, trial.count, report, "front: ")
    report_faults(trial.behind, trial.count, report, "back: ")
    for memory in trial.memories:
        report_files(memory.name, memory.program, trial.server, report)
        report_memory(memory, report)
    report_end("proxy", trial.ward, report)


def main():
    words = sys.argv[1:]
    count = int(words[2]) if len(words) > 2 else 400
    seed = words[3] if len(words) > 3 else "1"
    all_files()
    report, trial = Report(), None
    server = start_server(words[0])
    try:
        trial = Chain(Loop(), server, words[1], count, seed)
        begin = time.monotonic()
        trial.run()
        trial.judge_rest()
        print(f"# {time.monotonic() - begin:.1f} s")
        report_chain(trial, report)
        report_outage(words[1], server, report)
        report_end("server", server, report)
    finally:
        server.process.kill()
        if trial:
            trial.ward.process.kill()
    print(f"1..{report.count}")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
