#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_input.sh WARD-SINK QUERY - wrong arguments and hostile input.
#
# Goal: an error says what, where and what to do; nothing of the rest is lost; never a crash.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/sink/tests/tap.sh
. "$here/tap.sh"

wrong_arguments_are_refused_by_name()
{
	echo line >input
	sink_ends 2 --colour input
	has out "^ward-sink: --colour: no such option; see --help$"
	sink_ends 2 input --db
	has out "--db: needs a value"
	sink_ends 2 --workers 0 input
	has out "--workers 0: give a number from 1 to 256"
	sink_ends 2 --parsers 65 input
	has out "--parsers 65: give a number from 1 to 64"
	sink_ends 2 --chaos tea input
	has out "--chaos tea: give a number"
	sink_ends 2 --chaos -1 input
	sink_ends 2 --chaos 18446744073709551616 input
	sink_ends 2 --line-max 1k input
	has out "--line-max 1k: give a number from 1 to"
	sink_ends 2 --line-max 0 input
	sink_ends 2 --poison "" input
	sink_ends 2 --db "" input
	has out "--db: give the name of a file"
	[ ! -e ward-sink ] || fail "a database was made all the same"
	sink_ends 0 --help
	has out "^usage: ward-sink"
}

what_cannot_be_read_is_named_and_the_rest_is_stored()
{
	printf 'one\ntwo\n' >good
	mkdir folder
	mkfifo fifo
	sink_ends 2 --db db/sink.db absent folder fifo good
	has out "absent: cannot be opened: No such file"
	has out "folder: is a directory; name the files in it"
	has out "fifo: is not a regular file; feed it to standard input"
	counted out 2 2 0
	sink_ends 2 --db db/sink.db absent
	has out "there is nothing to read"
}

names_of_files_steer_no_terminal()
{
	evil=$(printf 'a\033[2J\302\233\n\342\200\256b\377')
	sink_ends 2 --db sink.db "$evil"
	has out '^ward-sink: a\\x1b\[2J\\u{9b}\\n\\u{202e}b\\xff: cannot be opened'
	sink_ends 2 "--$evil"
	echo line >"$evil"
	sink_ends 2 --db "$evil" "$evil"
	sink_ends 0 --db sink.db "$evil"
	rm "$evil"
	echo more >input
	sink_ends 0 --db sink.db input
	if LC_ALL=C grep -q '[[:cntrl:]]' out; then fail "a control character is printed"; fi
}

files_of_others_are_not_touched()
{
	echo line >input
	echo "Dear Sir or Madam" >letter
	cp letter copy
	sink_ends 2 --db letter input
	has out "letter: is there already and is not a database of ward-sink; name another"
	cmp letter copy
	mkdir folder
	sink_ends 2 --db folder input
	has out "folder: is not a regular file"
	sink_ends 2 --db absent/or/deeper/sink.db input
	has out "its folder cannot be used: No such file"
	sink_ends 2 --db letter/sink.db input
	has out "its folder cannot be used: Not a directory"
}

chaos_hides_no_folder_of_others()
{
	mkdir mine
	echo "Dear Sir or Madam" >mine/letter
	echo line >input
	sink_ends 2 --chaos 1 --db mine/sink.db input
	has out "mine/letter is in it: give --db a folder of its own"
	has mine/letter "Dear"
}

junk_is_stored_or_quarantined_line_by_line()
{
	head -c 1000000 /dev/urandom >junk
	printf '\nand a good one\n' >>junk
	sink_ends 0 --db db/sink.db junk
	is "$(ask "SELECT (SELECT count(*) FROM lines) + (SELECT count(*) FROM quarantine)")" \
		"$(lines_of junk)" "rows"
	[ "$(ask "SELECT count(*) FROM quarantine WHERE reason = 'a NUL byte'")" -gt 0 ] ||
		fail "no line was quarantined"
	is "$(ask "SELECT line FROM lines WHERE line LIKE '%good one'" | tail -n 1)" \
		"and a good one" "the good line"
	is "$(ask "SELECT sum(span) FROM (SELECT span FROM lines UNION ALL
		SELECT span FROM quarantine)")" "$(wc -c <junk | tr -d ' ')" "bytes"
}

nul_bytes_go_to_quarantine_whole()
{
	printf 'one\nt\000o\n\000\nthree\n' >input
	sink_ends 0 --db db/sink.db input
	counted out 4 2 2
	is "$(ask "SELECT hex(line) FROM quarantine ORDER BY offset" | tr '\n' ' ')" "74006F 00 " \
		"quarantine"
}

a_line_of_100_mb_leaves_the_rest_in_peace()
{
	{
		echo before
		head -c 100000000 /dev/zero | tr '\000' x
		echo
		echo after
	} >input
	sink_ends 0 --db db/sink.db input
	counted out 3 2 1
	is "$(ask "SELECT span, length(line) FROM quarantine")" "100000001|1024" "the long line"
	has out "0 failures healed"
}

