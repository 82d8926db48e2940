# SPDX-License-Identifier: MIT
"""frames.py - small frames side by side, each with a tree of actors or with a mailbox.

    row One-for-one              a new row of frames, with a heading or without
    either Afterwards            a row of frames that are alternatives
    frame The child fails        a frame, with its caption below
      parent: decides            a tree: an actor, its state, and its children indented below it
        worker: failed up        up: a red arrow to the parent; down: a blue arrow from the parent
    frame It waits
      mail 3 2 | 1: failed       a mailbox, and the message in hand, with the actor's state
      dead 3 2                   messages that have become dead letters

States: running (no word), failed, suspended, new, stopped, decides, kernel. The legend has those
that the picture uses.
"""

from picture import svg

GAP, INSET, NODE, LEVEL = 20, 10, 30, 62
LETTER, STEP, HAND = 24, 27, 52  # a message, from one to the next, and the actor
LEGEND = {
    "kernel": "important state", "failed": "failed", "suspended": "suspended",
    "decides": "decides", "new": "restarted", "stopped": "stopped", "dead": "dead letter",
}


class Node:
    """An actor of a tree."""

    def __init__(self, line):
        self.name, _, words = line.text.partition(":")
        self.indent = line.indent
        self.children = []
        self.arrow = self.state = ""
        for word in words.split():
            if word in ("up", "down"):
                self.arrow = word
            elif word in LEGEND:
                self.state = word
            else:
                raise line.wrong(f"no state '{word}'")
        self.x = 0.0
        self.width = max(svg.text_width(self.name) + 14, 36)

    def place(self, left):
        """Puts the node over its children; returns the right edge of the tree."""
        right = left
        for child in self.children:
            right = child.place(right) + 10
        right = max(right - 10, left) if self.children else left
        if right - left < self.width:
            for child in self.children:
                child.shift((self.width - (right - left)) / 2)
            right = left + self.width
        middle = ((self.children[0].x + self.children[-1].x) / 2 if self.children
                  else left + self.width / 2)
        self.x = middle
        return right

    def shift(self, by):
        self.x += by
        for child in self.children:
            child.shift(by)

    def depth(self):
        return 1 + max((child.depth() for child in self.children), default=0)

    def draw(self, left, top):
        x = left + self.x
        for child in self.children:
            ends = [(x, top + NODE), (left + child.x, top + LEVEL)]
            if child.arrow == "up":
                yield svg.arrow(ends[::-1], "failed")
            elif child.arrow == "down":
                yield svg.arrow(ends, "decides")
            else:
                yield svg.line(ends, "faint" if child.state == "stopped" else "")
            yield from child.draw(left, top + LEVEL)
        yield from mark(x - self.width / 2, top, self.width, NODE, self.state)
        yield svg.text(x, top + NODE / 2 + 5, self.name, text_kind(self.state), "middle")


def text_kind(state):
    return state if state in ("failed", "decides", "suspended", "stopped") else ""


def mark(x, y, width, height, state):
    """Draws the box of an actor; that of a new incarnation has a double line."""
    yield svg.box(x, y, width, height, state or "box", 6)
    if state == "new":
        yield svg.box(x + 3, y + 3, width - 6, height - 6, "line", 4)


class Tree:
    """The tree of a frame."""

    def __init__(self):
        self.roots = []
        self.open = []

    def add(self, line):
        node = Node(line)
        while self.open and self.open[-1].indent >= node.indent:
            self.open.pop()
        (self.open[-1].children if self.open else self.roots).append(node)
        self.open.append(node)

    def height(self):
        return NODE + LEVEL * (max(root.depth() for root in self.roots) - 1)

    def draw(self, left, top, width):
        right = 0.0
        for root in self.roots:
            right = root.place(right) + 10
        right -= 10
        if right > width:
            raise svg.Failed(f"the tree of {self.roots[0].name} is too wide: {right:.0f}")
        for root in self.roots:
            yield from root.draw(left + (width - right) / 2, top)


