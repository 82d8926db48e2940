#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_bench.sh BENCH - what tools/bench computes from what programs print, and above all that a row
# which has become slow makes its check fail.
#
# Each case puts programs there that print what it wants, and compares what is said and the exit
# status. Prints TAP.
set -u

bench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir ward floor
count=0
failed=0

# program PATH LINE...: a program that prints these lines, \t for a tab.
program()
{
	path=$1
	shift
	{
		echo '#!/bin/sh'
		printf "printf '%s\\\\n'\n" "$@"
	} >"$path"
	chmod +x "$path"
}

# fresh: the ring takes 10 ns on the floor, and 20 with ward; 2 is recorded, of some processor.
fresh()
{
	rm -f again
	program floor/floor-32 'threadring\t10.000\tns/hop'
	program floor/floor-48 'counting\t30.000\tns/msg'
	program ward/ward-bench 'threadring\t20.000\tns/hop'
	printf '# A comment.\nsome\tthreadring\t2.000\n' >recorded.tsv
}

# verdict NAME STATUS: prints one case.
verdict()
{
	count=$((count + 1))
	if [ "$2" = 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' said
	fi
}

# says NAME STATUS TEXT ARGUMENT...: the output has the text, a basic regular expression.
says()
{
	name=$1
	status=$2
	text=$3
	shift 3
	"$bench" --programs . "$@" >said 2>&1
	got=$?
	echo "exit status $got" >>said
	[ $got = "$status" ] && grep -q "$text" said
	verdict "$name" $?
}

tab=$(printf '\t')
ring="--quick --only threadring --check recorded.tsv"

fresh
# shellcheck disable=SC2086
says "a line for the floor" 0 \
	"^floor-32, threadring${tab}1${tab}10.00${tab}10.00${tab}10.00${tab}ns/hop${tab}1.000$" $ring
# shellcheck disable=SC2086
says "a line for the row, with its ratio" 0 \
	"^threadring${tab}1${tab}20.00${tab}20.00${tab}20.00${tab}ns/hop${tab}2.000$" $ring

# sequence PATH VALUE...: a program that prints another value in each run.
sequence()
{
	path=$1
	shift
	rm -f "$path.runs"
	cat >"$path" <<-END
		#!/bin/sh
		echo run >>$path.runs
		set -- $*
		shift \$((\$(wc -l <$path.runs) - 1))
		printf 'threadring\t%s\tns/hop\n' \$1
	END
}

# The machine is half as fast in the last three rounds, but twice ward has luck.
sequence floor/floor-32 10 10 20 20 20
sequence ward/ward-bench 20 20 40 20 20
# shellcheck disable=SC2086
says "the ratio is the median of those of the rounds" 0 \
	"^threadring${tab}1${tab}20.00${tab}20.00${tab}40.00${tab}ns/hop${tab}2.000$" $ring
fresh

program floor/floor-32 'counting\t25.000\tns/msg'
program ward/ward-bench 'counting\t60.000\tns/msg'
says "a stream is held against messages as large as its own" 0 \
	"^counting${tab}1${tab}60.00${tab}60.00${tab}60.00${tab}ns/msg${tab}2.000$" --only counting --workers 1 --rest 0
says "and against small ones, in a row of its own" 0 \
	"^counting, by floor-32${tab}1${tab}60.00${tab}.*${tab}2.400$" --only counting --workers 1 --rest 0

fresh
program floor/floor-32 'counting\t25.000\tns/msg'
program ward/ward-bench 'counting\t60.000\tns/msg'
says "a stream runs cold, too" 0 "^counting, cold${tab}1${tab}60.00${tab}" \
	--only counting --workers 1 --rounds 1 --rest 0
says "but not in the quick form" 0 "^counting${tab}" --quick --only counting --rounds 1 --record cold.tsv
! grep -q cold said
verdict "which has no time to rest" $?
says "a rest is a number" 2 "invalid float value" --only counting --rest long

printf '#!/bin/sh\necho run >>nine\nprintf "echo_1\\t5\\tus\\n"\n' >ward/ward-bench
says "a row of sockets" 0 "^echo_1${tab}1${tab}5.000" --only echo_1 --workers 1
[ "$(wc -l <nine)" = 9 ]
verdict "has nine runs" $?

fresh
program ward/ward-bench 'mem\t650.000\tbytes/actor' 'mem_total\t651.000\tMB'
says "every figure of a program without a floor" 0 "^mem_total${tab}.*${tab}MB${tab}-$" --only mem

fresh
program ward/ward-bench 'threadring\t25.900\tns/hop'
# shellcheck disable=SC2086
says "a row less than 30 % above what is recorded" 0 "${tab}2.590$" $ring
# shellcheck disable=SC2086
says "and that all is well is said at the end" 0 "no row of one thread is more than 30% above" $ring

program ward/ward-bench 'threadring\t26.100\tns/hop'
# shellcheck disable=SC2086
says "a row more than 30 % above it fails" 1 "failed: threadring: 2.61 times the floor" $ring
# shellcheck disable=SC2086
says "what is recorded is said" 1 "recorded are 2.00: 31 % above$" $ring
# shellcheck disable=SC2086
says "and what to do" 1 "tools/bench --quick --record recorded.tsv" $ring
# shellcheck disable=SC2086
says "it was measured once more before" 1 "^bench: threadring: .*; once more, with more rounds" $ring

# Slow in its first five runs, which are those of the first measurement.
cat >ward/ward-bench <<'END'
#!/bin/sh
echo run >>again
[ "$(wc -l <again)" -gt 5 ] && fast=20 || fast=90
printf 'threadring\t%s\tns/hop\n' $fast
END
rm -f again
# shellcheck disable=SC2086
says "a row that was slow the first time only" 0 "once more" $ring
[ "$(wc -l <again)" = 20 ]
verdict "once more is three times as many rounds" $?

fresh
: >recorded.tsv
# shellcheck disable=SC2086
says "a row of which nothing is recorded" 1 "failed: threadring: .* no ratio is recorded" $ring

fresh
says "what is recorded" 0 "${tab}2.000$" --quick --only threadring --record noted.tsv
grep -q "^.*${tab}threadring${tab}2.000$" noted.tsv
verdict "is the ratio" $?

printf 'other\tthreadring\t1.000\n' >>noted.tsv
cp noted.tsv both.tsv
printf 'third\tthreadring\t9.000\n' >>both.tsv
program ward/ward-bench 'threadring\t26.100\tns/hop'
says "of this processor, where it is recorded" 1 "recorded are 2.00: 31 % above$" \
	--quick --only threadring --check both.tsv
grep -v "${tab}2.000$" both.tsv >others.tsv
says "the largest of the others, where it is not" 0 "${tab}2.610$" \
	--quick --only threadring --check others.tsv
program ward/ward-bench 'threadring\t22.000\tns/hop'
says "what is recorded anew" 0 "${tab}2.200$" --quick --only threadring --record both.tsv
[ "$(cut -f 2- both.tsv | grep -v '^#' | tr '\t\n' '  ' | tr -s ' ')" = \
	"threadring 2.200 threadring 1.000 threadring 9.000 " ]
verdict "leaves that of other processors" $?

fresh
program ward/ward-bench 'what?'
# shellcheck disable=SC2086
says "a program that prints no figures" 1 "failed: .*something else than figures" $ring

fresh
printf '#!/bin/sh\nexit 3\n' >ward/ward-bench
# shellcheck disable=SC2086
says "a program that does not come to its end" 1 "failed: .*ward-bench .*: ended with 3" $ring

rm ward/ward-bench
# shellcheck disable=SC2086
says "a program that is not there" 1 "failed: .*ward-bench .*: it is not there; make bench builds" $ring

fresh
says "workers that no row has here" 1 "failed: nothing runs on so many workers here" \
	--only threadring --workers 4096
says "a row that nobody knows" 2 "no such row: thredring" --quick --only thredring

echo "1..$count"
[ "$failed" = 0 ]
