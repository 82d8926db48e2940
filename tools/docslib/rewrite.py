# SPDX-License-Identifier: MIT
"""Turns the HTML of a converter into the body of a page.

Links lead to pages of the site, headings have anchors, code is highlighted, names of the API are
links, tables have a box in which they scroll, and a picture is a link to its file.
"""

import re
import textwrap
from html import escape, unescape
from html.parser import HTMLParser

from .highlight import highlight, names_linked
from .page import Heading, Link, permalink

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
LOOKS_LIKE_C = re.compile(r"[;{}]\s*(/\*.*)?$|^\s*#include|\bward_\w+\(", re.MULTILINE)


def slug_of(text, taken):
    """Returns the anchor of a heading as git hosts make it; none has it twice."""
    slug = base = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    count = 0
    while slug in taken:
        count += 1
        slug = f"{base}-{count}"
    return slug


def breakable(html):
    """Code in a narrow cell may go on in the next line behind an underscore, a dot or a slash."""
    parts = re.split(r"(<[^>]*>)", html)
    parts[::2] = [re.sub(r"(?<=\w)(?<!ward)[_./](?=\w)", r"\g<0><wbr>", text, flags=re.IGNORECASE)
                  for text in parts[::2]]
    return "".join(parts)


def with_units(text):
    """A number stays on one line with its unit."""
    return re.sub(r"(?<=\d) (?=(?:ns|µs|ms|s|bytes|×)(?!\w))", "\N{NO-BREAK SPACE}", text)


class Rewriter(HTMLParser):
    """Feed it HTML; `page` then has its body, headings, anchors and links."""

    plain_may_be_c = False  # code that names no language

    def __init__(self, page, site):
        super().__init__(convert_charrefs=False)
        self.page, self.site = page, site
        self.out = []
        self.open = []  # the elements around the current place
        self.line = 1  # in the source, if the converter says so
        self.code = None  # the text of the <pre> that is open
        self.language = ""
        self.heading = None  # where in `out` the heading that is open begins
        self.heading_text = []

    def run(self, html):
        self.feed(html)
        self.close()
        self.page.body = "".join(self.out)
        return self.page

    # ---- links

    def address_of(self, name):
        """Returns where the reference has a name of the API, or nothing."""
        target = self.site.names.get(name)
        return self.page.address(target) if target else None

    def linked(self, written):
        """Returns the address for a link or a picture of the source."""
        if re.match(r"[a-z]+:", written):
            return written
        here = written.startswith("#")
        target = self.page.url + written if here else self.site.target_of(self.page.source, written)
        if target is None:
            self.page.links.append(Link(self.line, "", written))
            return written
        self.page.links.append(Link(self.line, target, written))
        return self.page.address(target)

    # ---- elements

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        position = attrs.pop("data-sourcepos", None)
        if position:
            self.line = int(position.partition(":")[0])
        if self.code is not None:
            if tag == "code" and not self.code:
                self.language = (attrs.get("class") or "").removeprefix("language-")
            return
        if tag not in ("br", "img", "hr", "input"):
            self.open.append(tag)
        if attrs.get("id") and tag not in HEADINGS:
            self.page.anchors.add(attrs["id"])
        if tag == "pre":
            self.code, self.language = [], ""
            return
        if tag == "table":
            self.out.append('<div class="scroll">')
        if tag == "a" and "href" in attrs:
            attrs["href"] = self.link_of(attrs)
            if attrs["href"] is None:
                del attrs["href"]
        if tag == "img":
            self.picture(attrs)
            return
        if tag in HEADINGS:
            self.heading, self.heading_text = (len(self.out), attrs), []
            return
        self.out.append(self.tag(tag, attrs))

    def picture(self, attrs):
        """By itself the picture can be enlarged, which small screens need."""
        attrs["src"] = self.linked(attrs["src"])
        attrs["loading"] = "lazy"
        shown = self.tag("img", attrs)
        if "a" not in self.open:
            shown = f'<a class="picture" href="{escape(attrs["src"])}">{shown}</a>'
        self.out.append(shown)

    def link_of(self, attrs):
        return self.linked(attrs["href"])

    @staticmethod
    def tag(tag, attrs):
        written = [f'{name}="{escape(value or "")}"' for name, value in attrs.items()]
        return f"<{' '.join([tag, *written])}>"

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if self.code is not None:
            if tag == "pre":
                self.open.pop()
                self.end_code()
            return
        if self.open and self.open[-1] == tag:
            self.open.pop()
        if tag in HEADINGS:
            self.end_heading(tag)
            return
        self.out.append(f"</{tag}>")
        if tag == "table":
            self.out.append("</div>")

    def end_code(self):
        text = textwrap.dedent("".join(self.code))
        self.code = None
        if self.plain_may_be_c and LOOKS_LIKE_C.search(text):
            self.language = "c"
        kind = f' class="{self.language}"' if self.language else ""
        marked = highlight(text.rstrip("\n"), self.language, self.address_of)
        self.out.append(f'<pre tabindex="0"><code{kind}>{marked}</code></pre>')

    def end_heading(self, tag):
        begin, attrs = self.heading
        self.heading = None
        inner = "".join(self.out[begin:])
        del self.out[begin:]
        text = " ".join("".join(self.heading_text).split())
        anchor = attrs.get("id") or slug_of(text, self.page.anchors)
        attrs["id"] = anchor
        self.page.anchors.add(anchor)
        level = int(tag[1])
        self.page.headings.append(Heading(level, anchor, text))
        if level == 1 and not self.page.title:
            self.page.title = text
        self.out.append(f"{self.tag(tag, attrs)}{inner}{permalink(anchor)}</{tag}>")

    # ---- text

    def handle_data(self, data):
        self.text(data)
        self.line += data.count("\n")

    def handle_entityref(self, name):
        self.text(unescape(f"&{name};"))

    def handle_charref(self, name):
        self.text(unescape(f"&#{name};"))

    def text(self, data):
        if self.code is not None:
            self.code.append(data)
            return
        if self.heading is not None:
            self.heading_text.append(data)
        elif self.page.headings:
            self.page.headings[-1].words.append(data)
        if "td" in self.open:
            data = with_units(data)
        if self.heading is not None or "a" in self.open:
            shown = escape(data, quote=False)
        else:
            shown = names_linked(data, self.address_of)
        self.out.append(breakable(shown) if self.open[-1:] == ["code"] and "td" in self.open else shown)
