#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_ward.sh WARD TOYS EMPTY PTY HOSTILE - the command ward on real files, shared objects and signals.
# Prints TAP.
#
# A case has a folder of its own, with the file toys.conf that it writes. The puppet of toys.so is
# told what to do through a pipe, and what it says is waited for. A case fails at the first check
# that does not hold.
set -u

ward=$(realpath "$1")
toys=$(realpath "$2")
empty=$(realpath "$3")
pty=$(realpath "$4")
hostile=$(realpath "$5")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

fail()
{
	echo "$*"
	for file in out err; do
		[ -e $file ] && sed "s/^/$file: /" $file
	done
	exit 1
}

# is GOT WANTED WHAT
is()
{
	[ "$1" = "$2" ] || fail "$3: got '$1', wanted '$2'"
}

# has FILE TEXT: a line of the file contains it.
has()
{
	grep -qF -e "$2" "$1" || fail "no line of $1 contains '$2'"
}

hasnt()
{
	if grep -qF -e "$2" "$1"; then fail "a line of $1 contains '$2'"; fi
}

# until_has FILE TEXT: waits for it, for half a minute.
until_has()
{
	tries=0
	until grep -qF -e "$2" "$1" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || fail "waited in vain for '$2' in $1"
		sleep 0.05
	done
}

# ends STATUS ARGUMENT...: runs ward, which must exit with that status, and soon.
ends()
{
	wanted=$1
	shift
	status=0
	timeout -k 5 60 "$ward" "$@" >out 2>err </dev/null || status=$?
	is $status "$wanted" "exit status of ward $*"
}

# begin COMMAND...: runs it in the background, with `tell` as its standard input.
begin()
{
	mkfifo commands
	: >out
	: >err
	"$@" >out 2>err <commands &
	pid=$!
	trap 'kill -KILL $pid 2>/dev/null' EXIT
	exec 3>commands
}

# Who has ended already is not told, and that is seen later.
tell()
{
	(trap '' PIPE && echo "$1" >&3)
}

# gone_soon SIGNAL: sends it to what was begun until that has ended, for half a minute; 0 is none.
gone_soon()
{
	tries=0
	while kill -"$1" $pid 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || fail "it does not end"
		sleep 0.05
	done
}

# ended STATUS: waits for the end of what was begun.
ended()
{
	gone_soon 0
	status=0
	wait $pid || status=$?
	trap - EXIT
	is $status "$1" "exit status"
}

# file LINE...: toys.conf, with these lines as the group `actors`.
file()
{
	{
		echo "modules = [\"$toys\"];"
		echo 'system: { name = "toys"; };'
		echo 'actors: {'
		printf '%s\n' "$@"
		echo '};'
	} >toys.conf
}

PUPPET='puppet: { behavior = "puppet"; args: { label = "puppet"; }; };'

# lamp NAME
lamp()
{
	echo "$1: { behavior = \"lamp\"; args: { label = \"$1\"; }; };"
}

# ---- check and tree -------------------------------------------------------------------------

a_good_file_is_fine()
{
	file "$PUPPET" "$(lamp red)"
	echo "services: { $(lamp blue) };" >>toys.conf
	ends 0 check toys.conf
	is "$(cat out)" "toys.conf: fine: 2 actors, 1 service" "what it says"
	[ ! -s err ] || fail "it complains"
}

all_that_is_wrong_is_told_with_its_line()
{
	file 'puppet: { behavior = "pupet"; };' \
		'red: { behavior = "lamp"; args: { lable = "red"; }; };'
	ends 2 check toys.conf
	has err "ward: toys.conf:4: actors.puppet.behavior: "
	has err "ward: toys.conf:5: actors.red.args.lable: "
	[ ! -s out ] || fail "it is said to be fine"
	ends 2 tree toys.conf
	has err "ward: toys.conf:5: actors.red.args.lable: "
	ends 2 run toys.conf
	has err "ward: toys.conf:5: actors.red.args.lable: "
	[ ! -s out ] || fail "something was started"
}

