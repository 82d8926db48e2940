#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_file.sh WARD-SINK QUERY WARD SINK.CONF SINK.SO - the sink from a file, run by the command ward.
#
# Goal: real input ends in a real database, each line once, as with ward-sink; an ordered end, and
# one that is none, lose nothing; what comes of it is told by the exit status.
here=$(cd "$(dirname "$0")" && pwd)
ward=$(realpath "$3")
conf=$(realpath "$4")
module=$(realpath "$5")
# shellcheck source=examples/sink/tests/tap.sh
. "$here/tap.sh"

# file [SED COMMAND...]: the file here, with these changes.
file()
{
	sed -e "s,^modules.*,modules = [\"$module\"];," -e 's,"ward-sink/sink.db","db/sink.db",' \
		"$@" "$conf" >sink.conf
}

# ward_ends STATUS INPUT: runs the file, with what it says in `out`, and checks its end, which must
# not take for ever.
ward_ends()
{
	status=0
	timeout 200 "$ward" run --quiet sink.conf <"$2" >out 2>&1 || status=$?
	[ "$status" = "$1" ] || {
		cat out
		fail "ward run: exit status $status, wanted $1"
	}
}

rows()
{
	ask "SELECT (SELECT count(*) FROM lines) + (SELECT count(*) FROM quarantine)"
}

# at_least ROWS
at_least()
{
	[ "$(rows 2>/dev/null || echo 0)" -ge "$1" ]
}

the_file_is_fine()
{
	[ "$("$ward" check "$conf")" = "$conf: fine: 11 actors, 1 service" ] ||
		fail "$("$ward" check "$conf" 2>&1)"
	"$ward" tree "$conf" >out || fail "no tree"
	has out "^ *keeper: behavior writer, .* its child writer"
	[ ! -e ward-sink ] || fail "something was started"
}

standard_input_is_stored_line_by_line()
{
	file
	seq 1 20000 >input
	ward_ends 0 input
	counted out 20000 20000 0
	has out "; 0 failures healed"
	is "$(ask "SELECT line FROM lines ORDER BY offset" | cmp - input)" "" "the lines"
}

files_are_stored_as_well()
{
	file -e 's/inputs = .*/inputs = ["one", "two"];/' -e '/intake:/d'
	seq 1 3000 >one
	seq 1 4000 >two
	ward_ends 0 /dev/null
	counted out 7000 7000 0
	echo more >>two
	ward_ends 0 /dev/null
	counted out 7001 7001 0
	# In another order: what it knows of them is the same.
	sink_ends 0 --db db/sink.db two one
	counted out 7001 7001 0
}

failures_are_healed_by_the_strategies_of_the_file()
{
	file -e 's/inputs = /poison = "77"; &/'
	seq 1 20000 >input
	ward_ends 0 input
	poison=$(grep -c 77 input)
	counted out 20000 $((20000 - poison)) "$poison"
	has out "; $poison failures healed"
}

# The keeper starts the writer again, later and later.
a_database_that_is_locked_is_waited_for()
{
	file
	seq 1 1000 >first
	ward_ends 0 first
	"$sink" --saboteur lock "$PWD/db/sink.db" 1500 >held &
	holder=$!
	until_true [ -s held ]
	seq 1 2000 >input
	"$ward" run --quiet sink.conf <input >out 2>&1 &
	pid=$!
	until_true grep -q "keeper: new child in" out
	wait $holder
	status=0
	wait $pid || status=$?
	is $status 0 "exit status"
	counted out 3000 3000 0
	has out "database_locked"
}

an_ordered_end_loses_nothing()
{
	file
	mkfifo pipe
	"$ward" run --quiet sink.conf <pipe >out 2>&1 &
	pid=$!
	exec 4>pipe
	seq 1 5000 >&4
	until_true at_least 100
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	exec 4>&-
	is $status 0 "exit status"
	has out "^sink: interrupted; run it again to go on"
	has out " 0 lost, 0 duplicated; "
	ward_ends 0 /dev/null
	counted out 5000 5000 0
}

a_sudden_end_loses_nothing_that_was_accepted()
{
	file -e 's/inputs = .*/inputs = ["input"];/' -e '/intake:/d'
	seq 1 200000 >input
	"$ward" run --quiet sink.conf >out 2>&1 &
	pid=$!
	until_true at_least 100
	kill -KILL $pid
	wait $pid
	ward_ends 0 /dev/null
	counted out 200000 200000 0
}

what_is_not_stored_is_an_exit_status()
{
	file -e 's/inputs = /patience = "1 s"; &/'
	seq 1 1000 >first
	ward_ends 0 first
	"$sink" --saboteur lock "$PWD/db/sink.db" 60000 >held &
	holder=$!
	until_true [ -s held ]
	seq 1 2000 >input
	ward_ends 1 input
	kill $holder
	has out "ward-sink: nothing could be stored for 1 seconds; run it again to go on"
	has out "not_whole"
	has out "ward: sink.conf: it gave up"
	ward_ends 0 /dev/null
	counted out 3000 3000 0
}

what_cannot_be_prepared_starts_nothing()
{
	file -e 's/inputs = .*/inputs = ["absent"];/' -e '/intake:/d'
	ward_ends 3 /dev/null
	has out "absent: cannot be opened: No such file"
	has out "ward: sink.conf: not started: .*there is nothing to read"
}

a_file_that_contradicts_itself_is_told()
{
	file -e '/intake:/d'
	ward_ends 3 /dev/null
	has out "need each other"
	file -e '/reader:/d'
	ward_ends 3 /dev/null
	has out "the file gives the ledger no child \"reader\""
	file -e 's/writer = "keeper"; //'
	ward_ends 2 /dev/null
	has out "^ward: sink.conf:[0-9]*: actors.ledger.children.parsers.children.parser-1.args"
}

run_cases the_file_is_fine standard_input_is_stored_line_by_line files_are_stored_as_well \
	failures_are_healed_by_the_strategies_of_the_file a_database_that_is_locked_is_waited_for \
	an_ordered_end_loses_nothing a_sudden_end_loses_nothing_that_was_accepted \
	what_is_not_stored_is_an_exit_status what_cannot_be_prepared_starts_nothing \
	a_file_that_contradicts_itself_is_told
