#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_echo_calls.sh ECHO_CALLS - how tools/echo-calls counts what strace has written.
#
# A strace of ours writes the lines of a server and of its client. Prints TAP.
set -u

echo_calls=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0
failed=0
tab=$(printf '\t')

# verdict NAME STATUS: prints one case.
verdict()
{
	count=$((count + 1))
	if [ "$2" = 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' said
	fi
}

# Server: threads 1 and 2. Client: 3. Calls before the begin, after the end, resumed ones and those of
# the client do not count.
cat >strace <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
cat trace >"$2"
shift 2
echo "$*" >ran
END
chmod +x strace
PATH=$work:$PATH
cat >trace <<'END'
1     epoll_wait(5, [], 1, -1) = 1
3     execve("/bin/echo-client", ["echo-client"], 0x7f) = 0
3     write(4, "\0\0"..., 64) = 64
2     read(7, "\0\0"..., 64) = 64
3     write(1, "begin\n", 6) = 6
2     epoll_wait(5,  <unfinished ...>
3     write(4, "\0\0"..., 64) = 64
2     <... epoll_wait resumed>[], 1, -1) = 1
2     read(7, "\0\0"..., 64) = 64
1     write(7, "\0\0"..., 64) = 64
3     read(4, "\0\0"..., 64) = 64
3     write(4, "\0\0"..., 64) = 64
2     read(7, "\0\0"..., 64) = 64
2     --- SIGCHLD {si_signo=SIGCHLD} ---
1     write(7, "\0\0"..., 64) = 64
3     write(1, "echo_1\t5"..., 80) = 80
1     write(7, "\0\0"..., 64) = 64
END
"$echo_calls" server echo_1 >said 2>&1
verdict "a trace is counted" $?
[ "$(cat ran)" = "server echo_1 1 500" ]
verdict "of a run with one worker, for half a second" $?
grep -q "^messages${tab}2$" said
verdict "messages are what the client has sent within the span" $?
grep -q "^read${tab}1.0000$" said && grep -q "^write${tab}1.0000$" said
verdict "calls are those of all threads of the server" $?
grep -q "^epoll_wait${tab}0.5000$" said
verdict "one that is resumed counts once" $?
grep -q "^all${tab}2.5000$" said
verdict "and all together" $?
"$echo_calls" server echo_1 2 70 >said 2>&1 && [ "$(cat ran)" = "server echo_1 2 70" ]
verdict "workers and time can be given" $?
sed -i '/echo_1/d' trace
! "$echo_calls" server echo_1 >said 2>&1 && grep -q 'did not come to its end' said
verdict "a client that did not end is told" $?

echo "1..$count"
[ $failed = 0 ]
