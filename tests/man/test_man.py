#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_man.py ROOT - the manual pages: all that public headers say is on them, each public name leads
# to one, mandoc finds no fault with any, and what tools/man does not understand it refuses. Prints
# TAP.
#
# The headers are read here in another way than tools/headerlib.py reads them: every comment that is
# found must be on the page, but for those of internal names.
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Comments of names that end in `_`: what stands below them declares one.
INTERNAL = re.compile(
    r"\s*(?:#define (?:WARD|ward)_\w*_\b(?!\w)|(?:template <[^>]*> )?(?:constexpr |struct )*\w*_\b[ {(]"
    r"|enum \{ \w+_ = \w+ \};"
    r"|(?:WARD_UNUSED )?(?:static inline )?(?:template <[^>]*>\s*)?[\w *]+?[ *\n]\w+_\()")
NOTHING = {"", "!__cplusplus"}

# A header that is wrong in one way, and what must be said of it, with the line.
HEAD = "/* SPDX-License-Identifier: MIT\n *\n * ward/wrong.h - a header.\n */\n"
WRONG = {
    "a name without a comment": ("WARD_API void ward_wrong(void);\n", 5, "has a /** comment */"),
    "a comment of nothing": ("/** Of nothing. */\n\nWARD_API void ward_wrong(void);\n", 5,
                             "nothing stands right below"),
    "a plain comment": ("/* Lost. */\nWARD_API void ward_wrong(void);\n", 5, "begins with /**"),
    "a union": ("/** One. */\nunion ward_wrong {\n\tint a;\n};\n", 6, "a union"),
    "a struct within a struct": (
        "/** One. */\nstruct ward_wrong {\n\tstruct {\n\t\tint a;\n\t} b;\n};\n", 8, "within a struct"),
    "an answer to nothing": ("WARD_REPLY(ward_a, ward_b);\n", 5, "not declared above"),
    "an unknown directive": ("#pragma once\n", 5, "a directive"),
    "an unknown declaration": ("/** One. */\nint ward_wrong;\n", 6, "no declaration"),
    "two functions at once": (
        "/** Both. */\nWARD_API void ward_wrong(void), ward_worse(int a, int b);\n", 6,
        "several names"),
    "two constants at once": (
        "/** Both. */\nWARD_API extern const int ward_wrong, ward_worse;\n", 6, "several names"),
    "a comment without an end": ("/** One.\nint ward_wrong;\n", 5, "has no end"),
}


def words(text):
    """What a text says, without its punctuation; `and` may stand between two points of a list."""
    text = re.sub(r"<?\bward/(testkit/)?(?=\w+\.h)", "", text)
    text = re.sub(r"\((3|5|7)\)", "", text)
    return [word for word in re.findall(r"[a-z0-9]+", text.lower()) if word != "and"]


def said(text):
    return " " + " ".join(words(text)) + " "


def comments(text):
    """(line, comment without its marks) of each that programs are meant to read."""
    text = re.sub(r"^(struct \w+_ \{)(.*?)^\};",
                  lambda body: body[1] + "\n" * body[2].count("\n"), text, flags=re.M | re.S)
    for match in re.finditer(r"/\*.*?\*/", text, re.S):
        body = match.group()[2:-2].strip("*- ")
        if match.start() == 0:
            body = re.sub(r".*\n.*\n \* \S+ - ", "", body, count=1)
        if body in NOTHING or INTERNAL.match(text, match.end()):
            continue
        if match.group().startswith("/* ----") and \
                "/**" not in text[match.end():].split("/* ----")[0]:
            continue  # a section of internal names
        if text.rfind("\\\n", 0, match.start()) == text.rfind("\n", 0, match.start()) - 1:
            continue  # within a macro
        yield text.count("\n", 0, match.start()) + 1, body


