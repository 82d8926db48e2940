# SPDX-License-Identifier: MIT
"""timeline.py - a row for each actor, with blocks from one time to another.

    axis 0 100 10 seconds        from, to, a mark each, and the unit; `axis 0 100` has no marks
    lane server                  a row
      0 40 failed: away          a block with a state and a text
      40 100: back               running
      1 4 span: 3                a span of time with its text, as of a delay
      40 mark: it answers        a moment

States: running (no word), failed, suspended, new, decides, stopped, none.
"""

import re

from picture import svg

NAMES, BLOCK = 76, 26
LEFT, RIGHT = NAMES, svg.WIDTH - 14


class Axis:
    """From times to places."""

    def __init__(self, line):
        words = line.rest.split()
        self.begin, self.end = float(words[0]), float(words[1])
        self.step = float(words[2]) if len(words) > 2 else 0
        self.unit = " ".join(words[3:])

    def at(self, time):
        return LEFT + (RIGHT - LEFT) * (time - self.begin) / (self.end - self.begin)

    def draw(self, y):
        yield svg.line([(LEFT, y), (RIGHT, y)])
        time = self.begin
        while self.step and time <= self.end:
            yield svg.line([(self.at(time), y - 4), (self.at(time), y)])
            yield svg.text(self.at(time), y + 16, f"{time:g}", "small", "middle")
            time += self.step
        yield svg.text(0, y + 16, self.unit, "small")


def block(axis, line, found, y):
    begin, end = axis.at(float(found[1])), axis.at(float(found[2]))
    state, words = found[3], found[4]
    if state == "span":
        yield svg.line([(begin, y + 16), (begin, y + 26)])
        yield svg.line([(end, y + 16), (end, y + 26)])
        yield svg.line([(begin, y + 21), (end, y + 21)])
        yield svg.text((begin + end) / 2, y + 12, words, "small", "middle")
        return
    kind = state or "box"
    yield svg.box(begin, y, max(end - begin, 3), BLOCK, kind, 3)
    if words and svg.text_width(words, svg.SMALL) > end - begin:
        raise line.wrong("the text does not fit")
    colour = state if state in ("failed", "decides", "suspended", "stopped") else ""
    if words:
        yield svg.text((begin + end) / 2, y + 18, words, f"small {colour}".strip(), "middle")


def moment(axis, found, y):
    x = axis.at(float(found[1]))
    yield svg.line([(x, y - 2), (x, y + BLOCK + 2)], "decides")
    yield svg.text(x + 6, y + 18, found[2] or "", "small decides")


def draw(source):
    """Returns the drawing and its height."""
    axis = Axis(source.lines[0])
    said, y = [], -34.0
    for line in source.lines[1:]:
        if line.word == "lane":
            y += 40
            for index, words in enumerate(svg.wrap(line.rest, NAMES - 6, svg.SMALL)):
                said.append(svg.text(0, y + 18 + index * 15, words, "small"))
        elif found := re.fullmatch(r"([\d.]+) ([\d.]+)(?: (\w+))?(?:: (.*))?", line.text):
            said += block(axis, line, found, y)
        elif found := re.fullmatch(r"([\d.]+) mark(?:: (.*))?", line.text):
            said += moment(axis, found, y)
        else:
            raise line.wrong("is no block")
    said += axis.draw(y + 44)
    return said, y + 68
