#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_stdio.py - a program whose connection is its standard input and output.

    test_stdio.py STDIO_LINES [NAME]

It is started with pipes, files, a terminal that others use, and a reader that goes away. Prints a
line of TAP for each case. A bound of time catches what hangs.
"""

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios

LONG = 20  # seconds, for what takes milliseconds
PROGRAM = sys.argv[1]
PIPE = subprocess.PIPE
cases = []
started = []


def case(function):
    cases.append(function)
    return function


def equal(is_, wanted):
    assert is_ == wanted, f"{is_!r:.300} is not {wanted!r:.300}"


def is_non_blocking(fd):
    return bool(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK)


def answers(count):
    return b"".join(b"%d: line\n" % (i + 1) for i in range(count))


def start(**files):
    """Starts the program; main() ends it."""
    started.append(subprocess.Popen([PROGRAM], **files))
    return started[-1]


@case
def pipes_are_answered_and_end_the_program():
    done = subprocess.run([PROGRAM], input=b"a\nb\nlast", stdout=PIPE, timeout=LONG)
    equal((done.returncode, done.stdout), (0, b"1: a\n2: b\n3: last\n"))


@case
def more_than_a_pipe_holds_passes():
    done = subprocess.run([PROGRAM], input=b"line\n" * 200000, stdout=PIPE, timeout=LONG)
    equal(done.returncode, 0)
    equal(done.stdout == answers(200000), True)


@case
def files_are_read_and_written():
    with tempfile.TemporaryFile() as from_, tempfile.TemporaryFile() as to:
        from_.write(b"line\n" * 50000)
        from_.seek(0)
        equal(subprocess.run([PROGRAM], stdin=from_, stdout=to, timeout=LONG).returncode, 0)
        to.seek(0)
        equal(to.read() == answers(50000), True)


@case
def dev_null_is_the_end():
    done = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, stdout=PIPE, timeout=LONG)
    equal((done.returncode, done.stdout), (0, b""))


@case
def a_reader_that_goes_away_is_no_signal():
    process = start(stdin=PIPE, stdout=PIPE, stderr=PIPE)
    process.stdin.write(b"a\n")
    process.stdin.flush()
    equal(process.stdout.readline(), b"1: a\n")
    process.stdout.close()
    process.stdin.write(b"b\n")
    process.stdin.flush()
    assert process.wait(LONG) >= 0, process.returncode
    text = process.stderr.read()
    assert b"fd:1: write: Broken pipe" in text, text
    process.stdin.close()
    process.stderr.close()


@case
def a_pipe_of_several_processes_stays_blocking():
    read, write = os.pipe()
    process = start(stdin=read, stdout=PIPE)
    os.write(write, b"a\n")
    equal(process.stdout.readline(), b"1: a\n")
    equal(is_non_blocking(read), False)
    process.kill()
    process.wait(LONG)
    equal(is_non_blocking(read), False)
    for fd in (read, write, process.stdout.fileno()):
        os.close(fd)


def open_terminal():
    """Returns the master and a slave that neither echoes nor changes what is written."""
    master, slave = pty.openpty()
    mode = termios.tcgetattr(slave)
    mode[1] &= ~termios.OPOST
    mode[3] &= ~termios.ECHO
    termios.tcsetattr(slave, termios.TCSANOW, mode)
    return master, slave


def read_from(fd, size):
    data = b""
    while len(data) < size:
        assert select.select([fd], [], [], LONG)[0], data
        data += os.read(fd, 65536)
    return data


@case
def a_terminal_is_served_and_not_changed_for_others():
    master, slave = open_terminal()
    process = start(stdin=slave, stdout=slave)
    os.write(master, b"a\n")
    equal(read_from(master, 5), b"1: a\n")
    equal(is_non_blocking(slave), False)
    os.write(master, b"\4")
    equal(process.wait(LONG), 0)
    equal(is_non_blocking(slave), False)
    process = start(stdin=slave, stdout=slave)
    os.write(master, b"b\n")
    equal(read_from(master, 5), b"1: b\n")
    process.send_signal(signal.SIGKILL)
    process.wait(LONG)
    equal(is_non_blocking(slave), False)
    os.close(master)
    os.close(slave)


@case
def a_folder_is_refused_in_words():
    folder = os.open("/", os.O_RDONLY)
    done = subprocess.run([PROGRAM], stdin=folder, capture_output=True, timeout=LONG)
    equal(done.returncode, 2)
    assert b"descriptor 0 is a directory" in done.stderr, done.stderr
    os.close(folder)


def main():
    chosen = [c for c in cases if len(sys.argv) < 3 or sys.argv[2] in c.__name__]
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for number, function in enumerate(chosen, 1):
        try:
            function()
            print(f"ok {number} - {function.__name__}", flush=True)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            failed += 1
            text = str(error).replace("\n", "\n# ")
            print(f"not ok {number} - {function.__name__}\n# {text}", flush=True)
        finally:
            for process in started:
                process.kill()
                process.wait()
            started.clear()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
