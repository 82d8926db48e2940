# SPDX-License-Identifier: MIT
"""Pages made from Markdown, by cmark-gfm: the same dialect and anchors as on git hosts."""

import subprocess

from .page import Page
from .rewrite import Rewriter

COMMAND = ["cmark-gfm", "--to", "html", "--unsafe", "--sourcepos",
           "-e", "table", "-e", "strikethrough", "-e", "autolink"]


def html_of(text):
    return subprocess.run(COMMAND, input=text, capture_output=True, text=True, check=True).stdout


def page_of(site, path, url):
    """Returns the page of a Markdown file."""
    page = Page(url=url, source=path)
    Rewriter(page, site).run(html_of((site.tree / path).read_text()))
    page.title = page.title or path
    return page
