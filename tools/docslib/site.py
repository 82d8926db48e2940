# SPDX-License-Identifier: MIT
"""All pages of the site: makes those in the contents, then those that others link to."""

import posixpath
from urllib.parse import unquote

from . import contents, markdown, source
from .manual import Manual


class Site:
    def __init__(self, tree):
        self.tree = tree
        self.pages = {}  # by where they are in the site
        self.pictures = {}  # the same of files that are copied
        self.sections = []
        self.wanted = []  # files and folders of the tree whose pages are to be made
        self.manual = Manual(tree)
        self.names = {**contents.clauses(tree), **self.manual.names}  # what text and code link to

    def make(self):
        listed = [self.section(*section)
                  for section in (contents.START, contents.GUIDE, contents.FROM)]
        reference = self.manual.pages(self)
        for page in reference:
            self.pages[page.url] = page
        listed += [(contents.REFERENCE, reference)]
        listed += [self.section(*section) for section in (
            contents.EXAMPLES, contents.PERFORMANCE, contents.INTERNALS, contents.PROJECT)]
        self.sections = [(name, pages) for name, pages in listed if pages]
        for path in contents.files_of(self.tree, contents.MARKDOWN):
            self.want(path)
        while self.wanted:
            self.page_of(self.wanted.pop())

    def section(self, name, patterns):
        return name, [self.page_of(path) for path in contents.files_of(self.tree, patterns)]

    def page_of(self, path):
        """Returns the page of a file or folder; makes it the first time."""
        url = contents.url_of(self.tree, path).partition("#")[0]
        if url not in self.pages:
            self.pages[url] = self.make_page(path, url)
        return self.pages[url]

    def make_page(self, path, url):
        place = self.tree / path
        if place.is_dir():
            if contents.is_example(self.tree, path):
                return source.page_of_example(self, path, url)
            if (place / "README.md").exists():
                path, place = f"{path}/README.md", place / "README.md"
            else:
                return source.page_of_folder(self, path, url)
        if place.suffix != ".md":
            return source.page_of_file(self, path, url)
        page = markdown.page_of(self, path, url)
        if path.startswith("examples/") and path.count("/") == 2:
            source.add_sources(page, self, path.rpartition("/")[0])
        return page

    def want(self, path):
        """Returns where a file or folder of the tree is in the site, which will have it."""
        target = self.manual.url_of(path)
        if target:
            return target
        target = contents.url_of(self.tree, path)
        url = target.partition("#")[0]
        if url.endswith(contents.PICTURES):
            self.pictures[url] = path
        elif url not in self.pages:
            around = path.rpartition("/")[0]
            self.wanted.append(around if "#" in target else path)
        return target

    def target_of(self, origin, written):
        """Returns where in the site a link leads that a file of the tree has; None: nowhere."""
        path, hash_, anchor = written.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(origin), unquote(path)))
        if file.startswith("../") or not (self.tree / file).exists():
            return None
        target = self.want(file)
        return target if "#" in target else target + hash_ + anchor
