#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_runs.sh WARD-SINK QUERY - one run after the other: interrupted, killed, continued.
#
# Goal: a second run goes on where the first left off, whatever became of input and database in
# between. Method: real processes and signals; lines come from seq, so that each one is known.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/sink/tests/tap.sh
. "$here/tap.sh"

# As many as are not through before a signal comes; a sanitizer makes the sink slower.
MANY=${SINK_MANY:-200000}

# Whether some lines are in the database already.
some_are_stored()
{
	[ "$(ask "SELECT count(*) FROM (SELECT 1 FROM lines LIMIT 1)")" = 1 ]
}

# Every line of the input is there once, in its order.
all_are_there()
{
	ask "SELECT line FROM lines ORDER BY source, offset" | cmp - input
}

# interrupted_by SIGNAL STATUS
interrupted_by()
{
	seq 1 $MANY >input
	"$sink" --db db/sink.db input >out 2>&1 &
	pid=$!
	until_true some_are_stored
	kill "-$1" $pid
	status=0
	wait $pid || status=$?
	is $status "$2" "exit status"
	has out "interrupted by SIG$1"
	has out "interrupted; run it again to go on"
	before=$(sed -n 's/^sink: \([0-9]*\) read = \1 stored + 0 quarantined, 0 lost, 0 d.*/\1/p' out)
	[ "$before" -gt 0 ] || fail "nothing was counted"
	[ "$before" -lt $MANY ] || fail "it was over before the signal came"
	sink_ends 0 --db db/sink.db input
	counted out $MANY $MANY 0
	all_are_there
}

interrupted_by_sigint_it_goes_on() { interrupted_by INT 130; }
interrupted_by_sigterm_it_goes_on() { interrupted_by TERM 143; }

killed_at_any_moment_it_goes_on()
{
	seq 1 $MANY >input
	for _ in 1 2 3; do
		"$sink" --db db/sink.db input >out 2>&1 &
		pid=$!
		until_true some_are_stored
		kill -KILL $pid
		wait $pid
	done
	sink_ends 0 --db db/sink.db input
	counted out $MANY $MANY 0
	all_are_there
}

# Not even the names of the files need to be given again.
an_interrupted_input_is_finished_with_the_next()
{
	seq 1 $MANY >input
	"$sink" --db db/sink.db input >out 2>&1 &
	pid=$!
	until_true some_are_stored
	kill -INT $pid
	wait $pid
	echo another >other
	sink_ends 0 --db db/sink.db other
	counted out $((MANY + 1)) $((MANY + 1)) 0
}

a_log_that_grows_and_rotates_is_stored_once()
{
	seq 1 100 >log
	sink_ends 0 --db db/sink.db log
	seq 101 150 >>log
	sink_ends 0 --db db/sink.db log
	counted out 150 150 0
	mv log log.1
	seq 1 30 >log
	sink_ends 0 --db db/sink.db log log.1
	counted out 180 180 0
	rm log.1
	sink_ends 0 --db db/sink.db log
	counted out 180 180 0
}

# The rest of a line, written later, is the rest of that line.
a_last_line_without_end_may_grow()
{
	printf 'one\ntw' >log
	sink_ends 0 --db db/sink.db log
	counted out 2 2 0
	printf 'o\nthree\n' >>log
	sink_ends 0 --db db/sink.db log
	counted out 3 3 0
	is "$(ask "SELECT line FROM lines ORDER BY offset" | tr '\n' ' ')" "one two three " "lines"
}

standard_input_is_added_at_each_run()
{
	seq 1 1000 | "$sink" --db db/sink.db >out 2>&1 || fail "first run"
	counted out 1000 1000 0
	[ ! -e db/sink.db.input/spool-1 ] || fail "the spool was not removed"
	seq 1 1000 | "$sink" --db db/sink.db >out 2>&1 || fail "second run"
	counted out 2000 2000 0
	seq 1 10 >file
	seq 1 10 | "$sink" --db db/sink.db - file >out 2>&1 || fail "third run"
	counted out 2020 2020 0
}

