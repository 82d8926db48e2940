#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_mistakes.sh INCLUDE CXX COMPILER... - what the compiler must catch, and with which words. CXX is
# the compiler of the same family for those in C++, "" if there is none.
#
# The head of each file here, and in the folders below, says whether its mistake is refused always or
# only with -Werror, and what gcc and clang say. The same file with -DCORRECT, where only the mistake
# is put right, must compile under the strictest flags: thus nothing but the mistake was refused.
# Prints TAP.
set -u
cd "$(dirname "$0")" || exit 1

include=$1
cxx=$2
shift 2
# Not -fsyntax-only: gcc looks for codes that nobody looks at in a later pass.
flags="-Wall -Wextra -Wpedantic -I. -I$include -c -o /dev/null"
case $("$@" --version) in
*clang*) family=clang ;;
*) family=gcc ;;
esac
export LC_ALL=C
count=0
failed=0

# The text behind a label in the head of the file.
head_of()
{
	sed -n "s/^ \* $2: //p" "$1"
}

# compile OUTPUT FLAG...: compiles $file.
compile()
{
	output=$1
	shift
	case $file in
	*.cc) set -- "$cxx" -std=c++17 "$@" ;;
	# shellcheck disable=SC2086
	*) set -- "$compiler" $compiler_flags -std=c17 "$@" ;;
	esac
	# shellcheck disable=SC2086
	"$@" $flags "$file" >"$output" 2>&1
}

# Whether the compiler acts on the mistake in $file as its head says.
judge()
{
	words=$(head_of "$file" "$family")
	[ -n "$words" ] || {
		echo "no words of $family in its head"
		return 1
	}
	compile "$said" -Werror -DCORRECT || {
		echo "refused although correct"
		return 1
	}
	compile "$said" && lenient=accepted || lenient=refused
	grep -qF -e "$words" "$said" || {
		echo "expected: $words"
		return 1
	}
	case $(head_of "$file" refused) in
	always)
		[ "$lenient" = refused ] || {
			echo "accepted without -Werror"
			return 1
		}
		;;
	"with -Werror")
		[ "$lenient" = accepted ] || {
			echo "refused without -Werror, too: say so"
			return 1
		}
		compile "$said" -Werror || return 0
		echo "accepted with -Werror"
		return 1
		;;
	*)
		echo "its head does not say when it is refused"
		return 1
		;;
	esac
}

compiler=$1
shift
compiler_flags=$*
said=$(mktemp)
trap 'rm -f "$said" "$said.why"' EXIT

for file in *.c */*.c *.cc; do
	[ -n "$cxx" ] || [ "${file%.cc}" = "$file" ] || continue
	count=$((count + 1))
	name="${file%.c*}: refused $(head_of "$file" refused)"
	if judge >"$said.why"; then
		echo "ok $count - $name"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		cat "$said.why" "$said" | sed 's/^/# /'
	fi
done
echo "1..$count"
[ $failed = 0 ]
