#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_layers.sh LAYERS COMPILER... - breaks each rule of tools/layers once, and expects that error
# and no other.
#
# Each case writes a small tree that keeps all rules (checked, too), spoils it, compiles it, and
# compares what is said. Prints TAP.
set -u

layers=$1
shift
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
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
		sed 's/^/# /' "$tree/said"
	fi
}

# fresh: a tree that keeps all rules.
fresh()
{
	rm -rf "$tree"
	mkdir -p "$tree/include/ward" "$tree/src/low" "$tree/src/high" "$tree/src/kit/run" \
		"$tree/src/kit/probe" "$tree/build"
	cd "$tree" || exit 1
	cat >src/floors <<-END
	# The lowest first.
	[runtime] of actors
	low  | lists
	high | cells
	[kit] checks
	kit/run   | one run
	kit/probe | probes
	[tables]
	wardi_table | 2 | a list grows
	END
	cat >include/ward/cell.h <<-END
	#define WARD_API
	#define WARD_TYPE(name) WARD_API extern const int name
	struct ward_cell {
		int (*get)(void);
	};
	WARD_API void ward_cell(struct ward_cell *cell, void (*wardi_lost)(int wardi_list));
	END
	cat >src/low/list.h <<-END
	#include <stddef.h>
	struct wardi_stray { /* wardi_lost */
		int first;
	};
	void wardi_list(struct wardi_stray *stray);
	static inline int wardi_inline(void)
	{
		return 1;
	}
	END
	cat >src/low/table.h <<-END
	struct wardi_table {
		void (*grow)(void);
		const char *name;
		void (*shrink)(void);
	};
	extern const struct wardi_table wardi_table;
	END
	cat >src/low/list.c <<-END
	#include "low/list.h"
	#include "low/table.h"
	static int first;
	static void inner(void)
	{
		first++;
	}
	void wardi_list(struct wardi_stray *stray)
	{
		inner();
		stray->first = wardi_inline() + first;
		wardi_table.grow();
	}
	END
	echo 'void wardi_cell(void);' >src/high/cell.h
	cat >src/high/cell.c <<-END
	#include <ward/cell.h>
	#include "low/list.h"
	#include "low/table.h"
	#include "high/cell.h"
	static int calls;
	static void shrink(void)
	{
		calls++;
	}
	void wardi_cell(void)
	{
		wardi_list(NULL);
	}
	void ward_cell(struct ward_cell *cell, void (*wardi_lost)(int wardi_list))
	{
		cell->get();
		wardi_lost(1);
	}
	const struct wardi_table wardi_table = { wardi_cell, "table", shrink };
	END
	echo 'int (*wardi_run(int way))(void);' >src/kit/run/run.h
	printf '#include "%s"\n' kit/run/run.h >src/kit/run/run.c
	printf 'int (*wardi_run(int way))(void) { return way ? NULL : NULL; }\n' |
		sed '1i#include <stddef.h>' >>src/kit/run/run.c
	cat >src/kit/probe/probe.c <<-END
	#include <stddef.h>
	#include <ward/cell.h>
	#include "kit/run/run.h"
	int main(void)
	{
		ward_cell(NULL, NULL);
		return wardi_run(1) == NULL;
	}
	END
}

# build COMPILER...: compiles all of it, and lists it as Meson does.
build()
{
	separator='['
	find src -name '*.c' | LC_ALL=C sort >build/sources
	: >build/compile_commands.json
	while read -r source; do
		object=$(echo "$source" | tr / _).o
		"$@" -fPIC -Iinclude -Isrc -c "$source" -o "build/$object" || exit 1
		printf '%s\n{"directory": "%s/build", "file": "../%s", "output": "%s"}' "$separator" \
			"$tree" "$source" "$object" >>build/compile_commands.json
		separator=,
	done <build/sources
	echo ']' >>build/compile_commands.json
}

# run OPTION...: what is said of the tree, but for circles that may be.
run()
{
	"$layers" --tree "$tree" "$@" build >"$tree/all" 2>&1
	status=$?
	sed '/^circle of/d' "$tree/all" >"$tree/said"
}

compiler=$*

# refuses NAME TEXT: one error, which is the text.
refuses()
{
	# shellcheck disable=SC2086
	build $compiler
	run
	[ $status = 1 ] && [ "$(wc -l <said)" = 2 ] && grep -qFx -e "$2" said
	verdict "$1" $?
	fresh
}

