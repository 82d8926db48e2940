#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_watchdog.sh WATCHDOG - processes that end well, fail, recover, obey SIGTERM, or ignore it.
# Prints TAP. Each step ends by itself within seconds.
set -u

watchdog=$1
dir=$(mktemp -d)
count=0
failed=0
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$dir"' EXIT

# prints NAME TEXT: compares what the last watchdog printed, its status included.
prints()
{
	count=$((count + 1))
	if printf '%s\n' "$2" | diff -u - "$dir/printed" >"$dir/diff"; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$dir/diff" "$dir/log"
	fi
}

# watch ARGUMENT...: runs a watchdog to its end.
watch()
{
	timeout --foreground 60 "$watchdog" "$@" >"$dir/printed" 2>"$dir/log"
	echo "status $?" >>"$dir/printed"
}

# terminate ARGUMENT...: sends a watchdog SIGTERM after the first line of its output. The output ends
# when no process has the pipe open: neither the watchdog nor anything that it started.
terminate()
{
	mkfifo "$dir/output"
	"$watchdog" "$@" >"$dir/output" 2>"$dir/log" &
	pid=$!
	{
		read -r line
		echo "$line"
		kill -TERM "$pid"
		timeout --foreground 60 cat || echo "something was left behind"
	} <"$dir/output" >"$dir/printed"
	wait "$pid"
	echo "status $?" >>"$dir/printed"
	pid=
	rm "$dir/output"
}

watch echo well
prints "a process that ends well is not started again" 'well
status 0'

watch sh -c 'echo up; exit 3'
prints "a process that fails is started four times" 'up
up
up
up
status 1'

grep -o 'bad_end: .*time' "$dir/log" >"$dir/printed"
prints "with delays that grow" 'bad_end: exit status 3 [handling ward_fd_ready] -> starting a new one in 0.1 s, 1st time
bad_end: exit status 3 [handling ward_fd_ready] -> starting a new one in 0.2 s, 2nd time
bad_end: exit status 3 [handling ward_fd_ready] -> starting a new one in 0.4 s, 3rd time'

# shellcheck disable=SC2016
watch sh -c 'echo x >>"$0"; [ "$(wc -l <"$0")" -gt 2 ] || kill -9 $$; echo recovered' "$dir/tries"
prints "a process that recovers ends the watchdog with status 0" 'recovered
status 0'

watch "$dir/none"
prints "a program that is not there is an error" 'status 1'

terminate sh -c 'trap "echo saved; exit" TERM; echo up; sleep 1000 & wait'
prints "SIGTERM reaches the process, and its child" 'up
saved
status 0'

terminate sh -c 'trap "" TERM; sleep 1000 & echo up; wait'
prints "a process that ignores SIGTERM is killed, and its child" 'up
status 0'

echo "1..$count"
[ $failed = 0 ]
