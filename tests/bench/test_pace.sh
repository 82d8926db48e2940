#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_pace.sh FLOOR WARD_BENCH - which runs tell of the pace of their core (bench/pace.h).
#
# Each case runs a small load of a benchmark and looks at the figures that are printed. Prints TAP.
set -u

floor=$1
ward=$2
said=$(mktemp)
trap 'rm -f "$said"' EXIT
count=0
failed=0
tab=$(printf '\t')

# verdict NAME STATUS
verdict()
{
	count=$((count + 1))
	if [ "$2" = 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$said"
	fi
}

# prints NAME PACES COMMAND...: a figure of pingpong, and so many of the pace.
prints()
{
	name=$1
	paces=$2
	shift 2
	"$@" >"$said" 2>&1 && grep -q "^pingpong${tab}" "$said" &&
		[ "$(grep -cE "^pace${tab}[0-9]*\.[0-9]+${tab}ns\$" "$said")" = "$paces" ] &&
		[ "$(wc -l <"$said")" = $((1 + paces)) ]
	verdict "$name" $?
}

unset BENCH_PACE
prints "the floor does not tell unasked" 0 "$floor" pingpong 1 1000
prints "nor does ward" 0 "$ward" pingpong 1 1000
export BENCH_PACE=1000
prints "the floor tells when it is asked" 1 "$floor" pingpong 1 1000
prints "so does ward" 1 "$ward" pingpong 1 1000
BENCH_PACE=0.0001 prints "who waits in vain for a faster core begins all the same" 1 "$floor" pingpong 1 1000
prints "on two workers there is no pace of one core" 0 "$ward" pingpong 2 1000

echo "1..$count"
[ $failed = 0 ]
