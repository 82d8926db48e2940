#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_contract.sh CONTRACT - what tools/contract accepts as a proof, and above all what it refuses.
#
# Each case makes a Meson build of two programs, a log of their outcomes and a page of three
# clauses, breaks one of them, and compares a line, the last line and the exit status. Prints TAP.
set -u

contract=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0
failed=0

# lists NAME LINE...: a test program of that name, with these cases.
lists()
{
	name=$1
	shift
	{
		echo '#!/bin/sh'
		echo "cat <<'LIST'"
		printf '%s\n' "$@"
		echo LIST
	} >"$name"
	chmod +x "$name"
	touch -d '2001-01-01' "$name"
}

# ran PROGRAM STDOUT: its outcomes. STDOUT is JSON, so its ends of lines are \n.
ran()
{
	printf '{"name": "ward:x / %s", "stdout": "%s", "result": "OK"}\n' "$1" "$2" \
		>>build/meson-logs/testlog.json
}

# What is proven: S1 and S2 by tests, S3 by construction.
whole()
{
	rm -rf ./*
	mkdir -p build/meson-info build/meson-logs
	cat >build/meson-info/intro-tests.json <<-EOF
		[{"name": "scenario/test_a", "cmd": ["$work/a"]},
		 {"name": "unit/core/test_b", "cmd": ["$work/b"]},
		 {"name": "tidy", "cmd": ["false"]}]
	EOF
	lists a 'one [S1]' 'both [S1 S2]' 'none'
	lists b 'two [S2]'
	ran scenario/test_a 'ok 1 - one [S1]\nok 2 - both [S1 S2]\nok 3 - none\n'
	ran unit/core/test_b 'ok 1 - two [S2]\n'
	cat >page.md <<-EOF
		# A page

		Words above the clauses.

		## First things

		### S1

		**This.** It is so.

		Proven by: a.

		### S2

		**That.** It is so.

		Proven by: a, unit/core/b.

		## Last things

		### S3

		**The other.** It is so.

		By construction: there is no way
		to break it.

		Proven by: none yet.
	EOF
}

# says NAME STATUS LINE LAST [OPTION...]: LINE is among what it prints, LAST at the end.
says()
{
	name=$1
	status=$2
	line=$3
	last=$4
	shift 4
	count=$((count + 1))
	"$contract" --from build --doc page.md --clauses 3 --written 3 "$@" >said 2>&1
	got=$?
	if [ $got = "$status" ] && grep -qxF -e "$line" said && [ "$(tail -n 1 said)" = "$last" ]; then
		echo "ok $count - $name"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		echo "# exit status $got"
		sed "s/^/# /" said
	fi
}

whole
says "all is proven" 0 "S2 ok: both, two" "contract: 3 of 3 clauses proven by 3 tests"
says "what holds by construction" 0 "S3 by construction" \
	"contract: 3 of 3 clauses proven by 3 tests"

whole
sed -i 's/ok 1 - two/not ok 1 - two/' build/meson-logs/testlog.json
says "a test that failed" 1 "S2 failing: unit/core/b: two failed" \
	"contract: 2 of 3 clauses proven by 2 tests"

says "once more, near the end" 1 "contract: S2 is failing: unit/core/b: two failed" \
	"contract: 2 of 3 clauses proven by 2 tests"

whole
sed -i 's/ok 1 - two \[S2\]/ok 1 - two # SKIP/' build/meson-logs/testlog.json
says "a test that was skipped" 1 "S2 failing: unit/core/b: two failed" \
	"contract: 2 of 3 clauses proven by 2 tests"

whole
sed -i 's/ok 2 - both.*ok 3/ok 3/' build/meson-logs/testlog.json
says "a test that its program did not get to" 1 "S1 failing: a: both did not run" \
	"contract: 1 of 3 clauses proven by 2 tests"

whole
lists b 'two'
sed -i 's/a, unit.core.b/a/' page.md
says "a clause with fewer tests" 0 "S2 ok: both" "contract: 3 of 3 clauses proven by 2 tests"

whole
lists a 'one [S1]'
lists b 'two'
sed -i 's/a, unit.core.b/none yet/' page.md
says "a clause without tests" 1 "S2 missing: no test names it" \
	"contract: 2 of 3 clauses proven by 1 tests"

whole
sed -i 's/^Proven by: a, unit.*/Open: the rest\nof it.\n\n&/' page.md
says "a clause that is open in part" 1 \
	"S2 missing: its section says what is open: the rest of it." \
	"contract: 2 of 3 clauses proven by 3 tests"

whole
sed -i 's/^By construction:.*/By construction:/; /^to break it/d' page.md
says "by construction, without a reason" 1 "S3 missing: by construction, without a why" \
	"contract: 2 of 3 clauses proven by 3 tests"

whole
sed -i 's/^Proven by: a.*/By construction: so.\n\n&/' page.md
says "by construction, with tests" 0 "S1 by construction: both, one" \
	"contract: 3 of 3 clauses proven by 3 tests"

whole
for clause in 4 5 6 7 8; do
	printf '\n### S%s\n\nIt is so.\n\nBy construction: so.\n\nProven by: none yet.\n' "$clause"
done >>page.md
says "too much by construction" 1 "contract: more than 5 clauses by construction" \
	"contract: 8 of 8 clauses proven by 3 tests" --clauses 8 --written 8

whole
sed -i '/^### S2/,/^## /{/^## /!d}' page.md
says "a clause without a section" 1 "contract: S2 has no section" \
	"contract: 3 of 3 clauses proven by 3 tests"

whole
sed -i 's/^### S2$/&\n\nIt is so.\n\n&/' page.md
says "a clause with two sections" 1 "contract: S2 has two sections" \
	"contract: 3 of 3 clauses proven by 3 tests"

whole
sed -i '/That/d' page.md
says "a clause without a text" 1 "contract: the section of S2 has no text" \
	"contract: 3 of 3 clauses proven by 3 tests"

s4='

### S4

It is so.

Proven by: a.'

whole
echo "$s4" >>page.md
says "a section of no clause" 1 "contract: S4 is no clause" \
	"contract: 3 of 3 clauses proven by 3 tests"

whole
echo "$s4" >>page.md
lists a 'one [S1]' 'both [S1 S2]' 'none [S4]'
says "a clause beyond those that must hold" 0 "S2 ok: both, two" \
	"contract: 3 of 3 clauses proven by 3 tests" --written 4

whole
lists a 'one [S1]' 'both [S1 S2]' 'none [S04]'
says "a test that names no clause" 1 \
	"contract: scenario/test_a: none names S04, which is no clause" \
	"contract: 3 of 3 clauses proven by 3 tests"

whole
sed -i 's/a, unit.core.b/a/' page.md
says "a section that names other tests" 1 "contract: the section of S2 names the tests a, and they \
are a, unit/core/b; tools/contract --write corrects it" "contract: 3 of 3 clauses proven by 3 tests"
says "a section whose tests are written" 0 "S2 ok: both, two" \
	"contract: 3 of 3 clauses proven by 3 tests" --write
says "a section whose tests were written" 0 "S2 ok: both, two" \
	"contract: 3 of 3 clauses proven by 3 tests"

# unchanged NAME: --write leaves the page as whole() makes it.
unchanged()
{
	mv page.md written.md
	whole_page=$(cat written.md)
	whole
	count=$((count + 1))
	if [ "$whole_page" = "$(cat page.md)" ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
	fi
}
unchanged "all else on the page stays as it was"

whole
sed -i '/^Proven by/d' page.md
says "sections without tests" 1 \
	"contract: the section of S2 names no tests; tools/contract --write adds them" \
	"contract: 3 of 3 clauses proven by 3 tests"
says "sections that get their tests" 0 "S2 ok: both, two" \
	"contract: 3 of 3 clauses proven by 3 tests" --write
unchanged "they get them at the end"

whole
touch -d '2100-01-01' a
says "a program built after it ran" 1 "contract: build: scenario/test_a was built after it ran" \
	"contract: build: scenario/test_a was built after it ran"

whole
sed -i '/test_b/d' build/meson-logs/testlog.json
says "a program that was not run" 1 "contract: build: unit/core/test_b was not run" \
	"contract: build: unit/core/test_b was not run"

whole
echo '{"name": "x", "resu' >>build/meson-logs/testlog.json
count=$((count + 1))
if "$contract" --from build --doc page.md --clauses 3 --written 3 >said 2>&1; then
	failed=$((failed + 1))
	echo "not ok $count - a log that was cut off"
else
	echo "ok $count - a log that was cut off"
fi

echo "1..$count"
[ $failed = 0 ]
