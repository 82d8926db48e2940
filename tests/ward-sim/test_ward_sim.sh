#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_ward_sim.sh WARD_SIM - the command, with programs that only print what simulations print.
# Prints TAP.
set -u

ward_sim=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0
failed=0

# verdict STATUS NAME: prints one case; what was printed by the last run, if it failed.
verdict()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/# out: /' "$dir/out"
		sed 's/^/# err: /' "$dir/err"
	fi
}

# program NAME: a program with the text of stdin as its body. It notes the seeds that it is given.
# shellcheck disable=SC2016
program()
{
	{
		echo '#!/bin/sh'
		echo 'echo "$WARD_SEEDS" >>"'"$dir"'/seeds"'
		echo 'first=${WARD_SEEDS%:*} seeds=${WARD_SEEDS#*:}'
		cat
	} >"$dir/$1"
	chmod +x "$dir/$1"
}

# run STATUS ARGUMENT...: runs the command, which must exit with that status.
run()
{
	wanted=$1
	shift
	: >"$dir/seeds"
	"$ward_sim" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	[ $? = "$wanted" ]
}

# printed TEXT: whether that is the last line of the output.
printed()
{
	[ "$(tail -n 1 "$dir/out")" = "$1" ]
}

# given FIRST COUNT: whether the programs were given those seeds, each once.
given()
{
	tr ':' ' ' <"$dir/seeds" | while read -r first seeds; do
		seq "$first" $((first + seeds - 1))
	done | sort -n >"$dir/each"
	seq "$1" $(($1 + $2 - 1)) | cmp - "$dir/each" >>"$dir/err" 2>&1
}

program holds <<'END'
echo 1..1
echo "# # sim bank: $seeds seeds, $((seeds * 10)) steps, 0 violations"
echo "ok 1 - bank"
END

run 0 "$dir/holds" && printed '10000 seeds, 100000 steps, 0 violations' && given 1 10000
verdict $? "10,000 seeds by default, each once"

run 0 --seeds 37 --jobs 3 "$dir/holds" && printed '37 seeds, 370 steps, 0 violations' && given 1 37
verdict $? "--seeds N: 1 to N"

run 0 --seeds=500:101 --jobs=1 "$dir/holds" && printed '101 seeds, 1010 steps, 0 violations' &&
	given 500 101
verdict $? "--seeds FIRST:N"

run 0 -s 2 -j 64 "$dir/holds" && given 1 2
verdict $? "more processes than seeds"

program two <<'END'
echo "# sim bank: $seeds seeds, 1 steps, 0 violations"
echo "noise: sim of something"
echo "# # sim queue: $seeds seeds, 2 steps, 0 violations"
END

run 0 --seeds 8 --jobs 1 "$dir/two" && printf '%s\n' 'bank: 8 seeds, 8 steps, 0 violations' \
	'queue: 8 seeds, 16 steps, 0 violations' '16 seeds, 24 steps, 0 violations' |
	cmp - "$dir/out" >>"$dir/err"
verdict $? "several simulations have a line each"

program hostile <<'END'
printf '# violation in b\033[2J: seed 1, step 3, at 0.000 ms\n'
printf '#   \302\233\r\342\200\256\377 \342\202\254\n'
echo "# replay: WARD_REPLAY='x'"
printf '# sim b\033[2J: 1 seed, 1 step, 1 violation\n# sim c: 1 seed, 1 step, 0 violations\n'
exit 1
END

# plain: whether what was printed is text, and no control characters.
plain()
{
	! LC_ALL=C grep -q "[[:cntrl:]$(printf '\233\377')]" "$dir/out" "$dir/err"
}

run 1 --seeds 1 "$dir/hostile" && plain &&
	grep -qxF '  \u{9b}\r\u{202e}\xff €' "$dir/out" && grep -qF 'b\x1b[2J: 1 seed' "$dir/out"
verdict $? "what programs print steers no terminal"

evil=$(printf 'x\033[2J\n\377')
run 2 "$dir/$evil" && plain && run 2 --seeds "$evil" "$dir/holds" && plain
verdict $? "names of programs steer no terminal"

# The process with seed 50 finds it; the others go on for ever.
program breaks <<'END'
if [ "$first" -le 50 ] && [ $((first + seeds)) -gt 50 ]; then
	echo "# violation in bank: seed 50, step 3, at 0.000 ms"
	echo "#   it is no more"
	echo "# replay: WARD_REPLAY='bank seed=50' $0"
	echo "# # sim bank: 3 seeds, 9 steps, 1 violations"
	echo "not ok 1 - bank"
	exit 1
fi
[ "$first" -lt 50 ] || exec cat "$FOR_EVER"
echo "# sim bank: $seeds seeds, 0 steps, 0 violations"
END

mkfifo "$dir/for_ever"
FOR_EVER=$dir/for_ever run 1 --seeds 100 --jobs 2 "$dir/breaks" &&
	grep -q '^violation in bank: seed 50' "$dir/out" && grep -q '^  it is no more' "$dir/out" &&
	grep -q "^replay: WARD_REPLAY='bank seed=50' $dir/breaks\$" "$dir/out" &&
	tail -n 1 "$dir/out" | grep -q ' seeds, [0-9]* steps, 1 violation$'
verdict $? "a violation is told, with its replay line, and ends the processes with higher seeds"

# Both find one, but that with the lower seed waits until the command has taken the other's.
program both <<'END'
case $first in
1)
	read -r other <"$MEET"
	while kill -0 "$other" 2>/dev/null; do :; done
	;;
2) echo $$ >"$MEET" ;;
esac
echo "# violation in bank: seed $first, step 3, at 0.000 ms"
echo "# replay: WARD_REPLAY='bank seed=$first' $0"
echo "# sim bank: 1 seed, 1 step, 1 violation"
exit 1
END

