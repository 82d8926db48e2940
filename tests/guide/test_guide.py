#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_guide.py ROOT COMPILER... - compiles the C of each chapter of docs/guide, all its blocks put
# together, and that in the comments of public headers and on the manual pages that are written by
# hand (shown.py), and looks for the names of ward that the guide, the README and these pages use.
# Prints TAP.
#
# A chapter may have a preamble, chapter_NN.h beside this file: what the reader is to imagine around
# its pieces. That of a page in docs/guide/from is from_NAME.h. A block is cut at lines of `...` in
# the first column. A piece that begins with a tab is the inside of a callback, with `self`, `state`
# and `msg`; any other one stands by itself. Other lines of `...` are left out.
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import shown  # noqa: E402

# Blocks that are no C, by chapter and first line, and why.
NO_C = {}

HEAD_OF_PIECE = "static ward_result piece_"
ARGS_OF_PIECE = "(ward_self *self, void *state, const ward_msg *msg)\n{"

# Declared by no header: what a program, a shell or a module gives a meaning.
NAMES_OF_OTHERS = re.compile(r"ward_(type|fields)_\w+$")

WARNINGS = [
    "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-variable",
    "-Wno-unused-parameter", "-Wno-unused-const-variable", "-Wno-unused-but-set-variable",
    "-Wno-missing-field-initializers",
]


def blocks(page, language):
    """The blocks of a page in one language: the number of the first line, and the lines."""
    inside = None
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if inside is None and line == f"```{language}":
            inside = (number + 1, [])
        elif inside is not None and line == "```":
            yield inside
            inside = None
        elif inside is not None:
            inside[1].append(line)


def pieces(begin, lines):
    """Cuts a block where it says that something in between is left out."""
    piece = []
    for number, line in enumerate([*lines, "..."], begin):
        if line == "...":
            if any(piece):
                yield number - len(piece), piece
            piece = []
        else:
            piece.append("" if re.match(r"\s*\.\.\.( */\*.*\*/)?$", line) else line)


def preamble_of(page):
    """The header around the pieces of a page; it need not be there."""
    name = f"from_{page.stem}.h" if page.parent.name == "from" else f"chapter_{page.name[:2]}.h"
    return Path(__file__).parent / name


def program(page, used):
    """A chapter as one source."""
    text = []
    for begin, lines in blocks(page, "c"):
        reason = (page.name, lines[0])
        if reason in NO_C:
            used.add(reason)
            continue
        for number, piece in pieces(begin, lines):
            first = next(line for line in piece if line)
            body = [f'#line {number} "{page.name}"', *piece]
            if first.startswith("\t"):
                head = f"{HEAD_OF_PIECE}{number}{ARGS_OF_PIECE}"
                body = [head, *body, "return WARD_DONE;", "}"]
            text += body
    return "\n".join(text) + "\n"


def compiled(root, compiler, preamble, text):
    """What the compiler has to say about it."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "chapter.c"
        source.write_text(text)
        command = [*compiler, "-std=c17", "-D_GNU_SOURCE", "-I" + str(root / "include"), *WARNINGS]
        if preamble.exists():
            command += ["-include", str(preamble)]
        command += ["-include", "ward/ward.h"]
        # Unused results are seen in functions that are compiled: gcc drops those nobody calls.
        keep = subprocess.run(
            [*compiler, "-fkeep-static-functions", "-fsyntax-only", "-Werror", "-xc", "/dev/null"],
            capture_output=True,
            check=False,
        )
        if keep.returncode == 0:
            command += ["-fkeep-static-functions"]
        command += ["-c", str(source), "-o", str(Path(folder) / "chapter.o")]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def names_of(text):
    return set(re.findall(r"\b(?:ward|WARD)_[A-Za-z0-9_]*[A-Za-z0-9]\b(?![*_])", text))


def unknown_names(root, pages):
    """Names of ward that no public header has, nor a text in the sources (WARD_SEED)."""
    known = set()
    for header in (root / "include").rglob("*.h"):
        known |= names_of(header.read_text())
    for source in [*(root / "src").rglob("*.[ch]"), *(root / "tools").iterdir()]:
        if source.is_file():
            known |= names_of(" ".join(re.findall(r'"[^"\n]*"', source.read_text())))
    for page in pages:
        for number, line in enumerate(page.read_text().split("\n"), 1):
            for name in sorted(names_of(line) - known):
                if not NAMES_OF_OTHERS.match(name):
                    yield f"{page.relative_to(root)}:{number}: there is no {name}"


def main():
    root, compiler = Path(sys.argv[1]), sys.argv[2:]
    chapters = sorted((root / "docs/guide").rglob("*.md"))
    failed = number = 0
    used = set()

    def verdict(name, complaints):
        nonlocal failed, number
        number += 1
        failed += bool(complaints)
        print(f"{'not ok' if complaints else 'ok'} {number} - {name}")
        for line in complaints:
            print(f"# {line}")

    for page in chapters:
        text = program(page, used)
        if not text.strip():
            continue
        said = compiled(root, compiler, preamble_of(page), text)
        errors = [line for line in said.stderr.splitlines() if "error: " in line]
        name = page.relative_to(root / "docs/guide")
        verdict(f"{name} compiles", errors or [said.stderr] if said.returncode else [])
    used_shown = set()
    headers = sorted((root / "include/ward").rglob("*.h"))
    by_hand = [page for page in sorted((root / "man").iterdir()) if page.suffix[1:].isdigit()]
    for file in [*headers, *by_hand]:
        found = list((shown.in_header if file.suffix == ".h" else shown.on_page)(file.read_text()))
        found = [block for block in found if not shown.is_program(block[1]) or file.suffix == ".h"]
        text = shown.source(file.name, found, used_shown)
        if not text.strip():
            continue
        word = "SHOWN_" + re.sub(r"\W", "_", file.stem)
        if file.suffix == ".h":
            text = f"#include <{file.relative_to(root / 'include')}>\n" + text
        said = compiled(root, [*compiler, f"-D{word}"], Path(__file__).parent / "shown.h", text)
        errors = [line for line in said.stderr.splitlines() if "error: " in line]
        verdict(f"{file.name} compiles", errors or [said.stderr] if said.returncode else [])
    unused = [*(NO_C.keys() - used), *(shown.NO_C - used_shown)]
    verdict("each exception is of use", [f"{a}: {b}" for a, b in unused])
    pages = [*chapters, root / "README.md", *by_hand]
    verdict("each name is declared", list(unknown_names(root, pages)))
    print(f"1..{number}")
    return failed != 0


sys.exit(main())
