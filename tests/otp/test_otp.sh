#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_otp.sh GENERATE SUPERVISED [COUNT [FIRST]] - holds the OTP profile against Erlang's supervisor:
# COUNT scripts (200) of each strategy, drawn from the seeds from FIRST (1) on, are acted out on both,
# and what happens must be the same. Prints TAP. README.md says what a script is.
#
# Where there is no Erlang it says so, and is skipped.
set -u

generate=$1
supervised=$2
count=${3:-${WARD_OTP_SCRIPTS:-200}}
first=${4:-1}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failed=0

command -v escript >/dev/null || {
	echo "1..0 # SKIP there is no Erlang here (escript, of erlang-base)"
	exit 0
}

# check NAME COMMAND...
check()
{
	number=$((number + 1))
	name=$1
	shift
	if "$@" >"$work/said" 2>&1; then
		echo "ok $number - $name"
	else
		failed=$((failed + 1))
		echo "not ok $number - $name"
		sed 's/^/# /' "$work/said"
	fi
}

# same SCRIPTS A B: whether two traces are the same; prints the first script that differs, with both.
same()
{
	cmp -s "$2" "$3" && [ -s "$2" ] && return 0
	script=$(awk 'NR == FNR { a[FNR] = $0; next }
		$1 == "script" { script = $2 }
		a[FNR] != $0 { print script; found = 1; exit }
		END { if (!found && FNR < length(a)) { split(a[FNR + 1], w); print w[1] == "script" ? w[2] : script } }
	' "$2" "$3")
	for trace; do
		echo "-- ${trace##*/}"
		sed -n "/^script $script\( \|\$\)/,/^end\$/p" "$trace"
	done
	return 1
}

# acted STRATEGY, or known: acts the scripts out on both.
acted()
{
	case $1 in
	known) cp "$here/known.txt" "$work/known.script" ;;
	*) "$generate" "$1" "$first" "$count" >"$work/$1.script" ;;
	esac &&
		ERL_FLAGS="+S 1" escript "$here/supervisor.escript" <"$work/$1.script" >"$work/$1.otp" &&
		"$supervised" <"$work/$1.script" >"$work/$1.ward" &&
		[ "$(grep -c '^end$' "$work/$1.otp")" = "$(grep -c '^script ' "$work/$1.script")" ]
}

# happens STRATEGY PATTERN...: whether each is somewhere in what happened, so that all is tried.
happens()
{
	trace=$work/$1.otp
	shift
	for pattern; do
		grep -q -- "$pattern" "$trace" || {
			echo "never: $pattern"
			return 1
		}
	done
}

# differs SED: whether `same` notices what sed does to a trace, and names a script.
differs()
{
	sed "$1" "$work/one_for_all.otp" >"$work/changed"
	! same "$work/one_for_all.script" "$work/one_for_all.otp" "$work/changed" >"$work/shown" &&
		grep -q '^script [0-9]' "$work/shown"
}

check "known: what seeds seldom lead to is acted out" acted known
check "known: what happens is the same" same "$work/known.script" "$work/known.otp" "$work/known.ward"
for strategy in one_for_one one_for_all rest_for_one simple_one_for_one; do
	check "$strategy: $count scripts are acted out" acted $strategy
	check "$strategy: what happens is the same" \
		same "$work/$strategy.script" "$work/$strategy.otp" "$work/$strategy.ward"
	check "$strategy: ends of all kinds are tried" happens $strategy \
		'^- . normal' '^- . shutdown$' '^- . shutdown_x' '^- . error' '^- . killed' \
		'^- . odd' '^! . failed' '^! . ignored' '^supervisor shutdown' \
		'= terminate ok' '= start ok .$' '= start ok none' '= start start_failed' \
		'= terminate dead' '= start dead' '? gone' '? none' '? unlinks'
done
for strategy in one_for_one one_for_all rest_for_one; do
	check "$strategy: answers of all kinds are tried" happens $strategy \
		'= start already_started' '= start already_present' '= start bad_spec' \
		'= restart ok' '= restart running' '= restart restarting' '= restart not_found' \
		'= restart start_failed' '= delete ok' '= delete running' '= delete restarting' \
		'= delete not_found' '= terminate not_found' '= which .*:restarting' '= get . ' '= count ' '! not started'
done
check "simple_one_for_one: what it does not answer" happens simple_one_for_one \
	'= restart simple_one_for_one' '= delete simple_one_for_one' \
	'= terminate simple_one_for_one' '= which .*:restarting'

check "an event that is missing is noticed" differs '0,/^- . /{/^- . /d}'
check "another event is noticed" differs '0,/^+ a/s/^+ a/+ b/'
check "two events in another order are noticed" differs '0,/^- . /{/^- . /{h;d}};/^# /{x;/./p;x;h;s/.*//;x}'
check "a script that is missing is noticed" differs '$d'
check "a trace that is empty is noticed" differs d

echo "1..$number"
[ $failed = 0 ]
