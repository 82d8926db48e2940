#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tidy.sh TIDY - breaks each rule of tools/tidy once, and expects that breach and no other.
#
# Each case writes a small tree that keeps all rules (checked, too), spoils one file of it, and
# compares what tidy says. Prints TAP.
set -u

tidy=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree" "$tree".*' EXIT
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
		sed 's/^/# /' "$tree.said"
	fi
}

# head_of FILE: the head that each C file has.
head_of()
{
	printf '/* SPDX-License-Identifier: MIT\n *\n * %s - a sample.\n */\n' "${1##*/}"
}

# fresh: a tree that keeps all rules, a copy of the one that is written first.
fresh()
{
	[ -d "$tree.kept" ] || {
		write_tree
		cp -r "$tree" "$tree.kept"
	}
	rm -rf "$tree"
	cp -r "$tree.kept" "$tree"
	cd "$tree" || exit 1
}

write_tree()
{
	mkdir -p "$tree/include/ward" "$tree/src/base" "$tree/src/sched" "$tree/src/cell" \
		"$tree/src/supervise" "$tree/src/testkit/run" "$tree/src/testkit/kit" \
		"$tree/tests/unit/base" \
		"$tree/tests/scenario/watch" "$tree/examples/01-hello" "$tree/include/ward/testkit"
	cd "$tree" || exit 1
	for file in src/base/list.c src/sched/timer_heap.c src/cell/cell.c src/supervise/limit.c \
		src/testkit/run/checks.c tests/unit/base/test_list.c tests/scenario/watch/test_watch.c \
		src/testkit/kit/kit.c examples/01-hello/hello.c; do
		head_of "$file" >"$file"
	done
	{
		head_of actor.h | sed 's, actor.h, ward/actor.h,'
		printf '#define WARD_HELPER_(a) a\n\n'
		printf '/** Says. Cost: O(1). */\nWARD_API int ward_say(int a,\n\t\t\tint b);\n\n'
		printf '/** Both. */\n#define WARD_ONE 1\n#define WARD_TWO 2\n'
	} >include/ward/actor.h
	printf '# Lowest first.\n[runtime] all\n%s | -\n%s | -\n%s | -\n%s | -\n' \
		base sched cell supervise >src/floors
	printf '\n[common] shared\ncommon | -\n[otp] otp\notp | -\n[akka_zero] zero\nakka_zero | -\n' >>src/floors
	printf '\n[patterns] ready\npatterns/fsm | -\n' >>src/floors
	printf '\n[testkit] checks\n%s | -\n%s | -\n[tables]\ncell | 1 | -\n' testkit/run \
		testkit/kit >>src/floors
	printf '#include "sched/timer_heap.h"\n#include "cell/cell.h"\n' >>src/cell/cell.c
	printf '#include <ward/testkit.h>\n#include "testkit/run/case_result.h"\n' \
		>>src/testkit/run/checks.c
	printf '#include "testkit/run/case_result.h"\n#include "testkit/kit/kit.h"\n' \
		>>src/testkit/kit/kit.c
	printf '#include <ward/ward.h>\n' >>examples/01-hello/hello.c
	printf "# SPDX-License-Identifier: MIT\n'actor.h'\n" >include/ward/meson.build
	printf "# SPDX-License-Identifier: MIT\n'base/list.c' 'sched/timer_heap.c' 'cell/cell.c' %s\n" \
		"'supervise/limit.c' 'testkit/run/checks.c' 'testkit/kit/kit.c'" >src/meson.build
	printf "# SPDX-License-Identifier: MIT\n'01-hello': 'hello'\n" >examples/meson.build
	echo '[01-hello](01-hello/hello.c)' >examples/README.md
	printf "# SPDX-License-Identifier: MIT\n%s\n%s\n" "'unit/base': ['test_list']," \
		"'scenario/watch': ['test_watch']," >tests/meson.build
	echo "Each end is heard of once." >tests/scenario/watch/README.md
	printf '```c\n#include <ward/ward.h>\n```\n' >README.md
}

# refuses NAME WHERE RULE: tidy must print one breach, at WHERE, of RULE.
refuses()
{
	"$tidy" "$tree" >"$tree.said" 2>&1
	status=$?
	[ $status = 1 ] && [ "$(wc -l <"$tree.said")" = 1 ] &&
		grep -q "^$2: $3: " "$tree.said"
	verdict "$1" $?
	fresh
}

