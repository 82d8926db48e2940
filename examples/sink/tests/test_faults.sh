#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_faults.sh WARD-SINK QUERY - every fault, in ten orders, with one, two and eight workers.
#
# Goal: whatever the order, each fault is felt, healed, and no line of the machine's own logs is
# lost or stored twice. The demo is run as a user runs it.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/sink/tests/tap.sh
. "$here/tap.sh"

# demo SEED WORKERS
demo()
{
	status=0
	SEED=$1 WORK=$PWD "$here/../demo.sh" "$(dirname "$sink")/../.." --workers "$2" \
		>out 2>&1 </dev/null || status=$?
	[ $status = 0 ] || cat out
	is $status 0 "exit status of seed $1 with $2 workers"
}

# Each class of failure was decided upon; each fault was announced.
all_were_felt()
{
	for class in database_locked database_damaged database_displaced database_full; do
		has out "writer failed, and is .*: $class: "
	done
	has out "parser-[0-9]* failed, and is restarted: poison_line: "
	has out "writer failed, and is resumed: database_full"
	# The lock is held for longer than three delays: 0.1, 0.2 and 0.4 seconds.
	has out "keeper: new child in [01].[0-9] s (4th time)"
	for number in 1 2 3 4 5 6 7; do
		has out "^sink: chaos $number/7: "
	done
	[ -e db/sink.db.damaged-1 ] || fail "no damaged database was kept"
}

# The last line, by itself and against the database.
count_is_true()
{
	last=$(tail -n 1 out)
	echo "$last" | grep -Eqx "sink: [0-9]+ read = [0-9]+ stored \+ [0-9]+ quarantined, 0 lost, \
0 duplicated; [0-9]+ failures healed" || fail "last line: $last"
	read=$(echo "$last" | sed 's/sink: \([0-9]*\) read.*/\1/')
	[ "$read" -ge 5000 ] || fail "only $read lines were read"
	is "$(ask "SELECT (SELECT count(*) FROM lines) + (SELECT count(*) FROM quarantine)")" \
		"$read" "rows"
	is "$(ask "SELECT count(*) FROM quarantine WHERE reason = 'it killed its parser'")" 1 \
		"poison lines"
	[ "$(ask "SELECT count(*) FROM lines WHERE format = 'dpkg'")" -gt 0 ] ||
		fail "no line of dpkg.log was recognised"
}

# seed SEED WORKERS
seed()
{
	demo "$1" "$2"
	all_were_felt
	count_is_true
}

seed_1_with_1_worker() { seed 1 1; }
seed_2_with_2_workers() { seed 2 2; }
seed_3_with_8_workers() { seed 3 8; }
seed_4_with_1_worker() { seed 4 1; }
seed_5_with_2_workers() { seed 5 2; }
seed_6_with_8_workers() { seed 6 8; }
seed_7_with_1_worker() { seed 7 1; }
seed_8_with_2_workers() { seed 8 2; }
seed_9_with_8_workers() { seed 9 8; }
seed_10_with_2_workers() { seed 10 2; }

the_same_seed_makes_the_same_faults()
{
	demo 42 1
	sed -n 's/^sink: chaos \(.*\)/\1/p' out | sed 's/[0-9]* of [0-9]* pages/pages/' >first
	rm -rf db memory
	demo 42 8
	sed -n 's/^sink: chaos \(.*\)/\1/p' out | sed 's/[0-9]* of [0-9]* pages/pages/' >second
	cmp first second
}

# All faults at the end of the input, of which three lines came from a pipe.
chaos_on_a_short_input()
{
	status=0
	printf 'one\ntwo\nthree\n' | "$sink" --db db/sink.db --chaos 5 >out 2>&1 || status=$?
	[ $status = 0 ] || cat out
	is $status 0 "exit status"
	counted out 5 3 2
	has out "chaos 7/7"
}

# Stopped while the folder is hidden, the sink puts it back.
interrupted_chaos_puts_the_folder_back()
{
	seq 1 100000 >input
	"$sink" --db db/sink.db --memory memory --chaos 3 input >out 2>&1 &
	pid=$!
	until_true grep -q "is a file now" out
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ -d db ] || fail "db is not a folder"
	[ ! -e db.hidden-by-chaos ] || fail "db.hidden-by-chaos is still there"
	sink_ends 0 --db db/sink.db --memory memory input
	[ "$(ask "SELECT count(DISTINCT offset) FROM lines WHERE source=1")" = 100000 ] ||
		fail "not all lines are there"
}

# Killed while the folder is hidden, it is the next chaos that puts it back.
killed_chaos_is_put_right_by_the_next()
{
	seq 1 100000 >input
	"$sink" --db db/sink.db --memory memory --chaos 3 input >out 2>&1 &
	pid=$!
	until_true grep -q "is a file now" out
	kill -KILL $pid
	wait $pid
	[ -f db ] || fail "db is not a file: killed too late"
	sink_ends 0 --db db/sink.db --memory memory --chaos 4 input
	[ "$(ask "SELECT count(DISTINCT offset) FROM lines WHERE source=1")" = 100000 ] ||
		fail "not all lines are there"
}

# A sink takes seconds, and a twentieth of them of a processor: the rest are delays.
at_once=4
run_cases seed_1_with_1_worker seed_2_with_2_workers seed_3_with_8_workers seed_4_with_1_worker \
	seed_5_with_2_workers seed_6_with_8_workers seed_7_with_1_worker seed_8_with_2_workers \
	seed_9_with_8_workers seed_10_with_2_workers the_same_seed_makes_the_same_faults \
	chaos_on_a_short_input interrupted_chaos_puts_the_folder_back \
	killed_chaos_is_put_right_by_the_next
