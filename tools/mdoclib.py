# SPDX-License-Identifier: MIT
#
# mdoclib.py - the text of a comment as mdoc: paragraphs, code, lists, and what is a name in them.
import re
import textwrap

LABELS = "Ownership|Order|Cost|Errors|Contract|Threads|Units"
LABEL_LINE = re.compile(rf"({LABELS}) {{2,}}(\S.*)")
LABEL_WITHIN = re.compile(rf"(?:^|(?<=[.)] )|(?<=[.)]\n))({LABELS}): ")
CODE_WIDTH = 70  # of 80 columns, less what code on a page is indented by
WORD = re.compile(
    r"(?P<open>[(\[]*)(?P<core>\*?[A-Za-z_][\w./$-]*?)(?P<call>\(\))?(?P<tail>'s)?"
    r"(?P<close>[)\],.;:?!]*)$")
CODE_ERROR = re.compile(r"WARD_E[A-Z]+\b")


class TextError(Exception):
    """A comment that cannot be set."""


def strip_comment(comment):
    """The lines of a comment, without what makes it one. Code keeps its first tab."""
    lines = []
    for part in re.findall(r"/\*\*?(.*?)\*/", comment, re.S):
        for line in part.split("\n"):
            line = re.sub(r"^\s*\*", "", line).rstrip()
            lines.append(line if line.startswith("\t") else line.strip(" "))
    return lines


def escape(text):
    return text.replace("\\", "\\e")


def argument(text):
    """One argument of a macro, whatever is in it."""
    text = escape(text).replace('"', "\\(dq")
    if re.fullmatch(r"[\w\\]*\w+", text) and len(text) > 3:
        return text
    return f'"\\&{text}"' if re.fullmatch(r"\W|\w{1,3}", text) else f'"{text}"'


def blocks(lines):
    """(kind, content): text, code, list (of lines that are numbered), or labels."""
    found = []
    for line in [*lines, ""]:
        last = found[-1] if found else ("", [])
        label = LABEL_LINE.match(line)
        if not line.strip():
            if last[0] == "code":
                last[1].append("")
            else:
                found.append(("", []))
        elif label and last[0] == "labels":
            last[1].append([label[1], label[2]])
        elif label:
            found.append(("labels", [[label[1], label[2]]]))
        elif line.startswith("\t"):
            numbered = re.match(r"\t\d+\. ", line) and (not last[1] or last[0] == "list")
            if last[0] == "list" and not numbered:
                last[1][-1] += " " + line.strip()
            elif numbered:
                if last[0] != "list":
                    found.append(("list", []))
                found[-1][1].append(re.sub(r"\t\d+\. ", "", line))
            elif last[0] == "code":
                last[1].append(line[1:])
            else:
                found.append(("code", [line[1:]]))
        elif last[0] == "labels":
            last[1][-1][1] += " " + line.strip()
        elif last[0] == "text":
            last[1].append(line.strip())
        else:
            found.append(("text", [line.strip()]))
    return merge_lists([(kind, content) for kind, content in found if kind])


def merge_lists(found):
    """A numbered list may have blank lines between its points."""
    merged = []
    for kind, content in found:
        if merged and kind == merged[-1][0] == "list":
            merged[-1][1].extend(content)
        else:
            merged.append((kind, content))
    return merged


def columns(line, tab):
    """Tabs as blanks; those in front are `tab` wide."""
    indent = len(line) - len(line.lstrip("\t"))
    return " " * (tab * indent) + line[indent:].expandtabs(8)


def is_c(lines):
    return any(re.search(r"[(=].*[;{]$|^\s*(enum|struct|static|return)\b.*;$", split_remark(line)[0])
               or re.match(r"#define |\s*(if|for|while) \(", line) for line in lines)


def split_remark(line):
    """Code, and what stands to the right of it for people."""
    match = re.match(r"(.*?(?:[;,{})]|\.\.\.))(?:\t+| {3,})(\S.*)$", line)
    return (match[1], match[2]) if match else (line, "")


