#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_output.sh PROGRAM EXPECTED - runs an example and compares what it prints. Prints TAP.
set -u

program=$1
expected=$2
printed=$(mktemp)
trap 'rm -f "$printed" "$printed.err" "$printed.diff"' EXIT

echo 1..2
"$program" >"$printed" 2>"$printed.err"
status=$?
failed=0

if [ $status = 0 ]; then
	echo "ok 1 - it exits with 0"
else
	failed=1
	echo "not ok 1 - it exits with 0, not $status"
	sed 's/^/# /' "$printed.err"
fi

if diff -u "$expected" "$printed" >"$printed.diff"; then
	echo "ok 2 - it prints $(wc -l <"$expected") lines as expected"
else
	failed=1
	echo "not ok 2 - it prints something else"
	sed 's/^/# /' "$printed.diff"
fi
[ $failed = 0 ]