fresh
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "a tree that keeps the rules passes" $?

# The lines that a function adds go to the end of a file, so a case names the line: 5 is the first.
add()
{
	cat >>"$1"
}

echo '#include "cell/cell.h"' | add src/base/list.c
refuses "base must not include cell" src/base/list.c:5 include

echo '#include "supervise/limit.h"' | add src/cell/cell.c
refuses "cell must not include supervise" src/cell/cell.c:7 include

echo '#include "testkit/run/checks.h"' | add src/cell/cell.c
refuses "the runtime must not include a library" src/cell/cell.c:7 include

echo '#include <ward/testkit/check.h>' | add src/cell/cell.c
refuses "the runtime must not know the testkit" src/cell/cell.c:7 include

echo '#include "cell/cell.h"' | add src/testkit/run/checks.c
refuses "the testkit must not know the inside of ward" src/testkit/run/checks.c:7 include

mkdir src/otp && head_of start.c | add src/otp/start.c && echo "'otp/start.c'" | add src/meson.build
printf '#include "common/records.h"\n#include "patterns/fsm/fsm.h"\n' | add src/otp/start.c
refuses "a profile includes common, and must not include patterns" src/otp/start.c:6 include

mkdir src/akka_zero && head_of links.c | add src/akka_zero/links.c &&
	echo "'akka_zero/links.c'" | add src/meson.build
echo '#include "otp/otp_supervisor.h"' | add src/akka_zero/links.c
refuses "a profile must not include another one" src/akka_zero/links.c:5 include

echo '#include <cell/cell.h>' | add src/base/list.c
refuses "angle brackets do not hide an include upward" src/base/list.c:5 include

echo '#include <ward/otp.h>' | add src/cell/cell.c
refuses "the runtime must not know a profile" src/cell/cell.c:7 include

mkdir src/common && head_of records.h | add src/common/records.h
echo '#include "base/list.h"' | add src/common/records.h
refuses "common must not know the inside of ward" src/common/records.h:5 include

mkdir src/common && head_of records.h | add src/common/records.h
printf '#include "common/records.h"\n#include "sched/timer_heap.h"\n' | add src/base/list.c
refuses "the runtime includes common, and must not include what is above" src/base/list.c:6 include

echo '#include "testkit/kit/kit.h"' | add src/testkit/run/checks.c
refuses "the order counts inside a library, too" src/testkit/run/checks.c:7 include

sed -i '/^cell |/d' src/floors
sed -i '/#include/d' src/cell/cell.c
refuses "a folder has a line in src/floors" src/cell/cell.c:1 floor

echo '#include <ward/actor.h>' | add src/sched/timer_heap.c
refuses "sched must not know actors" src/sched/timer_heap.c:5 include

echo '#include "list.h"' | add src/base/list.c
refuses "an include names its folder" src/base/list.c:5 include

echo '#include "cell/cell.h"' | add examples/01-hello/hello.c
printf '```c\n#include <ward/ward.h>\n#include "cell/cell.h"\n```\n' >README.md
refuses "an example includes public headers only" examples/01-hello/hello.c:6 include

echo '#include "base/list.h"' | add include/ward/actor.h
refuses "a public header includes public headers only" include/ward/actor.h:14 include

mkdir docs
printf '# Locks\n\n%s HEAD\n' '<<<<<<<' >docs/locks.md
refuses "no merge is left unresolved" docs/locks.md:3 conflict

sed -i 1d src/base/list.c
sed -i '1i/* no licence' src/base/list.c
refuses "a source names its licence" src/base/list.c:1 licence

sed -i 's/list.c - /cell.c - /' src/base/list.c
refuses "a source says what it is" src/base/list.c:3 opening

awk 'BEGIN { for (i = 0; i < 597; i++) print "int x;" }' | add src/base/list.c
refuses "a file of 601 lines is too long" src/base/list.c:601 length

awk 'BEGIN { for (i = 0; i < 596; i++) print "int x;" }' | add src/base/list.c
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "a file of 600 lines is not" $?
fresh

mv examples/01-hello/hello.c examples/01-hello/long.c
rm README.md
sed -i 's/hello.c/long.c/' examples/01-hello/long.c
echo "'long'" | add examples/meson.build
awk 'BEGIN { for (i = 0; i < 116; i++) print "int x;" }' | add examples/01-hello/long.c
refuses "an example of 121 lines is too long" examples/01-hello/long.c:121 length

