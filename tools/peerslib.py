# SPDX-License-Identifier: MIT
"""peerslib.py - what tools/bench-peers and tools/bench-report share: the rows and their goals, and
the file with the figures of a run.

The rows are in bench/goals.tsv, which describes itself. A file of figures has lines of words with
tabs between them:

    about   KEY TEXT                                            the machine, the versions, the day
    figure  PARTY BENCHMARK WORKERS FIGURE VALUE UNIT [ROUND]   one figure of one run
    failed  PARTY BENCHMARK WORKERS TEXT                        a run without a figure, and why
    field   STRUCT OFFSET BYTES NAME                            the layout of a structure

PARTY is one of PARTIES. Runs with the same ROUND ran one after the other. FIGURE pace
is that of the core during that run (bench/pace.h).

A record, such as bench/peers.tsv, is a summary. It has these lines in place of the figures:

    runs    PARTY BENCHMARK WORKERS FIGURE MIN MEDIAN MAX UNIT  all runs of a figure
    ratio   PARTY SOURCE WORKERS PARTY SOURCE WORKERS RATIO BY_ALL_PAIRS

A run is calm if it had a core of its own: if its pace is at most CALM times the fastest pace of
all runs. Two figures are compared by calm runs alone if both have at least CALM_FEW of them.
"""

import re
import statistics

from benchlib import pair_ratio

PARTIES = ["floor", "ward", "erlang", "caf", "libuv", "epoll", "nginx"]
ONE_THREAD = {"floor", "libuv", "epoll", "nginx"}  # these run on one worker only
WORST_IN = {"Memory", "Sockets"}  # parts whose rows show the worst run beside the median
PACE, CALM, CALM_FEW = "pace", 1.15, 3
TITLES = {
    "floor": "floor",
    "ward": "ward",
    "erlang": "Erlang",
    "caf": "CAF",
    "libuv": "libuv",
    "epoll": "epoll",
    "nginx": "nginx",
}


class Wrong(Exception):
    """A file is invalid; the text says why."""


def name_of(benchmark):
    """A benchmark without its variant: counting@48 and counting:cold are both counting."""
    return re.split("[@:]", benchmark)[0]


class Source:
    """Where a party's figure for a row comes from: a benchmark, and figures of it that add up."""

    def __init__(self, text):
        self.benchmark, _, figures = text.partition("/")
        self.figures = (figures or name_of(self.benchmark)).split("+")

    def __str__(self):
        return f"{self.benchmark}/{'+'.join(self.figures)}"


class Goal:
    """At most `ratio` times what `of` names; None: in the unit of the row."""

    def __init__(self, text):
        ratio, _, self.of = text.partition(" ")
        self.ratio = float(ratio)
        self.text = ratio + (f" × {self.of}" if self.of else "")


class Row:
    """A line of goals.tsv."""

    def __init__(self, cells):
        """`cells` by the name of their column; a party without a column measures nothing."""
        self.name, self.title, self.unit = cells["row"], cells["title"], cells["unit"]
        self.part = cells.get("part", "")
        self.workers = [int(count) for count in cells["workers"].split(",")]
        self.sources = {
            party: [Source(text) for text in listed(cells.get(party, "-"), " ")]
            for party in PARTIES
        }
        goals = cells["goal_1"], cells["goal_n"]
        self.goals = [[Goal(text) for text in listed(cell, "; ")] for cell in goals]

    def goals_on(self, workers):
        return self.goals[0 if workers == 1 else 1]


def listed(text, between):
    return [] if text == "-" else text.split(between)


def lines_of(path):
    """The lines that say something, each as words."""
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if text and not text.startswith("#"):
            yield number, text.split("\t")


def read_rows(path):
    rows, head = [], []
    for number, words in lines_of(path):
        if "row" in words and not head:
            head = words
            continue
        try:
            if len(words) != len(head):
                raise ValueError(f"{len(words)} columns, {len(head)} are due")
            rows.append(Row(dict(zip(head, words))))
        except ValueError as error:
            raise Wrong(f"{path}:{number}: {error}") from error
    known = {row.name for row in rows} | set(PARTIES) | {"own", ""}
    for row in rows:
        for goal in row.goals[0] + row.goals[1]:
            if goal.of not in known:
                raise Wrong(f"{path}: {row.name}: a goal by {goal.of}, which is no row")
    return rows


