# SPDX-License-Identifier: MIT
"""A page of the site, and the frame that all pages share."""

import os
from dataclasses import dataclass, field
from html import escape
from string import Template


class Failed(Exception):
    """The site cannot be made; the text says why."""


@dataclass
class Heading:
    level: int
    anchor: str
    text: str
    words: list = field(default_factory=list)  # the text below it, for the search


@dataclass
class Link:
    line: int  # in the source of the page
    target: str  # a page or file of the site, from its root, perhaps with an anchor
    written: str  # in the source


@dataclass
class Page:
    url: str  # from the root of the site
    source: str  # the path of what it is made from
    title: str = ""
    body: str = ""
    headings: list = field(default_factory=list)
    anchors: set = field(default_factory=set)
    links: list = field(default_factory=list)

    @property
    def label(self):
        """What the contents call the page."""
        return "Start" if self.url == "index.html" else self.title

    def address(self, target):
        """Returns the address of a place in the site, relative to this page."""
        url, hash_, anchor = target.partition("#")
        if url == self.url and anchor:
            return f"#{anchor}"
        return os.path.relpath(url, os.path.dirname(self.url) or ".") + hash_ + anchor


def permalink(anchor):
    """Returns the link that a heading has to itself."""
    return f' <a class="permalink" href="#{anchor}" aria-label="Link to this section">#</a>'


def item(page, other, current):
    here = ' aria-current="page"' if current else ""
    return f'<li><a href="{page.address(other.url)}"{here}>{escape(other.label)}</a></li>'


def navigation(page, sections):
    """Returns the contents of the site as seen from a page; the section it belongs to is open."""
    out = []
    for name, pages in sections:
        inside = page in pages
        items = "\n".join(item(page, other, other is page) for other in pages)
        if name:
            out.append(f'<details{" open" if inside else ""}>\n<summary>{escape(name)}</summary>\n'
                       f"<ul>\n{items}\n</ul>\n</details>")
        else:
            out.append(f"<ul>\n{items}\n</ul>")
    return "\n".join(out)


def outline(page):
    """Returns the headings of a page as a list of links, if there are some."""
    wanted = [heading for heading in page.headings if heading.level in (2, 3)]
    if sum(heading.level == 2 for heading in wanted) > 30 or len(wanted) < 2:
        wanted = [heading for heading in wanted if heading.level == 2]
    if len(wanted) > 60:
        wanted = [heading for heading in wanted if heading.level == 2]
    if len(wanted) < 2:
        return ""
    items = "\n".join(f'<li class="level{heading.level}"><a href="#{heading.anchor}">'
                      f"{escape(heading.text)}</a></li>" for heading in wanted)
    return ('<nav class="outline" aria-label="On this page">\n<p>On this page</p>\n'
            f"<ul>\n{items}\n</ul>\n</nav>")


def neighbours(page, sections):
    """Returns links to the pages before and after this one in its section."""
    pages = next((pages for name, pages in sections if name and page in pages), [page])
    at = pages.index(page)
    out = []
    if at > 0:
        out.append(f'<a rel="prev" href="{page.address(pages[at - 1].url)}">'
                   f"<span>Previous</span> {escape(pages[at - 1].title)}</a>")
    if at + 1 < len(pages):
        out.append(f'<a rel="next" href="{page.address(pages[at + 1].url)}">'
                   f"<span>Next</span> {escape(pages[at + 1].title)}</a>")
    return f'<nav class="neighbours" aria-label="Neighbours">{"".join(out)}</nav>' if out else ""


def frame(template, page, sections, version):
    """Returns the whole page."""
    root = page.address("index.html").removesuffix("index.html")
    title = page.title if page.title == "ward" else f"{page.title} – ward"
    return Template(template).substitute(
        title=escape(title), root=root, version=escape(version), body=page.body,
        contents=navigation(page, sections), outline=outline(page),
        neighbours=neighbours(page, sections))