awk 'BEGIN { print "int f(void)\n{"; for (i = 0; i < 69; i++) print "\tx++;"; print "}" }' |
	add src/base/list.c
refuses "a function of 71 lines is too long" src/base/list.c:6 function

awk 'BEGIN { print "int f(void)\n{"; for (i = 0; i < 68; i++) print "\tx++;"; print "}" }' |
	add src/base/list.c
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "a function of 70 lines is not" $?
fresh

printf '\t\t/* %085d */\n' 0 | tr 0 x | add src/base/list.c
"$tidy" "$tree" >"$tree.said" 2>&1
grep -q '^src/base/list.c:5: width: ' "$tree.said"
verdict "a line of 107 columns is too wide" $?
fresh

printf '\n/** A union. */\nunion ward_either {\n\tint a;\n};\n' | add include/ward/actor.h
refuses "a public name that no manual page can have" include/ward/actor.h:16 page

head_of link.h | sed 's, link.h, ward/link.h,' | add include/ward/link.h
printf '\n/** Says it. Cost: O(1). */\nWARD_API int ward_say(int b);\n' | add include/ward/link.h
echo "'link.h'" | add include/ward/meson.build
refuses "a public name on two manual pages" include/ward/link.h:1 page

# Each word of a translation, alone in a comment.
cat >"$tree.words" <<'EOF'
The parent hears of it.
The actors hear of it.
Hear of it.
Hears of it.
A parent is told of it.
They are told of it.
Gives the list.
Looks at the list. Gives its length.
The 0 at its end is counted.
The texts have a 0 at their end.
There is a 0 at the end.
It starts anew.
Anew it starts.
It fails for lack of memory.
It waits for want of memory.
For lack of memory it fails.
For want of memory it fails.
Meanwhile it waits.
It waits meanwhile.
It waits all the same.
All the same it waits.
It waits, and stops besides.
Whoever asks gets it.
It goes to whoever asks.
It is who asks.
It is the ref of who asks.
It is for who asks.
It goes to who asks.
Who waits gets it.
Here it waits. Who asks gets it.
Says whether it is there.
It answers WARD_EINVAL.
It answers a code.
It is not there any more.
It is not there any more, but was.
Whatever becomes of it.
It waits for ever.
It is put by.
All but for the last.
The parent hears that.
The parent hears, and stops.
It tells of an end.
It sees to the end.
It fails when memory is out.
The message is the record's no more.
None ends without the other one's hearing.
It comes once, one in a minute at most.
Its end, which is to come, goes unnoticed.
Its end is nothing to this one.
It may be free the next moment.
This is the detail of now.
So often in a row it is started again.
Two actors, of which none ends alone.
EOF
sed 's,.*,/* & */,' "$tree.words" | add src/base/list.c
"$tidy" "$tree" >"$tree.said" 2>&1
sed -n 's,^src/base/list.c:\([0-9]*\): plain: .*,\1,p' "$tree.said" | sort -nu >"$tree.lines"
seq 5 $(($(wc -l <"$tree.words") + 4)) | diff - "$tree.lines" >>"$tree.said" &&
	! grep -qv '^src/base/list.c:[0-9]*: plain: ' "$tree.said"
verdict "each word of a translation is refused" $?
fresh

# Plain English that comes close.
sed 's,.*,/* & */,' <<'EOF' | add src/base/list.c
Gives up after the last one. Gives back the memory.
It tells one of them. It sees the end.
The actor who asks gets it.
The answers of an actor. WARD_EINVAL: it answers.
The terminating 0 at position 7.
So many of them wait that there is no more room.
This is at most one in a minute.
EOF
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "plain English is not" $?
fresh

printf '\n/** Gives the list. Cost: O(1). */\nWARD_API int ward_list(void);\n' | add include/ward/actor.h
refuses "words of a translation in a header" include/ward/actor.h:15 plain
mkdir -p docs/guide && echo 'The parent hears of it.' >docs/guide/parents.md
refuses "and on a page" docs/guide/parents.md:1 plain
mkdir -p docs/guide && echo 'A stop is no failure.' >docs/guide/stops.md
refuses "a thing that is no other thing" docs/guide/stops.md:1 plain
mkdir -p docs/guide && echo 'There is no limit, and this is no longer so.' >docs/guide/limits.md
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "except after 'there'" $?
fresh

