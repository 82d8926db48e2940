#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_pictures.sh PICTURES - the pictures in docs/pictures are those of their sources, and the
# guide shows them; tools/pictures draws each kind, refuses mistakes, and finds an outdated picture.
#
# Prints TAP.
set -u

pictures=$1
root=$(dirname "$pictures")/..
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
folder=$tree/docs/pictures
mkdir -p "$folder"
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

# given KIND LINE...: writes the source of a picture.
given()
{
	printf 'title A title\ndesc A description\nkind %s\n' "$1" >"$folder/it.txt"
	shift
	printf '%s\n' "$@" >>"$folder/it.txt"
}

# says NAME STATUS TEXT OPTION...: the output has the text.
says()
{
	name=$1
	expected=$2
	text=$3
	shift 3
	"$pictures" --tree "$tree" "$@" >"$tree/said" 2>&1
	[ $? = "$expected" ] && { [ -z "$text" ] || grep -qF -e "$text" "$tree/said"; }
	verdict "$name" $?
}

# ---- the pictures of the guide ----------------------------------------------------------------

"$pictures" --check >"$tree/said" 2>&1
verdict "each picture in docs/pictures is the drawing of its source" $?

: >"$tree/said"
for path in "$root"/docs/pictures/*.svg; do
	grep -qF "](../pictures/${path##*/})" "$root"/docs/guide/*.md || echo "$path" >>"$tree/said"
done
test ! -s "$tree/said"
verdict "each picture is shown in the guide" $?

grep -no '!\[[^]]*\](\.\./pictures/[^)]*)' "$root"/docs/guide/*.md >"$tree/shown"
: >"$tree/said"
while IFS= read -r line; do
	name=${line##*pictures/}
	[ -f "$root/docs/pictures/${name%)}" ] || echo "$line" >>"$tree/said"
	case $line in
	*'![]'*) echo "no words for it: $line" >>"$tree/said" ;;
	esac
done <"$tree/shown"
test ! -s "$tree/said" && test -s "$tree/shown"
verdict "each picture that the guide shows is there, with a text in its place" $?

python3 -c 'import sys, xml.dom.minidom as dom
for path in sys.argv[1:]: dom.parse(path)' "$root"/docs/pictures/*.svg >"$tree/said" 2>&1
verdict "they are XML" $?

# ---- frames -----------------------------------------------------------------------------------

given frames 'frame A <caption> with `code`' ' parent: decides' '  child: failed up'
says "a caption is escaped" 0 'A &lt;caption&gt; with' it
says "code is set as code" 0 '<tspan class="code">code</tspan>' it
says "a picture has a title for a screen reader" 0 '<title id="title">A title</title>' it
says "and a description" 0 '<desc id="desc">A description</desc>' it
says "a failed actor is drawn as failed" 0 'rx="6" class="failed"' it
says "the legend explains a state that is used" 0 '>decides<' it
! grep -q '>suspended<' "$tree/said"
verdict "and none that is not" $?
given frames 'frame Mail' ' mail 3 2 | 1: failed'
says "a message in hand is drawn" 0 '>1</text>' it
given frames 'frame F' ' child: broken'
says "an unknown state is refused" 1 "it.txt:5: no state 'broken'" it
given frames ' child'
says "an actor without a frame is refused" 1 "belongs to no frame" it
given frames 'frame a' 'parent' ' a-very-long-name' ' another-long-name' ' a-third-long-name' \
	' a-fourth-long-name'
says "a tree that does not fit is refused" 1 "too wide" it

# ---- the other kinds --------------------------------------------------------------------------

given ladder 'lanes a | b' 'a is running' 'a -> b: hello' 'a: a note' 'and b: another'
says "an arrow of a ladder has its text" 0 '>hello<' it
given ladder 'lanes a | b' 'a -> c: hello'
says "a lane that is not there is refused" 1 "no lane 'c'" it
given ladder 'lanes a | b' 'a is happy'
says "so is a state" 1 "no state 'happy'" it
given timeline 'axis 0 10 5 s' 'lane x' ' 0 5 failed: out' ' 5 8 span: 3'
says "a block of a time line has its text" 0 '>out<' it
given timeline 'axis 0 100 5 s' 'lane x' ' 0 1: much too long'
says "a text that does not fit is refused" 1 "does not fit" it
given states 'grid 2' 'state 0 0 one' 'state 1 0 two: failed' 'move one -> two: fails in failed'
says "a move has its text" 0 '>fails<' it
given states 'grid 2' 'state 0 0 one' 'move one -> two: fails'
says "a move to nowhere is refused" 1 "is no move" it
given choices 'ask Why?' 'then so' 'else not'
says "a question has an answer" 0 '>so<' it
given choices 'then so'
says "an answer without a question is refused" 1 "is no question and no answer" it
given pie 'one half'
says "an unknown kind is refused" 1 "no kind 'pie'" it
printf 'title A title\nkind frames\nframe F\n a\n' >"$folder/it.txt"
says "a picture without a description is refused" 1 "has no description" it

# ---- written and checked ----------------------------------------------------------------------

given choices 'ask Why?' 'then so' 'else not'
says "no picture is not the right one" 1 "run tools/pictures --write" --check
"$pictures" --tree "$tree" --write >"$tree/said" 2>&1
says "what was written is" 0 "" --check
echo '# A comment.' >>"$folder/it.txt"
says "a comment changes nothing" 0 "" --check
sed -i 's/Why/Why not/' "$folder/it.txt"
says "a word does" 1 "differs from the drawing of it.txt" --check
mv "$folder/it.txt" "$folder/other.txt"
says "a picture without a source is found" 1 "it.svg: has no source" --check
rm "$folder"/*.txt
says "no source at all is a mistake" 2 "no sources" --check

echo "1..$count"
[ $failed = 0 ]