a_line_of_100_mb_from_standard_input()
{
	status=0
	{
		echo before
		head -c 100000000 /dev/zero | tr '\000' x
		echo
		echo after
	} | "$sink" --db db/sink.db >out 2>&1 || status=$?
	is $status 0 "exit status"
	counted out 3 2 1
	# The database has only its beginning, so the spool is all there is of it.
	[ -e db/sink.db.input/spool-1 ] || fail "the spool was removed"
}

line_max_is_inclusive()
{
	printf '1234\n12345\n123456' >input
	sink_ends 0 --db db/sink.db --line-max 5 input
	counted out 3 2 1
	is "$(ask "SELECT line, reason FROM quarantine")" \
		"12345|longer than --line-max; only its beginning is kept" "quarantine"
}

lines_at_the_largest_line_max_pass()
{
	{
		for _ in 1 2 3; do
			head -c 16777216 /dev/zero | tr '\000' y
			echo
		done
	} >input
	sink_ends 0 --db db/sink.db --line-max 16777216 input
	counted out 3 3 0
}

empty_inputs_are_no_lines()
{
	: >empty
	sink_ends 0 --db db/sink.db empty
	counted out 0 0 0
	printf '\n\n' >blank
	sink_ends 0 --db db/sink.db empty blank
	counted out 2 2 0
	sink_ends 0 --db db/sink.db </dev/null
	counted out 2 2 0
}

impossible_fields_go_to_quarantine_with_their_reason()
{
	cat >input <<-'END'
		2025-06-24 14:36:25 startup archives unpack
		2025-06-31 14:36:25 startup archives unpack
		h - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326
		h - - [10/Oct/2000:25:55:36 -0700] "GET / HTTP/1.0" 200 2326
		mere text
	END
	sink_ends 0 --db db/sink.db input
	counted out 5 3 2
	is "$(ask "SELECT reason FROM quarantine ORDER BY offset" | tr '\n' ';')" \
		"dpkg: month 6 of 2025 has no day 31;web: there is no time 25:55:36;" "reasons"
	is "$(ask "SELECT format, subject FROM lines ORDER BY offset" | tr '\n' ';')" \
		"dpkg|;web|h;text|;" "formats"
}

# Lines that kill their parser each time, among many that do not.
poison_costs_its_own_line_only()
{
	seq 1 20000 >input
	sink_ends 0 --db db/sink.db --poison 77 input
	poison=$(grep -c 77 input)
	counted out 20000 $((20000 - poison)) "$poison"
	has out "; $poison failures healed"
}

nobody_reads_what_it_says()
{
	seq 1 5000 >input
	status=0
	"$sink" --db db/sink.db --poison 4999 input >/dev/full 2>err || status=$?
	is $status 1 "exit status with a full device"
	is "$(ask "SELECT count(*) FROM lines")" 4999 "rows"
	sink_ends 0 --db db/sink.db input
	counted out 5000 4999 1
}

a_broken_standard_input_is_told()
{
	status=0
	"$sink" --db db/sink.db >out 2>&1 <. || status=$?
	is $status 1 "exit status"
	has out "intake failed, and is stopped: intake_broken: standard input: Is a directory"
	counted out 0 0 0
}

# Wherever it runs out of descriptors, it says so and ends; with enough it goes on and finishes.
few_descriptors_are_no_crash()
{
	seq 1 1000 >input
	for descriptors in 4 5 6 7 8 9 10 11 12 13; do
		status=0
		(
			ulimit -n $descriptors
			exec "$sink" --db db/sink.db --patience 1 input
		) >out 2>&1 || status=$?
		[ $status -le 2 ] || [ $status = 127 ] || {
			cat out
			fail "exit status $status with $descriptors descriptors"
		}
		[ -s out ] || fail "it said nothing with $descriptors descriptors"
	done
	sink_ends 0 --db db/sink.db input
	counted out 1000 1000 0
}

run_cases wrong_arguments_are_refused_by_name what_cannot_be_read_is_named_and_the_rest_is_stored \
	names_of_files_steer_no_terminal files_of_others_are_not_touched chaos_hides_no_folder_of_others \
	junk_is_stored_or_quarantined_line_by_line nul_bytes_go_to_quarantine_whole \
	a_line_of_100_mb_leaves_the_rest_in_peace a_line_of_100_mb_from_standard_input \
	line_max_is_inclusive lines_at_the_largest_line_max_pass empty_inputs_are_no_lines \
	impossible_fields_go_to_quarantine_with_their_reason poison_costs_its_own_line_only \
	nobody_reads_what_it_says a_broken_standard_input_is_told few_descriptors_are_no_crash
