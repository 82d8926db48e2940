#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_hot_path_same.sh HOT_PATH_SAME - what tools/hot-path-same makes of two counts: what it
# allows, what it calls worse, and that it builds each commit once.
#
# Puts programs in the place of git, meson, ninja and valgrind. Prints TAP.
set -u

same=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/build"
count=0
failed=0

# tool NAME: a program in the place of another; its text is the input.
tool()
{
	{
		echo '#!/bin/sh'
		cat
	} >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

# There are two commits, and a file is all that is in them.
touch "$work/file"
tool git <<END
case \$1-\$4 in
'rev-parse-old^{commit}') echo 1111 ;;
'rev-parse-new^{commit}') echo 2222 ;;
archive-*) tar -c -C "$work" file ;;
*) exit 1 ;;
esac
END
tool meson <<END
[ -f file ] && mkdir -p "\$4"
END
tool ninja <<END
echo "\$2 \$4" >>"$work/built"
[ -z "\${BUILD_FAILS-}" ]
END

# A run takes 1000 instructions to start, and 100 for each unit; of the new commit NEW hundredths of
# an instruction. The first NOISY runs of that one take more.
tool valgrind <<END
case \$4 in
*/2222/*)
	[ "\$5" != "\${LACKS-}" ] || exit 2
	unit=\${NEW:-10000}
	echo >>"$work/runs"
	[ "\$(wc -l <"$work/runs")" -gt "\${NOISY:-0}" ] || unit=20000
	;;
*) unit=10000 ;;
esac
printf 'fl=(1) tell.c\n7 %d\nfl=(2) bench/latency.c\n+1 %d\n' \
	\$((\$7 * 2 * unit / 100 + 1000)) \$((\$7 * unit)) >"\${2#--callgrind-out-file=}"
END
BUILD=$work/build
PATH=$work/bin:$PATH
export BUILD PATH

# says NAME STATUS TEXT ARGUMENT...: the output has the line.
says()
{
	name=$1
	status=$2
	text=$3
	shift 3
	: >"$work/runs"
	"$same" "$@" >"$work/said" 2>&1
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

# built NAME TIMES: so often was something built.
built()
{
	count=$((count + 1))
	if [ "$(wc -l <"$work/built")" = "$2" ] &&
		[ "$(grep -c '/build bench/ward/ward-bench$' "$work/built")" = "$2" ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$work/built"
	fi
}

BUILD_FAILS=1 says "a commit that cannot be built" 1 "returned non-zero" old new --rows pingpong
built "it is not built further" 1
says "a row that costs the same; the start does not count" 0 \
	"| pingpong | 100.0 | 100.0 | +0.0 | same |" old new --rows pingpong
built "what could not be built is built again" 3
says "all rows are told and counted" 0 "hot-path-same: 10 rows, 0 worse" old new
built "what is built is not built again" 3
NEW=10100 says "an instruction more is worse" 1 "| pingpong | 100.0 | 101.0 | +1.0 | worse |" \
	old new --rows pingpong
NEW=10100 says "and counted as such" 1 "hot-path-same: 2 rows, 1 worse" old new --rows pingpong,ask
NEW=10040 says "less than half of one is none" 0 "| pingpong | 100.0 | 100.4 | +0.4 | same |" \
	old new --rows pingpong
NEW=9900 says "an instruction less is better" 0 "| pingpong | 100.0 | 99.0 | -1.0 | better |" \
	old new --rows pingpong
NEW=10090 says "a question may cost a hundredth more" 0 "| ask | 200.0 | 201.8 | +1.8 | allowed |" \
	old new --rows ask
NEW=10110 says "but not more than that" 1 "| ask | 200.0 | 202.2 | +2.2 | worse |" old new \
	--rows ask
NOISY=6 says "a row that seems worse is measured again" 0 \
	"| pingpong | 100.0 | 100.0 | +0.0 | same |" old new --rows pingpong
NOISY=6 says "so is one that seems better" 0 "| pingpong | 100.0 | 100.0 | +0.0 | same |" new old \
	--rows pingpong
NOISY=1 says "one run that is off changes nothing" 0 \
	"| pingpong | 100.0 | 100.0 | +0.0 | same |" old new --rows pingpong
LACKS=ask says "a row that a commit lacks" 1 "new has no figure for ask" old new --rows pingpong,ask
says "a row that there is not" 2 "no such row: chameneos" old new --rows chameneos
says "a commit that there is not" 1 "git rev-parse --verify --quiet gone" gone new

echo "1..$count"
[ $failed = 0 ]
