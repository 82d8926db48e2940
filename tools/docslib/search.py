# SPDX-License-Identifier: MIT
"""The index that the search reads: names of the API, headings, and the text below them."""

import json

# Sections of a manual page that have names only, each of which has an entry.
WITHOUT_TEXT = ("NAME", "LIBRARY", "SYNOPSIS")


def text_of(heading):
    return " ".join("".join(heading.words).split())


def index_of(site):
    """Returns a script: [name, kind and page, address], and [heading, page, address, text]."""
    names = []
    for name, target in sorted(site.manual.names.items()):
        page = site.pages[target.partition("#")[0]]
        names.append([name, f"{site.manual.kinds[name]}, {page.title}", target])
    places = []
    for _, pages in site.sections:
        for page in pages:
            for heading in page.headings:
                if heading.text in WITHOUT_TEXT:
                    continue
                place = page.url if heading.level == 1 else f"{page.url}#{heading.anchor}"
                places.append([heading.text, page.title, place, text_of(heading)])
    data = json.dumps({"names": names, "places": places}, ensure_ascii=False, separators=(",", ":"))
    return f"window.siteIndex = {data};\n"
