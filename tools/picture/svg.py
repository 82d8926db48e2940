# SPDX-License-Identifier: MIT
"""svg.py - shapes and texts of the drawings in the documentation, and the style of the guide's.

Text between backticks is set as code. Widths of texts are estimates for a wide font, so that
a text fits with any font of the reader.
"""

from xml.sax.saxutils import escape

WIDTH = 520  # of each picture: at 360 pixels the texts are still 9 pixels high
SIZE, SMALL, LEADING = 15, 13.5, 18

# The colours without a media query are legible on white and on black.
STYLE = """
text { font: 15px system-ui, sans-serif; fill: #6e7781; }
.small { font-size: 13.5px; }
.head { font-weight: 600; }
.code { font-family: ui-monospace, monospace; font-size: 0.92em; }
.panel { fill: #8c959f; fill-opacity: 0.1; }
.box, .new, .suspended, .stopped, .dead, .kernel { stroke: #8c959f; stroke-width: 1.3; }
.box, .new { fill: #8c959f; fill-opacity: 0.12; }
.kernel { fill: #8c959f; fill-opacity: 0.3; stroke-width: 2.6; }
.suspended { fill: none; stroke-dasharray: 5 3; }
.stopped, .dead { fill: none; stroke-dasharray: 2 3; }
.line { fill: none; stroke: #8c959f; stroke-width: 1.3; }
.faint { stroke-dasharray: 2 3; }
.group { fill: none; stroke: #8c959f; stroke-opacity: 0.7; stroke-dasharray: 5 4; }
.tip { fill: #8c959f; }
.failed { fill: #e5484d; fill-opacity: 0.18; stroke: #e5484d; stroke-width: 1.6; }
.decides { fill: #3b82f6; fill-opacity: 0.14; stroke: #3b82f6; stroke-width: 1.6; }
.line.failed, .line.decides { fill: none; }
.tip.failed { fill: #e5484d; fill-opacity: 1; stroke: none; }
.tip.decides { fill: #3b82f6; fill-opacity: 1; stroke: none; }
text.failed, text.decides { fill-opacity: 1; stroke: none; }
text.failed { fill: #e5484d; }
text.decides { fill: #3b82f6; }
text.suspended, text.stopped { stroke: none; fill: #6e7781; }
@media (prefers-color-scheme: light) {
text { fill: #24292f; }
text.suspended, text.stopped { fill: #6e7781; }
text.failed { fill: #c5221f; }
text.decides { fill: #0a58ca; }
}
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
text.suspended, text.stopped { fill: #8b949e; }
text.failed { fill: #ff8a84; }
text.decides { fill: #7ab7ff; }
.failed { stroke: #ff7b72; }
.decides { stroke: #6cb0ff; }
.tip.failed { fill: #ff7b72; }
.tip.decides { fill: #6cb0ff; }
}
"""


class Failed(Exception):
    """A mistake in a source."""


def number(value):
    """Returns a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def classes(kind):
    return f' class="{kind}"' if kind else ""


def text(x, y, words, kind="", anchor=""):
    """Draws words on one line; text between backticks is set as code."""
    anchored = f' text-anchor="{anchor}"' if anchor else ""
    spans = words.split("`")
    said = "".join(f'<tspan class="code">{escape(span)}</tspan>' if index % 2 else escape(span)
                   for index, span in enumerate(spans))
    return f'<text x="{number(x)}" y="{number(y)}"{classes(kind)}{anchored}>{said}</text>'


def box(x, y, width, height, kind="", radius=4):
    return (f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}"'
            f' height="{number(height)}" rx="{number(radius)}"{classes(kind)}/>')


def line(points, kind=""):
    """Draws a line through the points."""
    path = " L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path d="M{path}" class="{" ".join(("line", kind)).strip()}"/>'


def arrow(points, kind=""):
    """Draws a line through the points with a tip at the last one."""
    (x1, y1), (x2, y2) = points[-2:]
    length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    base = (x2 - 8 * dx, y2 - 8 * dy)
    tip = " ".join(f"{number(x)},{number(y)}" for x, y in (
        (x2, y2), (base[0] - 4 * dy, base[1] + 4 * dx), (base[0] + 4 * dy, base[1] - 4 * dx)))
    tip_kind = kind.replace("faint", "").strip()
    return (line([*points[:-1], base], kind) +
            f'<polygon points="{tip}" class="{" ".join(("tip", tip_kind)).strip()}"/>')


def text_width(words, size=SIZE):
    """Estimates the width of a text, on the wide side."""
    total = 0.0
    for index, span in enumerate(words.split("`")):
        for letter in span:
            if index % 2:
                total += 0.57
            elif letter in " .,:;!'|il()":
                total += 0.34
            elif letter in "mwMW":
                total += 0.9
            else:
                total += 0.66 if letter.isupper() else 0.57
    return total * size


def wrap(words, width, size=SIZE):
    """Cuts a text into lines that are no wider than `width`; ` / ` is a break by hand."""
    lines = []
    for part in words.split(" / "):
        current = ""
        for word in part.split():
            longer = f"{current} {word}".strip()
            if current and text_width(longer, size) > width:
                lines.append(current)
                current = word
            else:
                current = longer
        lines.append(current)
    for cut in lines:
        if cut.count("`") % 2:
            raise Failed(f"code is cut by the end of a line: {words}")
        if text_width(cut, size) > width * 1.03:
            raise Failed(f"too wide: {cut}")
    return lines


def paragraph(x, y, lines, kind="small", anchor=""):
    """Draws the lines of wrap(), the first one with its baseline at `y`."""
    return [text(x, y + index * LEADING, words, kind, anchor)
            for index, words in enumerate(lines)]


def document(title, description, source, height, drawing, style=STYLE, width=WIDTH):
    """Returns a whole picture."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {number(height)}"'
        f' width="{width}" height="{number(height)}" role="img" aria-labelledby="title desc">',
        f"<!-- Generated from {source} by tools/pictures. -->",
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(description)}</desc>',
        f"<style>{style}</style>",
        *drawing,
        "</svg>", ""])
