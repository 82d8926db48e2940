#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_profile.sh PROFILE - what tools/profile makes of what callgrind writes: sums by source file,
# without what was called, less the start of a run, of one unit; and its locked instructions.
#
# Puts a valgrind there whose files are known, and a build that is done. Prints TAP.
set -u

profile=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/gcc-profile"
touch "$work/gcc-profile/build.ninja"
printf '#!/bin/sh\n' >"$work/bin/ninja"
root=$(cd "$(dirname "$profile")/.." && pwd)
count=0
failed=0

# Of a message of ward: 30 instructions in tell.c, 10 inlined from a header, 5 in libc, 1 in a file
# that is too small to be told; of one of the floor 9. Starting takes 1000 in tell.c. With addresses:
# two locked instructions, which are called once more from elsewhere, and an exchange of registers.
cat >"$work/bin/objdump" <<END
#!/bin/sh
[ "\$3" = /lib/other.so ] || printf '    1000:\tlock xadd %%eax,(%%rdx)\n    1004:\txchg   %%rax,0x8(%%rdi)\n'
printf '    1008:\txchg   %%ax,%%ax\n    100c:\tcmpxchg %%edx,(%%rdi)\n'
END
cat >"$work/bin/valgrind" <<END
#!/bin/sh
out=\${2#--callgrind-out-file=}
if [ "\$4" = --dump-instr=yes ]; then
	units=\$((\$9 * \${UNITS:-2}))
	cat >"\$out" <<FILE
ob=(1) $work/ward-bench
fl=(1) $root/src/send/tell.c
fn=(1) ward_send
0x1000 7 \$((units + 500))
0x1004 7 \$units
0x1008 7 \$((units * 100))
0x100c 7 \$((units * 100))
cob=(2) /lib/other.so
cfn=(2) other
calls=1 0x1000 0
0x1000 7 777777

ob=(2)
fn=(2)
0x1000 9 \$((units * 50))
ob=(1)
fn=(1)
0x1004 8 \$units
FILE
	exit 0
fi
units=\$((\$7 * \${UNITS:-2}))
case \$4 in
*/floor-*)
	printf 'fl=(1) $root/bench/floor/floor_tell.c\nfn=(1) pingpong\n7 %d\n' \$((units * 9)) >"\$out"
	;;
*)
	cat >"\$out" <<FILE
fl=(1) $root/src/send/tell.c
fn=(1) ward_send
7 \$((units * 20 + 1000))
fi=(2) $root/src/base/pool.h
+3 \$((units * 10))
fe=(1)
-1 \$((units * 10))
cfi=(3) /usr/lib/string.c
cfn=(2) memcpy
calls=1 0
* 777777

fl=(3)
fn=(2)
* \$((units * 5))
fl=(4) $root/src/cell/cell.c
fn=(3) wardi_cell
12 \$units
FILE
	;;
esac
exit \${STATUS:-0}
END
chmod +x "$work/bin/ninja" "$work/bin/valgrind" "$work/bin/objdump"
BUILD=$work
PATH=$work/bin:$PATH
export BUILD PATH

# says NAME STATUS TEXT ARGUMENT...: the output has the line.
says()
{
	name=$1
	status=$2
	text=$3
	shift 3
	"$profile" "$@" >"$work/said" 2>&1
	got=$?
	count=$((count + 1))
	if [ $got = "$status" ] && grep -qF -e "$text" "$work/said"; then
		echo "ok $count - $name"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		echo "# exit status $got"
		sed 's/^/# /' "$work/said"
	fi
}

says "a unit of ward, held against one of the floor" 0 \
	"| pingpong | message | 46 | 3.0 | 9 | 5.11 |" --only pingpong
says "by file, the largest first, small ones joined; nothing twice" 0 \
	"| pingpong | send/tell.c 30, base/pool.h 10, libc 5, all others 1 |" --only pingpong
UNITS=1 says "a row without a floor" 0 "| ask | question | 46 | 3.0 | – | – |" --only ask
says "by function, with its locked ones, without what was called" 0 \
	"   203.0   3.00  ward_send" --functions pingpong
says "locked ones are those of the function's own library" 0 \
	"    50.0   0.00  other" --functions pingpong
says "a row alone is told by function" 2 "stands alone" --functions ask --write
says "a row that there is not" 2 "no such row: pong" --only pong
says "some rows are not written as all" 2 "--write writes all rows" --only pingpong --write
STATUS=4 says "a program that does not come to its end" 1 "ended with 4" --only pingpong

echo "1..$count"
[ $failed = 0 ]
