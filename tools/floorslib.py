# SPDX-License-Identifier: MIT
"""floorslib.py - reads src/floors, the list of the source folders, lowest first.

    # a comment
    [runtime] what the section is
    base  | what the folder holds
    sched | ...
    [testkit] what the library is for
    testkit/run | ...
    [tables]
    wardi_supervision | number of function pointers | why the call goes up

The first section is the tower: a folder may call and include itself and the folders above it in the
list. Each other section is a library. The order counts inside a library, too; of other sections a
library may use the public headers only. The section [tables] lists the constant tables that a lower
folder declares and a higher folder defines, the only way to call upward.
"""

import re
from dataclasses import dataclass


class Failed(Exception):
    """What went wrong, in words."""


@dataclass
class Floor:
    folder: str
    phrase: str
    section: str
    rank: int  # the lowest has 0


@dataclass
class Table:
    name: str
    entries: int
    reason: str


class Floors:
    """The list: sections {name: phrase}, floors {folder: Floor}, tables {name: Table}."""

    def __init__(self, path):
        self.sections, self.floors, self.tables = {}, {}, {}
        section = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            head = re.fullmatch(r"\[([\w-]+)\]\s*(.*)", line)
            if head:
                section = head[1]
                if section != "tables":
                    self.sections[section] = head[2]
            elif section is None:
                raise Failed(f"{path}:{number}: is in no section")
            else:
                self.read(section, [word.strip() for word in line.split("|", 2)],
                          f"{path}:{number}")
        if not self.floors:
            raise Failed(f"{path}: has no folders")
        self.runtime = next(iter(self.sections))

    def read(self, section, words, where):
        """Reads a line of a section."""
        known = self.tables if section == "tables" else self.floors
        if words[0] in known:
            raise Failed(f"{where}: {words[0]} is listed twice")
        if section != "tables":
            if len(words) != 2:
                raise Failed(f"{where}: not 'folder | phrase'")
            self.floors[words[0]] = Floor(words[0], words[1], section, len(self.floors))
        elif len(words) != 3 or not words[1].isdigit():
            raise Failed(f"{where}: not 'name | number of entries | reason'")
        else:
            self.tables[words[0]] = Table(words[0], int(words[1]), words[2])


def core(top, libraries=()):
    """The folders of the tower that know actors: those above memory and scheduler; and those of
    some libraries."""
    floors = Floors(top / "src" / "floors")
    return [floor.folder for floor in floors.floors.values()
            if floor.section in (floors.runtime, *libraries)
            and floor.folder not in ("base", "sched")]
