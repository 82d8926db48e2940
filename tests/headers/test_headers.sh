#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_headers.sh INCLUDE 'CC FLAG...' ['CXX FLAG...'] - each public header compiles alone, twice in
# a row, without a warning: as C11 and C17, and with a second compiler as C++17. So do small programs
# that use the testkit's macros, as C17 and as C++20, that call active objects, and that have tables of messages, as C and C++.
# Prints TAP.
set -u

include=$1
said=$(mktemp)
source=$(mktemp)
trap 'rm -f "$said" "$source"' EXIT
count=0
failed=0

# check NAME LANGUAGE STANDARD COMPILER...: compiles what stdin has.
check()
{
	name=$1
	language=$2
	standard=$3
	shift 3
	count=$((count + 1))
	if "$@" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Wshadow -Werror \
		-I"$include" -fsyntax-only - >"$said" 2>&1; then
		echo "ok $count - $name as $standard"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name as $standard"
		sed 's/^/# /' "$said"
	fi
}

# alone HEADER LANGUAGE STANDARD COMPILER...
alone()
{
	header=$1
	shift
	printf '#include <ward/%s>\n#include <ward/%s>\n' "$header" "$header" >"$source"
	check "ward/$header" "$@" <"$source"
}

# A program of the testkit: the macros without options, and with a semicolon that is too much.
# macros COMPILER...
macros()
{
	count=$((count + 1))
	if "$@" -x c -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$include" -fsyntax-only \
		- >"$said" 2>&1 <<'END'; then
#include <ward/testkit.h>
#include <ward/ward.h>
WARD_TEST(bare)
{
}
WARD_TEST(with_clauses, "S1")
{
}
WARD_SIMULATION(bare_simulation)
{
	ward_kit_run(kit);
}
WARD_SIMULATION(with_options, .seeds = 3)
{
	ward_kit_run(kit);
}
WARD_TEST_MAIN;
END
		echo "ok $count - macros of tests as c17"
	else
		failed=$((failed + 1))
		echo "not ok $count - macros of tests as c17"
		sed 's/^/# /' "$said"
	fi
}

# shellcheck disable=SC2086
macros $2

for path in $(cd "$include/ward" && find . -name '*.h' | LC_ALL=C sort); do
	path=${path#./}
	# The compilers are lists of words.
	# shellcheck disable=SC2086
	{
		alone "$path" c c11 $2
		alone "$path" c c17 $2
		[ -z "${3-}" ] || alone "$path" c++ c++17 $3
	}
done
# shellcheck disable=SC2086
check "ward.h without patterns" c c17 $2 <<'END'
#include <ward/ward.h>
#if defined WARD_BACKOFF_SENDER_H || defined WARD_BREAKER_H || defined WARD_BRIDGE_H ||            \
	defined WARD_DELIVERY_H || defined WARD_EXPONENTIAL_H || defined WARD_EXTEND_H ||          \
	defined WARD_FSM_H || defined WARD_RETRY_H || defined WARD_SIMULATION_H ||                 \
	defined WARD_TEXT_H
#error ward.h brings what programs include by name
#endif
END
for standard in c11 c17; do
	# shellcheck disable=SC2086
	check "proxies of active objects" c "$standard" $2 <"$(dirname "$0")/proxies.c"
done
# shellcheck disable=SC2086
[ -z "${3-}" ] || check "proxies of active objects" c++ c++17 $3 <"$(dirname "$0")/proxies.c"
for standard in c11 c17; do
	# shellcheck disable=SC2086
	check "tables of messages" c "$standard" $2 <"$(dirname "$0")/tables.cc"
done
for standard in c++17 c++20; do
	# shellcheck disable=SC2086
	[ -z "${3-}" ] || check "tables of messages" c++ "$standard" $3 <"$(dirname "$0")/tables.cc"
done
# shellcheck disable=SC2086
[ -z "${3-}" ] || check "the testkit's macros" c++ c++20 $3 -Wno-missing-field-initializers \
	<"$(dirname "$0")/macros.cc"
echo "1..$count"
[ "$count" -gt 0 ] && [ "$failed" = 0 ]