def joined(lines):
    """Calls and prototypes that go on in the next line, on one line each."""
    whole = []
    for line in lines:
        if whole and whole[-1].endswith(",") and whole[-1].count("(") > whole[-1].count(")") \
                and "{" not in whole[-1]:
            whole[-1] += " " + line.strip()
        else:
            whole.append(line)
    return whole


def code_lines(lines):
    """An example as a page shows it: at most CODE_WIDTH columns, remarks in C as comments."""
    parts, text = [[]], []
    for line in lines:
        parts += [[]] if not line else []
        parts[-1] += [line] if line else []
    may_be_c = not re.match(r"# ", lines[0])
    for part in filter(None, parts):
        if is_c(part):
            text += [*aligned(part, may_be_c), ""]
        else:
            text += [*table_lines(part), ""]
    return text[:-1]


def aligned(lines, in_c):
    """Lines of code with their remarks in one column, where they fit."""
    rows = [split_remark(line) for line in (joined(lines) if in_c else lines)]
    tab = 4 if in_c or max(len(columns(code, 4)) for code, _ in rows) <= CODE_WIDTH else 2
    rows = [(columns(code, tab), as_comment(remark) if in_c else remark) for code, remark in rows]
    width = max((len(code) for code, remark in rows
                 if remark and len(code) + 2 + len(remark) <= CODE_WIDTH), default=0)
    text = []
    for code, remark in rows:
        if remark and max(width, len(code)) + 2 + len(remark) <= CODE_WIDTH:
            text.append(f"{code:<{width}}  {remark}")
        elif remark and len(code) + 2 + len(remark) <= CODE_WIDTH:
            text.append(f"{code}  {remark}")
        else:
            if remark:
                text.append(" " * (len(code) - len(code.lstrip())) + remark)
            text += cut_code(code) if in_c else [code]
    return text


def as_comment(remark):
    if not remark or remark.startswith(("/*", "//")):
        return remark
    return f"/* {remark} */"


def cut_code(code, width=CODE_WIDTH, indent=None):
    """A line of code that is too long, cut behind a comma that is in no text."""
    if len(code) <= width:
        return [code]
    cuts = [match.end() for match in re.finditer(r'"(?:[^"\\]|\\.)*"|, | (?=\|\|)', code)
            if match.group() in ", " and match.end() <= width]
    if not cuts and code.endswith(");"):
        cuts = [code.index("(") + 1]
    if not cuts:
        return [code]
    if indent is None:
        indent = len(code) - len(code.lstrip()) + 8
    rest = " " * indent + code[cuts[-1]:].lstrip()
    return [code[:cuts[-1]].rstrip(), *cut_code(rest, width, indent)]


def table_lines(lines):
    """Columns that tabs or blanks have aligned, moved together where they are too wide."""
    rows = [line.expandtabs(8) for line in lines]
    if max(map(len, rows)) <= CODE_WIDTH or any(re.search(r"--[->+]", line) for line in lines):
        return rows
    gap = r"(?<=\S)\t+" if any(re.search(r"\S\t", line) for line in lines) else r"(?<=\S) {2,}"
    cells = table_cells(lines, gap)
    widths = [max((len(row[at]) for row in cells if at < len(row) - 1), default=0)
              for at in range(max(map(len, cells)))]
    rows = []
    for row in cells:
        front = "".join(f"{cell:<{widths[at] + 2}}" for at, cell in enumerate(row[:-1]))
        last = textwrap.wrap(row[-1].strip(), max(CODE_WIDTH - len(front), 12),
                             break_long_words=False) or [""]
        indent = row[-1][:len(row[-1]) - len(row[-1].lstrip())]
        rows += [front + indent + last[0]] + [" " * len(front) + more for more in last[1:]]
    return rows


