#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_simulation.sh BROKEN MENDED WARD_SIM - the bug is found and replayed; without it all holds.
# Prints TAP.
set -u

broken=$1
mended=$2
ward_sim=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0
failed=0
unset WARD_SEEDS WARD_REPLAY WARD_TRACE

# verdict STATUS NAME FILE: prints one case, and the file when it failed.
verdict()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/# /' "$3"
	fi
}

"$broken" >"$dir/found" 2>&1
[ $? = 1 ] && grep -q 'does not hold: receipts_are_true' "$dir/found"
verdict $? "the receipt that is not true is found" "$dir/found"

# The line reads: replay: WARD_REPLAY='...' PROGRAM
words=$(sed -n "s/.*replay: WARD_REPLAY='\(.*\)'.*/\1/p" "$dir/found" | head -n 1)
echo "$words" >"$dir/words"
grep -q '^no_deposit_is_lost seed=[0-9]* order=[a-z]* faults=[a-z-]*@[0-9:]*$' "$dir/words"
verdict $? "one fault is left of those that struck" "$dir/words"

for time in 1 2; do
	WARD_TRACE=$dir/trace$time WARD_REPLAY=$words "$broken" >"$dir/again$time" 2>&1
	[ $? = 1 ] && grep -q 'does not hold: receipts_are_true' "$dir/again$time"
	verdict $? "it is replayed, time $time" "$dir/again$time"
done

grep -q ' hash [0-9a-f]*$' "$dir/again1" && cmp "$dir/again1" "$dir/again2" >"$dir/differ" 2>&1
verdict $? "both times with the same report and the same hash" "$dir/differ"

cmp "$dir/trace1" "$dir/trace2" >"$dir/differ" 2>&1
verdict $? "and with the same trace" "$dir/differ"

"$ward_sim" --seeds 10000 "$mended" >"$dir/held" 2>&1 &&
	grep -q '^10000 seeds, [0-9]* steps, 0 violations$' "$dir/held"
verdict $? "without the bug it holds for 10,000 seeds" "$dir/held"

"$ward_sim" --seeds 10000 "$broken" >"$dir/found" 2>&1
[ $? = 1 ] && grep -q "^replay: WARD_REPLAY='no_deposit_is_lost seed=" "$dir/found"
verdict $? "ward-sim finds the bug, too" "$dir/found"

echo "1..$count"
[ $failed = 0 ]
