#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [PATCH...] - plants each bug in a copy of the tree, and sees to it that a simulation finds
# it: that of the neighbours for far-*.patch, that of the network for a bug in src/net, that of the
# hierarchy for all others.
#
# Works in a temporary folder; the tree is not touched. Each *.patch beside this script breaks the
# sources in one way; its head says how. SEEDS is how many seeds each case may try (2000).
# Prints what found it and after how many seeds; ends with one line: N passed, N failed. A bug that
# is not found has failed, and so has a tree in which no bug is planted but one is found.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
seeds=${SEEDS:-2000}
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM
passed=0
failed=0

(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -pt "$copy") || exit 1
cd "$copy" || exit 1
meson setup --buildtype=release -Doptimization=1 -Dsink=disabled build >setup.log 2>&1 || {
	cat setup.log
	exit 1
}

# simulate NAME LOG: builds and runs a simulation; true if nothing was found. Ends the script if it
# does not build.
simulate()
{
	ninja -C build "tests/sim_test_$1" >"$2" 2>&1 || {
		cat "$2"
		exit 1
	}
	WARD_SEEDS=$seeds WARD_TEST_TIMEOUT_S=3600 "build/tests/sim_test_$1" >"$2" 2>&1
}

# simulation PATCH: the name of the one that has to find it.
simulation()
{
	case $(basename "$1") in
	far-*)
		echo neighbours
		return
		;;
	esac
	grep -q '^+++ b/src/net/' "$1" && echo net || echo hierarchy
}

# found LOG: the seed and the words of the first violation.
found()
{
	awk '/violation in/ && !seed {
			match($0, /seed [0-9]+/)
			seed = substr($0, RSTART, RLENGTH)
			next
		}
		seed && !text { text = $0; sub(/^# */, "", text) }
		seed && !said && sub(/.*otherwise: /, "") { said = $0 }
		END {
			printf "found at %s: %s\n", seed ? seed : "?",
				said ? said : text ? text : "?"
		}' "$1"
}

for name in hierarchy net neighbours; do
	if simulate $name none.log; then
		echo "ok - $name without a bug: $seeds seeds find none"
		passed=$((passed + 1))
	else
		echo "not ok - $name without a bug: $(found none.log)"
		failed=$((failed + 1))
	fi
done
[ $# -gt 0 ] || set -- "$here"/*.patch
for bug; do
	name=$(basename "$bug" .patch)
	patch -sp1 <"$bug" || exit 1
	if simulate "$(simulation "$bug")" "$name.log"; then
		echo "not ok - $name: $seeds seeds did not find it"
		failed=$((failed + 1))
	else
		echo "ok - $name: $(found "$name.log")"
		passed=$((passed + 1))
	fi
	patch -sRp1 <"$bug" || exit 1
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
