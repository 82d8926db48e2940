#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_lines.sh SERVER - the server at a path, and a client that half-closes. Prints TAP.
set -u

dir=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
timeout --foreground 60 "$1" "unix:$dir/lines" 2>"$dir/events" &
pid=$!
until [ -S "$dir/lines" ]; do kill -0 "$pid" || exit 1; done

# talk: standard input to the server, its answers to standard output.
talk()
{
	python3 -c '
import socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(60)
peer.connect(sys.argv[1])
peer.sendall(sys.stdin.buffer.read())
peer.shutdown(socket.SHUT_WR)
while data := peer.recv(65536):
    sys.stdout.buffer.write(data)' "$dir/lines"
}

echo 1..2
printf 'one\ntwo\nfail\nthree' | talk >"$dir/got"
if printf '1: one\n2: two\n1: three\n' | diff - "$dir/got" >"$dir/diff"; then
	echo "ok 1 - a line that fails costs itself alone"
else
	echo "not ok 1 - a line that fails costs itself alone"
	sed 's/^/# /' "$dir/diff" "$dir/events"
fi
kill -TERM "$pid"
wait "$pid"
status=$?
if [ "$status" = 0 ] && [ ! -e "$dir/lines" ]; then
	echo "ok 2 - it ends in order, and removes its path"
else
	echo "not ok 2 - it ends in order, and removes its path"
	echo "# status $status"
fi