# accepts NAME TEXT: no error; the text is said.
accepts()
{
	# shellcheck disable=SC2086
	build $compiler
	run
	[ $status = 0 ] && [ "$(wc -l <said)" = 1 ] && grep -qFx -e "$2" all
	verdict "$1" $?
	fresh
}

# fails NAME TEXT: it cannot be checked, and that is why.
fails()
{
	run
	[ $status = 1 ] && [ "$(wc -l <said)" = 1 ] && grep -qF -e "$2" said
	verdict "$1" $?
	fresh
}

# ring COUNT: as many files, each of which calls the next.
ring()
{
	for i in $(seq "$1"); do
		next=$((i % $1 + 1))
		echo "void wardi_ring$i(void);" >"src/low/ring$i.h"
		printf '#include "low/ring%d.h"\n' "$i" "$next" >"src/low/ring$i.c"
		echo "void wardi_ring$i(void) { wardi_ring$next(); }" >>"src/low/ring$i.c"
	done
}

fresh
accepts "a tree that keeps the rules passes, and is counted" \
	"layers: 4 folders, 1 calls, 0 upward, 1 tables with 2 entries, largest circle 1, 0 strays"

# ---- calls ------------------------------------------------------------------------------------

sed -i 's/first++;/wardi_cell();/; 1i#include "high/cell.h"' src/low/list.c
refuses "a call upward is found with both names" \
	"src/low/list.c: upward: inner calls wardi_cell of src/high/cell.c"

echo 'void wardi_cell(void); void (*const rows[])(void) = { wardi_cell };' |
	sed 's/void (\*/static &/' >>src/low/list.c
echo 'const void *wardi_rows(void) { return rows; }' >>src/low/list.c
echo 'const void *wardi_rows(void);' >>src/low/list.h
refuses "so is a table that refers upward" \
	"src/low/list.c: upward: rows refers to wardi_cell of src/high/cell.c"

sed -i 's/first++;/ward_cell(0, 0);/; 1i#include <ward/cell.h>' src/low/list.c
refuses "a public function is no way up" \
	"src/low/list.c: upward: inner calls ward_cell of src/high/cell.c"

echo 'extern int wardi_count;' >>src/high/cell.h
echo 'int wardi_count;' >>src/high/cell.c
sed -i 's/first++;/wardi_count++;/; 1i#include "high/cell.h"' src/low/list.c
refuses "nor is a variable" \
	"src/low/list.c: upward: inner refers to wardi_count of src/high/cell.c"

echo 'static int once(void) { return wardi_run(0) == NULL; }' >>src/high/cell.c
sed -i 's/calls++;/calls = once();/; 1i#include "kit/run/run.h"\nstatic int once(void);' \
	src/high/cell.c
refuses "the runtime calls no library" \
	"src/high/cell.c: upward: once calls wardi_run of src/kit/run/run.c"

sed -i 's/ward_cell(NULL, NULL)/wardi_cell()/; 1i#include "high/cell.h"' src/kit/probe/probe.c
refuses "a library calls nothing of the runtime but what is public" \
	"src/kit/probe/probe.c: private: main calls wardi_cell of src/high/cell.c"

sed -i '/^kit.run/d' src/floors
echo 'kit/run | -' | sed -i '/^kit.probe/r /dev/stdin' src/floors
refuses "in a library, too, no call goes up" \
	"src/kit/probe/probe.c: upward: main calls wardi_run of src/kit/run/run.c"

# ---- tables -----------------------------------------------------------------------------------

echo 'extern const struct wardi_table wardi_other;' >>src/low/table.h
echo 'const struct wardi_table wardi_other = { wardi_cell, "", 0 };' >>src/high/cell.c
sed -i 's/wardi_table\.grow/wardi_other.grow/' src/low/list.c
refuses "a table that is not listed is found, with who uses it" \
	"src/high/cell.c: table: src/low/table.h declares wardi_other, which is not under [tables] \
in src/floors; used by wardi_list of src/low/list.c"

sed -i 's/shrink };/NULL };/; s/calls++;/calls++; shrink();/' src/high/cell.c
refuses "a table with another number of functions than is listed" \
	"src/high/cell.c: table: wardi_table has 1 function pointers, src/floors says 2"

echo 'wardi_gone | 1 | -' >>src/floors
refuses "a table that is listed and is not there" "src/floors: table: no lower header declares an \
object wardi_gone that is defined higher"

sed -i 's/const struct wardi_table wardi_table/struct wardi_table wardi_table/' src/low/table.h \
	src/high/cell.c
