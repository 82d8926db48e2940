#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_peers.sh ERLANG CAF LIBUV EPOLL NGINX - each benchmark of the peers once, with a small load.
#
# Each must come to its end and print figures: name, value, unit, and a value above 0. A peer that is not
# installed has an empty name here, and counts as one case that was skipped. Prints TAP.
set -u

said=$(mktemp)
trap 'rm -f "$said"' EXIT
count=0
failed=0
tab=$(printf '\t')
units='ns|us|bytes|%|msg/s|ticks/s'

# verdict NAME STATUS
verdict()
{
	count=$((count + 1))
	if [ "$2" = 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$said"
	fi
}

# figures: whether what was printed are figures.
figures()
{
	[ -s "$said" ] && ! grep -qvE "^[a-z0-9_.]+$tab[0-9.]*[1-9][0-9.]*$tab($units)\$" "$said"
}

# small N: the load of a test; at least what has a share for each of a hundred.
small()
{
	n=$(($1 / 1000))
	[ $n -ge 200 ] || n=200
	echo $n
}

# peer TITLE PROGRAM FEWEST: all that it lists, at least so many.
peer()
{
	if [ -z "$2" ]; then
		count=$((count + 1))
		echo "ok $count - $1 # SKIP it is not installed"
		return
	fi
	list=$("$2" --list)
	[ "$(echo "$list" | wc -l)" -ge "$3" ]
	verdict "$1: lists its benchmarks" $?
	while read -r name n; do
		timeout 60 "$2" "$name" 2 "$(small "$n")" >"$said" </dev/null && figures
		verdict "$1: $name" $?
	done <<-end
		$list
	end
	! "$2" no_such_benchmark 1 >"$said" 2>&1
	verdict "$1: refuses what it does not know" $?
	"$2" --version >"$said" && grep -q '[0-9]' "$said"
	verdict "$1: tells its version" $?
}

peer Erlang "$1" 50
peer CAF "$2" 25
peer libuv "$3" 14
peer epoll "$4" 3
peer nginx "$5" 3

echo "1..$count"
[ $failed = 0 ]
