# SPDX-License-Identifier: MIT
"""source.py - reads the text that a picture is drawn from.

    # a comment
    title  a few words
    desc   a description for readers who cannot see the picture; may be repeated
    kind   frames, ladder, timeline, states or choices
    ...    the lines of that kind
"""

from picture.svg import Failed


class Line:
    """A line of a source: its first word, the rest, and how far it is indented."""

    def __init__(self, path, number, text):
        self.where = f"{path}:{number}"
        self.indent = len(text) - len(text.lstrip())
        self.text = text.strip()
        self.word, _, rest = self.text.partition(" ")
        self.rest = rest.strip()

    def wrong(self, why):
        return Failed(f"{self.where}: {why}: {self.text}")


class Source:
    """A source: the head that all kinds share, and the lines of its kind."""

    def __init__(self, path, name):
        self.name = name
        self.title = self.kind = ""
        self.lines = []
        described = []
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            line = Line(name, number, text)
            if self.lines or line.word not in ("title", "desc", "kind"):
                self.lines.append(line)
            elif line.word == "desc":
                described.append(line.rest)
            else:
                setattr(self, line.word, line.rest)
        self.description = " ".join(described)
        for what in ("title", "description", "kind", "lines"):
            if not getattr(self, what):
                raise Failed(f"{name}: has no {what}")