a_file_that_is_not_there_is_named()
{
	ends 2 check absent.conf
	has err "absent.conf"
	ends 2 run absent.conf
	mkdir folder
	ends 2 check folder
	has err "folder"
}

a_shared_object_that_is_not_there_is_named_with_its_line()
{
	printf 'actors: {};\nmodules = ["./absent.so"];\n' >toys.conf
	ends 2 check toys.conf
	has err "ward: toys.conf:2: modules: cannot be loaded: ./absent.so: "
	has err "build it, or correct the path"
	echo 'modules = ["absent.so"];' >toys.conf
	ends 2 check toys.conf
	has err "ward: toys.conf:1: modules: cannot be loaded: absent.so: "
	has err '; a name without "/" is searched in the folders of the system'
	hasnt err "correct the path"
}

a_shared_object_that_is_there_is_not_looked_for_elsewhere()
{
	echo 'no code' >broken.so
	echo 'modules = ["./broken.so"];' >toys.conf
	ends 2 check toys.conf
	has err "ward: toys.conf:1: modules: cannot be loaded: ./broken.so: "
	hasnt err "correct the path"
	hasnt err "looked for"
	echo 'modules = ["broken.so"];' >toys.conf
	export LD_LIBRARY_PATH="$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	ends 2 check toys.conf
	has err "ward: toys.conf:1: modules: cannot be loaded: "
	hasnt err "looked for"
}

a_file_without_actors_is_nothing_to_run()
{
	: >toys.conf
	ends 0 check toys.conf
	has out "toys.conf: fine: 0 actors, 0 services"
	is "$(cat err)" "ward: toys.conf: has no actors, so there is nothing to run" "the warning"
	ends 2 run toys.conf
	is "$(cat err)" "ward: toys.conf: has no actors, so there is nothing to run" "the error"
	echo "modules = [\"$toys\"]; services: { $(lamp blue) };" >toys.conf
	ends 0 tree toys.conf
	has err ": services run only as long as actors do"
	ends 2 run toys.conf
	is "$(cat err)" "ward: toys.conf: has no actors, so there is nothing to run: services run \
only as long as actors do" "the error"
	[ ! -s out ] || fail "something ran"
}

a_shared_object_without_a_module_is_told_what_it_lacks()
{
	echo "modules = [\"$toys\", \"$empty\"]; actors: {};" >toys.conf
	ends 2 check toys.conf
	has err "ward: toys.conf:1: modules: $empty has no ward_module; define it there"
}

shared_objects_are_found_from_the_folder_of_the_file()
{
	mkdir etc lib
	cp "$toys" lib/toys.so
	file "$(lamp red)"
	sed 's,^modules.*,modules = ["../lib/toys.so"];,' toys.conf >etc/toys.conf
	ends 0 check etc/toys.conf
	(cd etc && ends 0 check toys.conf) || exit 1
	(cd lib && ends 0 check ../etc/toys.conf) || exit 1
}

tree_prints_and_starts_nothing()
{
	file "pair: { children: { $(lamp left) $(lamp right) }; };" "$PUPPET"
	ends 0 tree toys.conf
	has out "    pair: supervisor"
	has out "      left: behavior lamp"
	has out "    puppet: behavior puppet"
	hasnt out "left 1: on"
}

what_cannot_be_printed_is_told()
{
	file "$(lamp red)"
	for verb in check tree; do
		status=0
		"$ward" $verb toys.conf >/dev/full 2>err || status=$?
		is $status 1 "exit status of $verb"
		has err "ward: standard output: No space left"
	done
}

# prints_lines STATUS ARGUMENT...: runs ward, which must exit with one of these; what it prints is
# text, and steers no terminal.
prints_lines()
{
	wanted=$1
	shift
	status=0
	timeout -k 5 60 "$ward" "$@" >out 2>err </dev/null || status=$?
	case " $wanted " in
	*" $status "*) ;;
	*) fail "ward $*: exit status $status" ;;
	esac
	for file in out err; do
		"$hostile" <$file || fail "ward $* prints that on $file"
	done
}

