#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tower.sh TOWER - what tools/tower draws of a list of folders, and that it finds a picture of
# another list; above all that the picture in the documentation is the one of src/floors.
#
# Prints TAP.
set -u

tower=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src" "$tree/docs/internals"
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
	"$tower" --tree "$tree" "$@" >"$tree/said" 2>&1
	[ $? = "$expected" ] && { [ -z "$text" ] || grep -qF -e "$text" "$tree/said"; }
	verdict "$name" $?
}

# below NAME LOWER HIGHER: in what was drawn last, the text LOWER stands lower.
below()
{
	awk -v lower=">$2<" -v higher=">$3<" '
	{ y = $0; sub(/.* y="/, "", y); sub(/".*/, "", y) }
	index($0, lower) { below = y; found++ }
	index($0, higher) { above = y; found++ }
	END { exit !(found == 2 && below + 0 > above + 0) }' "$tree/said"
	verdict "$1" $?
}

"$tower" --check >"$tree/said" 2>&1
verdict "the picture in docs/internals is that of src/floors" $?

cat >"$tree/src/floors" <<END
[runtime] of actors
low  | lists & trees
high | cells
[kit] checks
kit/run   | one run
kit/probe | probes
[tool] a command
tool | the command
[tables]
table | 1 | secret
END
says "a name that is none of XML's is escaped" 0 'lists &amp; trees'
says "a library has its name and phrase" 0 '>kit</tspan><tspan dx="10">checks<'
says "a folder of a library has no more of its name than it needs" 0 '>probe<'
below "the lowest folder is at the bottom" low high
below "the libraries stand on the tower" high run
below "so do the folders of a library" run probe
! grep -q secret "$tree/said"
verdict "tables are no folders" $?
python3 -c 'import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])' "$tree/said"
verdict "it is XML" $?

says "no picture is not the right one" 1 "run tools/tower --write" --check
"$tower" --tree "$tree" --write >"$tree/said" 2>&1
says "what was written is" 0 "" --check
echo '# A comment.' >>"$tree/src/floors"
says "a comment changes nothing" 0 "" --check
sed -i 's/| cells/| other cells/' "$tree/src/floors"
says "a phrase does" 1 "run tools/tower --write" --check
rm "$tree/src/floors"
says "no list, no picture" 1 "src/floors"

echo "1..$count"
[ $failed = 0 ]
