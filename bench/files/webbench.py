# SPDX-License-Identifier: MIT
"""webbench.py - web servers, measured by wrk: what ward-files and nginx-peer share.

    PROGRAM NAME [WORKERS [N]]      prints a line for each figure: name, value, unit; tabs between
    PROGRAM --list | --version

files_1k and files_64k: a file of that size by HTTP/1.1 over 64 connections that are kept alive, by
wrk with one thread, for N milliseconds, in whole seconds. The figures are the time divided by the
requests, requests a second (_rate), and the time of a request (_p99). wrk has the last processor
for itself, the server the others. A server has one worker, whatever WORKERS says.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONNECTIONS, FILES_MS = 64, 2000
SIZES = {"files_1k": 1 << 10, "files_64k": 64 << 10}
MICROSECONDS = {"us": 1, "ms": 1e3, "s": 1e6}
PROCESSORS = sorted(os.sched_getaffinity(0))
HERE = Path(sys.argv[0]).resolve().parent


class Failed(Exception):
    """Why there is no figure."""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def wait_for(port):
    """Until somebody listens there."""
    end = time.monotonic() + 10
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except ConnectionRefusedError as error:
            if time.monotonic() > end:
                raise Failed(f"nobody listens at {port}") from error


def server_of(*command, **more):
    """Starts a server on the processors that are a server's."""
    mine = PROCESSORS[:-1] or PROCESSORS
    command = [str(word) for word in command]
    return subprocess.Popen(command, preexec_fn=lambda: os.sched_setaffinity(0, mine), **more)


def report(name, value, unit):
    print(name, f"{value:.3f}", unit, sep="\t")


def measure_files(name, port, ms, _):
    """Prints what wrk says about the file of that name."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{max(ms // 1000, 1)}s", "--latency"]
    wrk = subprocess.run(
        [*command, f"http://127.0.0.1:{port}/{name}"],
        preexec_fn=lambda: os.sched_setaffinity(0, PROCESSORS[-1:]),
        stdout=subprocess.PIPE,
        check=False,
        text=True,
    )
    rate = re.search(r"Requests/sec: +([0-9.]+)", wrk.stdout)
    p99 = re.search(r"99% +([0-9.]+)(us|ms|s)", wrk.stdout)
    if wrk.returncode or not rate or not p99 or re.search("Non-2xx|Socket errors", wrk.stdout):
        raise Failed(f"wrk: {wrk.stdout}")
    report(name, 1e6 / float(rate[1]), "us")
    report(f"{name}_rate", float(rate[1]), "msg/s")
    report(f"{name}_p99", float(p99[1]) * MICROSECONDS[p99[2]], "us")


def make_files(folder):
    folder.mkdir()
    for name, size in SIZES.items():
        (folder / name).write_bytes(os.urandom(size))


def serving(name, load, serve, measure=measure_files):
    """`serve` starts a server of a folder; returns it and its port."""
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        work.chmod(0o755)  # nginx serves as nobody
        make_files(work / "files")
        server, port = serve(work, work / "files")
        try:
            measure(name, port, load, server)
        finally:
            server.terminate()
            server.wait()


def main(rows, version):
    """`rows`: {name: (usual N, what runs it by its name and N)}."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name == "--version":
        print(version())
    elif name == "--list":
        for row, (load, _) in rows.items():
            print(row, load, sep="\t")
    elif name in rows:
        load, run = rows[name]
        try:
            run(name, int(sys.argv[3]) if len(sys.argv) > 3 else load)
        except (Failed, OSError) as error:
            sys.exit(f"{Path(sys.argv[0]).name}: {error}")
    else:
        sys.exit(f"usage: {Path(sys.argv[0]).name} NAME [WORKERS [N]] | --list | --version")
