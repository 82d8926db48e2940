# SPDX-License-Identifier: MIT
"""ladder.py - steps from top to bottom, with a line for each actor and arrows between them.

    lanes parent | actor 2 | mailbox     the lines; a number is the share of the width
    actor is failed                      from here on its bar shows this state; `none` ends it
    actor: `pre_restart` runs            a note beside the bar
    and mailbox: others wait             a note at the height of the note before it
    actor -> parent: failure             an arrow; `=>` is red, `~>` is blue
    gap                                  a little space

States: running, failed, suspended, new, decides, stopped, none.
"""

import re

from picture import svg

BAR, HEAD = 12, 30
STATES = ("running", "failed", "suspended", "new", "decides", "stopped", "none")
ARROWS = {"->": "", "=>": "failed", "~>": "decides"}


class Lane:
    """A line of the ladder: where it is, and the bar that is being drawn."""

    def __init__(self, name, share):
        self.name = name
        self.share = share
        self.left = self.width = 0.0
        self.state, self.since = "none", 0.0

    @property
    def bar(self):
        return self.left + BAR / 2 + 1

    def turn(self, state, y):
        """Ends the bar at y; the next piece of it has another state."""
        if self.state != "none" and y > self.since:
            kind = "box" if self.state == "running" else self.state
            yield svg.box(self.bar - BAR / 2, self.since, BAR, y - self.since, kind, 3)
            if self.state == "new":
                yield svg.box(self.bar - 2, self.since + 4, 4, y - self.since - 8, "line", 2)
        self.state, self.since = state, y


class Ladder:
    """The drawing under way."""

    def __init__(self, line):
        self.lanes = {}
        for words in line.rest.split("|"):
            found = re.fullmatch(r"(.*?)(?: ([\d.]+))?", words.strip())
            self.lanes[found[1]] = Lane(found[1], float(found[2] or 1))
        scale = svg.WIDTH / sum(lane.share for lane in self.lanes.values())
        left = 0.0
        for lane in self.lanes.values():
            lane.left, lane.width = left, lane.share * scale
            left += lane.width
        self.y = self.noted = HEAD + 8.0
        self.bars, self.said, self.states = [], [], set()

    def heads(self):
        for lane in self.lanes.values():
            yield svg.text(lane.left, 18, lane.name, "head")

    def lane(self, line, name):
        if name.strip() not in self.lanes:
            raise line.wrong(f"no lane '{name.strip()}'")
        return self.lanes[name.strip()]

    def note(self, line, lane, words):
        kind = "small"
        if lane.state in ("failed", "decides"):
            kind += f" {lane.state}"
        lines = svg.wrap(words, lane.width - BAR - 16, svg.SMALL)
        self.said += svg.paragraph(lane.bar + BAR / 2 + 7, self.noted + 14, lines, kind)
        self.y = max(self.y, self.noted + len(lines) * svg.LEADING + 6)

    def arrow(self, line, found):
        begin, end = self.lane(line, found[1]), self.lane(line, found[3])
        sign = 1 if end.bar > begin.bar else -1
        edge = sign * (BAR / 2 + 2)
        lines = svg.wrap(found[4], abs(end.bar - begin.bar) - BAR - 12, svg.SMALL)
        kind = ARROWS[found[2]]
        middle = (begin.bar + end.bar) / 2
        self.said += svg.paragraph(middle, self.y + 14, lines, f"small {kind}".strip(), "middle")
        self.y += len(lines) * svg.LEADING + 4
        self.said.append(svg.arrow([(begin.bar + edge, self.y), (end.bar - edge, self.y)], kind))
        self.y += 9

    def turn(self, line, found):
        if found[2] not in STATES:
            raise line.wrong(f"no state '{found[2]}'")
        self.bars += self.lane(line, found[1]).turn(found[2], self.y)

    def add(self, line):
        if line.text == "gap":
            self.y += 10
        elif found := re.fullmatch(r"([^:]+) is (\w+)", line.text):
            self.turn(line, found)
        elif found := re.fullmatch(r"(.+?) ([-=~]>) (.+?): (.*)", line.text):
            self.arrow(line, found)
        elif ": " in line.text:
            name, words = line.text.split(": ", 1)
            if line.word != "and":
                self.noted = self.y
            self.note(line, self.lane(line, name.removeprefix("and ")), words)
        else:
            raise line.wrong("is no step")

    def close(self):
        for lane in self.lanes.values():
            self.bars += lane.turn("none", self.y)


def draw(source):
    """Returns the drawing and its height."""
    ladder = Ladder(source.lines[0])
    for line in source.lines[1:]:
        ladder.add(line)
    ladder.close()
    return [*ladder.heads(), *ladder.bars, *ladder.said], ladder.y + 4
