# SPDX-License-Identifier: MIT
"""mutants.py - where tools/mutate breaks the code, and how: one small change at a time.

    invert     !(c) in place of a condition: of if, ?:, a loop, an operand of && and ||, a bool
    logic      && in place of ||, and the reverse
    bound      <= in place of <, > in place of >=, and the reverse
    drop       removes a statement: a call, an assignment, a break, a goto, the return of an if
    constant   n + 1 in place of n, false in place of true
    sign       - in place of +, | in place of &, and the reverse
    code       WARD_OK in place of the returned code

All changes are compiled in; one takes effect when wardi_mutant is its number (mutant.h). A change
is text put around the original code, so changes can be nested, and no line number changes.

Left alone:
  * wardi_assert and wardi_fatal, which exist for broken code;
  * texts for people: the arguments of wardi_error, wardi_event_note and the printf family;
  * locks, condition variables and memory orders, which are tested by the sanitizers;
  * declarations, static data, case labels, sizeof: what the compiler computes;
  * lines of the preprocessor, such as the number of a #pragma;
  * the expansion of a macro, but not the code around it, and a zero that initialises.
"""

import json
import os
import re
import subprocess

# What begins like that is left alone, with all that is in it.
LEFT = re.compile(
    r"(wardi_assert|wardi_fatal\w*|_Static_assert|wardi_error|wardi_event_note|v?f?s?n?printf|"
    r"va_\w+|pthread_\w+|wardi_(mutex|cond|spin|lock)_\w+|wardi_\w+_(un)?lock)\s*\("
)
LOGIC = {"&&": "||", "||": "&&"}
BOUND = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SIGN = {"+": "-", "-": "+", "|": "&", "&": "|"}
TRANSPARENT = ("ImplicitCastExpr", "ConstantExpr", "ExprWithCleanups", "FullExpr")
BODIES = {"IfStmt": 1, "ForStmt": 4, "WhileStmt": 1, "DoStmt": 0, "CaseStmt": -1, "DefaultStmt": -1}


# What may hide a bracket, and brackets.
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|[()\[\]{};]', re.S)


class Mutant:
    """One change: `now`, at begin to end of a file, stands in place of what was there."""

    def __init__(self, kind, path, function, begin, end, now):
        self.kind, self.path, self.function = kind, path, function
        self.begin, self.end, self.now = begin, end, now
        self.number = 0
        self.line = 0
        self.before = self.after = ""

    def __str__(self):
        lines = [f"#{self.number} {self.path}:{self.line}: {self.kind}"]
        lines += [f"    -{line}" for line in self.before.split("\n")]
        lines += [f"    +{line}" for line in self.after.split("\n") if line]
        return "\n".join(lines)

    def key(self):
        """What names it as long as its line says the same."""
        return " ".join(f"{self.path} {self.function}: {self.before} => {self.after}".split())


def places(node, state):
    """Writes into each location of an AST the file that it is in; clang tells changes only."""
    if isinstance(node, list):
        for item in node:
            places(item, state)
    elif isinstance(node, dict):
        if "offset" in node:
            state["file"] = node.get("file", state["file"])
            node["file"] = state["file"]
            return
        for key, item in node.items():
            if isinstance(item, (dict, list)) and key != "includedFrom":
                places(item, state)


def close_of(text, at):
    """Returns the offset behind the bracket that closes the one at `at`."""
    depth = 0
    for match in TOKEN.finditer(text, at):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
            if depth == 0:
                return match.end()
    return len(text)


def semicolon_after(text, at):
    """Returns the offset of the semicolon that ends the statement at `at`."""
    while (match := TOKEN.search(text, at)) and match[0] != ";":
        at = close_of(text, match.start()) if match[0] in "([{" else match.end()
    return match.start() if match else len(text)


