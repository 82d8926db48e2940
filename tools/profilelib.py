# SPDX-License-Identifier: MIT
"""profilelib.py - counts the instructions that benchmarks take for one unit of work.

A benchmark runs under valgrind's callgrind with two sizes. The difference in instructions, divided
by the difference in units, is the cost of one unit, so the start and the end of a run do not count.
Instructions are those of the program, not of the kernel; an inlined line counts for the file that
it stands in. The counts do not depend on the speed or the load of the machine.

Locked instructions are counted by address, in a run of their own: objdump says which addresses of a
program and of its libraries have one.
"""

import functools
import os
import re
import subprocess
import sys
from collections import Counter

# For each row: the benchmark of the floor, the size of its messages, a small N, units in one N.
ROWS = {
    "pingpong": ("pingpong", 32, 5_000, 2),
    "threadring": ("threadring", 32, 20_000, 1),
    "big": ("big", 32, 100, 240),
    "chameneos": ("chameneos", 32, 3_000, 1),
    "counting": ("counting", 48, 20_000, 1),
    "mpsc": ("mpsc", 48, 20_000, 1),
    "fjthroughput": ("fjthroughput", 48, 400, 60),
    "fjcreate": ("fjcreate", 32, 5_000, 1),
    "deathwatch": ("spawn_die_notify", 32, 5_000, 1),
    "restart": ("restart", 32, 5_000, 1),
    "ask": (None, 0, 3_000, 1),
    "lives": ("fjcreate", 32, 20_000, 1),
}
TIMES = 3  # the larger run
# The benchmarks of asks sort what they have measured when they are over.
AFTERWARDS = ("latency.c", "msort.c")


class Failed(Exception):
    """What went wrong, in words."""


def read(path):
    """Returns {source file: instructions} of a callgrind file. A line after `calls=` is the cost of
    the callee, which is counted there."""
    names, current, skip = {}, None, False
    cost = Counter()
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = text.partition("=")
        if key in ("fl", "fi", "fe", "cfi", "cfl"):
            number, _, name = value.partition(" ")
            if name:
                names[number] = name
            if not key.startswith("c"):
                current = names[number]
        elif key == "calls":
            skip = True
        elif text[:1].isdigit() or text[:1] in "+-*":
            words = text.split()
            if not skip and len(words) > 1:
                cost[current] += int(words[1])
            skip = False
    return cost


def run(program, name, n, folder, *flags):
    """Runs a benchmark under callgrind; returns the file that callgrind has written."""
    out = folder / "-".join([program.name, name, str(n), *flags])
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "-q", *flags,
               str(program), name, "1", str(n)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          text=True)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: ended with {done.returncode}\n{done.stderr}")
    return out


def count(program, name, n, folder):
    """Returns {source file: instructions} of a run, without what follows the benchmark."""
    costs = read(run(program, name, n, folder))
    return {file: cost for file, cost in costs.items() if not file.endswith(AFTERWARDS)}


def per_unit(program, name, n, units, folder):
    """Returns {source file: instructions for one unit}."""
    small = count(program, name, n, folder)
    large = count(program, name, TIMES * n, folder)
    more = (TIMES - 1) * n * units
    return {file: (cost - small.get(file, 0)) / more for file, cost in large.items()}


# Those with a prefix; and an exchange with memory, which needs none.
LOCKED = re.compile(r"^\s*([0-9a-f]+):\s+(?:lock\b|xchg\b[^(\n]*\()", re.MULTILINE)


@functools.lru_cache(maxsize=None)
def locked_addresses(program):
    """Returns the addresses of the locked instructions of a program or a library."""
    done = subprocess.run(["objdump", "--disassemble", "--no-show-raw-insn", program],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                          text=True)
    return frozenset(int(address, 16) for address in LOCKED.findall(done.stdout))


def read_functions(path):
    """Returns {function: instructions} and {function: locked ones} of a callgrind file with
    addresses. A function that was inlined counts for the one that it stands in."""
    names, inside, function, skip = {"ob": {}, "fn": {}}, frozenset(), None, False
    cost, locked = Counter(), Counter()
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = text.partition("=")
        if key in ("ob", "cob", "fn", "cfn"):
            number, _, name = value.partition(" ")
            known = names[key[-2:]]
            if name:
                known[number] = name
            if key == "ob":
                inside = locked_addresses(known[number])
            elif key == "fn":
                function = known[number].split(".")[0]
        elif key == "calls":
            skip = True
        elif text.startswith("0x"):
            words = text.split()
            if not skip:
                cost[function] += int(words[2])
                if int(words[0], 16) in inside:
                    locked[function] += int(words[2])
            skip = False
    return cost, locked


def functions_per_unit(program, name, n, units, folder):
    """Returns {function: instructions for one unit} and {function: locked ones}."""
    flags = ("--dump-instr=yes", "--compress-pos=no")
    small, large = (read_functions(run(program, name, size, folder, *flags))
                    for size in (n, TIMES * n))
    more = (TIMES - 1) * n * units
    return tuple({function: (count - before[function]) / more for function, count in after.items()}
                 for before, after in zip(small, large))


def build(tree, folder, targets):
    """Makes the release build of a tree, with line numbers."""
    if not (folder / "build.ninja").exists():
        # Not -Ddebug=true: that brings the slow assertions, which a release does not have.
        subprocess.run(["meson", "setup", "--buildtype=release",
                        "-Dc_args=-g -mno-avx512f", str(folder)],
                       check=True, cwd=tree, stdout=subprocess.DEVNULL,
                       env={**os.environ, "CC": "gcc"})
    subprocess.run(["ninja", "-C", str(folder), "--quiet", *targets], check=True, stdout=sys.stderr)
