#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_line_server.sh SERVER CLIENT - one client, fifty, and bad ones; too many; shutdowns.
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

# start ARGUMENT...: starts a server, which prints its port first. --foreground: otherwise timeout would
# pass a SIGCONT on, too, and undo the SIGSTOP by which a leak sanitizer halts a thread.
start()
{
	rm -f "$dir/port"
	mkfifo "$dir/port"
	timeout --foreground 60 "$server" "$@" \
		>"$dir/port" 2>"$dir/events" &
	pid=$!
	read -r port <"$dir/port"
}

# stop: sends SIGTERM, and notes the exit status.
stop()
{
	kill -TERM "$pid"
	wait "$pid"
	echo "$?" >"$dir/status"
	pid=
}

# clients NUMBER LINES: starts that number of clients, which send that number of lines each.
clients()
{
	for i in $(seq "$1"); do
		seq "$2" | "$client" "$port" >"$dir/client.$i" &
		pids="$pids $!"
	done
}

start 0 2000

printf 'one\ntwo\nfail\nagain\n' | "$client" "$port" >"$dir/said"
same "it fails, counts from 1 again for the same client, and closes when that is idle" \
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

"$client" "$port" late >"$dir/said"
same "a client that reads late has all answers" 'all is answered
' "$dir/said"

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
severe lines/user/listener/? failed: line_too_long: 256 bytes or more [handling ward_fd_ready] -> stop
info lines/system: shutting down: SIGTERM
' "$dir/told"

# whole NUMBER: checks that each client got at least NUMBER answers without a gap, then the close.
whole()
{
	for file in "$dir"/client.*; do
		awk -v least="$1" '$0 != "closed" && $0 != NR ": " NR { print FILENAME ": " $0 }
			{ last = $0 }
			END { if (last != "closed" || NR <= least) print FILENAME ": " NR }' "$file"
	done >"$dir/wrong"
	rm -f "$dir"/client.*
}

# A limit of its own on connections: the next ones wait until one has ended.
start 0 1000 25
pids=
clients 50 20
wait $pids
whole 20
same "fifty clients are served, half of them at a time" '' "$dir/wrong"

"$client" "$port" reset >"$dir/said"
"$client" "$port" deaf >"$dir/said"
same "a client that does not read its answers is closed when it is idle" 'full
closed
' "$dir/said"
timeout --foreground 60 "$server" "$port" 2>/dev/null >"$dir/port2"
echo "$?" >"$dir/status"
same "a server whose port is taken gives up" '1
' "$dir/status"
stop
same "after a reset, too, it ends with status 0" '0
' "$dir/status"
before=$port
start "$before"
echo "$port" >"$dir/again"
same "the port is free at once" "$before
" "$dir/again"

# within COMMAND...: tries it until it succeeds, five seconds at most.
within()
{
	for _ in $(seq 100); do
		! "$@" || return 0
		sleep 0.05
	done
	return 1
}
# served NUMBER: whether so many clients have had an answer.
served()
{
	[ "$(find "$dir" -name 'client.*' -size +0 | wc -l)" -ge "$1" ]
}

# Under load: the clients have lines for longer than the test takes.
pids=
clients 20 1000000
within served 20
stop
wait $pids
whole 0
same "a shutdown under load leaves out no answer" '' "$dir/wrong"
same "and ends with status 0" '0
' "$dir/status"
grep 'is not done after' "$dir/events" >"$dir/late"
same "within the time of its phases" '' "$dir/late"

# Descriptors for six connections or so; each client stays until it is idle.
ulimit -S -n 14
start 0 500
pids=
clients 20 2
wait $pids
whole 2
same "a client that cannot be accepted without a descriptor is accepted later" '' "$dir/wrong"
grep -c -m 1 'accept: .*Too many open files' "$dir/events" >"$dir/notes"
same "and a note says so" '1
' "$dir/notes"
stop
same "and it ends with status 0, too" '0
' "$dir/status"

# The same, where no connection ends: the descriptors come from elsewhere.
refused()
{
	grep -q 'accept: .*Too many open files' "$dir/events"
}
accepted()
{
	[ "$(find "/proc/$of/fd" -type l | wc -l)" -gt 25 ]
}
start 0 30000
read -r of <"/proc/$pid/task/$pid/children"
pids=
clients 20 1
within refused
prlimit --pid "$of" --nofile=100:
within accepted
echo "$?" >"$dir/all"
same "a listener tries again by itself" '0
' "$dir/all"
stop
wait $pids

echo "1..$count"
[ $failed = 0 ]