def sentences(comment):
    """The parts of a comment that stand together on a page."""
    prose = []
    for line in comment.split("\n"):
        line = re.sub(r"^\s*\*", "", line)
        if line.startswith("\t"):
            yield from re.split(r"\t+| {2,}", line.strip())
            line = "."
        prose.append(line.strip())
    yield from re.split(r"(?<=[.:;])\s+|(?<=\S) {2,}", " ".join(prose))


def rendered(page):
    """The text of a page, as a reader sees it."""
    command = ["mandoc", "-T", "ascii", "-O", "width=200", str(page)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.sub(r".\x08", "", text)


def lost(root, pages):
    """Sentences of headers that are not on their pages."""
    for header in sorted((root / "include/ward").rglob("*.h")):
        stem = header.stem.replace("_", "-")
        if header.parent.name == "net":
            stem = f"net-{stem}"
        page = pages / ("ward.3" if stem == "ward" else f"ward-{stem}.3")
        there = said(rendered(page))
        for line, comment in comments(header.read_text()):
            for sentence in sentences(comment):
                if said(sentence).strip() and said(sentence) not in there:
                    yield f"{header.relative_to(root)}:{line}: not on {page.name}: {sentence}"


def unnamed(root, names):
    """Names that a header declares and tools/man does not know; internal ones end in `_`."""
    simple = re.compile(
        r"^#define ((?:ward|WARD)_\w*)\b|^WARD_(?:MESSAGE|SIGNAL)\w*\((\w+)"
        r"|^(?:typedef )?(?:struct|enum) (ward_\w+) \{|^\} (ward_\w+);|^\t(WARD_\w+)(?: =.*)?,?(?: /\*.*)?$",
        re.M)
    for header in sorted((root / "include/ward").rglob("*.h")):
        text = header.read_text()
        found = {"".join(groups) for groups in simple.findall(text)}
        found |= set(re.findall(r"\b(ward_\w+)\(", " ".join(re.findall(r"^WARD_API.*?;", text, re.M | re.S))))
        for name in sorted(found - names.keys()):
            if not re.search(r"_$|_H$", name):
                yield f"{header.relative_to(root)}: {name} has no page"


def not_leading(pages, names):
    """Names whose file does not lead to the page that has them."""
    for name, page in names.items():
        if (pages / f"{name}.3").read_text() != f".so man3/{page}.3\n":
            yield f"{name}.3 does not lead to {page}(3)"
        elif not re.search(rf"^\.Nm {name}( ,)?$", (pages / f"{page}.3").read_text(), re.M):
            yield f"{page}.3 does not name {name}"


def beside(root, pages, names):
    """Pages that send the reader to a chapter of the guide in which none of their names stands."""
    for page in sorted(set(names.values())):
        text = (pages / f"{page}.3").read_text()
        for chapter in re.findall(r"^\.Pa share/doc/ward/(docs/guide/\S+\.md)", text, re.M):
            words = set(re.findall(r"\w+", (root / chapter).read_text()))
            if not words & {name for name in names if names[name] == page}:
                yield f"{page}.3 leads to {chapter}, which names nothing of it"


def unlisted(root, whole):
    """Pages of headers that a reader of ward(7) and the pages that it names does not meet, and
    headers of the library that the comment of ward.h leaves out."""
    listing = (root / "man/ward.7").read_text()
    for page in re.findall(r"^\.(?:It )?Xr (ward-\S+) 7", listing, re.M):
        listing += (root / f"man/{page}.7").read_text()
    for page in whole:
        if page.stem != "ward" and not re.search(rf"\bXr {page.stem} 3\b", listing):
            yield f"{page.name} is not listed on ward.7, nor on a page that it names"
    comment = (root / "include/ward/ward.h").read_text().split("*/")[0]
    parts = {path for header in (root / "include/ward").glob("*.h")
             for path in re.findall(r"^#include <ward/(\w+\.h)>", header.read_text(), re.M)}
    for header in sorted((root / "include/ward").glob("*.h")):
        if header.name not in parts and not re.search(rf"\b{header.name}\b", comment):
            yield f"ward.h does not say who includes {header.name}"


def lint(pages):
    command = ["mandoc", "-T", "lint", "-W", "warning", *map(str, pages)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return (found.stdout + found.stderr).splitlines()


def output_of(*command):
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout + found.stderr


def not_found(folder, names):
    """What a reader looks for in vain: with man, and with apropos, on the pages in folder/man3."""
    subprocess.run(["mandb", "--create", "--quiet", folder], capture_output=True, check=True)
    path = f"--manpath={folder}"
    where = output_of("man", path, "--where", "ward_spawn").strip()
    if where != f"{folder}/man3/ward-actor.3":
        yield f"man ward_spawn: {where}"
    for word in ("WARD_EINVAL", "ward_overflow", "ward_props", "WARD_PROPS", "ward_poison_pill"):
        if not re.search(rf"\b{word}\b", output_of("man", path, "--pager=cat", word)):
            yield f"man {word}: the page does not have it"
    listed = output_of("apropos", path, "--sections=3", "^ward_")
    listed = {line.split(" ")[0] for line in listed.splitlines()}
    yield from (f"apropos does not list {name}" for name in sorted(names.keys() - listed))
    yield from (f"apropos lists {name}" for name in sorted(listed - names.keys()))


def not_refused(root, folder):
    """Headers that are wrong, and of which tools/man does not say so."""
    for path in ("tools", "man"):
        shutil.copytree(root / path, folder / path)
    (folder / "include/ward").mkdir(parents=True)
    shutil.copy(root / "include/ward/ward.h", folder / "include/ward")
    for what, (text, line, reason) in WRONG.items():
        (folder / "include/ward/wrong.h").write_text(HEAD + text)
        said_of_it = subprocess.run([folder / "tools/man", "--names"], capture_output=True,
                                    text=True, check=False)
        wanted = f"include/ward/wrong.h:{line}: "
        if said_of_it.returncode != 1 or not said_of_it.stderr.startswith(wanted) \
                or reason not in said_of_it.stderr:
            yield f"{what}: {wanted}... {reason} ..., but: {said_of_it.stderr.strip()}"


def main():
    root = Path(sys.argv[1])
    failed = number = 0

    def verdict(name, complaints):
        nonlocal failed, number
        number += 1
        failed += bool(complaints)
        print(f"{'not ok' if complaints else 'ok'} {number} - {name}")
        for line in complaints:
            print(f"# {line}")

    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "man3"
        made = subprocess.run([root / "tools/man", "--out", pages], capture_output=True, text=True,
                              check=False)
        verdict("tools/man understands all public headers", made.stderr.splitlines())
        if made.returncode != 0:
            print("1..1")
            return True
        listed = subprocess.run([root / "tools/man", "--names"], capture_output=True, text=True,
                                check=False).stdout
        names = dict(line.split("\t")[:2] for line in listed.splitlines())
        whole = [page for page in sorted(pages.iterdir()) if page.name[:-2] not in names]
        by_hand = [page for page in sorted((root / "man").iterdir()) if page.suffix[1:].isdigit()]
        verdict("all that headers say is on their pages", list(lost(root, pages)))
        verdict("what columns of code were aligned by are blanks",
                [f"{page.name}:{number}: {line}" for page in whole
                 for number, line in enumerate(page.read_text().splitlines(), 1) if "\t" in line])
        verdict("each public name has a page", list(unnamed(root, names)))
        verdict("each name leads to its page", list(not_leading(pages, names)))
        verdict("man and apropos find each name", list(not_found(Path(folder), names)))
        verdict("the chapter of a page has one of its names", list(beside(root, pages, names)))
        verdict("ward(7) and ward.h leave out no header", list(unlisted(root, whole)))
        verdict("mandoc finds no fault", lint([*whole, *by_hand]))
        verdict("a header that is wrong is refused", list(not_refused(root, Path(folder) / "wrong")))
    print(f"1..{number}")
    return failed != 0


sys.exit(main())
