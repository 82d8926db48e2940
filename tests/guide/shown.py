# SPDX-License-Identifier: MIT
#
# shown.py - the code that headers and manual pages show, as sources that can be compiled.
# shown.py PAGE FOLDER - writes each complete program of a page to a file there, name.c, and to
# name.txt what it prints according to the block behind it.
#
# In the comment of a header an example is what begins with a tab; on a manual page, what stands
# between .Bd -literal and .Ed. What stands to the right of the code, lines of `...` and braces that
# are not closed are for people.
import re
import sys
from pathlib import Path

# Blocks that are no C, by file and first line: tables, pictures, files, output of programs, and
# what a header shows of a macro without its backslashes (examples/21-objects has it as C).
NO_C = {
    ("actor.h", "spawn\t\tinit, then pre_start"),
    ("akka_zero.h", "cc shop.c $(pkg-config --cflags --libs ward-akka-zero)"),
    ("breaker.h", "failures_max in a row"),
    ("bridge.h", "init            dead, or told to stop"),
    ("config.h", "# shop.conf"),
    ("config.h", "system: {"),
    ("config.h", "shop"),
    ("event.h", '{"time":"2026-11-23T16:33:57.042Z","level":"warning","kind":"failure", ...}'),
    ("failure.h", "ward's own classes\t\tby default\tlibrary or header, if not here"),
    ("link.h", "the other one traps exits\ta message: ward_exited"),
    ("link.h", "how an actor ends\t\t\tits reason"),
    ("module.h", "actors: {"),
    ("datagrams.h", "udp:127.0.0.1:8125\tUDP over IPv4; port 0: any that is free"),
    ("error.h", "ward_exception"),
    ("net.h", "net/stream.h\tthe frames of a connection, and what is written to it"),
    ("net.h", "tcp:127.0.0.1:7000\tTCP over IPv4; port 0: any that is free"),
    ("otp.h", "reason of its end                  permanent    transient    temporary"),
    ("proxy.h", "#define ACCOUNT(TELL, ASK)\t\t\t\t\tin a header"),
    ("proxy.h", "account_deposit(acc, 5);\t\t\t\t\tin callers"),
    ("proxy.h", "struct account { int64_t cents; };\t\t\t\tin one .c file"),
    ("proxy.h", "ward_err account_instance(objects, id, &acc)\tas ward_objects_get(); id may be NULL"),
    ("proxy.h", "void     account_deposit(acc, 5)\t\tof TELL: ward_object_tell()"),
    ("proxy.h", "ward_err account_balance(acc, &cents)\t\tof ASK: ward_object_call()"),
    ("stream.h", "the peer ends\t\twhat was written goes out, then the actor stops. With .half_close"),
    ("runner.h", "test_x --help            this list, and the environment of simulations"),
    ("selection.h", '"log"             the child log                "../log"        a sibling'),
    ("shutdown.h", "1. The phases run one after the other. They are rows of a table. An actor joins a "
                   "phase"),
    ("shutdown.h", "before-service-unbind         last preparations, while everything still works"),
    ("simulate.h", "replay: WARD_REPLAY='no_loss seed=42 order=pct faults=fail@17' "
                   "./test_bank no_loss"),
    ("system.h", "ward/ running"),
    ("ward.1", "$ ward check shop.conf"),
    ("ward.7", "/                 the root"),
    ("ward.7", "hello world (1)"),
    ("ward-akka-zero.7", "cc program.c $(pkg-config --cflags --libs ward-akka-zero)"),
    ("ward-config.5", "system: {"),
    ("ward-net.7", "cc program.c $(pkg-config --cflags --libs ward-net)"),
    ("ward-otp.7", "cc program.c $(pkg-config --cflags --libs ward-otp)"),
    ("ward-tls.7", "cc program.c $(pkg-config --cflags --libs ward-tls)"),
    ("ward-sim.1", "$ ward-sim --seeds 1000000 ./test_bank"),
    ("ward-testing.7", "replay: WARD_REPLAY='no_loss seed=10 order=pct faults=fail@3' ./test_x no_loss"),
    ("ward-testing.7", "1..1"),
}
# What a block at file level begins with; any other one is the inside of a function.
AT_FILE_LEVEL = re.compile(r"(static|struct|enum|extern|WARD_API|WARD_TEST|WARD_TEST_MAIN|WARD_SIMULATION|#)\b")
CALL = re.compile(r"(ward_\w+\(self, |const struct .*= ward_match\()")


