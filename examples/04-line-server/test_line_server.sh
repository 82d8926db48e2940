#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_line_server.sh SERVER CLIENT - two clients, a failure, an idle one, a long line, a shutdown.
# Prints TAP. Each step ends by itself within seconds.
set -u

server=$1
client=$2
dir=$(mktemp -d)
count=0
failed=0
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$dir"' EXIT

# same NAME TEXT FILE: one case.
same()
{
	count=$((count + 1))
	if printf '%s' "$2" | diff -u - "$3" >"$dir/diff"; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$dir/diff"
	fi
}

# The server prints its port first. In the foreground: else timeout would pass a SIGCONT on, too,
# and that takes back the SIGSTOP with which a leak sanitizer halts a thread at the end.
mkfifo "$dir/port"
timeout --foreground 60 "$server" 2000 >"$dir/port" 2>"$dir/events" &
pid=$!
read -r port <"$dir/port"

printf 'one\ntwo\nfail\nagain\n' | "$client" "$port" >"$dir/said"
same "it fails, counts anew, goes on with its client, and closes when that is idle" \
	'1: one
2: two
1: again
closed
' "$dir/said"

printf '%0300d\n' 0 | "$client" "$port" >"$dir/said"
same "a line that is too long ends the connection" 'closed
' "$dir/said"

# answered: waits until the client was answered, ten seconds at most.
answered()
{
	for _ in $(seq 200); do
		[ ! -s "$dir/said" ] || return 0
		sleep 0.05
	done
}

: >"$dir/said"
(
	echo first
	answered
	kill -TERM "$pid"
) | "$client" "$port" >"$dir/said"
wait "$pid"
echo "$?" >"$dir/status"
pid=
same "a shutdown closes the connections" '1: first
closed
' "$dir/said"
same "it ends with status 0" '0
' "$dir/status"

# Without the time, and without the number of a connection.
sed 's/^[^ ]* //; s/ (inc.*//; s,/[a-z]*\$[a-z0-9]*,/?,' "$dir/events" >"$dir/told"
same "the log tells of both failures, and of the signal" \
	'warning lines/user/listener/? failed: bad_line: line 3 says so [handling ward_fd_ready] -> restart
severe lines/user/listener/? failed: conn_lost: a line of 256 bytes or more [handling ward_fd_ready] -> stop
info lines/system: shutting down: SIGTERM
' "$dir/told"

echo "1..$count"
[ $failed = 0 ]