class Figures:
    """What a run gave."""

    def __init__(self):
        self.about = {}
        self.values = {}  # by party, benchmark, workers, figure
        self.rounds = {}  # of each of these values; None: it stands alone
        self.units = {}  # by party, benchmark, figure
        self.failed = {}  # texts, by party, benchmark, workers
        self.fields = {}  # (offset, bytes, name), by structure
        self.ratios = {}  # by calm runs and by all pairs, by ours and other

    def add(self, key, value, which=None):
        self.values.setdefault(key, []).append(value)
        self.rounds.setdefault(key, []).append(which)

    def by_round(self, party, source, workers):
        """{round: value}, of rounds that gave all figures of the source."""
        keys = [(party, source.benchmark, workers, figure) for figure in source.figures]
        parts = [dict(zip(self.rounds.get(key, []), self.values.get(key, []))) for key in keys]
        common = set.intersection(*map(set, parts)) - {None}
        return {which: sum(part[which] for part in parts) for which in common}

    def calm_pace(self):
        """At most that is the pace of a calm run; 0: there was no pace at all."""
        paces = (values for key, values in self.values.items() if key[3] == PACE)
        return CALM * min((value for values in paces for value in values), default=0)

    def calm(self, party, source, workers):
        """The values of calm runs."""
        limit = self.calm_pace()
        key = party, source.benchmark, workers, PACE
        pace = dict(zip(self.rounds.get(key, []), self.values.get(key, [])))
        values = self.by_round(party, source, workers).items()
        return [value for which, value in values if which in pace and pace[which] <= limit]

    def ratio(self, ours, other):
        """Our figure as a multiple of the other one; both are party, source, workers. By calm runs,
        if there are enough."""
        return self.both_ratios(ours, other)[0]

    def pair_ratio(self, ours, other):
        """The same by all runs."""
        return self.both_ratios(ours, other)[1]

    def both_ratios(self, ours, other):
        """From the record, or computed once."""
        key = (ours[0], str(ours[1]), ours[2]), (other[0], str(other[1]), other[2])
        if key not in self.ratios:
            by_all = self.by_pairs(ours, other)
            a, b = self.calm(*ours), self.calm(*other)
            enough = min(len(a), len(b)) >= CALM_FEW
            calm = statistics.median(a) / statistics.median(b) if enough else by_all
            self.ratios[key] = calm, by_all
        return self.ratios[key]

    def by_pairs(self, ours, other):
        """The median of the ratios of the rounds in which both ran; the ratio of the medians, where
        there was none."""
        a, b = self.by_round(*ours), self.by_round(*other)
        common = sorted(a.keys() & b.keys())
        if not common:
            return self.median(*ours) / self.median(*other)
        return pair_ratio([a[which] for which in common], [b[which] for which in common])

    def median(self, party, source, workers):
        """None: there is no such figure."""
        values = [
            self.values.get((party, source.benchmark, workers, figure))
            for figure in source.figures
        ]
        return sum(map(statistics.median, values)) if all(values) else None

    def best(self, party, row, workers):
        """Median and source of what counts for a row: the first floor, the best of a peer's ways.
        None, None: nothing was measured."""
        found = [(self.median(party, one, workers), one) for one in row.sources[party]]
        found = [(value, one) for value, one in found if value is not None]
        if not found:
            return None, None
        return found[0] if party == "floor" else min(found, key=lambda pair: pair[0])

    def worst(self, party, source, workers):
        """The largest value of a source."""
        keys = [(party, source.benchmark, workers, figure) for figure in source.figures]
        return sum(max(self.values[key]) for key in keys)

    def has_any(self, row):
        """Whether ward was measured for a row, or somebody else where ward does not take part."""
        keys = set(self.failed) | {key[:3] for key in self.values}
        parties = ["ward"] if row.sources["ward"] else PARTIES
        return any(
            (party, source.benchmark, workers) in keys
            for party in parties
            for source in row.sources[party]
            for workers in row.workers
        )

    def why_none(self, party, row, workers):
        """What is to be said where a row has no figure of a party."""
        if not row.sources[party]:
            return None
        for source in row.sources[party]:
            texts = self.failed.get((party, source.benchmark, workers))
            if texts:
                return texts[-1]
        return "not measured"


def record(figures):
    """Returns the lines of a record: what a page was made of, all its ratios included."""
    for key, text in figures.about.items():
        yield "about", key, text
    for (party, benchmark, workers, figure), values in figures.values.items():
        if figure != PACE:
            three = min(values), statistics.median(values), max(values)
            unit = figures.units[party, benchmark, figure]
            yield "runs", party, benchmark, workers, figure, *(f"{v:.6g}" for v in three), unit
    for (one, other), ratios in figures.ratios.items():
        yield "ratio", *one, *other, *(f"{ratio:.6g}" for ratio in ratios)
    for (party, benchmark, workers), texts in figures.failed.items():
        yield "failed", party, benchmark, workers, texts[-1]
    for struct, fields in figures.fields.items():
        for field in fields:
            yield "field", struct, *field


def read_figures(path):
    figures = Figures()
    for number, words in lines_of(path):
        try:
            kind = words[0]
            if kind == "about":
                figures.about[words[1]] = words[2]
            elif kind == "figure":
                party, benchmark, workers, figure, value, unit, *which = words[1:]
                if len(which) > 1:
                    raise ValueError(f"{len(words)} words, 8 are the most")
                key = party, benchmark, int(workers), figure
                figures.add(key, float(value), int(which[0]) if which else None)
                figures.units[party, benchmark, figure] = unit
            elif kind == "runs":
                party, benchmark, workers, figure, *three, unit = words[1:]
                least, median, most = map(float, three)
                for value in (least, median, most):
                    figures.add((party, benchmark, int(workers), figure), value)
                figures.units[party, benchmark, figure] = unit
            elif kind == "ratio":
                one, other = ((a, b, int(c)) for a, b, c in (words[1:4], words[4:7]))
                ratio, by_all = map(float, words[7:])
                figures.ratios[one, other] = ratio, by_all
            elif kind == "failed":
                party, benchmark, workers, text = words[1:]
                figures.failed.setdefault((party, benchmark, int(workers)), []).append(text)
            elif kind == "field":
                struct, offset, size, name = words[1:]
                figures.fields.setdefault(struct, []).append((int(offset), int(size), name))
            else:
                raise ValueError(f"no such kind of line: {kind}")
        except (ValueError, IndexError) as error:
            raise Wrong(f"{path}:{number}: {error}") from error
    return figures