def in_header(text):
    """(line, lines) of each block in the comments of a header."""
    block, begin = [], 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        code = re.match(r"\t* \*\t(.*)", line)
        if code:
            begin = begin if block else number
            block.append(code[1])
        elif re.fullmatch(r"\t* \*", line) and is_open(block):
            block.append("")
        elif block:
            yield begin, block
            block = []


def is_open(block):
    """A function goes on behind a blank line."""
    text = "\n".join(block)
    return bool(re.match(r"static .*\)\n\{", text)) and text.count("{") > text.count("}")


def on_page(text):
    """(line, lines) of each block of a manual page."""
    block = None
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(".Bd -literal"):
            block, begin = [], number + 1
        elif line == ".Ed":
            yield begin, block
            block = None
        elif block is not None:
            block.append(re.sub(r"^\\&", "", line).replace("\\e", "\\").replace("\\&", ""))


def is_program(block):
    """Whether it is complete: such a block is run."""
    text = "\n".join(block)
    return "int main(" in text or "\nWARD_TEST_MAIN" in text


def code_of(line):
    """A line without what is for people."""
    line = re.sub(r"([;,{})]|\.\.\.)(\t+| {3,})\S.*$", r"\1", line)
    line = re.sub(r" \.\.\. }", " }", line)
    line = re.sub(r"\(\.\.\.\)", "()", line)
    return re.sub(r"^(\t*)\.\.\.$", r"\1(void)0;", line)


def pieces(block):
    """Cuts a block at lines of `...` in the first column, and where calls follow definitions."""
    piece = []
    for offset, line in enumerate([*block, "..."]):
        calls = re.match(r"(ward_\w+|return|err =)\b", line) and piece and \
            piece[0].startswith("static")
        if line == "..." or calls:
            if any(piece):
                yield offset - len(piece), piece
            piece = []
        if line != "...":
            piece.append(line)


def inside(number, lines):
    """Lines as the inside of a function."""
    body = "\n".join(f"(void)(ward_props){{.behavior = &worker, {line}}};" if line.startswith(".")
                     else line for line in lines)
    body += "\n" + "}" * (body.count("{") - body.count("}"))
    if body.rstrip().endswith(")"):
        is_condition = "if (" in lines[-1] or len(lines) > 1 and "if (" in lines[-2]
        body += "\n(void)0;" if is_condition else ";"
    return [f"static int piece_{number}(ward_self *self, void *state, const ward_msg *msg)\n{{",
            body, "return 0;", "}"]


def source(name, blocks, used):
    """All C of a header or a page as one source; notes in `used` what NO_C names."""
    text = []
    for begin, block in blocks:
        if (name, block[0].strip()) in NO_C:
            used.add((name, block[0].strip()))
            continue
        for offset, piece in pieces(block):
            lines = [code_of(line) for line in piece]
            at_file_level = AT_FILE_LEVEL.match(lines[0]) and not any(map(CALL.match, lines))
            number = begin + offset
            text.append(f'#line {number} "{name}"')
            text += lines + ["return WARD_DONE;\n}"] * is_open(lines) if at_file_level else inside(number, lines)
    return "\n".join(text) + "\n"


def main():
    page, folder = Path(sys.argv[1]), Path(sys.argv[2])
    found = [block for _, block in on_page(page.read_text())]
    for number, block in enumerate(found):
        if is_program(block):
            (folder / f"{page.name}.{number}.c").write_text("\n".join(block) + "\n")
            (folder / f"{page.name}.{number}.txt").write_text("\n".join(found[number + 1]) + "\n")


if __name__ == "__main__":
    main()
