#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_secret_lines.sh SERVER - the server at a path, with a certificate of its own, and a client.
# Prints TAP.
set -u

server=$(realpath "$1")
dir=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost -keyout server.key -out server.pem 2>made || cat made
timeout --foreground 60 "$server" "unix:$dir/lines" 2>events &
pid=$!
until [ -S lines ]; do kill -0 "$pid" || exit 1; done

echo 1..2
python3 -c '
import socket, ssl
plain = socket.socket(socket.AF_UNIX)
plain.settimeout(60)
plain.connect("lines")
context = ssl.create_default_context(cafile="server.pem")
peer = context.wrap_socket(plain, server_hostname="localhost")
peer.sendall(b"one\ntwo\nfail\nthree\n")
lines = peer.makefile("r")
for _ in range(3):
    print(lines.readline(), end="")
peer.unwrap()' >got 2>&1
if printf '1: one\n2: two\n1: three\n' | diff - got >diff; then
	echo "ok 1 - a client that knows the certificate is served"
else
	echo "not ok 1 - a client that knows the certificate is served"
	sed 's/^/# /' diff events
fi
kill -TERM "$pid"
wait "$pid"
status=$?
if [ "$status" = 0 ]; then
	echo "ok 2 - it ends in order"
else
	echo "not ok 2 - it ends in order"
	echo "# status $status"
fi