hostile_files_steer_no_terminal()
{
	# What has no mistake does not start.
	file "pair: { children: { $(lamp left) $(lamp right) }; };" 'dud: { behavior = "lamp";' \
		'args: { dud = true; children: { a: { behavior = "lamp"; }; }; }; };'
	echo 'strategies: { twice: { rules: { jammed = "restart"; }; restarts-max = 2; }; };' \
		>>toys.conf
	sed 's/label = "[a-z]*"; //' toys.conf >plain.conf
	evil=$(printf 'a\033[2J\302\233\n\342\200\256b\377')
	seed=0
	while [ $seed -lt 50 ]; do
		seed=$((seed + 1))
		"$hostile" $seed <plain.conf >"$evil"
		prints_lines "0 2" check "$evil"
		prints_lines "0 2" tree "$evil"
		prints_lines "2 3" run "$evil"
	done
	hasnt out "toy 1: on"
}

hostile_names_steer_no_terminal()
{
	evil=$(printf '\033[2J\302\233\n\342\200\256b\377')
	for verb in check tree run; do
		prints_lines 2 $verb "$evil"
		prints_lines 2 "$verb$evil"
		prints_lines 2 $verb "--$evil" toys.conf
		prints_lines 2 $verb toys.conf "$evil"
		: >"$evil"
		prints_lines "0 2" $verb "$evil"
		echo "modules = [\"./$(printf '\033\302\233\342\200\256').so\"];" >"$evil"
		prints_lines 2 $verb "$evil"
		has err '\u{202e}.so'
		rm "$evil"
	done
	prints_lines 2 run --deadline "$evil" toys.conf
}

# ---- run ------------------------------------------------------------------------------------

it_runs_until_it_is_told_to_stop()
{
	for signal in TERM INT HUP; do
		file "pair: { children: { $(lamp left) $(lamp right) }; };" "$PUPPET"
		rm -f commands
		begin "$ward" run toys.conf
		until_has out "toys/"
		until_has out "    puppet running"
		has out "      left running"
		tell hello
		until_has out "puppet 1: hello"
		kill -$signal $pid
		ended 0
		has err "ward: SIG$signal: stopping in order"
		has out "left 1: off"
		has out "right 1: off"
		hasnt err "gave up"
	done
}

a_limit_of_no_descriptors_is_no_end()
{
	file "$PUPPET"
	# The search for leaks opens files, and would be none.
	begin env ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}" "$ward" run toys.conf
	until_has out "    puppet running"
	prlimit --pid $pid --nofile=0:0
	tell hello
	until_has out "puppet 1: hello"
	kill -TERM $pid
	ended 0
	hasnt err "it did not end"
}

the_tree_is_printed_after_all_runs_and_once()
{
	file "$PUPPET" "$(lamp red)"
	begin "$ward" run toys.conf
	until_has out "    red "
	is "$(grep -c '^toys/ ' out)" 1 "pictures"
	grep -n -e 'red 1: on' -e '^toys/ ' out | sort -n | head -n 1 | grep -q 'red 1: on' ||
		fail "the picture came before the actors"
	kill -TERM $pid
	ended 0
	is "$(grep -c '^toys/ ' out)" 1 "pictures in the end"
}

quiet_shows_no_tree()
{
	file "$PUPPET"
	begin "$ward" run --quiet toys.conf
	until_has out "puppet 1: here"
	tell hello
	until_has out "puppet 1: hello"
	kill -TERM $pid
	ended 0
	is "$(cat out)" "puppet 1: here
puppet 1: hello" "output"
}

