#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_guide.py ROOT COMPILER... - compiles the C of each chapter of docs/guide, all its blocks put
# together, and that in the first comment of public headers, and looks for the names of ward that
# the guide, the README and the manual pages use. Prints TAP.
#
# A chapter may have a preamble, chapter_NN.h beside this file: what the reader is to imagine around
# its pieces. A block is cut at lines of `...` in the first column. A piece that begins with a tab
# is the inside of a callback, with `self`, `state` and `msg`; any other one stands by itself. Other
# lines of `...` are left out.
#
# In a header an example is what begins with a tab, and ends where another line comes. headers.h is
# around it. What stands to the right of the code, and braces that are not closed, are for people.
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Blocks that are no C, by chapter and first line, and why.
NO_C = {}

# Headers that begin with an example.
WITH_EXAMPLES = [
    "ask", "backoff", "backoff_sender", "become", "breaker", "exponential", "failure", "fd", "fsm",
    "inbox", "link", "message", "otp", "retry", "router", "simulation", "stash", "supervise",
    "zero", "zero_factory",
]
HEAD_OF_PIECE = "static ward_result piece_"
ARGS_OF_PIECE = "(ward_self *self, void *state, const ward_msg *msg)\n{"

# Declared by no header: what a program, a shell or a module gives a meaning.
NAMES_OF_OTHERS = re.compile(r"ward_type_\w+$")

WARNINGS = [
    "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-variable",
    "-Wno-unused-parameter", "-Wno-unused-const-variable", "-Wno-unused-but-set-variable",
    "-Wno-missing-field-initializers",
]


def blocks(page):
    """The C blocks of a page: the number of the first line, and the lines."""
    inside = None
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if inside is None and line == "```c":
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


def program(page, used):
    """A chapter as one source."""
    text = []
    for begin, lines in blocks(page):
        reason = (page.name, lines[0])
        if reason in NO_C:
            used.add(reason)
            continue
        for number, piece in pieces(begin, lines):
            first = next(line for line in piece if line)
            body = [f'#line {number} "docs/guide/{page.name}"', *piece]
            if first.startswith("\t"):
                head = f"{HEAD_OF_PIECE}{number}{ARGS_OF_PIECE}"
                body = [head, *body, "return WARD_DONE;", "}"]
            text += body
    return "\n".join(text) + "\n"


def examples(header):
    """The code in the first comment of a header, as one source."""
    text, block = [], []
    head = header.read_text().split("*/")[0].split("\n")
    for number, line in enumerate([*head, ""], 1):
        if line.startswith(" *\t"):
            line = re.sub(r"([;,{})])(\t+| {3,})\S.*$", r"\1", line[3:])
            line = re.sub(r"^\t*\.\.\.(\s.*)?$", ";", re.sub(r" \.\.\. }", " }", line))
            block.append(line)
            continue
        body = "\n".join(block)
        if any(re.search(r"[(=].*[;{]$|^};$", line) for line in block):  # else a table
            body += "\n" + "}" * (body.count("{") - body.count("}"))
            if "(self, " in body or not re.match(r"static|struct|enum", body):
                body = f"{HEAD_OF_PIECE}{number}{ARGS_OF_PIECE}\n{body}\n(void)0;\nreturn WARD_DONE;\n}}"
            text += [f'#line {number - len(block)} "{header.name}"', body]
        block = []
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
    chapters = sorted((root / "docs/guide").glob("*.md"))
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
        preamble = Path(__file__).parent / f"chapter_{page.name[:2]}.h"
        said = compiled(root, compiler, preamble, text)
        errors = [line for line in said.stderr.splitlines() if "error: " in line]
        verdict(f"{page.name} compiles", errors or [said.stderr] if said.returncode else [])
    for name in WITH_EXAMPLES:
        text = f"#include <ward/{name}.h>\n" + examples(root / f"include/ward/{name}.h")
        said = compiled(root, compiler, Path(__file__).parent / "headers.h", text)
        errors = [line for line in said.stderr.splitlines() if "error: " in line]
        verdict(f"ward/{name}.h has examples", errors or [said.stderr] if said.returncode else [])
    verdict("each exception is of use", [f"{a}: {b}" for a, b in NO_C.keys() - used])
    pages = [*chapters, root / "README.md", *sorted((root / "man").iterdir())]
    pages = [page for page in pages if page.name != "meson.build"]
    verdict("each name is declared", list(unknown_names(root, pages)))
    print(f"1..{number}")
    return failed != 0


sys.exit(main())
