# SPDX-License-Identifier: MIT
"""Pages made from sources: an example, a file that a page links to, the files of a folder."""

import re
from html import escape

from .highlight import highlight, language_of, names_linked
from .page import Heading, Link, Page, permalink

ORDER = [".c", ".h", ".conf", ".txt", ".sh"]  # of the files of an example; others are left out
LISTED = (".c", ".h", ".md", ".conf")


def phrase_of(path):
    """Returns what a file says it is: ` * hash.c - ...` in a comment, the title of a page."""
    text = path.read_text()
    if path.suffix == ".md":
        title = re.search(r"^# (.*)", text, re.MULTILINE)
        return title[1] if title else ""
    opening = re.search(rf"^\W*{re.escape(path.name)} - (.*(?:\n \* \S.*)*)", text, re.MULTILINE)
    return re.sub(r"\n \* ", " ", opening[1]) if opening else ""


def code(page, site, path):
    """Returns the text of a file as HTML."""
    def address_of(name):
        return page.address(site.names[name]) if name in site.names else None

    marked = highlight((site.tree / path).read_text().rstrip("\n"), language_of(path), address_of)
    return f'<pre tabindex="0"><code>{marked}</code></pre>'


def heading(page, level, anchor, text):
    page.headings.append(Heading(level, anchor, text))
    page.anchors.add(anchor)
    return f'<h{level} id="{anchor}">{escape(text)}{permalink(anchor)}</h{level}>\n'


def entry(page, site, path, name):
    """Returns a line of a list of files: a link and what the file says it is."""
    target = site.want(path)
    page.links.append(Link(1, target, path))
    file = site.tree / path
    phrase = phrase_of(file) if file.is_file() and file.suffix in LISTED else ""
    page.headings[-1].words.append(f"{name}: {phrase}\n")
    said = f" – {names_linked(phrase, lambda word: None)}" if phrase else ""
    return f'<li><a href="{page.address(target)}"><code>{escape(name)}</code></a>{said}</li>\n'


def page_of_file(site, path, url):
    folder, _, name = path.rpartition("/")
    page = Page(url=url, source=path, title=name)
    place = escape(folder)
    if folder and (site.tree / folder / "README.md").exists():
        place = f'<a href="{page.address(site.want(folder))}">{place}</a>'
    page.body = heading(page, 1, "top", name)
    if folder:
        page.body += f"<p>In {place}</p>\n"
    page.body += code(page, site, path)
    return page


def page_of_example(site, path, url):
    """Returns a page with all files of an example."""
    name = path.rpartition("/")[2]
    page = Page(url=url, source=path, title=name)
    files = [file for file in sorted((site.tree / path).iterdir())
             if file.suffix in ORDER and file.is_file()]
    files.sort(key=lambda file: ORDER.index(file.suffix))
    page.body = heading(page, 1, "top", name)
    page.body += "<ul>\n" + "".join(entry(page, site, f"{path}/{file.name}", file.name)
                                    for file in files) + "</ul>\n"
    for file in files:
        page.body += heading(page, 2, file.name, file.name)
        page.body += code(page, site, f"{path}/{file.name}")
    return page


def page_of_folder(site, path, url):
    """Returns a page that lists the files of a folder."""
    page = Page(url=url, source=path, title=path)
    page.body = heading(page, 1, "top", f"{path}/") + listing(page, site, path)
    return page


def listing(page, site, path):
    files = sorted((site.tree / path).iterdir())
    return "<ul>\n" + "".join(
        entry(page, site, f"{path}/{file.name}", file.name) for file in files
        if file.suffix in LISTED or file.is_dir()) + "</ul>\n"


def add_sources(page, site, path):
    """Adds the list of its sources to the page of a folder that describes itself."""
    page.body += heading(page, 2, "the-sources", "The sources") + listing(page, site, path)