a_failure_is_logged_and_healed()
{
	file "$PUPPET"
	begin "$ward" run toys.conf
	until_has out "    puppet running"
	tell jam
	until_has out "puppet 2: here"
	until_has err "jammed"
	has err "told to"
	tell hello
	until_has out "puppet 2: hello"
	kill -TERM $pid
	ended 0
}

it_ends_when_all_at_the_top_have_ended()
{
	file "$PUPPET" 'second: { behavior = "puppet"; args: { label = "second"; fd = 4; }; };'
	mkfifo orders
	exec 5<>orders
	begin sh -c 'exec "$0" run toys.conf 4<&5' "$ward"
	until_has out "    second running"
	tell stop
	until_has out "puppet 1: stop"
	echo hello >&5
	until_has out "second 1: hello"
	echo stop >&5
	ended 0
	has err "all actors at the top have ended"
}

it_says_so_when_it_gave_up()
{
	file "$PUPPET" "$(lamp red)"
	begin "$ward" run toys.conf
	until_has out "    red running"
	tell break
	ended 1
	has err 'broken: \x1b[31mred told to'
	has err "ward: toys.conf: it gave up"
	has out "red 1: off"
}

too_many_restarts_are_the_end()
{
	file "$PUPPET"
	sed -i 's/name = "toys"; /&guardian-supervisor-strategy = "twice"; /' toys.conf
	echo 'strategies: { twice: { rules: { jammed = "restart"; }; restarts-max = 2; }; };' \
		>>toys.conf
	begin "$ward" run toys.conf
	until_has out "    puppet running"
	tell jam
	until_has out "puppet 2: here"
	tell jam
	until_has out "puppet 3: here"
	tell jam
	ended 1
	hasnt out "puppet 4: here"
	has err "ward: toys.conf: it gave up"
}

what_does_not_start_is_named_and_the_rest_stopped()
{
	file "$(lamp red)" 'dud: { behavior = "lamp"; args: { dud = true; }; };'
	ends 3 run toys.conf
	has err "ward: toys.conf: not started: "
	has err "dud"
	hasnt err "$(printf '\033')"
	has out "red 1: on"
	has out "red 1: off"
	hasnt out "toys/"
}

a_second_signal_ends_it_at_once()
{
	file "$PUPPET"
	begin "$ward" run toys.conf
	until_has out "    puppet running"
	tell hang
	until_has out "puppet 1: hang"
	kill -TERM $pid
	until_has err "stopping in order"
	# The first ones may come too soon after the other signal.
	gone_soon INT
	ended 130
	has err "ward: SIGINT again: ended at once"
	has err "ward: still there: toys/user/puppet"
}

a_signal_ends_a_start_in_order()
{
	file "$(lamp first)" 'red: { behavior = "lamp"; args: { slow = true; }; };' "$(lamp blue)"
	begin "$ward" run toys.conf
	until_has out "toy 1: slow"
	kill -TERM $pid
	until_has err "ward: SIGTERM: stopping in order; a second signal ends it at once"
	tell go
	ended 0
	has out "first 1: on"
	has out "toy 1: off"
	has out "first 1: off"
	hasnt out "blue 1: on"
	hasnt err "not started"
}

a_second_signal_ends_a_start_at_once()
{
	file 'red: { behavior = "lamp"; args: { slow = true; }; };'
	begin "$ward" run toys.conf
	until_has out "toy 1: slow"
	kill -TERM $pid
	until_has err "stopping in order"
	gone_soon INT
	ended 130
	has err "ward: SIGINT again: ended at once"
	has err "ward: still there: toys/user/red, starting"
}

a_deadline_ends_a_start()
{
	file 'red: { behavior = "lamp"; args: { slow = true; }; };'
	begin "$ward" run --deadline 0 toys.conf
	until_has out "toy 1: slow"
	kill -TERM $pid
	ended 4
	has err "ward: it did not end within 0 seconds"
	has err "ward: still there: toys/user/red, starting"
}

