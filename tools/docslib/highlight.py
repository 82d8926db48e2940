# SPDX-License-Identifier: MIT
"""Source text as HTML: comments, strings and keywords are marked, names of the API linked."""

import re
from html import escape

C = ("auto break case char const continue default do double else enum extern float for goto if "
     "inline int long register restrict return short signed sizeof static struct switch typedef "
     "union unsigned void volatile while bool true false NULL size_t ssize_t uint8_t uint16_t "
     "uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t")
BLOCK, LINE = r"/\*.*?(?:\*/|\Z)", r"//[^\n]*"
STRING, CHAR = r'"(?:\\.|[^"\\\n])*"', r"'(?:\\.|[^'\\\n])'"

# Of each language: what its comments look like, its strings, and its keywords.
LANGUAGES = {
    "c": (f"{BLOCK}|{LINE}", f"{STRING}|{CHAR}|(?<=#include )<[^>\n]*>", C),
    "cpp": (f"{BLOCK}|{LINE}", f"{STRING}|{CHAR}", f"{C} class namespace template this new using"),
    "go": (f"{BLOCK}|{LINE}", f"{STRING}|{CHAR}|`[^`]*`",
           "break case chan const continue default defer else for func go if import interface map "
           "package range return select struct switch type var nil true false"),
    "rust": (f"{BLOCK}|{LINE}", f"{STRING}|{CHAR}",
             "as async await break const continue dyn else enum fn for if impl in let loop match "
             "mod move mut pub ref return self Self static struct trait type use where while"),
    "scala": (f"{BLOCK}|{LINE}", f"{STRING}|{CHAR}",
              "case class def else extends final for if import implicit match new object override "
              "package private sealed this throw trait type val var while with yield"),
    "erlang": (r"%[^\n]*", STRING,
               "after begin case catch end fun if of receive try when andalso orelse not"),
    "sh": (r"(?<!\S)#[^\n]*", f"{STRING}|'[^']*'",
           "case do done elif else esac fi for if in then while"),
    "conf": (r"(?<!\S)#[^\n]*", STRING, "true false"),
}
ALIASES = {"h": "c", "c++": "cpp", "java": "scala", "erl": "erlang", "console": "sh", "bash": "sh",
           "shell": "sh", "rs": "rust", "yml": "conf", "build": "conf"}


def tokens_of(language):
    """Returns the pattern that finds the tokens of a language; a group's name is the kind."""
    comment, string, words = LANGUAGES[language]
    keyword = "|".join(words.split())
    return re.compile(rf"(?P<comment>{comment})|(?P<string>{string})"
                      rf"|(?P<directive>^[ \t]*#[ \t]*\w+)|(?P<keyword>\b(?:{keyword})\b)"
                      rf"|(?P<number>\b\d[\w.]*)|(?P<word>\w+)",
                      re.DOTALL | re.MULTILINE)


PATTERNS = {language: tokens_of(language) for language in LANGUAGES}
WORD = re.compile(r"(?P<word>\w+)")


def highlight(text, language, link_of):
    """Returns HTML; link_of returns the address of a name of the API, or nothing."""
    language = ALIASES.get(language, language)

    def mark(match):
        kind, shown = match.lastgroup, escape(match[0], quote=False)
        if kind == "word" or (kind == "directive" and language not in ("c", "cpp")):
            address = link_of(match[0])
            return f'<a class="api" href="{address}">{shown}</a>' if address else shown
        if kind == "comment":
            shown = names_linked(match[0], link_of)
        return f'<span class="{kind}">{shown}</span>'

    pattern, out, end = PATTERNS.get(language, WORD), [], 0
    for match in pattern.finditer(text):
        out += [escape(text[end:match.start()], quote=False), mark(match)]
        end = match.end()
    return "".join(out) + escape(text[end:], quote=False)


def names_linked(text, link_of):
    """Returns text as HTML in which names of the API are links, and nothing else is marked."""
    return highlight(text, None, link_of)


def language_of(path):
    """Returns the language of a file by its name, or an empty text."""
    name = path.rpartition("/")[2]
    suffix = "build" if name == "meson.build" else name.rpartition(".")[2]
    suffix = ALIASES.get(suffix, suffix)
    return suffix if suffix in LANGUAGES else ""
