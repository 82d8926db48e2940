#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_bench_peers.sh BENCH_PEERS BENCH_REPORT GOALS - in what order tools/bench-peers runs programs,
# and what it makes of those that fail, hang or are not there.
#
# Each case puts programs there that print what it wants and keep a list of who ran. Prints TAP.
set -u

bench_peers=$1
bench_report=$2
goals=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export BUILD=$work/build
figures=build/peers/figures.tsv
only=pingpong
count=0
failed=0
tab=$(printf '\t')

# verdict NAME STATUS: prints one case.
verdict()
{
	count=$((count + 1))
	if [ "$2" = 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		cat said ran $figures 2>/dev/null | sed 's/^/# /'
	fi
}

# program PARTY PATH COMMAND: a program that says that it ran and then does COMMAND, has some
# benchmarks, and a version.
program()
{
	mkdir -p "$(dirname "bench/$2")"
	cat >"bench/$2" <<-end
		#!/bin/sh
		case \$1 in
		--list) printf '%s\t30000\n' pingpong counting echo_1 echo_100 files_1k ;;
		--version) echo $1 7 ;;
		*)
			echo "$1 \$*" >>$work/ran
			$3
			;;
		esac
	end
	chmod +x "bench/$2"
}

# fresh: four programs that print a figure.
fresh()
{
	rm -rf bench build
	program ward ward/ward-bench 'printf "pingpong\t20\tns\n"'
	program floor floor/floor-32 'printf "pingpong\t10\tns\n"'
	program erlang peers/erlang-peer 'printf "pingpong\t80\tns\n"'
	program caf peers/caf-peer 'printf "pingpong\t100\tns\n"'
}

# measures NAME STATUS TEXT ARGUMENT...: the file of figures has a line with the text, fixed.
measures()
{
	name=$1
	status=$2
	text=$3
	shift 3
	rm -f ran
	"$bench_peers" --programs . --only $only "$@" >said 2>&1
	got=$?
	echo "exit status $got" >>said
	[ $got = "$status" ] && grep -qF -- "$text" $figures
	verdict "$name" $?
}

fresh
measures "a figure of a peer" 0 \
	"figure${tab}erlang${tab}pingpong${tab}1${tab}pingpong${tab}80.0${tab}ns${tab}1" --rounds 2
[ "$(grep -c "caf${tab}pingpong${tab}1${tab}pingpong${tab}100.0${tab}ns${tab}2\$" $figures)" = 1 ]
verdict "and of each round, with its number" $?
measures "the versions are asked for" 0 "about${tab}caf${tab}caf 7" --workers 1
measures "what else ran is noted" 0 "about${tab}others${tab}" --workers 1
measures "the layout of a message" 0 "field${tab}ward_msg${tab}0${tab}8${tab}next" --workers 1
measures "the layout of a cell" 0 "field${tab}wardi_cell${tab}" --workers 1

measures "a load that is given" 0 "figure" --quick --workers 1 --rounds 2
printf '%s pingpong 1 3000\n' floor ward caf erlang floor ward caf erlang | cmp -s - ran
verdict "in turn, and a tenth of the load when quick" $?

measures "on two workers the floor does not run" 0 "figure" --workers 2 --rounds 1
printf '%s pingpong 2\n' ward caf erlang | cmp -s - ran
verdict "but all others do" $?
[ -s build/peers/performance.md ] && [ -s build/peers/performance.svg ]
verdict "the page of a part goes beside the figures" $?

measures "a row that takes little" 0 "figure" --workers 1
[ "$(grep -c ward ran)" = 11 ]
verdict "has eleven rounds" $?