sed -i '/grow();/d' src/low/list.c
build "$@"
run
grep -qFx "src/high/cell.c: table: wardi_table is not constant" said
verdict "a table that somebody may change" $?
fresh

for i in 1 2 3 4 5 6 7 8 9 10; do
	echo "extern const struct wardi_table wardi_table$i;" >>src/low/table.h
	echo "const struct wardi_table wardi_table$i = { 0, \"\", wardi_cell };" >>src/high/cell.c
	echo "wardi_table$i | 1 | -" >>src/floors
done
refuses "eleven tables are too many" "src/floors: table: 11 tables, at most 10"

# ---- files ------------------------------------------------------------------------------------

ring 9
refuses "a circle of nine files is too large" "src/low/ring1.c: circle: 9 files call each other, \
at most 8 may: low/ring1.c low/ring2.c low/ring3.c low/ring4.c low/ring5.c low/ring6.c \
low/ring7.c low/ring8.c low/ring9.c"

ring 8
accepts "one of eight is told" "circle of 8: low/ring1.c low/ring2.c low/ring3.c low/ring4.c \
low/ring5.c low/ring6.c low/ring7.c low/ring8.c"

ring 8
accepts "and counted" \
	"layers: 4 folders, 1 calls, 0 upward, 1 tables with 2 entries, largest circle 8, 0 strays"

echo 'void wardi_lost(void);' >>src/low/table.h
echo 'void wardi_lost(void);' | sed 'p; s/;/ { }/' >>src/low/list.c
refuses "a function that another header declares is a stray" \
	"src/low/list.c: stray: wardi_lost is declared in src/low/table.h"

echo 'int wardi_stray = 2;' >>src/low/list.c
refuses "so is a variable; a name of a type, a parameter or a comment declares nothing" \
	"src/low/list.c: stray: wardi_stray is declared in no header"

echo 'int wardi_lost(void); int wardi_lost(void) { return 1; }' >>src/kit/run/run.c
refuses "so is one of a library" "src/kit/run/run.c: stray: wardi_lost is declared in no header"

echo 'static int calls;' >src/low/cell.c
refuses "two sources of the runtime with one name" \
	"src/low/cell.c: namesake: src/high/cell.c has the same name"

echo 'static int calls;' >src/kit/run/cell.c
accepts "those of libraries may have the same" \
	"layers: 4 folders, 1 calls, 0 upward, 1 tables with 2 entries, largest circle 1, 0 strays"

for i in $(seq 24); do
	echo 'static int calls;' >"src/high/file$i.c"
done
refuses "a folder with 25 sources is crowded" "src/high: crowded: 25 sources, at most 24"

mkdir src/new
echo 'static int calls;' >src/new/new.c
refuses "a folder that no line names" "src/new: folder: is not in src/floors"

echo 'old | -' | sed -i '/^high/r /dev/stdin' src/floors
refuses "a line that names no folder" "src/floors: folder: there is no folder old"

# ---- other uses -------------------------------------------------------------------------------

sed -i 's/first++;/wardi_cell();/; 1i#include "high/cell.h"' src/low/list.c
build "$@"
run --report
[ $status = 0 ] && grep -qFx '| low | 1 | 1 | 1 | 2 | 1 | 0 |' said &&
	grep -q '^layers: .* 1 upward' said
verdict "a report of that has counts, and no error" $?
fresh

run --lines
[ $status = 0 ] && grep -qFx '| low | 3 | 28 |' said && grep -qFx 'lines of code: 60' said
verdict "lines of code, without comments" $?
fresh

build "$@"
touch -d '+1 minute' src/low/list.c
fails "a build that is not up to date is refused" "src_low_list.c.o: is not there or older than"

fails "so is what is no build" "build: not a build folder of Meson"

build "$@" -flto
sed -i '/^\[/!d' src/floors
fails "a list without folders is refused" "src/floors: has no folders"

sed -i 's/wardi_table | 2/wardi_table | two/' src/floors
fails "so is a line that is none" "src/floors:9: not 'name | number of entries | reason'"

echo 'wardi_table | 2 | again' >>src/floors
fails "so is a second line for one thing" "src/floors:10: wardi_table is listed twice"

build "$@" -flto
run
[ $status = 1 ] && grep -qE 'take a debug build|objdump' said
verdict "so is a build whose objects have no code" $?

echo "1..$count"
[ $failed = 0 ]
