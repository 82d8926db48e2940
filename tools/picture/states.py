# SPDX-License-Identifier: MIT
"""states.py - states in a grid, and the moves between them.

    grid 3                         columns
    state 0 0 starting             a state in its place; after a colon how it is drawn
    group 0 0 2 1: any of these    a line around the places from one corner to the other, with a
                                   name, from which moves may begin
    move starting -> running: text a move; `via 1 2` after the names leads over that place,
                                   `shift 8` draws it that far to the right of, or below, the middle
"""

import re

from picture import svg
from picture.frames import mark, text_kind

BOX, HIGH, ROW = 104, 32, 82


class Grid:
    """Where the places are."""

    def __init__(self, line):
        self.step = (svg.WIDTH - BOX - 16) / max(int(line.rest) - 1, 1)

    def at(self, column, row):
        return 8 + BOX / 2 + float(column) * self.step, 28 + HIGH / 2 + float(row) * ROW


class Place:
    """A box, or a group of boxes."""

    def __init__(self, x, y, width=BOX, height=HIGH):
        self.x, self.y, self.width, self.height = x, y, width, height

    def edge(self, toward, shift):
        """Returns where a line to a point begins: straight if the point is beside the place."""
        x, y = toward
        if abs(y - self.y) > self.height / 2:
            flat = self.width > BOX and abs(x - self.x) < self.width / 2
            side = 1 if y > self.y else -1
            return (x if flat else self.x) + shift, self.y + (self.height / 2 + 2) * side
        side = 1 if x > self.x else -1
        return self.x + (self.width / 2 + 2) * side, self.y + shift


MOVE = re.compile(r"move (.+?) -> (.+?)((?: via [\d.]+ [\d.]+)*)(?: shift (-?\d+))?(?:: (.*?))?"
                  r"(?: at (-?\d+) (-?\d+))?(?: in (\w+))?")


def move(grid, places, line):
    found = MOVE.fullmatch(line.text)
    if not found or found[1] not in places or found[2] not in places:
        raise line.wrong("is no move")
    shift = int(found[4] or 0)
    via = [grid.at(*pair) for pair in re.findall(r"via ([\d.]+) ([\d.]+)", found[3])]
    begin, end = places[found[1]], places[found[2]]
    first = begin.edge(via[0] if via else (end.x, end.y), shift)
    last = end.edge(via[-1] if via else first, shift if not via else 0)
    kind = found[8] or ""
    yield svg.arrow([first, *via, last], kind)
    if found[5]:
        yield from label(found, first, via[0] if via else last, f"small {kind}".strip())


def label(found, first, second, kind):
    """Writes beside the first piece of a move: above a flat one, right of a steep one."""
    x, y = (first[0] + second[0]) / 2, (first[1] + second[1]) / 2
    dx, dy = int(found[6] or 0), int(found[7] or 0)
    lines = found[5].split(" / ")
    if abs(first[0] - second[0]) > abs(first[1] - second[1]):
        yield from svg.paragraph(x + dx, y - 6 + dy - (len(lines) - 1) * svg.LEADING, lines, kind,
                                 "middle")
    else:
        yield from svg.paragraph(x + 8 + dx, y + 5 + dy - (len(lines) - 1) * 9, lines, kind)


def group(grid, places, line):
    found = re.fullmatch(r"group ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+): (.*)", line.text)
    if not found:
        raise line.wrong("is no group")
    (x1, y1), (x2, y2) = grid.at(found[1], found[2]), grid.at(found[3], found[4])
    left, top = x1 - BOX / 2 - 7, y1 - HIGH / 2 - 26
    width, height = x2 - x1 + BOX + 14, y2 - y1 + HIGH + 38
    places[found[5]] = Place(left + width / 2, top + height / 2, width, height)
    yield svg.box(left, top, width, height, "group", 10)
    yield svg.text(left + 12, top + 18, found[5], "small")


def draw(source):
    """Returns the drawing and its height."""
    grid = Grid(source.lines[0])
    places, below, above = {}, [], []
    for line in source.lines[1:]:
        if found := re.fullmatch(r"state ([\d.]+) ([\d.]+) ([^:]+?)(?:: (\w+))?", line.text):
            x, y = grid.at(found[1], found[2])
            places[found[3]] = Place(x, y)
            above += mark(x - BOX / 2, y - HIGH / 2, BOX, HIGH, found[4] or "")
            above.append(svg.text(x, y + 5, found[3], text_kind(found[4] or ""), "middle"))
        elif line.word == "group":
            below += group(grid, places, line)
        else:
            below += move(grid, places, line)
    return below + above, max(place.y + place.height / 2 for place in places.values()) + 3
