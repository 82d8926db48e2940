# SPDX-License-Identifier: MIT
"""benchlib.py - runs benchmark programs in turn and computes medians and ratios.

A program is called as PROGRAM NAME WORKERS [N], runs that benchmark once, and prints a line for
each figure: name, value, unit, with tabs between. The speed of a machine varies, and it has other
work; so programs that are compared run A B A B. The result is the median: of the runs, or, for a
comparison, of the ratios of the pairs A and B that ran one after the other.
"""

import os
import statistics
import subprocess


class Failed(Exception):
    """A program printed no figures; the text says why."""


class Sample:
    """The values of one figure in all runs."""

    def __init__(self, unit):
        self.unit = unit
        self.values = []

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def low(self):
        return min(self.values)

    @property
    def high(self):
        return max(self.values)


def run(program, name, workers, n=None, alone=False, timeout_s=600, pace=None):
    """Runs a benchmark once; returns [(name, value, unit)]. `alone`: on one thread, what others took
    of the processor does not count, where the program can tell (bench/clock.h). `pace`: a figure
    more, of the core, for which a program that can tell it waits until it is as fast as that
    (bench/pace.h)."""
    command = [str(program), name, str(workers)] + ([str(n)] if n else [])
    said = " ".join(command)
    wishes = {"BENCH_ALONE": int(alone), "BENCH_PACE": pace}
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            timeout=timeout_s,
            check=False,
            text=True,
            env={**os.environ, **{wish: str(value) for wish, value in wishes.items() if value}},
        )
    except subprocess.TimeoutExpired as late:
        raise Failed(f"{said}: not through after {timeout_s} s") from late
    except FileNotFoundError as error:
        raise Failed(f"{said}: it is not there; make bench builds what is measured") from error
    except OSError as error:
        raise Failed(f"{said}: {error.strerror}") from error
    if done.returncode != 0:
        raise Failed(f"{said}: ended with {done.returncode}")
    try:
        figures = [line.split("\t") for line in done.stdout.splitlines()]
        figures = [(name, float(value), unit) for name, value, unit in figures]
    except ValueError as error:
        raise Failed(f"{said}: printed something else than figures: {done.stdout!r}") from error
    if not figures:
        raise Failed(f"{said}: printed no figure")
    return figures


def in_turn(contenders, rounds):
    """Runs each contender once in each round. `contenders` are callables that give figures, by any
    key; returns {key: {name of a figure: Sample}}, figures in the order in which they came."""
    samples = {key: {} for key in contenders}
    for _ in range(rounds):
        for key, measure in contenders.items():
            for name, value, unit in measure():
                samples[key].setdefault(name, Sample(unit)).values.append(value)
    return samples


def pair_ratio(ours, others):
    """The median of the ratios of runs that stood side by side: two lists, round by round. So it
    does not matter whether the machine was as fast in all rounds."""
    return statistics.median(a / b for a, b in zip(ours, others))


def number(value):
    """The more there is in front of the point, the less behind it."""
    return f"{value:.{3 if abs(value) < 10 else 2 if abs(value) < 1000 else 0}f}"


def line(name, threads, sample, ratio=None):
    """One line of a table: benchmark, threads, median, min, max, unit, ratio; tabs between."""
    return "\t".join(
        [
            name,
            str(threads),
            number(sample.median),
            number(sample.low),
            number(sample.high),
            sample.unit,
            "-" if ratio is None else f"{ratio:.3f}",
        ]
    )
