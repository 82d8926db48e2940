# SPDX-License-Identifier: MIT
#
# headerlib.py - reads a public header: its opening comment, and each public name with its comment.
#
# It knows the style of include/ward and nothing else. What it does not understand is an error with
# file and line, so that nothing is lost on the way to a manual page. Names that end in `_` are
# internal; so is a comment that begins with /* and stands above one of them.
import re
from dataclasses import dataclass, field
from pathlib import Path

ATTRIBUTES = re.compile(
    r"\b(WARD_API|WARD_MUST_USE|WARD_NORETURN|WARD_UNUSED|WARD_NOEXCEPT)\b"
    r"|\bWARD_PRINTF\([^)]*\)")
SECTION = re.compile(r"/\* -{4} (.*?) -+ \*/$")
MESSAGE = re.compile(r"WARD_(MESSAGE|SIGNAL)\w*\((\w+)[,)].*$")
REPLY = re.compile(r"WARD_REPLY\((\w+), (\w+)\)$")
OF_CPLUSPLUS = re.compile(r"WARD_BYTES_ONLY_ .*?(\w+)\(")  # the same name with a type that is known


class HeaderError(Exception):
    """What the reader does not understand, as file:line: text."""


@dataclass
class Member:
    """A field of a struct, or an enumerator."""
    names: list
    code: str
    value: str = ""
    comment: str = ""


@dataclass
class Declaration:
    """One public name, or a typedef of a struct that has one."""
    kind: str  # function, macro, type, constant, message or reply
    name: str
    code: str  # as a program sees it, on one line
    members: list = field(default_factory=list)
    params: list = field(default_factory=list)
    result: str = ""
    line: int = 0


@dataclass
class Item:
    """A comment, and all that it stands above."""
    comment: str
    line: int
    declarations: list = field(default_factory=list)
    section: str = ""
    only_c: bool = False
    behind: list = field(default_factory=list)  # functions that its macros call


@dataclass
class Header:
    path: str  # as it is included: ward/actor.h
    title: str
    opening: str
    items: list
    includes: list


@dataclass
class Chunk:
    """A comment, a directive or a declaration of the outermost level."""
    kind: str  # doc, note, directive or code
    text: str
    line: int
    alone: bool  # a blank line is above it


def squeeze(code):
    return re.sub(r"\s+", " ", code).strip()


def without_comments(code):
    return re.sub(r"/\*.*?\*/", " ", code, flags=re.S)


def split_top(text, separator=","):
    """Cuts a text where the separator stands outside of all brackets."""
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == separator and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return [*parts, text[begin:].strip()]