# Starts a sink on a pipe that stays open, with 1000 lines in it.
feed_pipe()
{
	mkfifo pipe
	"$sink" --db db/sink.db <pipe >out 2>&1 &
	pid=$!
	exec 9>pipe
	seq 1 1000 >&9
}

all_1000_are_stored()
{
	[ "$(ask "SELECT count(*) FROM lines")" = 1000 ]
}

an_open_pipe_is_stored_as_it_comes_and_can_be_interrupted()
{
	feed_pipe
	until_true all_1000_are_stored
	kill -INT $pid
	status=0
	wait $pid || status=$?
	exec 9>&-
	is $status 130 "exit status"
	counted out 1000 1000 0
	sink_ends 0 --db db/sink.db </dev/null
	counted out 1000 1000 0
}

# What was read from a pipe cannot be read again; the spool has it.
a_killed_sink_loses_nothing_of_its_standard_input()
{
	feed_pipe
	until_true all_1000_are_stored
	kill -KILL $pid
	wait $pid
	exec 9>&-
	rm db/sink.db db/sink.db-wal db/sink.db-shm
	sink_ends 0 --db db/sink.db </dev/null
	counted out 1000 1000 0
}

a_database_that_was_damaged_meanwhile_is_rebuilt()
{
	seq 1 20000 >input
	sink_ends 0 --db db/sink.db input
	head -c 200 /dev/urandom | dd of=db/sink.db bs=1 seek=409600 conv=notrunc 2>dd.out
	sink_ends 0 --db db/sink.db input
	has out "writer failed, and is stopped: database_damaged: "
	has out "the damaged database is set aside: it is kept as .*/db/sink.db.damaged-1"
	counted out 20000 20000 0
	[ -s db/sink.db.damaged-1 ] || fail "the damaged database was not kept"
	all_are_there
}

a_database_that_is_gone_is_rebuilt()
{
	seq 1 1000 >input
	sink_ends 0 --db db/sink.db input
	rm db/sink.db
	sink_ends 0 --db db/sink.db input
	counted out 1000 1000 0
}

# Of an input that is gone nothing can be read again: that must be said, not hidden.
what_can_not_be_rebuilt_is_counted_as_lost()
{
	seq 1 1000 >input
	sink_ends 0 --db db/sink.db input
	rm input db/sink.db
	echo line >other
	sink_ends 1 --db db/sink.db other
	has out "^sink: 1001 read = 1 stored + 0 quarantined, 1000 lost, 0 duplicated"
}

# The lines of an earlier standard input are nowhere but in the database, two pages of which are
# overwritten: one with lines of a file, which are read again; one with lines of the old input.
lines_whose_input_is_gone_are_saved_from_the_damaged_database()
{
	seq 1 20000 | "$sink" --db db/sink.db >out 2>&1 || fail "first run"
	seq 1 20000 >input
	sink_ends 0 --db db/sink.db input
	size=$(wc -c <db/sink.db)
	head -c 64 /dev/urandom |
		dd of=db/sink.db bs=1 seek=$((size / 4096 * 4096 - 4096 * 10)) conv=notrunc 2>dd.out
	sink_ends 0 --db db/sink.db input
	has out "20000 lines whose input is gone were saved"
	counted out 40000 40000 0
	head -c 64 /dev/urandom |
		dd of=db/sink.db bs=1 seek=$((4096 * 100)) conv=notrunc 2>dd.out
	rm db/sink.db.damaged-1*
	sink_ends 1 --db db/sink.db input
	lost=$(sed -n 's/^sink: 40000 read = .* quarantined, \([0-9]*\) lost, 0 duplicated.*/\1/p' out)
	[ "$lost" -gt 0 ] || fail "it was not seen that lines are lost"
	[ "$lost" -lt 200 ] || fail "$lost lines are lost, more than those of a page"
}

