#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_ten.sh PROGRAM... - runs each program, and compares what it prints. Prints TAP.
# Each step ends by itself within seconds.
set -u

programs=$*
dir=$(mktemp -d)
count=0
failed=0
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$dir"' EXIT

# check NAME TEXT FILE: one case.
check()
{
	count=$((count + 1))
	if printf '%s\n' "$2" | diff -u - "$3" >"$dir/diff"; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$dir/diff" "$dir/events"
	fi
}

# path NAME: where that program is.
path()
{
	for program in $programs; do
		[ "${program##*/ten_}" != "$1" ] || echo "$program"
	done
}

# prints NAME STATUS TEXT: runs it to its end.
prints()
{
	timeout --foreground 60 "$(path "$1")" >"$dir/printed" 2>"$dir/events"
	echo "ends with $?" >>"$dir/printed"
	check "$1 prints what it should" "$3
ends with $2" "$dir/printed"
}

# begin NAME: starts it, with its output in a pipe.
begin()
{
	rm -f "$dir/output"
	mkfifo "$dir/output"
	timeout --foreground 60 "$(path "$1")" >"$dir/output" 2>"$dir/events" &
	pid=$!
	exec 3<"$dir/output"
}

# end: SIGTERM, and how it ends.
end()
{
	kill -TERM "$pid"
	cat <&3 >"$dir/rest"
	wait "$pid"
	echo "ends with $?" >>"$dir/rest"
	exec 3<&-
	pid=
}

# say BYTES...: sends them to the port, and prints what comes back until the other side closes.
say()
{
	python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
try:
    s.sendall(sys.stdin.buffer.read())
    s.shutdown(socket.SHUT_WR)
    while (data := s.recv(4096)):
        sys.stdout.write(data.decode())
except OSError:
    pass
print("closed")' "$port" >"$dir/said"
}

# flood: sends to the port for ever, without reading, and prints how that ends.
flood()
{
	python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
try:
    while True:
        s.sendall(b"line\n" * 10000)
except ConnectionError:
    print("closed")
except TimeoutError:
    print("held")' "$port" >"$dir/said"
}

prints ping_pong 0 'ping 1
pong 1
ping 2
pong 2
ping 3
pong 3'
prints counter 0 'value 42
ward/user/client/counter did not answer "stall" within 100 ms'
prints supervised 0 'sum 1
sum 3
sum 6
sum 4'
prints backoff 0 'up after 4 attempts'
prints pool 0 'sum 285'
prints pubsub 0 'read it is out
read it is out'

# Two parts start side by side: which comes first is open.
timeout --foreground 60 "$(path all_for_one)" >"$dir/printed" 2>"$dir/events"
sort "$dir/printed" >"$dir/sorted"
check "all_for_one starts both parts three times, then gives up" 'brake starts
brake starts
brake starts
engine starts
engine starts
engine starts
status 1' "$dir/sorted"

begin sampler
read -r first <&3
read -r second <&3
end
printf '%s\n' "$first" "$second" >"$dir/printed"
check "sampler samples" 'sample 1
sample 2' "$dir/printed"
grep -v '^sample' "$dir/rest" | sed 's/[0-9]* samples/N samples/' >"$dir/printed"
check "sampler flushes at SIGTERM, and ends in order" 'flushed N samples
ends with 0' "$dir/printed"

begin echo
read -r port <&3
printf 'one\ntwo\n' | say
check "echo sends lines back" 'one
two
closed' "$dir/said"
printf '%02000d\n' 0 | say
check "echo closes a connection whose line is too long" 'closed' "$dir/said"
flood
check "echo closes a connection that does not read" 'closed' "$dir/said"
printf 'three\n' | say
check "echo goes on with others" 'three
closed' "$dir/said"
end
check "echo ends in order" 'ends with 0' "$dir/rest"

echo "1..$count"
[ $failed = 0 ]