printf '\nWARD_API int ward_shout(void);\n' | add include/ward/actor.h
refuses "a public function has a comment" include/ward/actor.h:15 comment

printf '\n/** Shouts. */\nWARD_API int ward_shout(void);\n' | add include/ward/actor.h
refuses "a call says what it costs" include/ward/actor.h:16 cost

printf '\n/** Shouts. */\nWARD_API int\nward_shout(void);\n' | add include/ward/actor.h
refuses "a call on two lines, too" include/ward/actor.h:16 cost

{
	head_of check.h | sed 's, check.h, ward/testkit/check.h,'
	printf '\n/** Checks. */\nWARD_API void ward_check(void);\n'
} | add include/ward/testkit/check.h
printf "'testkit/check.h'\n" | add include/ward/meson.build
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "unless it is the testkit's" $?
fresh

printf '\n/** Cost: O(1). */\nstatic inline int ward_shout(void)\n{\n}\n/** Shouts. */\n%s\n' \
	'static inline int ward_whisper(void)' | add include/ward/actor.h
refuses "the cost of one call is none of the next" include/ward/actor.h:20 cost

printf '\n/** Cost: O(1). */\nWARD_API int ward_a(void);\nWARD_API int ward_b(void);\n' |
	add include/ward/actor.h
refuses "a comment is for one function only" include/ward/actor.h:17 comment

printf '\n/* Not one. */\nstruct ward_secret {\n};\n' | add include/ward/actor.h
refuses "a public struct has a comment for users" include/ward/actor.h:16 comment

printf '\n#define WARD_NEW(a) \\\n\ta\n' | add include/ward/actor.h
refuses "a public macro has a comment" include/ward/actor.h:15 comment

printf 'void f(void)\n{\n\tatomic_thread_fence(memory_order_seq_cst);\n}\n' | add src/cell/cell.c
refuses "a fence is refused" src/cell/cell.c:9 fence

printf 'int same(struct ref a)\n{\n\treturn a.place_;\n}\n' | add src/cell/cell.c
refuses "the place of a ref is private" src/cell/cell.c:9 place

printf 'void f(struct msg *m)\n{\n\tm->sender_place_ = 1;\n}\n' | add tests/unit/base/test_list.c
refuses "the place of a sender is private, to tests too" tests/unit/base/test_list.c:7 place

echo 'static pthread_mutex_t mu;' | add src/sched/timer_heap.c
refuses "a lock without a rank is refused" src/sched/timer_heap.c:5 lock

{
	head_of lock.h
	echo 'struct wardi_mutex { pthread_mutex_t mutex; };'
} >src/base/lock.h
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "where ranks are given it is not" $?
fresh

printf 'void f(void)\n{\n\tatomic_store(&x, 1);\n}\n' | add src/cell/cell.c
refuses "a memory order is named" src/cell/cell.c:9 order

printf '/* TO%s: later */\n' DO | add src/cell/cell.c
refuses "what is left to do has a number" src/cell/cell.c:7 issue

printf '/* TO%s(#12): later */\n' DO | add src/cell/cell.c
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "with a number it passes" $?
fresh

x=X
printf 'char folder[] = "/tmp/x-%s";\n' $x$x$x$x$x$x | add src/cell/cell.c
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "the template of a temporary name passes" $?
fresh

printf 'void f(void)\n{\n\tusl%s(1);\n}\n' eep | add tests/unit/base/test_list.c
refuses "a test does not sleep" tests/unit/base/test_list.c:7 sleep

printf 'void f(void)\n{\n\tnanosl%s(0, 0);\n}\n' eep | add src/testkit/run/checks.c
refuses "nor does the testkit, but for the one place" src/testkit/run/checks.c:9 sleep

head_of new.c >src/cell/new.c
refuses "a source that is not built is found" src/cell/new.c:1 unlisted

head_of test_new.c >tests/unit/base/test_new.c
refuses "a test that is not run is found" tests/unit/base/test_new.c:1 unlisted

head_of new.c >examples/01-hello/new.c
refuses "an example that is not built is found" examples/01-hello/new.c:1 unlisted

mkdir examples/02-new
refuses "an example that the list of examples lacks is found" examples/02-new:1 unlisted