# Of three rounds the first has the machine slow for ward, the last for nobody but caf.
slow='printf "pingpong\t%d\tns\n"'
program ward ward/ward-bench "$slow \$((\$(grep -c '^ward' $work/ran) == 1 ? 40 : 20))"
program caf peers/caf-peer "$slow \$((\$(grep -c '^caf' $work/ran) == 2 ? 100 : 160))"
program floor floor/floor-32 "$slow \$((\$(grep -c '^floor' $work/ran) == 1 ? 20 : 10))"
measures "three rounds" 0 "figure" --workers 1 --rounds 3
grep -q "floor 10.00 (ward 2.000 ×).*CAF 160.00 (ward 0.200 ×)" said
verdict "a ratio is the median of those of the rounds" $?
fresh

# The core is ward's own in each fourth run, and in those for which it waits.
calm='printf "pingpong\\t%d\\tns\\npace\\t%s\\tns\\n"'
program ward ward/ward-bench "[ \$BENCH_PACE = 0.46 ] || [ \$((\$(grep -c '^ward' $work/ran) % 4)) = 0 ] &&
	$calm 30 0.40 || $calm 70 0.90"
program floor floor/floor-32 "$calm 20 0.45"
measures "a machine that is hardly ever calm" 0 "figure" --workers 1
[ "$(grep -c ward ran) $(grep -c floor ran) $(grep -c caf ran)" = '14 14 11' ]
verdict "ward and the floor seek calm until ward has had it five times" $?
grep -q "floor 20.00 (ward 1.500 ×)" said
verdict "of these runs the ratio is made" $?
"$bench_report" $figures . "$goals" >said 2>&1 && grep -qF '| 1.50 (3.50 by all pairs) |' performance.md
verdict "those that sought it make no pairs" $?
measures "a number of rounds that is given" 0 "figure" --workers 1 --rounds 10
[ "$(grep -c ward ran)" = 10 ]
verdict "is kept all the same" $?
grep -q "floor 20.00 (ward 3.500 ×)" said
verdict "two calm runs are too few" $?
program ward ward/ward-bench \
	"if [ \$(grep -c '^ward' $work/ran) -le 11 ]; then $calm 70 0.90; else exit 5; fi"
measures "a failure ends the waiting for calm" 1 \
	"failed${tab}ward${tab}pingpong${tab}1${tab}ended with 5" --workers 1
[ "$(grep -c floor ran)" = 12 ]
verdict "at once" $?

fresh
program caf peers/caf-peer 'sleep 30'
measures "what does not finish" 0 \
	"failed${tab}caf${tab}pingpong${tab}1${tab}did not finish within 1 s" --workers 1 --limit 1
[ "$(grep -c caf ran)" = 1 ]
verdict "is not tried again" $?
grep -q "CAF: did not finish within 1 s" said
verdict "is told at once" $?

fresh
program erlang peers/erlang-peer 'exit 3'
measures "a peer that fails" 0 "failed${tab}erlang${tab}pingpong${tab}1${tab}ended with 3" --workers 1
rm bench/peers/erlang-peer
measures "a peer that is not there" 0 "failed${tab}erlang${tab}pingpong${tab}1${tab}not installed" \
	--workers 1

fresh
program ward ward/ward-bench 'exit 4'
measures "a failure of ward" 1 "failed${tab}ward${tab}pingpong${tab}1${tab}ended with 4" --workers 1
fresh
program floor floor/floor-32 'echo hello'
measures "what prints no figures" 1 "failed${tab}floor${tab}pingpong@32${tab}1${tab}printed something" \
	--workers 1

# Those with one thread.
fresh
only=echo_100
for party in ward/ward-bench peers/erlang-peer peers/libuv-peer peers/epoll-peer; do
	name=$(basename $party | sed 's/-.*//')
	program "$name" $party 'printf "echo_100\t20\tus\n"'
done
measures "a row without nanoseconds" 0 \
	"figure${tab}epoll${tab}echo_100${tab}1${tab}echo_100${tab}20.0${tab}us${tab}1" --rounds 1
printf '%s\n' "ward echo_100 1" "erlang echo_100 1" "libuv echo_100 1" "epoll echo_100 1" \
	"ward echo_100 2" "erlang echo_100 2" | cmp -s - ran
