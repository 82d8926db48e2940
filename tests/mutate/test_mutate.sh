#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_mutate.sh MUTATE - what tools/mutate finds in a function of five lines, and its verdicts.
#
# The function has one test of two cases, which notices some changes and not others. Prints TAP.
set -u

mutate=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export BUILD="$work/build"
count=0
failed=0

mkdir -p top/src/core top/src/base top/tests top/tools
cat >top/meson.build <<'EOF'
project('toy', 'c')
subdir('src')
test('unit/core/test_toy', executable('test_toy', 'tests/test_toy.c', link_with: toy))
EOF
cat >top/src/meson.build <<'EOF'
base = files()
toy = static_library('toy', [base, 'core/toy.c'], include_directories: '.')
EOF
printf '[runtime] a toy\nbase | -\ncore | -\n' >top/src/floors
cat >top/src/core/toy.c <<'EOF'
/* toy.c - to be broken. */
#define wardi_assert(holds) ((holds) ? (void)0 : __builtin_trap())
#include <stdbool.h>
static int calls;
static bool checked;
int toy(int a, int b);
int toy(int a, int b)
{
	static const int none = 0;
	wardi_assert(a >= 0);
	checked = true;
	calls++;
#pragma GCC unroll 4
	while (a > 100)
		a -= 2;
	if (a < 3 && b < 3)
		return 1 + none;
	return b == 1000 ? 7 : 2;
}
EOF
# A runner as small as can be: cases, an end of those that hang, and nothing else.
cat >top/tests/test_toy.c <<'EOF'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int toy(int a, int b);
static void end(int signal)
{
	_exit(write(1, "# timed out\n", 12) == signal ? 0 : 1);
}
int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--list") == 0)
		return puts("small [S1]\nlarge") == EOF;
	signal(SIGALRM, end);
	alarm(1);
	if (argc > 1 && strcmp(argv[1], "small") == 0)
		return toy(2, 2) != 1 || toy(3, 2) != 2 || toy(2, 9) != 2;
	return toy(102, 0) != 2;
}
EOF
git -C top init -q

# says NAME STATUS LINE [OPTION...]: LINE, an extended regular expression, is among what it prints.
says()
{
	name=$1
	status=$2
	line=$3
	shift 3
	count=$((count + 1))
	"$mutate" --top "$work/top" "$@" >said 2>&1
	got=$?
	if [ $got = "$status" ] && grep -qE -e "$line" said; then
		echo "ok $count - $name"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		echo "# exit status $got, wanted $status and: $line"
		sed "s/^/# /" said
	fi
}


# change AFTER: the number of the change after which the line is that.
change()
{
	awk -v after="    +$1" '/^#/ { number = substr($1, 2) } $0 == after { print number }' list
}

"$mutate" --top "$work/top" --list >list 2>&1

# Everything is one of these, and the assertion, the static variable and the pragma are none.
cat >wanted <<'EOF'
bound: 3
code: 0
constant: 9
drop: 4
invert: 5
logic: 1
sign: 1
EOF
for kind in bound code constant drop invert logic sign; do
	echo "$kind: $(grep -c ": $kind\$" list)"
done >kinds
count=$((count + 1))
if cmp -s kinds wanted && ! grep -qE 'toy.c:(9|10|13):' list; then
	echo "ok $count - what is changed, and what is left alone"
else
	failed=$((failed + 1))
	echo "not ok $count - what is changed, and what is left alone"
	sed "s/^/# /" kinds list
fi

says "a bound that a case stands on" 0 "killed: unit/core/test_toy small" \
	--only "$(change 'if (a <= 3 && b < 3)')"
says "and in place of or" 0 "^1 mutants: 1 killed, 0 hung, 0 survived" \
	--only "$(change 'if (a < 3 || b < 3)')"
says "a return that is dropped" 0 ": drop: killed" \
	--only "$(grep -E ':17: drop' list | sed 's/^#\([0-9]*\).*/\1/')"
says "a bound that no case stands on" 1 ": bound: survived: 1 cases get there" \
	--only "$(change 'if (a < 3 && b <= 3)')"
says "a loop without an end" 0 "1 hung, 0 survived" \
	--only "$(grep -E ':15: drop' list | sed 's/^#\([0-9]*\).*/\1/')"
says "a part that no case gets to" 1 "survived: no case gets there" \
	--only "$(change 'return b == 1000 ? 7 + 1 : 2;')"

says "files that a pattern names" 0 "^#1 src/core/toy.c" --list --files 'src/core/t*.c'
says "a pattern that names no file" 1 "nothing to change in src/core/y\*.c" --files 'src/core/y*.c'

cat >top/tools/mutate-survivors.txt <<'EOF'
src/core/toy.c toy: calls++; =>
	Nobody reads it.
EOF
drop_calls=$(grep -E ':12: drop' list | sed 's/^#\([0-9]*\).*/\1/')
says "a survivor that is explained" 0 "0 survived, 1 explained: 100.0 % found" --only "$drop_calls"
says "all of them, and those that survive" 1 '^    -checked = true;$'

echo 'src/core/toy.c toy: calls--; =>' >top/tools/mutate-survivors.txt
echo '	Nobody reads it.' >>top/tools/mutate-survivors.txt
says "an explanation of what is not there" 1 "no longer such a change: src/core/toy.c toy: calls--;" \
	--only 1
echo 'src/core/toy.c toy: calls++; =>' >top/tools/mutate-survivors.txt
says "a survivor without a reason" 1 "no reason for" --only 1
rm top/tools/mutate-survivors.txt
sed -i 's/!= 1/!= 4/' top/tests/test_toy.c
says "a case that fails without a change" 1 "has failed without a change" --only 1

echo "1..$count"
[ $failed = 0 ]
