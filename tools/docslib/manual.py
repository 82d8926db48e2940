# SPDX-License-Identifier: MIT
"""The reference: manual pages, which tools/man makes from the headers, as HTML by mandoc."""

import re
import subprocess
import tempfile
from html import escape
from pathlib import Path

from .page import Failed, Heading, Link, Page
from .rewrite import HEADINGS, Rewriter

SECTIONS = "7315"  # in the order of the contents


class ManualRewriter(Rewriter):
    """The HTML of mandoc: its references name pages, its code no language.

    mandoc makes an anchor of the first mention of a name. Here a name has it where it is described:
    in the heading of its section, else in a list, else in the code that declares it. All other
    mentions, on all pages, are links to there.
    """

    plain_may_be_c = True

    def __init__(self, page, site, headings):
        super().__init__(page, site)
        self.described = headings

    def is_elsewhere(self, name):
        """Whether a name of the API has its anchor in another place than the current one."""
        target = self.site.names.get(name)
        return target and (name in self.described or target != f"{self.page.url}#{name}")

    def handle_starttag(self, tag, attrs):
        attrs = [(key, value) for key, value in attrs
                 if key != "id" or tag in HEADINGS or not self.is_elsewhere(value)]
        super().handle_starttag(tag, attrs)

    def end_heading(self, tag):
        names = names_in("".join(self.heading_text), self.site)
        self.heading[1].update({"id": names[0], "class": "name"} if names else {})
        super().end_heading(tag)
        for name in names[1:]:
            self.page.anchors.add(name)
            self.out.append(f'<span id="{name}"></span>')

    def text(self, data):
        """A manual page names pages of the tree by their paths."""
        for place, part in enumerate(re.split(r"(docs/[\w/-]+\.md)", data)):
            if place % 2 and self.code is None:
                target = self.site.target_of("", part) or ""
                self.page.links.append(Link(1, target, part))
                self.out.append(f'<a href="{self.page.address(target)}">{part}</a>')
            else:
                super().text(part)

    def link_of(self, attrs):
        if attrs.get("class") == "permalink":
            target = self.site.names.get(attrs["href"][1:])
            if target and self.heading is None:
                attrs["class"] = "api"
            return self.page.address(target) if target else attrs["href"]
        if attrs.get("class") != "Xr":
            return super().link_of(attrs)
        target = self.site.manual.target_of(attrs["href"])
        if not target:
            return None
        self.page.links.append(Link(1, target, attrs["href"]))
        return self.page.address(target)


def names_in(heading, site):
    """Returns the names of the API of which the heading of a section consists."""
    words = heading.replace(",", " ").replace("()", "").split()
    return words if all(word in site.names for word in words) else []


def anchor_in_code(page, name):
    """Adds an anchor where code declares a name that has none in a heading or a list."""
    link = f'<a class="api" href="#{name}">'
    begin, marker, text = page.body.partition('id="DESCRIPTION"')
    if link in text:
        text = text.replace(link, f'<a class="api" id="{name}" href="#{name}">', 1)
        page.body = begin + marker + text
        page.anchors.add(name)