# hangs PLACE: both, where the code of a shared object does not come back.
hangs()
{
	file "$PUPPET"
	export TOYS_HANG=$1
	begin "$ward" run --deadline 0 toys.conf
	until_has err "toys hang at the $1"
	kill -TERM $pid
	ended 4
	has err "ward: it did not end within 0 seconds"
	rm commands
	begin "$ward" run toys.conf
	until_has err "toys hang at the $1"
	kill -TERM $pid
	until_has err "ward: SIGTERM: stopping in order"
	gone_soon INT
	ended 130
	has err "ward: SIGINT again: ended at once"
}

a_module_that_hangs_when_it_starts_is_ended()
{
	hangs start
}

a_module_that_hangs_when_it_is_loaded_is_ended()
{
	hangs load
}

# log_to_pipe: the file logs all lives to a pipe.
log_to_pipe()
{
	mkfifo pipe
	sed -i 's/name = "toys"; /&log: { to = "pipe"; kinds = ["lifecycle"]; }; /' toys.conf
}

a_log_that_nobody_reads_is_told()
{
	file "$PUPPET"
	log_to_pipe
	ends 3 run toys.conf
	has err "ward: toys.conf: not started: the log pipe: no process has this pipe open for reading"
	ends 0 check toys.conf
}

errors_that_nobody_reads_hold_no_end_up()
{
	file 'many: { behavior = "lamp"; pool: { routees = 1500; }; };' "$PUPPET"
	sed -i 's/name = "toys"; /&log: { kinds = ["lifecycle"]; }; /' toys.conf
	mkfifo pipe
	begin sh -c 'exec "$0" run toys.conf 2<>pipe' "$ward"
	until_has out "    many running"
	kill -TERM $pid
	ended 0
	rm commands
	begin sh -c 'exec "$0" run toys.conf 2<>pipe' "$ward"
	until_has out "    many running"
	tell hang
	until_has out "puppet 1: hang"
	kill -TERM $pid
	gone_soon INT
	ended 130
}

a_log_whose_reader_goes_is_no_end()
{
	file "$PUPPET"
	log_to_pipe
	exec 6<>pipe
	begin "$ward" run toys.conf 6>&-
	head -n 1 <&6 >first
	has first "toys/"
	until_has out "    puppet running"
	exec 6>&-
	tell jam
	until_has out "puppet 2: here"
	tell stop
	ended 0
}

a_log_that_is_full_holds_nothing_up()
{
	file 'many: { behavior = "lamp"; pool: { routees = 1500; }; };'
	log_to_pipe
	exec 6<>pipe
	begin "$ward" run toys.conf
	until_has out "    many running"
	kill -TERM $pid
	ended 0
	exec 6>&-
}

a_deadline_ends_what_does_not_come_back()
{
	file "$PUPPET"
	begin "$ward" run --deadline 0 toys.conf
	until_has out "    puppet running"
	tell hang
	until_has out "puppet 1: hang"
	kill -TERM $pid
	ended 4
	has err "ward: it did not end within 0 seconds"
	has err "ward: still there: toys/user/puppet"
}

a_closed_pipe_is_no_end()
{
	file "$PUPPET"
	mkfifo pipe
	head -n 1 <pipe >first &
	reader=$!
	begin sh -c 'exec "$0" run toys.conf >pipe' "$ward"
	wait $reader
	has first "here"
	tell jam
	until_has err "jammed"
	tell stop
	ended 0
}

closed_descriptors_are_nobody_elses()
{
	# A line of eight bytes would be a number for an eventfd.
	file 'p: { behavior = "puppet"; args: { label = "p"; fd = 4; }; };'
	sed -i 's/name = "toys"; /&log: { kinds = ["lifecycle", "failure"]; }; /' toys.conf
	: >err
	mkfifo orders
	exec 5<>orders
	"$ward" run --quiet toys.conf <&- >&- 2>err 4<&5 &
	pid=$!
	trap 'kill -KILL $pid 2>/dev/null' EXIT
	until_has err "toys/user/p: starting -> running"
	echo hi >&5
	echo jam >&5
	until_has err "jammed"
	kill -TERM $pid
	ended 0
	has err "ward: SIGTERM: stopping in order"
	status=0
	"$ward" check toys.conf >&- 2>err || status=$?
	is $status 1 "exit status of check"
}

