# SPDX-License-Identifier: MIT
"""The contents of the site, in order, and the page of each file of the tree."""

import re

# The sections: a name, and patterns of files and of folders (which end in a slash) of the tree.
START = ("", ["README.md"])
GUIDE = ("Guide", ["docs/guide/README.md", "docs/guide/[0-9]*.md"])
FROM = ("Coming from elsewhere", ["docs/guide/from/*.md"])
EXAMPLES = ("Examples", ["examples/README.md", "examples/*/"])
PERFORMANCE = ("Performance", ["docs/performance.md", "bench/README.md"])
CONTRACT = "docs/internals/contract.md"
INTERNALS = ("Internals", [CONTRACT, "docs/internals/architecture.md",
                           "docs/internals/*.md"])
PROJECT = ("Project", ["CHANGELOG.md", "CONTRIBUTING.md"])
REFERENCE = "Reference"  # its pages are made from the headers

# Where else Markdown lies: its links are checked, and it is found by links only.
MARKDOWN = ["*.md", "bench/**/*.md", "docs/**/*.md", "examples/**/*.md", "tests/**/*.md"]

PICTURES = (".svg", ".png")


def url_of(tree, path):
    """Returns where the site has a file or folder of the tree, from the root of the site."""
    if path == "README.md":
        return "index.html"
    short = path.removeprefix("docs/")
    if (tree / path).is_dir():
        return f"{short}.html" if is_example(tree, path) else f"{short}/index.html"
    folder, _, name = short.rpartition("/")
    if name == "README.md":
        return f"{folder}/index.html"
    if name.endswith(".md"):
        stem = short.removesuffix(".md")
        return f"{stem if folder else stem.lower()}.html"
    if name.endswith(PICTURES):
        return short
    around = path.rpartition("/")[0]
    if is_example(tree, around):
        return f"{url_of(tree, around)}#{name}"
    return f"source/{path}.html"


def clauses(tree):
    """Returns where the site has each clause of the contract: S72 is a heading there."""
    page = tree / CONTRACT
    names = re.findall(r"^### (S\d+)$", page.read_text(), re.MULTILINE) if page.exists() else []
    return {name: f"{url_of(tree, CONTRACT)}#{name.lower()}" for name in names}


def is_example(tree, path):
    """Whether a folder is an example that is shown on one page."""
    below = path.startswith("examples/") and path.count("/") == 1
    return below and not (tree / path / "README.md").exists()


def files_of(tree, patterns):
    """Returns the files and folders of patterns, in their order, each once."""
    found = {}
    for pattern in patterns:
        for path in sorted(tree.glob(pattern.rstrip("/"))):
            if path.is_dir() == pattern.endswith("/"):
                found[path.relative_to(tree).as_posix()] = True
    return list(found)