def table_cells(lines, gap):
    """The cells of each row. A line that begins below the last cell of a row belongs to that cell."""
    cells, column = [], None
    for line in lines:
        text = line.lstrip()
        if cells and len(line.expandtabs(8)) - len(text.expandtabs(8)) == column:
            cells[-1][-1] += " " + text
            continue
        cells.append(re.split(gap, line))
        before = line[:len(line) - len(cells[-1][-1])]
        column = len(before.expandtabs(8)) if len(cells[-1]) > 1 else None
    return cells


def literal(lines):
    yield ".Bd -literal -offset 4n"
    for line in lines:
        line = escape(line)
        yield "\\&" + line if line.startswith((".", "'")) else line
    yield ".Ed"


class Setter:
    """Sets text on one page: it knows all public names, and notes the headers that are named."""

    def __init__(self, index, headers):
        self.index = index  # name: (page, kind)
        self.headers = headers  # "ward/actor.h": page
        self.page = ""
        self.params = set()
        self.seen = set()  # pages that the text refers to

    def name_macro(self, core, call):
        """The macro for a word that is a name, or None."""
        page, kind = self.index.get(core, ("", ""))
        if page and page != self.page:
            self.seen.add(page)
        if call or kind == "function":
            return f".Xr {core} 3" if page and page != self.page else f".Fn {core}"
        if kind == "macro":
            return f".Fn {core}" if core.islower() else f".Dv {core}"
        if kind:
            return {"type": ".Vt ", "enumerator": ".Dv ", "constant": ".Va "}[kind] + core
        if core in self.params and ("_" in core or core.startswith("*")):
            return f".Fa {core}"
        header = core if core.startswith("ward/") else "ward/" + core
        if header in self.headers or header.replace("ward/", "ward/testkit/") in self.headers:
            header = header if header in self.headers else header.replace("/", "/testkit/", 1)
            self.seen.add(self.headers[header])
            return f".In {header}"
        if re.fullmatch(r"WARD_[A-Z_]*[A-Z]", core):
            return f".Ev {core}"
        if re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", core) and not re.search(r"\.(h|c|so|conf)$", core):
            return f".Va {core}"
        if re.match(r"(docs|src|examples)/", core):
            return f".Pa {core}"
        return None

    def word(self, word):
        """A word as a line of its own, if it is a name; else None."""
        match = WORD.match(word)
        if not match:
            return None
        core = match["core"]
        dots = re.search(r"\.+$", core)
        close = match["close"]
        if dots:
            core, close = core[:dots.start()], dots.group() + close
        macro = self.name_macro(core, match["call"])
        if not macro:
            return None
        if match["open"]:
            macro = f".Pf {match['open']} {macro[1:]}"
        if match["tail"]:
            macro += f" Ns {match['tail']}"
            return macro + (f" Ns {close}" if close else "")
        return macro + "".join(f" {char}" for char in close)

    def quoted(self, span, close):
        """What stands in backticks."""
        page, kind = self.index.get(span, ("", ""))
        if kind:
            line = self.name_macro(span, kind == "function")
        elif span in self.params:
            line = f".Fa {span}"
        elif re.fullmatch(r"[a-z_]\w+(\.\w+)*", span) and len(span) > 3:
            line = f".Va {span}"
        else:
            line = f".Ql {argument(span)}"
        return line + "".join(f" {char}" for char in close)

    def sentences(self, text):
        """Lines of mdoc: a line for each sentence, and for each name in it."""
        line, lines = [], []

        def flush():
            words = textwrap.wrap(escape(" ".join(line)), 78, break_long_words=False,
                                  break_on_hyphens=False)
            lines.extend("\\&" + part if part[0] in ".'" else part for part in words)
            line.clear()

        for token in re.findall(r"\(*`[^`]*`[^\s`]*|\S+", text):
            span = re.match(r"(\(*)`([^`]*)`([),.;:]*)$", token)
            set_ = self.quoted(span[2], span[3]) if span else self.word(token)
            if span and span[1]:
                set_ = f".Pf {span[1]} {set_[1:]}"
            if set_:
                flush()
                lines.append(set_)
                continue
            if re.fullmatch(r"\*\w+\*", token):
                flush()
                lines.append(".Em " + token.strip("*"))
                continue
            line.append(token)
            if re.search(r"[.?!][)\"]*$", token) and token != "...":
                flush()
        flush()
        return lines

    def paragraph(self, text):
        return self.sentences(text)

    def errors(self, text):
        """The codes a call answers: a list where they are explained."""
        entries, after = error_entries(text)
        if len([1 for codes, why in entries if codes and why]) < 2:
            yield from self.sentences(text)
            return
        if entries[0][0] == []:
            yield from self.sentences(entries.pop(0)[1])
        yield ".Bl -tag -width Ds -compact"
        for codes, why in entries:
            yield ".It Dv " + " , ".join(codes)
            yield from self.sentences(why)
        yield ".El"
        if after:
            yield from self.sentences(after)

    def labels(self, pairs):
        yield ".Bl -tag -width Ownership"
        for label, text in pairs:
            yield f".It Sy {label}"
            yield from self.errors(text) if label == "Errors" else self.sentences(text)
        yield ".El"

    def text(self, lines, first=True, with_labels=True):
        """A whole comment. `first`: it stands right below a heading."""
        for kind, content in blocks(lines):
            pairs = []
            if kind == "text":
                text = " ".join(content)
                if with_labels:
                    text, pairs = inline_labels(text)
                said = list(self.lead(text)) if text else []
                if said and not first and not said[0].startswith(".Bd"):
                    yield ".Pp"
                yield from said
            elif kind == "code":
                yield from literal(code_lines(content))
            elif kind == "list":
                yield ".Bl -enum"
                for point in content:
                    yield ".It"
                    yield from self.sentences(point)
                yield ".El"
            else:
                pairs = content
            if pairs:
                yield from self.labels(pairs)
            first = False

    def lead(self, text):
        """A comment of a macro may begin with a call of it: that is shown as code."""
        match = re.match(r"((?:return )?\w+\((?:[^()]|\([^()]*\))+\)): ", text)
        if match and "," in match[1]:
            yield from literal(cut_code(match[1]))
            text = text[match.end():]
            if re.match(r"[a-z]+\b(?! struct)", text):
                text = text[0].upper() + text[1:]
        yield from self.sentences(text)