# stuck COMMAND WORD: the puppet does that, and says the word, where nobody reads its output.
stuck()
{
	file "$PUPPET"
	mkfifo pipe
	begin sh -c 'exec "$0" run toys.conf 1<>pipe' "$ward"
	grep -q "puppet running" pipe
	tell "$1"
	until_has err "$2"
	kill -TERM $pid
	gone_soon INT
	ended 130
	has err "ward: SIGINT again: ended at once"
}

what_nobody_reads_holds_no_end_up()
{
	stuck flood flooding
}

what_there_is_no_room_for_holds_no_end_up()
{
	stuck choke choked
}

# ---- on a terminal --------------------------------------------------------------------------

the_tree_is_drawn_again_when_it_changes()
{
	file "$PUPPET"
	begin "$pty" "$ward" run toys.conf
	until_has out "    puppet running"
	tell jam
	until_has out "incarnation 2"
	up=$(printf '\033\[[0-9]*A')
	grep -q "$up" out || fail "nothing was drawn over"
	has out "jammed"
	# What an actor prints stands above the picture, which is erased first.
	tell hello
	until_has out "$(printf '\033[J')puppet 2: hello"
	tell break
	ended 1
	hasnt out "$(printf '\033[31m')"
	has out "it gave up"
	# All but the last one were erased.
	is "$(grep -c 'toys/ ' out)" $(($(grep -c "$up" out) + 1)) "pictures"
}

a_log_on_the_same_terminal_holds_nothing_up()
{
	# More lines at a time than a pipe has room for.
	file 'many: { behavior = "lamp"; pool: { routees = 1500; }; };'
	sed -i 's/name = "toys"; /&log: { to = "stdout"; kinds = ["lifecycle"]; }; /' toys.conf
	begin "$pty" "$ward" run toys.conf
	until_has out "more"
	kill -TERM $pid
	ended 0
	has out "toys/: stopping -> stopped"
}

a_terminal_that_nobody_reads_holds_no_end_up()
{
	file "$PUPPET"
	for option in --plain ""; do
		rm -f commands
		# shellcheck disable=SC2086
		begin "$pty" --mute "$ward" run $option --deadline 60 toys.conf
		tell flood
		until_has err "flooding"
		kill -TERM $pid
		until_has err "ward: SIGTERM: stopping in order"
		gone_soon INT
		ended 130
		has err "ward: SIGINT again: ended at once"
	done
	rm commands
	begin "$pty" --mute "$ward" run --deadline 0 toys.conf
	tell flood
	until_has err "flooding"
	kill -TERM $pid
	ended 4
	has err "ward: it did not end within 0 seconds"
}

a_log_to_a_terminal_that_nobody_reads_holds_no_start_up()
{
	# shellcheck disable=SC2046
	file $(seq -f 'l%.0f: { behavior = "lamp"; };' 2000)
	sed -i 's/name = "toys"; /&start-timeout = "1 s"; log: { to = "stdout"; kinds = ["lifecycle"]; }; /' \
		toys.conf
	begin "$pty" --mute "$ward" run --quiet --deadline 0 toys.conf
	ended 4
	has err "ward: toys.conf: not started: "
}

plain_prints_it_once()
{
	file "$PUPPET"
	begin "$pty" "$ward" run --plain toys.conf
	until_has out "    puppet running"
	tell jam
	until_has out "puppet 2: here"
	tell stop
	ended 0
	hasnt out "$(printf '\033')"
	is "$(grep -c '^toys/ ' out)" 1 "pictures"
}

# ---- the command line -----------------------------------------------------------------------