mkfifo "$dir/meet"
MEET=$dir/meet run 1 --seeds 2 --jobs 2 "$dir/both" &&
	grep -q '^violation in bank: seed 1,' "$dir/out" && ! grep -q 'seed 2,' "$dir/out" &&
	grep -q "^replay: WARD_REPLAY='bank seed=1' " "$dir/out" &&
	printed '2 seeds, 2 steps, 2 violations'
verdict $? "of several violations that of the lowest seed is told"

program once <<'END'
echo "# sim bank: 1 seed, 1 step, 0 violations"
END

run 0 --seeds 1 "$dir/once" && printed '1 seed, 1 step, 0 violations'
verdict $? "one of each is printed as one"

program passes_on <<'END'
echo "# sim $1/$2: $seeds seeds, 0 steps, 0 violations"
[ -z "${WARD_REPLAY-}" ] || exit 1
END

WARD_REPLAY='bank seed=1' run 0 -s 1 "$dir/passes_on" --seeds 'a b' && [ "$(cat "$dir/seeds")" = 1:1 ]
verdict $? "what stands behind the program is its own; a replay is not passed on"

program fails <<'END'
echo "ok 1 - fine"
echo "# what was wrong"
exit 3
END

run 1 --seeds 10 "$dir/fails" && grep -q '^what was wrong$' "$dir/err" &&
	grep -q 'exit status 3 and no violation' "$dir/err" && ! grep -q 'fine' "$dir/err"
verdict $? "a program that fails otherwise is told with what it printed"

program twice <<'END'
for seed in 3 2 4; do
	echo "# violation in bank$seed: seed $seed, step 3, at 0.000 ms"
	echo "# replay: WARD_REPLAY='bank seed=$seed' $0"
	echo "# sim bank: $seed seeds, 1 step, 1 violation"
done
exit 1
END

run 1 --seeds 9 --jobs 1 "$dir/twice" && grep -q '^violation in bank2: seed 2,' "$dir/out" &&
	[ "$(grep -c '^violation\|^replay' "$dir/out")" = 2 ]
verdict $? "also of those that one process has found"

program three <<'END'
for name in drains holds fine ends; do
	found=1
	[ $name != fine ] || found=0
	[ $found = 0 ] || echo "# violation in $name: seed 7, step 3, at 0.000 ms"
	[ $found = 0 ] || echo "# replay: WARD_REPLAY='$name seed=7' $0"
	echo "# sim $name: 7 seeds, 1 step, $found violations"
done
exit 1
END

run 1 --seeds 5:9 --jobs 1 "$dir/three" && grep -q '^violation in drains:' "$dir/out" &&
	grep -qx "for the others: ward-sim --seeds 5:9 $dir/three holds ends" "$dir/out"
verdict $? "other simulations with a violation are named"

program chosen <<'END'
echo "$0: no case \"$1\"; --list names them" >&2
exit 2
END

run 2 --seeds 10 "$dir/chosen" nosuch && grep -q 'no case "nosuch"; --list names them$' "$dir/err" &&
	grep -q 'has run nothing$' "$dir/err" && [ ! -s "$dir/out" ]
verdict $? "a chosen case that is not there is told, and is misuse"

program dies <<'END'
kill -SEGV $$
END

run 1 --seeds 10 "$dir/dies" && grep -q 'ended by signal 11' "$dir/err"
verdict $? "so is one that crashes"

program nothing <<'END'
echo 'ok 1 - no simulation'
END

run 2 --seeds 10 "$dir/nothing" && grep -q 'has no WARD_SIMULATION$' "$dir/err"
verdict $? "a program without simulations is an error"

run 2 --seeds 10 "$dir/nothing" delays_double &&
	grep -q 'nothing: none of the chosen cases is a WARD_SIMULATION$' "$dir/err"
verdict $? "so is a choice of cases without any"

program idle <<'END'
echo "# sim bank: 0 seeds, 0 steps, 0 violations"
END

run 2 --seeds 10 "$dir/idle" && grep -q 'has run none of the seeds$' "$dir/err"
verdict $? "a program that runs no seed is an error"

# What it leaves behind has the pipe open until there is something to read, which there never is.
program leaves <<'END'
echo "# sim bank: $seeds seeds, 0 steps, 0 violations"
cat "$FOR_EVER" &
END

FOR_EVER=$dir/for_ever run 0 --seeds 1 "$dir/leaves" && printed '1 seed, 0 steps, 0 violations'
verdict $? "a process that a program leaves behind is not waited for"
: >"$dir/for_ever"

run 2 "$dir/missing" && grep -q "missing: No such file" "$dir/err"
verdict $? "a program that is not there is an error"

run 2 "$dir/seeds" && grep -q 'seeds: Permission denied' "$dir/err"
verdict $? "a file that is no program is an error"

status=0
for wrong in '' '--seeds' '--seeds 0' '--seeds 1:' '--seeds 0:5' '--seeds x' '--seeds 1:2:3' '--jobs 0' \
	'--jobs 2x' '--jobs 99999' '--what' '--seeds -3' '--seeds 99999999999999999999'; do
	program=$dir/holds
	[ -n "$wrong" ] && [ "$wrong" != --seeds ] || program=
	# shellcheck disable=SC2086
	if ! run 2 $wrong $program || ! grep -q '^usage: ' "$dir/err" || [ -s "$dir/seeds" ]; then
		status=1
		echo "# taken: $wrong"
	fi
done
verdict $status "misuse is told, and nothing is run"

run 0 --help && grep -q '^usage: ' "$dir/out"
verdict $? "--help"

echo "1..$count"
[ $failed = 0 ]