def inline_labels(text):
    """A short comment has its labels in the text: `Returns it. Cost: O(1).`"""
    parts = LABEL_WITHIN.split(text)
    pairs = [[parts[at], parts[at + 1].strip()] for at in range(1, len(parts), 2)]
    return parts[0].strip(), [[label, said.rstrip(".") if label == "Contract" else said]
                              for label, said in pairs]


def error_entries(text):
    """([codes], why) of each code in a text, and what follows them."""
    starts = [match.start() for match in CODE_ERROR.finditer(text)
              if text[:match.start()].count("(") == text[:match.start()].count(")")
              and re.search(r"(^|[;,.:] |, and |; and )$", text[:match.start()])]
    if not starts:
        return [([], text)], ""
    entries = [([], text[:starts[0]].strip())] if starts[0] else []
    after = ""
    for begin, end in zip(starts, [*starts[1:], len(text)]):
        code = CODE_ERROR.match(text, begin).group()
        why = text[begin + len(code):end].strip()
        if end == len(text):
            why, after = tail_of(why)
        why = re.sub(r"^[:,]\s*|[;,]$| and$|\.$", "", why).strip(" ;,")
        if re.fullmatch(r"\([^()]*(\([^()]*\)[^()]*)*\)", why):
            why = why[1:-1]
        if not why and entries and entries[-1][0] and not entries[-1][1]:
            entries[-1][0].append(code)
        else:
            entries.append(([code], why))
    return entries, after


def tail_of(why):
    """Splits off the text that is no longer about the last code."""
    match = re.search(r"(^\. |; (?=and what|and those|as |those of|else )|\. (?=[A-Z*]))", why)
    if not match:
        return why, ""
    return why[:match.start()] + match.group()[0].replace(";", ""), why[match.end():]