a_wrong_command_line_is_told()
{
	file "$(lamp red)"
	ends 2
	has err "usage: ward run"
	ends 2 walk toys.conf
	has err "ward: walk: no such command"
	ends 2 run
	has err "ward: run: a file is missing"
	ends 2 run toys.conf toys.conf
	has err "ward: toys.conf: only one file is allowed"
	ends 2 run --colour toys.conf
	has err "ward: --colour: no such option; see ward --help"
	ends 2 run -zq toys.conf
	has err "ward: -z: no such option; see ward --help"
	ends 2 run --quiet=3 toys.conf
	has err "ward: --quiet=3: takes no value; see ward --help"
	for number in soon 5s -1 1000001; do
		ends 2 run --deadline $number toys.conf
		has err "ward: $number: --deadline needs a number of seconds"
	done
	ends 2 run toys.conf --deadline
	has err "ward: --deadline: needs a value"
	ends 2 check --quiet toys.conf
	has err "are for run"
	ends 0 --help
	has out "usage: ward run"
	ends 0 --version
	grep -qx 'ward [0-9]*\.[0-9]*\.[0-9]*' out || fail "no version"
}

# ---------------------------------------------------------------------------------------------

run_cases()
{
	number=0
	failed=0
	echo "1..$#"
	for name; do
		number=$((number + 1))
		mkdir "$scratch/$name"
		# In a subshell, so that a failed check ends the case only.
		if (cd "$scratch/$name" && $name) >"$scratch/said" 2>&1; then
			echo "ok $number - $name"
		else
			sed 's/^/# /' "$scratch/said"
			echo "not ok $number - $name"
			failed=$((failed + 1))
		fi
		rm -rf "${scratch:?}/$name"
	done
	[ $failed = 0 ]
}

# The _exit() of ThreadSanitizer flushes stdout itself, and so waits: no cases there.
unread="what_nobody_reads_holds_no_end_up what_there_is_no_room_for_holds_no_end_up
	a_terminal_that_nobody_reads_holds_no_end_up
	a_log_to_a_terminal_that_nobody_reads_holds_no_start_up"
grep -q __tsan_init "$ward" && unread=

# shellcheck disable=SC2086
run_cases a_good_file_is_fine all_that_is_wrong_is_told_with_its_line \
	a_file_that_is_not_there_is_named a_shared_object_that_is_not_there_is_named_with_its_line \
	a_shared_object_that_is_there_is_not_looked_for_elsewhere \
	a_shared_object_without_a_module_is_told_what_it_lacks \
	a_file_without_actors_is_nothing_to_run \
	shared_objects_are_found_from_the_folder_of_the_file tree_prints_and_starts_nothing \
	what_cannot_be_printed_is_told hostile_files_steer_no_terminal \
	hostile_names_steer_no_terminal it_runs_until_it_is_told_to_stop \
	a_limit_of_no_descriptors_is_no_end \
	the_tree_is_printed_after_all_runs_and_once quiet_shows_no_tree \
	a_failure_is_logged_and_healed it_ends_when_all_at_the_top_have_ended \
	it_says_so_when_it_gave_up too_many_restarts_are_the_end \
	what_does_not_start_is_named_and_the_rest_stopped a_second_signal_ends_it_at_once \
	a_signal_ends_a_start_in_order a_second_signal_ends_a_start_at_once \
	a_deadline_ends_a_start a_module_that_hangs_when_it_starts_is_ended \
	a_module_that_hangs_when_it_is_loaded_is_ended a_log_that_nobody_reads_is_told \
	errors_that_nobody_reads_hold_no_end_up \
	a_log_whose_reader_goes_is_no_end a_log_that_is_full_holds_nothing_up \
	a_deadline_ends_what_does_not_come_back a_closed_pipe_is_no_end \
	closed_descriptors_are_nobody_elses $unread \
	the_tree_is_drawn_again_when_it_changes plain_prints_it_once \
	a_log_on_the_same_terminal_holds_nothing_up a_wrong_command_line_is_told