class Manual:
    def __init__(self, tree):
        self.tree = tree
        self.files = {}  # the text of each page, by name with section
        self.names = {}  # where the site has each public name
        self.kinds = {}
        self.headers = {}  # the page that documents each header
        if (tree / "tools" / "man").exists():
            self.read()

    def run(self, *args):
        command = [str(self.tree / "tools" / "man"), *args]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.tree, check=False)
        if done.returncode:
            raise Failed(f"{' '.join(command)}: {done.stderr or done.stdout}")
        return done.stdout

    def read(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run("--out", folder)
            made = [path for path in Path(folder).rglob("*.[1-9]") if not path.is_symlink()]
            for path in [*(self.tree / "man").glob("*.[1-9]"), *made]:
                text = path.read_text()
                if not text.startswith(".so "):
                    self.files[path.name] = text
        for line in self.run("--names").splitlines():
            name, page, kind = line.split("\t")
            self.names[name] = f"{self.page_url(f'{page}.3')}#{name}"
            self.kinds[name] = kind
        for name, text in self.files.items():
            family = name.removeprefix("ward-").partition(".")[0]
            synopsis = text.partition("DESCRIPTION")[0]
            for header in re.findall(r"^\.In (\S+)", synopsis, re.MULTILINE):
                if family == Path(header).stem.replace("_", "-"):
                    self.headers[f"include/{header}"] = self.page_url(name)

    @staticmethod
    def page_url(name):
        return f"man/{name}.html"

    def url_of(self, path):
        """Returns the page of a header, of a manual page or of their folder; None: it has none."""
        if path.rstrip("/") in ("include/ward", "man") and self.files:
            return "man/index.html"
        if path.startswith("man/") and Path(path).name in self.files:
            return self.page_url(Path(path).name)
        return self.headers.get(path)

    def target_of(self, name):
        """Returns where the site has `ward-actor.3`, or `ward_spawn.3`; None: it is not ours."""
        if name in self.files:
            return self.page_url(name)
        return self.names.get(name.rpartition(".")[0])

    def pages(self, site):
        """Returns the page of each manual page, and one that lists them."""
        if not self.files:
            return []
        order = sorted(self.files, key=lambda name: (SECTIONS.find(name[-1]), name[:-2]))
        made = [self.page(site, name) for name in order]
        return [self.index(made), *made]

    def page(self, site, name):
        stem, _, section = name.rpartition(".")
        done = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S"],
                              input=self.files[name], capture_output=True, text=True, check=True)
        page = Page(url=self.page_url(name), source=f"man/{name}", title=f"{stem}({section})")
        body = re.sub(r'^<table class="head">.*?</table>', "", done.stdout, flags=re.DOTALL)
        body = re.sub(r'<table class="foot">.*?</table>', "", body, flags=re.DOTALL)
        # A manual page has its headings from the top; here its name stands above them.
        body = re.sub(r"(</?h)([1-5])\b", lambda found: found[1] + str(int(found[2]) + 1), body)
        headings = {described for text in re.findall(r">([^<>]*)</a></h3>", body)
                    for described in names_in(text, site)}
        ManualRewriter(page, site, headings).run(f'<h1 id="top">{escape(page.title)}</h1>\n{body}')
        for described, target in self.names.items():
            if target == f"{page.url}#{described}" and described not in page.anchors:
                anchor_in_code(page, described)
        return page

    def index(self, made):
        """Returns the page that lists all pages, and all names."""
        page = Page(url="man/index.html", source="tools/man", title="Pages and names")
        page.headings = [Heading(1, "top", page.title), Heading(2, "pages", "Pages"),
                         Heading(2, "names", "Names")]
        page.anchors = {"top", "pages", "names"}
        rows = [f'<tr><td><a href="{page.address(other.url)}">{escape(other.title)}</a></td>'
                f"<td>{escape(self.phrase(other))}</td></tr>" for other in made]
        names = [f'<li><a href="{page.address(self.names[name])}"><code>{name}</code></a></li>'
                 for name in sorted(self.names, key=str.lower)]
        page.links = [Link(1, target, name) for name, target in self.names.items()]
        page.body = (f'<h1 id="top">{page.title}</h1>\n<h2 id="pages">Pages</h2>\n'
                     f'<div class="scroll"><table>\n' + "\n".join(rows) + "\n</table></div>\n"
                     '<h2 id="names">Names</h2>\n<ul class="names">\n'
                     + "\n".join(names) + "\n</ul>\n")
        return page

    def phrase(self, page):
        found = re.search(r"^\.Nd (.*)", self.files[page.source.removeprefix("man/")], re.MULTILINE)
        return found[1] if found else ""