a_row_that_somebody_deletes_is_stored_again()
{
	seq 1 1000 >input
	sink_ends 0 --db db/sink.db input
	ask "DELETE FROM lines WHERE line = '500'"
	sink_ends 0 --db db/sink.db input
	counted out 1000 1000 0
	all_are_there
}

# Somebody else's row is not a line of the input, and no repetition makes it one.
a_row_that_somebody_adds_is_taken_for_damage()
{
	seq 1 10 >input
	sink_ends 0 --db db/sink.db input
	ask "CREATE TABLE copy AS SELECT * FROM lines LIMIT 1"
	ask "INSERT INTO quarantine SELECT source, offset, span, ended, digest, sum, format, line
		FROM copy"
	status=0
	"$sink" --db db/sink.db input >out 2>&1 || status=$?
	# Its sum is not its own, so the database is taken for damaged, and rebuilt.
	is $status 0 "exit status"
	has out "database_damaged: the row of source 1 at 0 is not what was written"
	counted out 10 10 0
}

two_at_once_are_refused()
{
	feed_pipe
	until_true all_1000_are_stored
	echo line >other
	status=0
	"$sink" --db db/sink.db other >second 2>&1 || status=$?
	is $status 2 "exit status"
	has second "another ward-sink is at work here"
	exec 9>&-
	wait $pid
	counted out 1000 1000 0
}

# A tree in place: the cursor goes up as often as the picture is drawn again.
on_a_terminal_the_tree_is_drawn_in_place()
{
	seq 1 3000 >input
	command="$sink --db db/sink.db --memory memory --chaos 1 input"
	status=0
	script -qec "$command" /dev/null >out 2>&1 </dev/null || status=$?
	is $status 0 "exit status"
	up=$(printf '\033\\[[0-9]*A')
	[ "$(grep -c "$up" out)" -gt 5 ] || fail "it was not drawn in place"
	for actor in ledger chaos keeper parsers parser-1 reader signals view writer; do
		has out "^.\{0,10\} *$actor *running"
	done
	has out "keeper  *running .* new child in [0-9.]* s (1st time)"
	has out "^.\{0,9\}sink: 3002 read = 3000 stored + 2 quarantined, 0 lost, 0 duplicated; "
}

# Without end: the lock is held until patience is over.
patience_has_an_end()
{
	seq 1 10 >input
	sink_ends 0 --db db/sink.db input
	"$sink" --saboteur lock db/sink.db 60000 >lock.out &
	pid=$!
	until_true grep -q "holds the lock" lock.out
	seq 11 20 >>input
	status=0
	"$sink" --db db/sink.db --patience 1 input >out 2>&1 || status=$?
	is $status 1 "exit status"
	has out "nothing could be stored for 1 seconds; run it again to go on"
	counted out 10 10 0
	kill $pid
	wait $pid
	sink_ends 0 --db db/sink.db input
	counted out 20 20 0
}

# Some cases mostly wait: for a lock, or until a tree has been drawn.
at_once=2

run_cases interrupted_by_sigint_it_goes_on interrupted_by_sigterm_it_goes_on \
	killed_at_any_moment_it_goes_on an_interrupted_input_is_finished_with_the_next \
	a_log_that_grows_and_rotates_is_stored_once a_last_line_without_end_may_grow \
	standard_input_is_added_at_each_run \
	an_open_pipe_is_stored_as_it_comes_and_can_be_interrupted \
	a_killed_sink_loses_nothing_of_its_standard_input \
	a_database_that_was_damaged_meanwhile_is_rebuilt a_database_that_is_gone_is_rebuilt \
	what_can_not_be_rebuilt_is_counted_as_lost \
	lines_whose_input_is_gone_are_saved_from_the_damaged_database \
	a_row_that_somebody_deletes_is_stored_again \
	a_row_that_somebody_adds_is_taken_for_damage two_at_once_are_refused \
	on_a_terminal_the_tree_is_drawn_in_place patience_has_an_end