class Reader:
    def __init__(self, root, path):
        self.path = path
        self.text = (Path(root) / "include" / path).read_text()

    def fail(self, line, what):
        raise HeaderError(f"include/{self.path}:{line}: {what}")

    # ---- from characters to chunks ---------------------------------------------------------

    def code_end(self, at):
        """The end of the declaration that begins here."""
        depth, text = 0, self.text
        while at < len(text):
            if text.startswith("/*", at):
                at = text.index("*/", at) + 2
                continue
            if text[at] == '"':
                at += re.match(r'"(?:[^"\\\n]|\\.)*"', text[at:]).end()
                continue
            if text[at] == "'":
                at += re.match(r"'(?:[^'\\\n]|\\.)*'", text[at:]).end()
                continue
            depth += (text[at] in "({[") - (text[at] in ")}]")
            at += 1
            if depth == 0 and (text[at - 1] == ";" or
                               text[at - 1] == "}" and text[at:at + 1] == "\n"):
                return at
        return None

    def chunks(self):
        at, blank, text = 0, False, self.text
        while at < len(text):
            if text[at] in " \t\n":
                blank |= text.startswith("\n\n", at)
                at += 1
                continue
            line = text.count("\n", 0, at) + 1
            if text.startswith("/*", at):
                end = text.find("*/", at) + 2
                kind = "doc" if text.startswith("/**", at) else "note"
            elif text[at] == "#":
                end = at + re.match(r"(?:[^\\\n]|\\.|\\\n)*", text[at:]).end()
                kind = "directive"
            elif (word := re.match(r"WARD_(BEGIN|END)$", text[at:], re.M)):
                at += word.end()
                continue
            else:
                end = self.code_end(at)
                kind = "code"
            if not end or end < at:
                self.fail(line, "this declaration or comment has no end")
            yield Chunk(kind, text[at:end], line, blank)
            at, blank = end, False

    # ---- from chunks to declarations -------------------------------------------------------

    def members(self, body, line, separator):
        """The fields or enumerators in a body, with their comments."""
        found, code, above = [], "", ""
        tokens = re.finditer(r"/\*.*?\*/|\n[ \t]*(?=\n)|\n|[^/\n]+|/", body, re.S)
        fresh = True  # nothing but white space is on this line so far
        for token in tokens:
            text = token.group()
            at = line + body.count("\n", 0, token.start())
            if text.startswith("/*"):
                leads = fresh and not code.strip()
                if leads:
                    above = join_comments(above, text)
                elif code.strip():
                    code += " "
                    trailing = text
                    member = self.member(code, above, at, separator)
                    member.comment = join_comments(member.comment, trailing)
                    found.append(member)
                    code, above = "", ""
                elif found:
                    found[-1].comment = join_comments(found[-1].comment, text)
                else:
                    self.fail(at, "this comment belongs to no field")
                continue
            if text.startswith("\n"):
                fresh = True
                continue
            pieces = split_top(text, separator) if code.count("(") == code.count(")") else None
            if pieces is None:  # the parameters of a function go on
                code += " " + text
                if code.count("(") != code.count(")"):
                    continue
                pieces = split_top(code, separator)
                code = ""
            for number, piece in enumerate(pieces):
                code += " " + piece
                if number < len(pieces) - 1:
                    found.append(self.member(code, above, at, separator))
                    code, above = "", ""
            fresh = fresh and not text.strip()
        if code.strip():
            found.append(self.member(code, above, line, separator))
        elif above:
            self.fail(line, "a comment at the end of a body belongs to no field")
        return found

    def member(self, code, above, line, separator):
        code = squeeze(ATTRIBUTES.sub(" ", code))
        if separator == ",":
            match = re.match(r"(\w+)(?: = (.+))?$", code)
            if not match:
                self.fail(line, f"an enumerator is NAME or NAME = VALUE, not: {code}")
            return Member([match[1]], code, match[2] or "", above)
        pointer = re.search(r"\(\*(\w+)\)\(", code)
        if pointer:
            return Member([pointer[1]], code, comment=above)
        if "{" in code:
            self.fail(line, "a struct within a struct: give it a name of its own")
        names = [re.search(r"(\w+)(?:\[[^]]*\])*(?: : \d+)?$", part) for part in split_top(code)]
        if not all(names):
            self.fail(line, f"this is no field: {code}")
        return Member([name[1] for name in names], code, comment=above)

    def body_of(self, chunk):
        """What stands between the outermost braces, and the line it begins in."""
        begin, end = chunk.text.index("{") + 1, chunk.text.rindex("}")
        return chunk.text[begin:end], chunk.line + chunk.text.count("\n", 0, begin)

    def aggregate(self, chunk, match):
        word, name = match["word"], match["name"] or ""
        body, line = self.body_of(chunk)
        if word == "union":
            self.fail(chunk.line, "a union: tools/headerlib.py knows structs and enums only")
        members = self.members(body, line, "," if word == "enum" else ";")
        return Declaration("type", name, f"{word} {name}".strip(), members, line=chunk.line)

    def function(self, chunk, code):
        match = re.match(r"(?P<result>.*?[ *])(?P<name>\w+)\((?P<params>.*)\)$", code)
        if not match:
            self.fail(chunk.line, f"no declaration that tools/headerlib.py knows: {code[:60]}")
        params = split_top(match["params"])
        return Declaration("function", match["name"], code, params=params,
                           result=match["result"].strip(), line=chunk.line)

    def declaration(self, chunk):
        """The public name of a piece of code; None: it has none."""
        bare = squeeze(without_comments(chunk.text))
        match = re.match(r"(?:typedef )?(?P<word>struct|union|enum)(?: (?P<name>\w+))? \{", bare)
        if match:
            return None if (match["name"] or "").endswith("_") else self.aggregate(chunk, match)
        if (match := OF_CPLUSPLUS.match(bare)):
            return Declaration("overload", match[1], squeeze(
                ATTRIBUTES.sub(" ", bare[17:bare.index("{")])), line=chunk.line)
        if bare.startswith("template"):
            return None
        code = squeeze(ATTRIBUTES.sub(" ", bare.split("{")[0])).rstrip("; ")
        code = re.sub(r"^static inline ", "", code)
        code = re.sub(r" (?=[),])|(?<=\() |(?<=\*) (?=\w)", "", code)
        if len(split_top(code)) > 1:
            self.fail(chunk.line, f"several names in one declaration: {code[:60]}")
        if (match := MESSAGE.match(code)):
            return Declaration("message", match[2], code, line=chunk.line)
        if REPLY.match(code):
            question = REPLY.match(code)[1]
            return Declaration("reply", "", code, params=[question], line=chunk.line)
        if (match := re.match(r"typedef struct (\w+) (\w+)$", code)):
            return Declaration("type", match[2], f"struct {match[1]}", line=chunk.line)
        if (match := re.match(r"typedef (ward_\w+) (\w+)$", code)):
            return Declaration("type", match[2], code, line=chunk.line)
        if (match := re.match(r"typedef .*?(?:\(\*(\w+)\)|[ *](\w+))\(.*\)$", code)):
            return Declaration("type", match[1] or match[2], code, line=chunk.line)
        if (match := re.match(r"extern const .*?(\w+)(?:\[\])?$", code)):
            return Declaration("constant", match[1], code, line=chunk.line)
        found = self.function(chunk, code)
        return None if found.name.endswith("_") else found

    def macro(self, chunk):
        """The public macro of a directive; None: it is internal, or no macro."""
        match = re.match(r"#define (\w+)(\([^)]*\))?\s*(.*)", chunk.text, re.S)
        if not match:
            return None
        name, params, value = match[1], match[2], match[3]
        if name.endswith("_") or name.endswith("_H"):
            return None
        found = Declaration("macro", name, name + (params or ""), line=chunk.line)
        if params is not None:
            found.params = split_top(params[1:-1])
        elif "\n" not in value:
            found.code += " " + value.strip()
        return found

    # ---- the header ------------------------------------------------------------------------

    def opening(self, chunk):
        lines = chunk.text.split("\n")
        match = re.match(r" \* " + re.escape(self.path) + r" - (.*)", lines[2])
        if "SPDX" not in lines[0] or not match:
            self.fail(3, f"the third line says what it is:  * {self.path} - ...")
        return match[1], lines[3:-1]

    def read(self):
        chunks = list(self.chunks())
        title, rest = self.opening(chunks[0])
        while rest and rest[0].strip(" *"):
            title += " " + rest.pop(0)[3:]
        header = Header(self.path, title, "\n".join(rest), [], [])
        section, doc, note, item, conditions = "", None, None, None, []
        for chunk in chunks[1:]:
            if chunk.alone and doc is not None:
                self.fail(doc.line, "nothing stands right below this comment")
            if chunk.alone:
                item = None
            if chunk.kind == "note":
                match = SECTION.match(squeeze(chunk.text))
                section = match[1] if match else section
                note = None if match else chunk
                continue
            if chunk.kind == "doc":
                if doc is not None:
                    self.fail(doc.line, "two comments, one after the other")
                doc, item = chunk, None
                continue
            if chunk.kind == "directive":
                self.directive(chunk, header, conditions)
                found = self.macro(chunk)
                if found is None and not chunk.text.startswith("#define"):
                    continue
            else:
                found = self.declaration(chunk)
            if found is None:  # an internal name
                doc, note = None, None
                continue
            if note is not None:
                self.fail(note.line, "a comment of a public name begins with /**")
            if doc is not None:
                item = Item(doc.text, doc.line, [], section, "!c++" in conditions)
                header.items.append(item)
                doc = None
            if found.kind == "reply" and (item is None or len(item.declarations) > 0):
                self.item_of(header, found).declarations.append(found)
                continue
            if item is None:
                self.fail(chunk.line, "a public name has a /** comment */ right above")
            if all((found.kind, found.name, found.code) != (other.kind, other.name, other.code)
                   for other in item.declarations):
                item.declarations.append(found)
        if conditions:
            self.fail(chunks[-1].line, "an #if without an #endif")
        return header

    def item_of(self, header, reply):
        """WARD_REPLY() without a comment of its own is shown with the question."""
        for item in header.items:
            if any(one.name == reply.params[0] for one in item.declarations):
                return item
        self.fail(reply.line, "a WARD_REPLY() of a message that is not declared above")
        return None

    def directive(self, chunk, header, conditions):
        text = without_comments(chunk.text).strip()
        if (match := re.match(r"#include <(.*)>$", text)):
            header.includes.append(match[1])
        elif re.match(r"#ifndef \w+_H$", text):
            conditions.append("")
        elif text == "#ifndef __cplusplus":
            conditions.append("!c++")
        elif text == "#ifdef __cplusplus" or text.startswith("#if defined __cplusplus"):
            conditions.append("c++")
        elif text == "#else":
            conditions[-1] = {"c++": "either", "!c++": "either"}.get(conditions[-1], "")
        elif text == "#endif":
            conditions.pop()
        elif not re.match(r"#(define|error) ", text):
            self.fail(chunk.line, f"a directive that tools/headerlib.py does not know: {text}")


def join_comments(first, second):
    return f"{first}\n{second}" if first else second


def read(root, path):
    """A header of include, by the path that programs include it by."""
    return Reader(root, path).read()


def names(header):
    """(name, kind, whole) of each public name of a header; not whole is a type without its fields."""
    for item in header.items:
        for one in item.declarations:
            if one.name and one.kind != "overload":
                is_whole = one.kind != "type" or bool(one.members) or one.code.startswith("typedef")
                yield one.name, "type" if one.kind == "message" else one.kind, is_whole
            if one.code.startswith("enum"):
                for member in one.members:
                    for name in member.names:
                        if not name.endswith("_"):
                            yield name, "enumerator", True