verdict "libuv and epoll run beside one worker" $?
grep -q "ward 20.00 (worst 20.00)" said
verdict "the worst run is said beside the median" $?
program epoll peers/epoll-peer 'exit 3'
measures "a loop that fails is a peer that fails" 0 \
	"failed${tab}epoll${tab}echo_100${tab}1${tab}ended with 3" --workers 1 --rounds 1

# The goals of lines_1 are about one worker, and none is about echo_1.
for party in ward/ward-bench peers/libuv-peer peers/epoll-peer; do
	name=$(basename $party | sed 's/-.*//')
	program "$name" $party 'printf "$1\t20\tus\n"'
done
only=echo_1
measures "a row without a goal" 0 "figure${tab}libuv${tab}echo_1${tab}1"
[ "$(grep -c 'ward.* 1$' ran) $(grep -c 'ward.* 2$' ran) $(grep -c epoll ran)" = '5 5 5' ]
verdict "has five rounds" $?
only=echo_100
measures "a row with a goal on both" 0 "figure${tab}libuv${tab}echo_100${tab}1"
[ "$(grep -c 'ward.* 1$' ran) $(grep -c 'ward.* 2$' ran) $(grep -c epoll ran)" = '11 11 11' ]
verdict "has all its rounds on both" $?
sed -i 's/echo_100 files_1k/echo_100 lines_1/' bench/ward/ward-bench bench/peers/libuv-peer
only=lines_1
measures "a row with a goal on one worker" 0 "figure${tab}libuv${tab}lines_1${tab}1"
[ "$(grep -c 'ward.* 1$' ran) $(grep -c 'ward.* 2$' ran)" = '11 5' ]
verdict "has all its rounds there" $?

# Programs of files, and a part of the rows.
fresh
program nginx files/nginx-peer 'printf "files_1k\t20\tus\n"'
program ward files/ward-files 'printf "files_1k\t30\tus\n"'
only='files_1?'
measures "files" 0 "figure${tab}nginx${tab}files_1k${tab}1${tab}files_1k${tab}20.0${tab}us${tab}1" --rounds 1
printf '%s files_1k 1\n' ward nginx | cmp -s - ran && grep -q "nginx 20.00 (ward 1.500 ×)" said
verdict "are served by programs of their own" $?
program ward ward/ward-bench 'printf "$1\t20\tns\n"'
rm -f ran
"$bench_peers" --programs . --part mess --rounds 1 --workers 1 >said 2>&1
grep -q '^ward pingpong 1$' ran && grep -q '^ward counting 1$' ran && ! grep -q echo ran
verdict "the rows of a part" $?
[ -s build/peers/performance.md ]
verdict "and their page goes beside the figures" $?
! "$bench_peers" --programs . --part none >said 2>&1 && grep -q 'no such part: none; there are Messages;' said
verdict "a part that is none" $?

# Cold and warm.
fresh
only=counting_warm
program ward ward/ward-bench 'printf "counting\t20\tns\n"'
program floor floor/floor-48 'printf "counting\t20\tns\n"'
measures "a warm run" 0 "figure${tab}ward${tab}counting:warm${tab}1${tab}counting${tab}20.0" \
	--workers 1 --rounds 1
printf '%s\n' "floor counting 1" "ward counting 1" "ward counting 1" | cmp -s - ran
verdict "is the second of two" $?
[ "$(grep -c "counting:warm" $figures)" = 1 ]
verdict "and the first is no figure" $?
only=counting_cold
begin=$(date +%s)
measures "a cold run" 0 "figure${tab}ward${tab}counting:cold${tab}1${tab}counting${tab}20.0" \
	--workers 1 --rounds 1
[ $(($(date +%s) - begin)) -ge 4 ] && [ "$(grep -c ward ran)" = 1 ]
verdict "begins after a rest" $?

fresh
only=pingpong
! "$bench_peers" --programs . --only nothing >said 2>&1 && grep -q 'no such row: nothing' said
verdict "a row that is none" $?

echo "1..$count"
[ $failed = 0 ]
