#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_report.sh REPORT - what tools/bench-report writes out of the figures of a run.
#
# Each case has a few rows and figures, and looks for a line of the page or of the chart; above all
# that what was not measured is said to be missing. Prints TAP.
set -u

report=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0
failed=0

# verdict NAME STATUS: prints one case.
verdict()
{
	count=$((count + 1))
	if [ "$2" = 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		cat said performance.md 2>/dev/null | sed 's/^/# /'
	fi
}

# line FILE WORD...: adds a line, tabs between the words.
line()
{
	file=$1
	shift
	(
		IFS=$(printf '\t')
		echo "$*" >>"$file"
	)
}

# fresh: three rows, and figures of which all goals but one are met.
fresh()
{
	rm -f goals.tsv figures.tsv performance.md performance.svg
	echo '# rows' >goals.tsv
	line goals.tsv row title workers unit ward floor erlang caf goal_1 goal_n
	line goals.tsv ring 'a hop' 1,2 ns ring ring@32 ring ring '2 floor' '1.5 own'
	line goals.tsv again 'a restart' 1,2 ns 'again/slow again/fast' 'again@48 again@32' \
		'hand otp' again '3 floor' '0.3 erlang; 2 ring'
	line goals.tsv size 'an actor' 1 bytes size - size - 300 -
	line figures.tsv about date 'the first of May'
	line figures.tsv about processor 'a <fine> one'
	line figures.tsv about others 0.05
	line figures.tsv about rounds 3
	line figures.tsv about erlang 'Erlang/OTP 99'
	for value in 9 10 500; do
		line figures.tsv figure floor ring@32 1 ring $value ns/hop
	done
	line figures.tsv figure floor again@48 1 again 20 ns
	line figures.tsv figure floor again@32 1 again 10 ns
	line figures.tsv figure ward ring 1 ring 15 ns/hop
	line figures.tsv figure ward ring 2 ring 30 ns/hop
	line figures.tsv figure ward again 1 slow 60 ns
	line figures.tsv figure ward again 1 fast 50 ns
	line figures.tsv figure ward again 2 fast 45 ns
	line figures.tsv figure ward size 1 size 272 bytes/actor
	line figures.tsv figure erlang ring 1 ring 150 ns
	line figures.tsv figure erlang ring 2 ring 150 ns
	line figures.tsv figure erlang hand 1 hand 200 ns
	line figures.tsv figure erlang otp 1 otp 400 ns
	line figures.tsv figure erlang hand 2 hand 500 ns
	line figures.tsv figure erlang otp 2 otp 180 ns
	line figures.tsv figure erlang size 1 size 2720 bytes
	line figures.tsv figure caf ring 1 ring 1500 ns
	line figures.tsv failed caf ring 2 'did not finish within 60 s'
	line figures.tsv failed caf again 1 'ended with 139'
	line figures.tsv failed caf again 2 'not installed'
	line figures.tsv field ward_msg 0 8 next
	line figures.tsv field ward_msg 8 8 type
	line figures.tsv field wardi_cell 0 60 mailbox
	line figures.tsv field wardi_cell 60 0 bit
	line figures.tsv field wardi_cell 60 4 flags
	line figures.tsv field wardi_cell 64 8 name
}

# writes NAME FILE TEXT: FILE has a line with the text, a fixed one.
writes()
{
	rm -f performance.md performance.svg
	"$report" figures.tsv . goals.tsv >said 2>&1 && grep -qF -- "$3" "$2"
	verdict "$1" $?
}

# refuses NAME TEXT: it fails, says the text, and writes nothing.
refuses()
{
	rm -f performance.md performance.svg
	! "$report" figures.tsv . goals.tsv >said 2>&1 && grep -qF -- "$2" said &&
		[ ! -e performance.md ] && [ ! -e performance.svg ]
	verdict "$1" $?
	fresh
}

fresh
writes "a row: medians, ratios, the goal" performance.md \
	'| ring | a hop | ns | 10.00 | 15.00 | 150.00 | 1500 | 1.50 | 0.100 | 0.010 | ≤ 2 × floor: 1.50, met |'
writes "a goal by itself on one worker is not met" performance.md '≤ 1.5 × own: 2.00, **not met**'
writes "of several ways the best counts, and is named" performance.md \
	'| 50.00 (again) | 200.00 (hand) |'
writes "it may be another one on two workers" performance.md '| 45.00 (again) | 180.00 (otp) |'
writes "the first floor is the yardstick, the others stand beside it" performance.md \
	'| 2.50 (5.00 by 32 bytes) |'
writes "several goals for a row, by a peer and by another row" performance.md \
	'≤ 0.3 × erlang: 0.25, met<br>≤ 2 × ring: 1.50, met |'
writes "a goal in the unit of the row" performance.md '| ≤ 300: 272.00, met |'
writes "the goals are counted" performance.md \
	'Of 6 goals 5 are met, 1 are not, 0 were not measured.'
writes "what did not finish is said in its row" performance.md \
	'| 30.00 | 150.00 | did not finish within 60 s | 0.200 | – |'
writes "what failed is listed" performance.md '| CAF | again | 1 | ended with 139 |'
writes "a peer that is missing is said to be" performance.md '| CAF | again | 2 | not installed |'
writes "the versions are those that were noted" performance.md '| Erlang | Erlang/OTP 99 |'
writes "what nobody noted is unknown" performance.md '| CAF | unknown |'
writes "who wrote it, and when" performance.md 'figures of this page in one run, on the first of May.'
writes "smallest and largest" performance.md '| floor | ring@32 | 1 | 10.00 | 9.000 | 500.00 | ns |'
sed -i 's|again/slow again/fast|again/fast+slow|' goals.tsv
writes "figures that add up" performance.md '| 110.00 | 200.00 (hand) |'
line figures.tsv figure ward again 1 slow 10 ns
line figures.tsv figure ward again 1 slow 10 ns
writes "medians of them do" performance.md '| 60.00 | 200.00 (hand) |'
fresh
for round in 1 2 3; do
	line figures.tsv figure floor ring@32 1 ring $((round * 10)) ns $round
	line figures.tsv figure ward ring 1 ring $((round == 3 ? 20 : round * 12)) ns $round
	line figures.tsv figure caf ring 1 ring $((round * 100)) ns $round
	line figures.tsv figure ward ring 2 ring $((round == 3 ? 30 : round * 24)) ns $round
done
sed -i '/ward\tring.*ns\/hop/d' figures.tsv
writes "a ratio is the median of those of the rounds" performance.md '| 1.20 | 0.133 | 0.120 |'
writes "that of a goal, too" performance.md '≤ 2 × floor: 1.20, met'
writes "also of one by itself" performance.md '≤ 1.5 × own: 2.00, **not met**'
sed -i '/caf\tring.*100\tns\t1$/d; /caf\tring.*300\tns\t3$/d' figures.tsv
for round in 1 2 3; do
	# Of the floor all are calm; of ward the first two, then three.
	line figures.tsv figure floor ring@32 1 pace 0.45 ns $round
	line figures.tsv figure ward ring 1 pace $((round > 2)).40 ns $round
done
writes "two calm runs are too few" performance.md '| 1.20 | 0.133 |'
sed -i "/pace.1.40.ns.3/d" figures.tsv
line figures.tsv figure ward ring 1 pace 0.45 ns 3
line figures.tsv figure ward ring 1 pace 1.40 ns 4
line figures.tsv figure ward ring 1 ring 999 ns 4
line figures.tsv figure floor ring@32 1 pace 0.47 ns 5
line figures.tsv figure floor ring@32 1 ring 999 ns 5
writes "three calm ones are compared: ward's median by the floor's" performance.md \
	'| 1.00 (1.20 by all pairs) |'
writes "and the goal is held against that" performance.md '≤ 2 × floor: 1.00, met'
sed -i 's/2 floor/1.1 floor/' goals.tsv
writes "how many goals all pairs meet is said beside it" performance.md \
	'Of 6 goals 5 are met, 1 are not, 0 were not measured. By all pairs, calm or not, 4 are met.'
sed -i 's/1.1 floor/2 floor/' goals.tsv
writes "what is calm is said" performance.md '1.15 times as long as the'
! grep -q 'pace |\||.* pace' performance.md
verdict "the pace itself is no row" $?
sed -i '/pace/d; /999/d' figures.tsv
writes "of the rounds in which both ran" performance.md '| 1.20 | 0.133 | 0.120 |'
fresh
line goals.tsv sum 'a sum' 1 ns sum/a+b sum@32 - - '3 floor' -
for round in 1 2 3; do
	line figures.tsv figure floor sum@32 1 sum $((round * 10)) ns $round
	line figures.tsv figure ward sum 1 a $((round * 10)) ns $round
	line figures.tsv figure ward sum 1 b $((round == 2 ? 0 : round * 20)) ns $round
done
writes "of figures that add up: of their sums" performance.md '≤ 3 × floor: 3.00, met'
fresh
writes "the bytes of a message" performance.md '| 8 | 8 | `type` |'
writes "the bytes of a cell, by lines" performance.md '| 0 | `mailbox` 60, `bit`, `flags` 4 |'
writes "and its sum" performance.md 'An actor has one, of 72 bytes'

writes "a bar as long as the logarithm: 1500 ns, of four decades" performance.svg \
	'width="262.0" height="11" fill="#bf8700"'
writes "a number behind it" performance.svg '>150 ns</text>'
writes "large ones in larger units" performance.svg '>1.5 us</text>'
writes "a bar that is missing says why" performance.svg '>CAF: did not finish within 60 s</text>'
! grep -q ">an actor<\|>272" performance.svg
verdict "bytes are no nanoseconds" $?
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("performance.svg")' >said 2>&1
verdict "the chart is well-formed" $?

line figures.tsv failed caf size 1 'a < b & c'
line goals.tsv odd 'a < b' 1 ns - - - size - -
writes "what is no markup" performance.svg '>CAF: a &lt; b &amp; c</text>'
fresh

line figures.tsv about quick yes
writes "a quick run is called one" performance.md '**This was a quick run'
fresh
line figures.tsv about others 0.10
writes "other work on the machine is told" performance.md '**Other work ran on the machine'
fresh
"$report" figures.tsv . goals.tsv >said 2>&1 && [ -s performance.md ] &&
	! grep -q 'Other work\|quick run' performance.md
verdict "and is not where there was none" $?

sed -i '/ward\tring\t2/d' figures.tsv
writes "a goal of which nothing was measured is not met in silence" performance.md \
	'| not measured | 150.00 | did not finish within 60 s | – | – | ≤ 1.5 × own: not measured |'
fresh

line goals.tsv odd 'a thing' 1 ns odd - - - '2 nobody' -
refuses "a goal by something that is no row" 'odd: a goal by nobody'
line goals.tsv odd 'a thing' 1 ns
refuses "a row with too few columns" 'goals.tsv:6: 4 columns'
line figures.tsv figure ward ring 1 ring fast ns
refuses "a figure that is no number" 'figures.tsv:34: '
line figures.tsv figure ward ring 1 ring 15 ns first
refuses "a round that is none" 'figures.tsv:34: '
line figures.tsv figures ward
refuses "a line of no kind" 'no such kind of line: figures'
rm figures.tsv
refuses "no figures at all" 'figures.tsv'

# Parts have tables of their own, with those who measure in them.
fresh
sed -i 1,2d goals.tsv
sed 's/^/Rings\t/; s/\([^\t]*\)\t\([^\t]*\)$/-\t-\t\1\t\2/' goals.tsv >parts.tsv
echo '# rows' >goals.tsv
line goals.tsv part row title workers unit ward floor erlang caf libuv epoll goal_1 goal_n
cat parts.tsv >>goals.tsv
line goals.tsv Sockets echo 'an echo' 1,2 us echo - - - echo echo '1 libuv' '1.5 libuv; 2 own'
line goals.tsv Sockets gone 'an echo' 1 us gone - - - echo - '1 libuv' -
for value in 4 5 9; do
	line figures.tsv figure ward echo 1 echo $value us
done
line figures.tsv figure ward echo 2 echo 8 us
line figures.tsv figure libuv echo 1 echo 10 us
line figures.tsv figure epoll echo 1 echo 4 us
writes "a part has a title" performance.md '### Sockets'
writes "and columns for those who measure in it, and the worst" performance.md \
	'| row | what | unit | ward | libuv | epoll | ward, worst | ward ÷ libuv | ward ÷ epoll | goal for ward |'
writes "of whose runs the largest counts" performance.md \
	'| echo | an echo | us | 5.000 | 10.00 | 4.000 | 9.000 | 0.500 | 1.250 | ≤ 1 × libuv: 0.50, met |'
writes "who has one thread has no column beside two workers" performance.md \
	'| echo | an echo | us | 8.000 | 8.000 | ≤ 1.5 × libuv: 0.80, met<br>≤ 2 × own: 1.60, met |'
writes "another part has others" performance.md \
	'| row | what | unit | floor | ward | Erlang | CAF | ward ÷ floor | ward ÷ Erlang | ward ÷ CAF | goal for ward |'
writes "what ward did not measure has no line but this" performance.md \
	'Rows that were not measured: gone.'

# What a user asks first has a table of its own, of rows that are known by their names.
fresh
line goals.tsv restart 'a restart' 1 ns restart - restart restart - -
line goals.tsv mem 'an actor' 1 bytes mem - mem mem - -
line figures.tsv figure ward restart 1 restart 250 ns
line figures.tsv figure erlang restart 1 restart 1500 ns
line figures.tsv figure ward mem 1 mem 250 bytes
line figures.tsv figure erlang mem 1 mem 2500 bytes
line figures.tsv figure caf mem 1 mem 25 bytes
writes "the first table: short units, and how many times as much a peer takes" performance.md \
	'| an actor fails and is restarted | 1 | 250 ns | 1.5 µs (6 ×) | – |'
writes "bytes" performance.md '| 1 | 250 bytes | 2,500 bytes (10 ×) | 25 bytes (0.1 ×) |'
! grep -q 'a timer and cancel' performance.md
verdict "only rows that there are" $?

# A record has all that the page has.
for round in 1 2 3; do
	line figures.tsv figure floor ring@32 1 ring $((round * 10)) ns $round
	line figures.tsv figure floor ring@32 1 pace 0.45 ns $round
	line figures.tsv figure ward ring 1 ring $((round * round * 10)) ns $round
	line figures.tsv figure ward ring 1 pace 0.45 ns $round
done
mkdir again
"$report" figures.tsv . goals.tsv record.tsv >said 2>&1 &&
	"$report" record.tsv again goals.tsv >>said 2>&1 &&
	cmp again/performance.md performance.md >>said 2>&1 &&
	cmp again/performance.svg performance.svg >>said
verdict "a record makes the same page" $?
grep -q "^runs	ward	again	1	slow	60	60	60	ns\$" record.tsv && ! grep -q pace record.tsv
verdict "a record has each figure once" $?
printf 'runs\tward\tring\t1\tring\t1\tns\n' >figures.tsv
refuses "a record with too few figures" 'figures.tsv:1: '
tree=$(dirname "$report")/..
"$report" "$tree/bench/peers.tsv" again >said 2>&1
cmp again/performance.md "$tree/docs/performance.md" >>said 2>&1 &&
	cmp again/performance.svg "$tree/docs/performance.svg" >>said 2>&1
verdict "docs/performance.md is what the record in bench says" $?

echo "1..$count"
[ $failed = 0 ]