class Mail:
    """A mailbox, the oldest message at the right, and the actor with the message in hand."""

    def __init__(self, line):
        waiting, _, hand = line.rest.partition("|")
        self.dead = line.word == "dead"
        self.waiting = waiting.split()
        self.hand, _, state = hand.partition(":")
        self.hand, self.state = self.hand.strip(), state.strip()
        if self.state and self.state not in LEGEND:
            raise line.wrong(f"no state '{self.state}'")

    @staticmethod
    def height():
        return 40

    def letters(self, left, top):
        for index, name in enumerate(self.waiting):
            x = left + index * STEP
            yield svg.box(x, top + 8, LETTER, LETTER, "dead" if self.dead else "box", 3)
            yield svg.text(x + LETTER / 2, top + 25, name,
                           "small stopped" if self.dead else "small", "middle")

    def draw(self, left, top, width):
        letters = len(self.waiting) * STEP
        if self.dead:
            yield from self.letters(left + (width - letters + STEP - LETTER) / 2, top)
            return
        left += (width - letters - 16 - HAND) / 2
        yield from self.letters(left, top)
        left += letters
        yield svg.arrow([(left, top + 20), (left + 14, top + 20)])
        yield from mark(left + 16, top, HAND, 40, self.state)
        if self.hand:
            middle = left + 16 + HAND / 2
            yield svg.box(middle - LETTER / 2, top + 8, LETTER, LETTER,
                          self.state if self.state == "failed" else "box", 3)
            yield svg.text(middle, top + 25, self.hand, "small", "middle")


class Frame:
    """A frame: a caption, and trees or mailboxes."""

    def __init__(self, caption):
        self.caption = caption
        self.parts = []

    def add(self, line):
        if line.word in ("mail", "dead"):
            self.parts.append(Mail(line))
            return
        if not self.parts or not isinstance(self.parts[-1], Tree):
            self.parts.append(Tree())
        self.parts[-1].add(line)

    def inside(self):
        return sum(part.height() + 10 for part in self.parts) - 10

    def lines(self, width):
        return svg.wrap(self.caption, width, svg.SMALL)

    def draw(self, left, top, width, shown, height):
        yield svg.box(left, top, width, height, "panel", 8)
        y = top + INSET + (shown - self.inside()) / 2
        for part in self.parts:
            yield from part.draw(left + INSET, y, width - 2 * INSET)
            y += part.height() + 10
        yield from svg.paragraph(left + INSET, top + INSET + shown + 22,
                                 self.lines(width - 2 * INSET))

    def states(self):
        waiting = [node for part in self.parts if isinstance(part, Tree) for node in part.roots]
        while waiting:
            node = waiting.pop()
            waiting += node.children
            yield node.state
        for part in self.parts:
            if isinstance(part, Mail):
                yield "dead" if part.dead else part.state


class Row:
    """Frames side by side, of one height."""

    def __init__(self, heading="", follow=True):
        self.heading = heading
        self.follow = follow
        self.frames = []

    def draw(self, top, said):
        """Adds the row to the drawing; returns its height."""
        begin = top
        if self.heading:
            said.append(svg.text(0, top + 14, self.heading, "head"))
            top += 26
        width = (svg.WIDTH - GAP * (len(self.frames) - 1)) / len(self.frames)
        shown = max(frame.inside() for frame in self.frames)
        lines = max(len(frame.lines(width - 2 * INSET)) for frame in self.frames)
        height = INSET + shown + 8 + lines * svg.LEADING + 10
        for index, frame in enumerate(self.frames):
            left = index * (width + GAP)
            said += frame.draw(left, top, width, shown, height)
            if index and self.follow:
                middle = top + INSET + shown / 2
                said.append(svg.arrow([(left - GAP + 4, middle), (left - 3, middle)]))
        return top + height - begin


def read(source):
    rows = []
    for line in source.lines:
        if line.word in ("row", "either"):
            rows.append(Row(line.rest, line.word == "row"))
        elif line.word == "frame":
            rows = rows or [Row()]
            rows[-1].frames.append(Frame(line.rest))
        elif not rows or not rows[-1].frames:
            raise line.wrong("belongs to no frame")
        else:
            rows[-1].frames[-1].add(line)
    return rows


def legend(rows, top):
    """Explains the states that the frames use; returns the height as well."""
    used = {state for row in rows for frame in row.frames for state in frame.states()}
    said, x, y = [], 0.0, top
    for state, meaning in LEGEND.items():
        if state not in used:
            continue
        width = 31 + svg.text_width(meaning, svg.SMALL) + 13
        if x + width > svg.WIDTH + 13:
            x, y = 0.0, y + 24
        said += mark(x + 1, y + 1, 24, 16, state)
        said.append(svg.text(x + 31, y + 14, meaning, "small"))
        x += width
    return said, (y + 22 - top if said else 0)


def draw(source):
    """Returns the drawing and its height."""
    rows = read(source)
    said, top = [], 2.0
    for row in rows:
        top += row.draw(top, said) + 18
    explained, height = legend(rows, top)
    return said + explained, top + height
