# SPDX-License-Identifier: MIT
#
# tap.sh - what the scripts share: a folder for each case, the sink, checks, TAP.
#
# A script is called with the paths of ward-sink and of query. It has a function for each case,
# and ends with `run_cases NAME...`. A case fails at the first check that does not hold.
set -u

sink=$(realpath "$1")
query=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

fail()
{
	echo "$*"
	exit 1
}

# is GOT WANTED WHAT
is()
{
	[ "$1" = "$2" ] || fail "$3: got '$1', wanted '$2'"
}

# has FILE PATTERN: a line of the file matches.
has()
{
	grep -q -e "$2" "$1" || {
		cat "$1"
		fail "no line of $1 matches '$2'"
	}
}

# sink_ends STATUS ARGUMENT...: runs the sink, with what it says in `out`, and checks its end.
sink_ends()
{
	wanted=$1
	shift
	status=0
	"$sink" "$@" >out 2>&1 || status=$?
	[ "$status" = "$wanted" ] || {
		cat out
		fail "ward-sink $*: exit status $status, wanted $wanted"
	}
}

# counted FILE READ STORED QUARANTINED: the last line of a run.
counted()
{
	has "$1" "^sink: $2 read = $3 stored + $4 quarantined, 0 lost, 0 duplicated; "
}

# ask SQL: of db/sink.db
ask()
{
	"$query" db/sink.db "$1"
}

# until_true COMMAND...: tries until it succeeds, for half a minute.
until_true()
{
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || fail "waited in vain for: $*"
		sleep 0.05
	done
}

# lines_of FILE
lines_of()
{
	wc -l <"$1" | tr -d ' '
}

# begin CASE: in a folder of its own, and a process, so that a failed check ends the case only.
begin()
{
	mkdir "$scratch/$1"
	(cd "$scratch/$1" && $1) >"$scratch/$1.said" 2>&1 &
	running="$running $1:$!"
	count=$((count + 1))
}

# Waits for the case that was begun first, and says what became of it.
end_oldest()
{
	oldest=${running%%:*}
	oldest=${oldest# }
	running=${running#*:}
	pid=${running%% *}
	running=${running#"$pid"}
	count=$((count - 1))
	number=$((number + 1))
	if wait "$pid"; then
		echo "ok $number - $oldest"
	else
		sed 's/^/# /' "$scratch/$oldest.said"
		echo "not ok $number - $oldest"
		failed=$((failed + 1))
	fi
	rm -rf "${scratch:?}/$oldest"
}

# run_cases CASE...: at_once of them at a time; more than one where they mostly wait.
run_cases()
{
	running=
	count=0
	number=0
	failed=0
	echo "1..$#"
	for name; do
		begin "$name"
		[ $count -lt "${at_once:-1}" ] || end_oldest
	done
	while [ $count -gt 0 ]; do end_oldest; done
	[ $failed = 0 ]
}