class Finder:
    """Finds the mutants of the functions in some files, from clang's ASTs."""

    def __init__(self, top, folders):
        self.top, self.folders = top, folders
        self.texts = {}
        self.mutants = []
        self.wraps = []  # (path, begin, end, opens, closes), and text that is replaced
        self.done = set()
        self.functions = set()

    def text(self, path):
        if path not in self.texts:
            with open(os.path.join(self.top, path), encoding="utf-8") as file:
                self.texts[path] = file.read()
        return self.texts[path]

    def read(self, path):
        command = ["clang", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-std=gnu17"]
        command += ["-D_GNU_SOURCE", "-Isrc", "-Iinclude", path]
        said = subprocess.run(command, cwd=self.top, stdout=subprocess.PIPE, check=True)
        tree = json.loads(said.stdout)
        places(tree, {"file": ""})
        for node in tree["inner"]:
            body = (node.get("inner") or [{}])[-1]
            if node["kind"] != "FunctionDecl" or body.get("kind") != "CompoundStmt":
                continue
            where = body["range"]["begin"]
            if "offset" not in where or os.path.dirname(where["file"]) not in self.folders:
                continue
            if (where["file"], where["offset"]) in self.functions:
                continue
            self.functions.add((where["file"], where["offset"]))
            self.path, self.function = where["file"], node["name"]
            self.last = body["inner"][-1] if body.get("inner") else None
            self.returns = node["type"]["qualType"].split("(")[0].strip()
            self.walk(body, None)

    # ---- where a node is ------------------------------------------------------------------------

    @staticmethod
    def edge(loc):
        """Returns (offset, end of the token, whether it comes out of a macro)."""
        macro = "expansionLoc" in loc
        loc = loc.get("expansionLoc", loc)
        return loc.get("offset"), loc.get("offset", 0) + loc.get("tokLen", 0), macro

    @staticmethod
    def is_argument(loc):
        """Whether it stands among the arguments of a macro, which may not be used as they are."""
        return loc.get("expansionLoc", {}).get("isMacroArgExpansion", False)

    def expansion(self, node):
        """The offset of the macro that all of the node comes from; None: it does not."""
        begin, _, macro = self.edge(node["range"]["begin"])
        end, _, also = self.edge(node["range"]["end"])
        return begin if macro and also and begin == end else None

    def span(self, node, parent):
        """Returns the text of a node as (begin, end); None: it is not in the source."""
        begin, _, _ = self.edge(node["range"]["begin"])
        last, end, macro = self.edge(node["range"]["end"])
        if begin is None or last is None:
            return None
        text = self.text(self.path)
        if self.expansion(node) is not None:
            if parent is not None and self.expansion(parent) == begin:
                return None
            if self.is_argument(node["range"]["begin"]):
                return None
        elif self.is_argument(node["range"]["begin"]) or self.is_argument(node["range"]["end"]):
            return None
        if macro and re.match(r"\s*\(", text[end:]):
            end = close_of(text, text.index("(", end))
        part = text[begin:end]
        if not part or part.count("(") != part.count(")") or "#" in part:
            return None
        if text.startswith("#", text.rfind("\n", 0, begin) + 1):
            return None
        return begin, end

    # ---- what is put where ----------------------------------------------------------------------

    def add(self, kind, span, now):
        mutant = Mutant(kind, self.path, self.function, *span, now)
        self.mutants.append(mutant)
        mutant.number = len(self.mutants)
        return f"WARDI_MUTANT({mutant.number})"

    def wrap(self, span, opens, closes):
        self.wraps.append((self.path, *span, opens, closes))

    def invert(self, node, parent):
        """A condition: c ^ on."""
        span = self.span(node, parent)
        if span is None or (self.path, "invert", span) in self.done:
            return
        self.done.add((self.path, "invert", span))
        text = self.text(self.path)[slice(*span)]
        if text in ("true", "false"):
            return
        on = self.add("invert", span, f"!({text})")
        self.wrap(span, f"({on} ^ !!(", "))")

    def binary(self, node, parent, table, kind):
        """Another operator between two operands, as the table has it."""
        left, right = node["inner"]
        spans = [self.span(n, node) for n in (node, left, right)]
        spans[0] = self.span(node, parent)
        if None in spans or spans[0] != (spans[1][0], spans[2][1]):
            return
        text = self.text(self.path)
        between = text[spans[1][1] : spans[2][0]]
        was = node["opcode"]
        if between.strip() != was:
            return
        now = between.replace(was, table[was])
        on = self.add(kind, spans[0], text[slice(*spans[1])] + now + text[slice(*spans[2])])
        if kind == "logic":
            # a || b is !(!a && !b): no operand stands there twice.
            self.wrap(spans[0], f"({on} ^ (", "))")
            self.wrap(spans[1], f"({on} ^ !!(", "))")
            self.wrap(spans[2], f"({on} ^ !!(", "))")
            return
        number = len(self.mutants)
        one, two = f"left_{number}_", f"right_{number}_"
        self.wrap(spans[0], "({ __auto_type " + one + " = (", "")
        self.wraps.append((self.path, spans[1][1], spans[2][0], None, f"); __auto_type {two} = ("))
        self.wrap(spans[0], "", f"); {on} ? {one} {table[was]} {two} : {one} {was} {two}; }})")

    def drop(self, node):
        """A statement, up to its semicolon."""
        begin, _, _ = self.edge(node["range"]["begin"])
        if begin is None or self.is_argument(node["range"]["begin"]):
            return
        if (self.path, "drop", begin) in self.done:
            return
        self.done.add((self.path, "drop", begin))
        text = self.text(self.path)
        end = semicolon_after(text, begin) + 1
        if text.startswith("(void)", begin):
            return
        # Else it is within an expression: a statement of a macro of the system's.
        before = text[max(begin - 200, 0) : begin].rstrip()
        if not re.search(r"([;:{})]|\belse|\bdo|\*/|\n#.*)\Z", before):
            return
        on = self.add("drop", (begin, end), "")
        self.wrap((begin, end), f"{{ if (!{on}) ", " }")

    def constant(self, node, parent):
        span = self.span(node, parent)
        if span is None:
            return
        text = self.text(self.path)[slice(*span)]
        if text in ("true", "false"):
            on = self.add("constant", span, "false" if text == "true" else "true")
            self.wrap(span, f"({on} ^ ", ")")
        elif text[0].isdigit():
            on = self.add("constant", span, f"{text} + 1")
            self.wrap(span, "(", f" + {on})")

    # ---- the walk -------------------------------------------------------------------------------

    def walk(self, node, parent):
        kind = node.get("kind")
        if kind is None or "range" not in node:
            return
        node["parent"] = parent
        begin, _, _ = self.edge(node["range"]["begin"])
        if begin is not None and LEFT.match(self.text(self.path), begin):
            # Of `wardi_error(...) == x` the rest is not.
            if kind != "BinaryOperator":
                return
        if kind in ("UnaryExprOrTypeTraitExpr", "OffsetOfExpr", "StaticAssertDecl", "EnumDecl"):
            return
        if kind == "VarDecl" and node.get("storageClass") == "static":
            return
        inner = node.get("inner", [])
        self.look_at(node, kind, inner, parent)
        above = parent if kind in TRANSPARENT else node
        for index, child in enumerate(inner):
            if kind == "CaseStmt" and index == 0:
                continue
            if kind == "InitListExpr" and self.is_zero(child):
                continue
            if child and self.is_statement(kind, index, inner):
                self.statement(child, node)
            self.walk(child, above)

    @staticmethod
    def type_of(node):
        return node["type"].get("desugaredQualType", node["type"]["qualType"])

    def is_bool(self, node):
        return self.type_of(node) in ("_Bool", "bool")

    def is_zero(self, node):
        while node.get("kind") in TRANSPARENT and node.get("inner"):
            node = node["inner"][0]
        return node.get("kind") == "IntegerLiteral" and node.get("value") == "0"

    @staticmethod
    def is_statement(kind, index, inner):
        if kind in ("CompoundStmt", "LabelStmt"):
            return True
        if kind == "IfStmt":
            return index >= 1
        return kind in BODIES and index == BODIES[kind] % len(inner)

    def statement(self, node, parent):
        kind = node["kind"]
        begin, _, _ = self.edge(node["range"]["begin"])
        if begin is None or LEFT.match(self.text(self.path), begin):
            return
        if kind == "ReturnStmt":
            if self.goes_on(node, parent):
                self.drop(node)
        elif kind in ("BreakStmt", "GotoStmt", "ContinueStmt"):
            self.drop(node)
        elif kind in (
            "CallExpr",
            "AtomicExpr",
            "CompoundAssignOperator",
            "BinaryOperator",
            "UnaryOperator",
        ):
            self.drop(node)

    def goes_on(self, node, parent):
        """Whether the function still has statements, or no result, without that return."""
        if parent["kind"] == "CompoundStmt" and parent["inner"][-1] is node and parent["parent"]:
            parent = parent["parent"]
        if parent["kind"] == "IfStmt" and not parent.get("hasElse"):
            return True
        return self.returns == "void" and node is not self.last

    def look_at(self, node, kind, inner, parent):
        if kind in ("IfStmt", "WhileStmt", "ConditionalOperator"):
            self.condition(inner[0], node)
        elif kind == "DoStmt":
            self.condition(inner[1], node)
        elif kind == "ForStmt" and inner[2]:
            self.condition(inner[2], node)
        elif kind == "ReturnStmt" and inner:
            self.returned(inner[0], node)
        elif kind == "VarDecl" and inner and self.is_bool(node):
            self.condition(inner[-1], node)
        elif kind == "BinaryOperator":
            self.operator(node, inner, parent)
        elif kind == "IntegerLiteral":
            self.constant(node, parent)

    def condition(self, node, parent):
        if node.get("kind") in ("IntegerLiteral", None):
            return
        self.invert(node, parent)

    def returned(self, node, parent):
        if self.returns in ("_Bool", "bool"):
            self.condition(node, parent)
            return
        while node.get("kind") in TRANSPARENT:
            node = node["inner"][0]
        name = (node.get("referencedDecl") or {}).get("name", "")
        if name.startswith("WARD_E") and (span := self.span(node, parent)):
            on = self.add("code", span, "WARD_OK")
            self.wrap(span, f"({on} ? 0 : ", ")")

    def operator(self, node, inner, parent):
        code = node["opcode"]
        if code in LOGIC:
            self.binary(node, parent, LOGIC, "logic")
            for operand in inner:
                bare = operand
                while bare.get("kind") in TRANSPARENT + ("ParenExpr",):
                    bare = bare["inner"][0]
                if bare.get("opcode") not in LOGIC:
                    self.condition(operand, node)
        elif code in BOUND:
            self.binary(node, parent, BOUND, "bound")
        elif code in SIGN and not any(re.search(r"[*\[(]", self.type_of(n)) for n in inner):
            self.binary(node, parent, SIGN, "sign")
        elif code == "=" and self.is_bool(node):
            self.condition(inner[1], node)

    # ---- the outcome ----------------------------------------------------------------------------

    def finish(self):
        """Returns the mutants, with their lines."""
        for mutant in self.mutants:
            text = self.text(mutant.path)
            mutant.line = text.count("\n", 0, mutant.begin) + 1
            first = text.rfind("\n", 0, mutant.begin) + 1
            last = text.find("\n", mutant.end)
            mutant.before = text[first:last].strip()
            mutant.after = text[first : mutant.begin] + mutant.now + text[mutant.end : last]
            mutant.after = mutant.after.strip()
        return self.mutants

    def rewritten(self, path):
        """Returns the text of a file with all its mutants in it."""
        text = self.text(path)
        pieces = []
        for index, (file, begin, end, opens, closes) in enumerate(self.wraps):
            if file != path:
                continue
            if opens is None:  # an operator, between its operands
                pieces.append(((begin, 1, 0, 0), closes, end))
            else:
                pieces.append(((begin, 2, -end, index), opens, begin))
                pieces.append(((end, 0, -begin, -index), closes, end))
        made, at = ['#include "base/mutant.h" '], 0
        for (offset, _, _, _), piece, goes_on in sorted(pieces, key=lambda p: p[0]):
            made += [text[at:offset], piece]
            at = max(at, goes_on) if goes_on > offset else max(at, offset)
        return "".join(made) + text[at:]
