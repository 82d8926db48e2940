#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tally.sh TALLY - what tools/tally counts, and above all what it does not take for a success.
#
# Each case writes logs as Meson writes them and compares the last line and the exit status. Prints
# TAP.
set -u

tally=$1
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
cd "$logs" || exit 1
unset WARD_SKIPS
count=0
failed=0

# program LOG RESULT STDOUT: adds a test program to a log. STDOUT is JSON, so its ends of lines are \n.
program()
{
	printf '{"name": "x", "stdout": "%s", "result": "%s", "returncode": 0}\n' "$3" "$2" >>"$1"
}

# counts NAME STATUS LINE LOG...
counts()
{
	name=$1
	status=$2
	line=$3
	shift 3
	count=$((count + 1))
	"$tally" "$@" >said 2>&1
	got=$?
	if [ $got = "$status" ] && [ "$(tail -n 1 said)" = "$line" ]; then
		echo "ok $count - $name"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		sed "s/^/# /" said
	fi
	rm -f ./*.json
}

program a.json OK '1..2\nok 1 - a\nok 2 - b\n'
program a.json OK 'ok 1 - a\n1..1\n'
program b.json OK '1..1\nok 1\n'
counts "cases of all programs in all logs" 0 "4 passed, 0 failed" a.json b.json

program a.json FAIL '1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c\n'
counts "a case that failed" 1 "2 passed, 1 failed" a.json

program a.json ERROR '1..3\nok 1 - a\n'
counts "a program that ended early" 1 "1 passed, 1 failed" a.json

program a.json ERROR ''
counts "a program that printed nothing" 1 "0 passed, 1 failed" a.json

program a.json OK 'hello\nokay\n'
counts "a program without cases" 1 "0 passed, 1 failed" a.json

program a.json TIMEOUT '1..2\nok 1\nok 2\n'
counts "a program that had to be ended" 1 "2 passed, 1 failed" a.json

program a.json SKIP '1..0 # SKIP no database here\n'
program a.json OK '1..1\nok 1\n'
counts "a program that was skipped, and says why" 0 "1 passed, 0 failed" a.json

program a.json SKIP '1..0 # SKIP no database here\n'
program a.json OK '1..1\nok 1\n'
export WARD_SKIPS=fail
counts "where nothing may be" 1 "1 passed, 1 failed" a.json
unset WARD_SKIPS

program a.json SKIP '1..0 # SKIP no database here\n'
counts "nothing but what was skipped" 1 "0 passed, 0 failed" a.json

program a.json SKIP '1..0\n'
program a.json OK '1..1\nok 1\n'
counts "a program that was skipped, and does not say why" 1 "1 passed, 1 failed" a.json

program a.json SKIP 'ok 1 - a\n1..0 # SKIP no database here\n'
counts "a program that was skipped in the midst of it" 1 "1 passed, 1 failed" a.json

program a.json OK '1..2\nok 1\nok 2 # skip no database\n'
counts "a case that was skipped" 1 "1 passed, 1 failed" a.json

program a.json OK '1..1\nok 1 - a\n    ok 1 - inner\n# ok 2\n'
counts "what is indented or a comment is no case" 0 "1 passed, 0 failed" a.json

: >a.json
program b.json OK '1..1\nok 1\n'
counts "a log without programs" 1 "1 passed, 1 failed" a.json b.json

program b.json OK '1..1\nok 1\n'
counts "a log that is not there" 1 "1 passed, 1 failed" missing.json b.json

printf '{"name": "x", "resu' >a.json
counts "a log that was cut off" 1 "0 passed, 1 failed" a.json

counts "no log at all" 1 "0 passed, 0 failed"

program a.json FAIL '1..2\nnot ok 1 - a [S1]\n# a.c:7: 1 == 2\n# more\nnot ok 2 - b\n'
"$tally" a.json >said
count=$((count + 1))
if grep -qxF 'tally:     not ok 1 - a [S1] # a.c:7: 1 == 2' said &&
	grep -qxF 'tally:     not ok 2 - b' said; then
	echo "ok $count - names what failed, and the first that it says"
else
	failed=$((failed + 1))
	echo "not ok $count - names what failed, and the first that it says"
	sed "s/^/# /" said
fi

echo "1..$count"
[ $failed = 0 ]
