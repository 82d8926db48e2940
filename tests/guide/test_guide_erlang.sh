#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_guide_erlang.sh PAGE - compiles the Erlang of a page of the guide, each block by itself; a
# warning is a failure. Prints TAP.
#
# A block without -module is a few functions of one. Where there is no Erlang it says so, and is
# skipped.
set -u

page=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
number=0

command -v erlc >/dev/null || {
	echo "1..0 # SKIP there is no Erlang here (erlc, of erlang-base)"
	exit 0
}

# Block N becomes block_N; lines before the code keep its numbers those of the page.
awk -v work="$work" '
	inside && $0 == "```" { inside = 0; next }
	inside { print > (work "/block_" count) }
	$0 == "```erlang" { inside = 1; count++; print NR > (work "/line_" count) }
' "$page"

for block in "$work"/block_*; do
	[ -f "$block" ] || continue
	number=$((number + 1))
	line=$(cat "$work/line_${block##*_}")
	module=$(sed -n 's/^-module(\([a-z_]*\))\.$/\1/p' "$block")
	source=$work/${module:-piece}.erl
	: >"$source"
	[ -n "$module" ] ||
		echo '-module(piece). -compile([export_all, nowarn_export_all]).' >"$source"
	printf -- '-file("%s", %d).\n' "${page##*/}" $((line + 1)) >>"$source"
	cat "$block" >>"$source"
	if erlc -Werror -o "$work" "$source" >"$work/said" 2>&1; then
		echo "ok $number - line $line compiles"
	else
		failed=1
		echo "not ok $number - line $line compiles"
		sed 's/^/# /' "$work/said"
	fi
done
[ "$number" -gt 0 ] || {
	failed=1
	echo "not ok $((number = 1)) - there is Erlang in ${page##*/}"
}
echo "1..$number"
exit $failed