head_of new.h >include/ward/testkit/new.h
refuses "so is one in a folder of its own" include/ward/testkit/new.h:1 unlisted

head_of new.h >include/ward/new.h
refuses "a header that is not installed is found" include/ward/new.h:1 unlisted

echo '#include <stdio.h>' | add examples/01-hello/hello.c
refuses "the README quotes the first example" README.md:1 quote

mkdir -p docs/guide
printf '# 26\n\n```c\nint x;\n```\n\nIt prints x.\n' >docs/guide/26-when-a-child-is-far.md
refuses "chapter 26 quotes its example" docs/guide/26-when-a-child-is-far.md:1 quote

echo '/* Freed by wardi_list_finish(). */' | add src/base/list.c
refuses "a comment names no function that is gone" src/base/list.c:5 names

printf 'void wardi_list_finish(void);\n/* See wardi_list_finish(). */\n' | add src/base/list.c
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "one that is there it may" $?
fresh

printf '/*\n * The path "/user/a" is one of cell/lost.c.\n */\n' | add src/sched/timer_heap.c
refuses "nor a file that is gone" src/sched/timer_heap.c:6 names

mkdir -p docs/internals
printf '# Cells\n\nSee `cell.c`, src/base/*.c, <stdio.h>,\n[lost](../../src/lost/).\n' >docs/internals/cells.md
refuses "nor does a page name a folder that is gone" docs/internals/cells.md:4 names

mkdir -p docs/guide
printf '# Shops\n\nIn `shop.c`, as in examples/01-hello.\n' >docs/guide/shop.md
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "the guide has files of its own" $?
fresh

mkdir -p docs/internals
awk '/^\[tables/ { exit } /\|/ && $1 != "sched" { print "`src/" $1 "`" }' src/floors >page
for folder in $(sed 's/`//g' page); do
	mkdir -p "$folder"
done
mv page docs/internals/architecture.md
refuses "the page about the sources has all folders" docs/internals/architecture.md:1 folders

# crowd COUNT: so many sources are added to tests/unit/base, which has one.
crowd()
{
	for i in $(seq "$1"); do
		head_of "part_$i.c" >"tests/unit/base/part_$i.c"
	done
}

crowd 24
refuses "a folder of 25 sources is crowded" tests/unit/base:1 crowded

crowd 23
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "a folder of 24 sources is not" $?
fresh

for i in $(seq 25); do
	name=$([ "$i" -le 12 ] && echo a || echo z)_$i.c
	head_of "$name" >"tests/unit/$name"
done
refuses "one with a folder between its sources, too" tests/unit:1 crowded

rm tests/scenario/watch/README.md
refuses "a folder of scenarios says what it proves" tests/scenario/watch/README.md:1 readme

echo "And only then." | add tests/scenario/watch/README.md
refuses "in one line" tests/scenario/watch/README.md:1 readme

printf '# Watch\n\n' >tests/scenario/watch/README.md
refuses "a title says nothing" tests/scenario/watch/README.md:1 readme

printf '# Watch\n\nEach end is heard of once.\n' >tests/scenario/watch/README.md
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "and may stand above the line" $?
fresh

mkdir tools
echo '#!/bin/sh' >tools/new
refuses "a script names its licence" tools/new:1 licence

mkdir tools
: >tools/new
refuses "an empty script does not" tools/new:1 licence

# plant LINE: a patch of the file's first two lines, which quotes LINE as the first.
plant()
{
	mkdir -p tests/sim/planted
	{
		echo "SPDX-License-Identifier: MIT"
		printf -- '--- a/src/base/list.c\n+++ b/src/base/list.c\n@@ -1,2 +1,3 @@\n %s\n' "$1"
		printf '+ * A bug.\n  *\n'
	} >tests/sim/planted/bug.patch
}

plant "/* SPDX-License-Identifier: GPL */"
refuses "a planted bug applies to the sources as they are" tests/sim/planted/bug.patch:1 planted

plant "$(head -n 1 src/base/list.c)"
"$tidy" "$tree" >"$tree.said" 2>&1
verdict "and then nothing is said" $?
fresh

rm -rf "$tree/include" "$tree/src" "$tree/tests" "$tree/examples"
"$tidy" "$tree" >"$tree.said" 2>&1
[ $? = 1 ]
verdict "a tree without sources is refused" $?

echo "1..$count"
[ $failed = 0 ]
