# SPDX-License-Identifier: MIT
"""peerslib.py - what tools/bench-peers and tools/bench-report share: the rows and their goals, and
the file with the figures of a run.

The rows stand in bench/goals.tsv, which describes itself. A file of figures has lines of words with
tabs between:

    about   KEY TEXT                                            the machine, the versions, the day
    figure  PARTY BENCHMARK WORKERS FIGURE VALUE UNIT [ROUND]   one figure of one run
    failed  PARTY BENCHMARK WORKERS TEXT                        a run that gave none, and why
    field   STRUCT OFFSET BYTES NAME                            the layout of a structure

PARTY is ward, floor, erlang or caf. What has the same ROUND ran side by side. FIGURE pace is that of
the core in that run (bench/pace.h).

A run is calm if its core was all its own: if the pace is not more than CALM times the fastest one of
all runs. Of two that are held against each other calm runs are compared alone, if both have CALM_FEW.
"""

import statistics

from benchlib import pair_ratio

PARTIES = ["floor", "ward", "erlang", "caf"]
PACE, CALM, CALM_FEW = "pace", 1.15, 3
TITLES = {"floor": "floor", "ward": "ward", "erlang": "Erlang", "caf": "CAF"}


class Wrong(Exception):
    """A file that is not as it should be, in words."""


class Source:
    """Where a party's figure for a row comes from: a benchmark, and figures of it that add up."""

    def __init__(self, text):
        self.benchmark, _, figures = text.partition("/")
        self.figures = (figures or self.benchmark.partition("@")[0]).split("+")


class Goal:
    """At most `ratio` times what `of` names; None: in the unit of the row."""

    def __init__(self, text):
        ratio, _, self.of = text.partition(" ")
        self.ratio = float(ratio)
        self.text = ratio + (f" × {self.of}" if self.of else "")


class Row:
    """A line of goals.tsv."""

    def __init__(self, words):
        self.name, self.title, workers, self.unit = words[:4]
        self.workers = [int(count) for count in workers.split(",")]
        self.sources = {
            party: [Source(text) for text in listed(words[column], " ")]
            for party, column in (("ward", 4), ("floor", 5), ("erlang", 6), ("caf", 7))
        }
        self.goals = [[Goal(text) for text in listed(words[column], "; ")] for column in (8, 9)]

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
    rows = []
    for number, words in lines_of(path):
        if words[0] == "row":
            continue
        try:
            if len(words) != 10:
                raise ValueError(f"{len(words)} columns, 10 are due")
            rows.append(Row(words))
        except ValueError as error:
            raise Wrong(f"{path}:{number}: {error}") from error
    known = {row.name for row in rows} | {"floor", "erlang", "caf", "own", ""}
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
        """How many times the other's figure ours is; both are party, source, workers. By calm runs,
        if there are enough."""
        a, b = self.calm(*ours), self.calm(*other)
        if min(len(a), len(b)) < CALM_FEW:
            return self.pair_ratio(ours, other)
        return statistics.median(a) / statistics.median(b)

    def pair_ratio(self, ours, other):
        """The same by all runs: the median of the rounds in which both ran; the ratio of the
        medians, where there was none."""
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

    def why_none(self, party, row, workers):
        """What is to be said where a row has no figure of a party."""
        if not row.sources[party]:
            return None
        for source in row.sources[party]:
            texts = self.failed.get((party, source.benchmark, workers))
            if texts:
                return texts[-1]
        return "not measured"


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
