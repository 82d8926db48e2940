#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_recording.sh RECORDING - what tools/recording draws of a recording, and that it finds the
# picture of a different one; above all that the picture in the README is that of docs/recording.txt.
#
# Prints TAP.
set -u

recording=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/docs"
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

# says NAME STATUS TEXT OPTION...: the output has the text.
says()
{
	name=$1
	expected=$2
	text=$3
	shift 3
	"$recording" --tree "$tree" "$@" >"$tree/said" 2>&1
	[ $? = "$expected" ] && { [ -z "$text" ] || grep -qF -e "$text" "$tree/said"; }
	verdict "$name" $?
}

"$recording" --check >"$tree/said" 2>&1
verdict "the picture in docs is that of docs/recording.txt" $?

cat >"$tree/docs/recording.txt" <<END
# A run.
1.0 0 ACTOR  STATE
1.0 1 one    running
1.0 2   two  running
2.0 2   two  < & >
3.0 1 one    running  new child in 0.4 s
3.0 2
3.5 1 one    running
END
# Half the speed of the run, and six seconds of rest: eleven seconds.
says "a text that stays to the end" 0 \
	'@keyframes t2{0.00%{visibility:visible}}.t2{animation:t2 11.0s step-end infinite}'
says "a text that goes" 0 '{0.00%{visibility:visible}18.18%{visibility:hidden}}'
says "a text that comes and goes" 0 \
	'{0%{visibility:hidden}18.18%{visibility:visible}36.36%{visibility:hidden}}'
says "a column has its place" 0 \
	'<text class="good" x="74.6" y="72" textLength="54.6">running</text>'
says "what is no markup" 0 '>&lt; &amp; &gt;</text>'
grep -q '^<g class="t[0-9]*"><text x="20.0" y="72".*new child in 0.4 s' "$tree/said" &&
	grep -q '^<g class="t[0-9]* late"><text x="35.6" y="89"' "$tree/said"
verdict "without animations a reader sees the longest wait" $?
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$tree/said" \
	2>>"$tree/said"
verdict "it is well-formed" $?
! grep -q '<script\|href\|url(' "$tree/said"
verdict "it has no script, and loads nothing" $?

says "a picture that is missing" 1 'recording: docs/recording.svg: is not what' --check
says "is written" 0 '' --write
says "is then the right one" 0 '' --check
echo '4.0 3 three' >>"$tree/docs/recording.txt"
says "but not after a change of the recording" 1 'run tools/recording --write' --check
echo '3.9 3 three' >>"$tree/docs/recording.txt"
says "time that runs backwards" 1 'recording.txt:10: is not'
echo '# nothing' >"$tree/docs/recording.txt"
says "an empty recording" 1 'there is nothing in it'

# A program in the place of the demo, which draws two pictures in the way of the sink's view.
mkdir -p "$tree/tools" "$tree/examples/sink"
cp "$recording" "$tree/tools/recording"
cat >"$tree/examples/sink/demo.sh" <<'END'
#!/bin/sh
printf 'demo: %s\n' "$(basename "$1")"
printf 'ACTOR\033[K\none\033[K\n  two\033[K\n\033[J'
sleep 0.5
printf '\033[3A\rACTOR\033[K\nthree\033[K\n\033[J'
sleep 0.5
printf 'sink: %s lost\n' 0
END
chmod +x "$tree/examples/sink/demo.sh"
"$tree/tools/recording" --record "$tree" >"$tree/said" 2>&1
verdict "a run is recorded" $?
sed -n '/^#/!s/^[0-9.]* //p' "$tree/docs/recording.txt" >"$tree/said"
printf '%s\n' "0 demo: $(basename "$tree")" '1 ACTOR' '2 one' '3   two' \
	'2 three' '3' '3 sink: 0 lost' |
	cmp -s - "$tree/said"
verdict "row by row, where it changes" $?
echo 'exit 3' >>"$tree/examples/sink/demo.sh"
recording=$tree/tools/recording
says "a demo that fails" 1 'examples/sink/demo.sh ended with 3' --record "$tree"

echo "1..$count"
[ $failed = 0 ]
