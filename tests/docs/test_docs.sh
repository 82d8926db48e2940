#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_docs.sh DOCS - the site that tools/docs makes of this tree, and of a small one with each
# kind of page; then what it finds in trees that have a link to nowhere. Prints TAP.
set -u

docs=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
site=$work/site
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
		sed 's/^/# /' "$work/said"
	fi
}

# has NAME PAGE TEXT: a page of the small site has the text.
has()
{
	grep -qF -e "$3" "$site/$2" 2>"$work/said"
	verdict "$1" $?
}

# refuses NAME TEXT: no site is made, and the text says why.
refuses()
{
	rm -rf "$site"
	"$docs" --tree "$tree" --out "$site" >"$work/said" 2>&1
	[ $? = 1 ] && grep -qF -e "$2" "$work/said" && [ ! -e "$site" ]
	verdict "$1" $?
}

# A page of the reference, and what lists its names.
write_man()
{
	mkdir -p "$tree/tools"
	cat >"$tree/tools/man" <<-'END'
	#!/bin/sh
	if [ "$1" = --names ]; then
		printf 'ward_go\tward-go\tfunction\nWARD_FAST\tward-go\tenumerator\n'
		exit
	fi
	printf '.so man3/ward-go.3\n' >"$2/ward_go.3"
	cat >"$2/ward-go.3" <<PAGE
	.Dd January 1, 2026
	.Dt WARD-GO 3
	.Os
	.Sh NAME
	.Nm ward-go
	.Nd goes
	.Sh SYNOPSIS
	.In ward/go.h
	.Sh DESCRIPTION
	.Ss ward_go()
	Goes.
	.Bd -literal
	enum { WARD_FAST };
	.Ed
	.Sh SEE ALSO
	.Xr ward_go 3 ,
	.Sx DESCRIPTION ,
	.Xr printf 3
	PAGE
	END
	chmod +x "$tree/tools/man"
}

# A tree with a page of each kind.
write_tree()
{
	rm -rf "$tree"
	mkdir -p "$tree/docs/guide" "$tree/examples/01-go" "$tree/include/ward"
	write_man
	echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >"$tree/docs/guide/way.svg"
	echo '/* nothing */' >"$tree/include/ward/go.h"
	printf '/*\n *\n * go.c - goes.\n */\nint main(void)\n{\n\treturn ward_go();\n}\n' \
		>"$tree/examples/01-go/go.c"
	cat >"$tree/README.md" <<-'END'
	# Ward

	Read [the guide](docs/guide/01-go.md#how-to-go), or
	[the header](include/ward/go.h).
	END
	cat >"$tree/docs/guide/01-go.md" <<-'END'
	# 1. Going

	## How to go

	Call `ward_go()`, as [go.c](../../examples/01-go/go.c) does; back to [the start](../../README.md).

	## How to go

	| a | b |
	|---|---|
	| 20 ns | `ward_go_home` |

	![the way](way.svg)

	```
	        indented
	                twice
	```

	```c
	return ward_go("there"); /* WARD_FAST */
	```
	END
}

"$docs" --out "$work/ours" >"$work/said" 2>&1
verdict "the site of this tree, in which each link leads somewhere" $?

find "$work/ours" -name '*.html' \
	-exec grep -HoE '<(script|link|img)[^>]*"(https?:)?//[^"]*' {} + >"$work/said" 2>&1
[ -f "$work/ours/index.html" ] && [ ! -s "$work/said" ]
verdict "no page loads anything from elsewhere" $?

write_tree
"$docs" --tree "$tree" --out "$site" >"$work/said" 2>&1
verdict "the site of a small tree" $?
has "a link to a page and a heading" index.html 'href="guide/01-go.html#how-to-go"'
has "a link to a header leads to its manual page" index.html 'href="man/ward-go.3.html"'
has "a name in the text is a link to the reference" guide/01-go.html \
	'<code><a class="api" href="../man/ward-go.3.html#ward_go">ward_go</a>()</code>'
has "so is one in code" guide/01-go.html \
	'href="../man/ward-go.3.html#ward_go">ward_go</a>(<span class="string">'
has "so is one in a comment" guide/01-go.html \
	'/* <a class="api" href="../man/ward-go.3.html#WARD_FAST">'
has "a keyword is marked" guide/01-go.html '<span class="keyword">return</span>'
has "a heading that comes again has another anchor" guide/01-go.html 'id="how-to-go-1"'
has "a table scrolls by itself" guide/01-go.html '<div class="scroll"><table>'
has "where a name in a table may go on in the next line" guide/01-go.html '>ward_go_<wbr>home<'
has "a number stays with its unit" guide/01-go.html "<td>20$(printf '\302\240')ns</td>"
has "a picture is a link to its file" guide/01-go.html '<a class="picture" href="way.svg"><img '
has "what all lines of code are indented by is left out" guide/01-go.html '<code>indented'
has "a link to a file of an example leads to its page" guide/01-go.html \
	'href="../examples/01-go.html#go.c"'
has "the page of an example has its source" examples/01-go.html \
	'<span class="keyword">int</span> main('
has "a name has its anchor in the heading of its section" man/ward-go.3.html 'id="ward_go"'
has "or where code declares it" man/ward-go.3.html 'id="WARD_FAST"'
has "a section is a link" man/ward-go.3.html '<a class="Sx" href="#DESCRIPTION">'
has "a page of another project is no link" man/ward-go.3.html '<a class="Xr">printf(3)</a>'
has "the contents say which page is open" guide/01-go.html 'href="01-go.html" aria-current="page"'
has "names are in the index of the search" search-index.js \
	'["ward_go","function, ward-go(3)","man/ward-go.3.html#ward_go"]'
cmp -s "$tree/docs/guide/way.svg" "$site/guide/way.svg"
verdict "pictures are copied" $?
"$docs" --tree "$tree" --out "$site" >"$work/said" 2>&1
verdict "it is made again in its place" $?

echo '[gone](docs/gone.md)' >>"$tree/README.md"
refuses "a link to no file" "README.md:5: there is no docs/gone.md"
write_tree
echo '[gone](#gone)' >>"$tree/docs/guide/01-go.md"
refuses "a link to no heading" \
	"docs/guide/01-go.md:23: #gone: docs/guide/01-go.md has no anchor 'gone'"
write_tree
echo '![gone](gone.svg)' >>"$tree/docs/guide/01-go.md"
refuses "a picture that is not there" "docs/guide/01-go.md:23: there is no gone.svg"
write_tree
mkdir -p "$tree/tests/go"
echo '[out](../../../site)' >"$tree/tests/go/README.md"
refuses "a link out of the tree, of a page that nothing links to" \
	"tests/go/README.md:1: there is no ../../../site"
write_tree
sed -i 's/enum { WARD_FAST }/enum { FAST }/' "$tree/tools/man"
refuses "a name that its page does not describe" "has no anchor 'WARD_FAST'"
write_tree
printf '#!/bin/sh\nexit 3\n' >"$tree/tools/man"
refuses "no reference, no site" "tools/man --out"

write_tree
mkdir "$site"
echo mine >"$site/notes"
"$docs" --tree "$tree" --out "$site" >"$work/said" 2>&1
[ $? = 1 ] && [ -f "$site/notes" ]
verdict "a folder with other things stays as it is" $?

echo "1..$count"
[ $failed = 0 ]
