#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_install.sh COMPILER... - `make install` into an empty folder, then programs built outside the
# tree against what was installed, shared and static: the examples, each by the line in its opening
# comment, and a test program of ward-testkit. Prints TAP.
#
# What a shared library exports must be the names of its public headers, all of them and no other. All
# static libraries together, each of them whole, must link into one program.
set -u
cd "$(dirname "$0")/../.." || exit 1

source=$PWD
prefix=/opt/ward
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
out=$root$prefix
said=$root/said
count=0
failed=0
export LC_ALL=C

# verdict STATUS NAME: prints one case.
verdict()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/# /' "$said"
	fi
}

# declared 'HEADER...' COMPILER...: the names that they mark as visible, with all that they include;
# sorted.
declared()
{
	headers=$1
	shift
	for header in $headers; do
		echo "#include <ward/$header>"
	done | "$@" -Iinclude -E -P -x c - | tr '\n' ' ' | tr ';' '\n' |
		grep -F 'visibility("default")' |
		sed 's/__attribute__((\([a-z_]*([^()]*)\|[a-z_]*\)))//g; s/[[(].*//; s/ *$//; s/.*[ *]//' |
		sort
}

# The names that the shared library exports, sorted; not the name of their version.
exported()
{
	nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort
}

make --no-print-directory install CC="$*" BUILD="$root/build" PREFIX=$prefix DESTDIR="$root" \
	>"$said" 2>&1
verdict $? "make install"

pc=$(find "$out" -name ward.pc)
lib=${pc%/pkgconfig/ward.pc}
export PKG_CONFIG_LIBDIR="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"

(cd include && find ward -name '*.h' | sort) >"$said.want"
(cd "$out/include" && find . -type f | sed 's,^\./,,' | sort) 2>/dev/null | diff "$said.want" - >"$said"
verdict $? "the public headers are installed, and no other"

tools/man --out "$root/pages/man3" >"$said" 2>&1 && {
	(cd "$root/pages/man3" && ls)
	(cd man && ls -- *.[1-8])
} | sort >"$said.want"
(cd "$out/share/man" && find . -type f | sed 's,.*/,,' | sort) 2>/dev/null | diff "$said.want" - >"$said"
verdict $? "so are the manual pages, written by hand and made of the headers"
rm -r "$root/pages"

documents=$out/share/doc/ward
find LICENSE README.md CHANGELOG.md docs -type f ! -path 'docs/site/*' | sort >"$said.want"
(cd "$documents" && find . -type f ! -path './examples/*' | sed 's,^\./,,' | sort) 2>/dev/null |
	diff "$said.want" - >"$said"
verdict $? "so are licence, changes and documents, where their links lead to each other"

find examples -name '*.c' ! -path 'examples/sink/tests/*' | sort >"$said.want"
(cd "$documents" && find examples -name '*.c' | sort) 2>/dev/null | diff "$said.want" - >"$said"
verdict $? "so are the examples"

find "$root" -path "$root/build" -prune -o -type f ! -path "$out/*" ! -path "$said*" -print >"$said"
[ ! -s "$said" ]
verdict $? "nothing is installed outside of the prefix"

mkdir "$root/outside"
cd "$root/outside" || exit 1
cp "$source/examples/01-hello/hello.c" .

# shellcheck disable=SC2046
"$@" hello.c $(pkg-config --cflags --libs ward) -o shared >"$said" 2>&1
verdict $? "cc hello.c \$(pkg-config --cflags --libs ward)"

LD_LIBRARY_PATH=$lib ./shared 2>"$said.err" | diff "$source/examples/01-hello/expected.txt" - >"$said"
verdict $? "it runs with the shared library"

readelf -d shared >"$said" 2>&1
grep -q 'Shared library: \[libward\.so\.' "$said"
verdict $? "it names the shared library with its version"

# shellcheck disable=SC2046
"$@" -static hello.c $(pkg-config --static --cflags --libs ward) -o static >"$said" 2>&1
verdict $? "cc -static hello.c \$(pkg-config --static --cflags --libs ward)"

./static 2>"$said.err" | diff "$source/examples/01-hello/expected.txt" - >"$said"
verdict $? "it runs without the shared library"

{
	echo '#include <ward/testkit.h>'
	echo 'WARD_TEST(codes_have_texts) { ward_assert_str(ward_err_text(WARD_EDEAD), ""); }'
	echo 'WARD_TEST(seeds_count_from_one) { WARD_TEST_SEEDS(3) ward_assert(ward_test_seed()); }'
	echo 'WARD_TEST_MAIN'
} >test.c
# shellcheck disable=SC2046
"$@" test.c $(pkg-config --cflags --libs ward-testkit) -o test >"$said" 2>&1
verdict $? "cc test.c \$(pkg-config --cflags --libs ward-testkit)"

LD_LIBRARY_PATH=$lib ./test >"$said" 2>&1
[ $? = 1 ] && grep -q '^not ok 1 - codes_have_texts$' "$said" &&
	grep -q '^ok 2 - seeds_count_from_one$' "$said"
verdict $? "it runs its cases, and sees the one that is wrong"

# shellcheck disable=SC2046
"$@" -static test.c $(pkg-config --static --cflags --libs ward-testkit) -o test_static >"$said" 2>&1 &&
	./test_static seeds_count_from_one >"$said" 2>&1
verdict $? "so it does without the shared libraries"

# The programs on manual pages print what the pages say.
for page in "$source"/man/*.[1-8]; do
	python3 "$source/tests/guide/shown.py" "$page" .
done
for program in ./*.[1-8].*.c; do
	library=ward
	grep -q '<ward/testkit.h>' "$program" && library=ward-testkit
	# shellcheck disable=SC2046
	"$@" "$program" $(pkg-config --cflags --libs $library) -o program >"$said" 2>&1 &&
		LD_LIBRARY_PATH=$lib ./program 2>"$said.err" | diff "${program%.c}.txt" - >"$said"
	verdict $? "the program of ${program#./} prints what the page says"
done

# without LIBRARY EXPECTED SOURCE...: an example that needs this library, linked into one program.
without()
{
	library=$1
	expected=$source/examples/$2
	shift 2
	sources=
	for file; do
		sources="$sources $source/examples/$file"
	done
	# shellcheck disable=SC2046,SC2086
	$compiler -static $sources $(pkg-config --static --cflags --libs "$library") -o profile_static \
		>"$said" 2>&1 && (cd "$(dirname "$expected")" && "$here/profile_static") 2>"$said.err" |
		diff "$expected" - >"$said"
	verdict $? "an example of $library without the shared libraries"
}

compiler=$*
here=$PWD
without ward-otp 23-otp/expected.txt 23-otp/office.c
without ward-akka-zero 22-zero/factory.txt 22-zero/factory.c
without ward-config 25-config/expected.txt 25-config/shop.c

# shellcheck disable=SC2046
$compiler -static "$source/examples/38-tls/secret_lines.c" \
	$(pkg-config --static --cflags --libs ward-tls) -o secret_static >"$said" 2>&1
verdict $? "cc -static secret_lines.c \$(pkg-config --static --cflags --libs ward-tls)"

# ---- the examples, each by the line in its opening comment -----------------------------------

cp -r "$source/examples" .
mkdir bin
printf '#!/bin/sh\nexec %s "$@"\n' "$compiler" >bin/cc
chmod +x bin/cc

# commands FILE: the lines of its opening comment that begin with a tab and a command.
commands()
{
	sed -n '\,\*/,q; s,^ \*\t\(cd \|cc \|\./\),\1,p' "$1"
}

# run_example NAME COMMAND: prints its output and its status. Some end by a signal only.
run_example()
{
	case $1 in
	line_server | echo | lines | sampler | chat | gateway | proxy | secret_lines)
		mkfifo output
		sh -c "exec $2" >output 2>&1 &
		{
			read -r _
			kill -TERM $!
			cat >/dev/null
		} <output
		rm output
		wait $!
		;;
	*) sh -c "$2" ;;
	esac
	echo "status $?"
}

# example FILE: builds it and runs it, and compares what it prints where that is in a file.
example()
{
	folder=$(dirname "$1")
	build=$(commands "$1" | grep -v '^\./')
	name=${build##*-o }
	run=$(commands "$1" | grep '^\./')
	case $name in
	all_for_one | watchdog) status=1 ;;
	*) status=0 ;;
	esac
	PATH=$here/bin:$PATH sh -c "${build:-echo there is no such line; false}" >"$said" 2>&1 &&
		[ ! -s "$said" ]
	built=$?
	verdict $built "$1: ${build:-the line that builds it}"
	[ $built = 0 ] || return
	[ -f "$folder/$name" ] || mv "$name" "$folder"
	(cd "$folder" && LD_LIBRARY_PATH=$lib run_example "$name" "${run:-./$name}") \
		>"$said.printed" 2>"$said.err"
	for expected in "$folder/$name.txt" "$folder/expected.txt"; do
		[ ! -f "$expected" ] || break
	done
	if [ -f "$expected" ]; then
		{ cat "$expected" && echo "status $status"; } | diff - "$said.printed" >"$said"
	else
		cat "$said.printed" "$said.err" >"$said"
		[ "$(tail -n 1 "$said.printed")" = "status $status" ]
	fi
	verdict $? "it runs"
}

# pkg-config for an example that needs another library as well, which is not below the new root.
cat >bin/pkg-config <<'END'
#!/bin/sh
for last; do :; done
case $last in
libuv | glib-2.0 | sqlite3)
	ward=ward
	[ "$last" != sqlite3 ] || ward=ward-net
	/usr/bin/pkg-config --cflags --libs "$ward" &&
		env -u PKG_CONFIG_LIBDIR -u PKG_CONFIG_SYSROOT_DIR \
			/usr/bin/pkg-config --cflags --libs "$last"
	;;
*) exec /usr/bin/pkg-config "$@" ;;
esac
END
chmod +x bin/pkg-config

# there LIBRARY: whether it is installed on this machine.
there()
{
	env -u PKG_CONFIG_LIBDIR -u PKG_CONFIG_SYSROOT_DIR pkg-config --exists "$1"
}

programs=$(grep -rlE --include='*.c' '^(int main\(|WARD_TEST_MAIN$)' examples |
	grep -v '^examples/sink/\|/client/' | sort)
for program in $programs; do
	case $program in
	*-libuv/*) needs=libuv ;;
	*-glib/*) needs=glib-2.0 ;;
	*-tls/*) needs=openssl ;;
	*-gateway/*) needs=sqlite3 ;;
	*) needs= ;;
	esac
	if [ -n "$needs" ] && ! there "$needs"; then
		count=$((count + 1))
		echo "ok $count - $program # SKIP there is no $needs here"
		continue
	fi
	example "$program"
done

# The libraries of ward alone: they take what they need from the last ones.
# shellcheck disable=SC2046
"$@" -static "$source/tests/together/together.c" $(pkg-config --cflags ward) \
	-Wl,--whole-archive "$lib"/libward*.a -Wl,--no-whole-archive -lconfig -lssl -lcrypto -pthread -o together \
	>"$said" 2>&1 && ./together >"$said" 2>&1
verdict $? "all static libraries in one program, each of them whole"

[ "$(pkg-config --modversion ward-testkit)" = "$(pkg-config --modversion ward)" ] &&
	[ "$(pkg-config --modversion ward)" = "$(sed -n 's/#define WARD_VERSION "\(.*\)"/\1/p' \
	"$out/include/ward/ward.h")" ]
verdict $? "pkg-config and header agree on the version"

cd "$source" || exit 1
declared "ward.h association.h backoff_sender.h breaker.h bridge.h delivery.h exponential.h extend.h fsm.h
	guests.h loop.h remote.h retry.h simulation.h text.h" "$@" >"$said.ward"
exported "$lib/libward.so" | diff "$said.ward" - >"$said"
verdict $? "the shared library exports what the headers declare, and nothing else"

declared "testkit.h testkit/neighbours.h" "$@" | comm -23 - "$said.ward" >"$said.want"
exported "$lib/libward-testkit.so" | diff "$said.want" - >"$said"
verdict $? "so does that of the testkit"

declared otp.h "$@" | comm -23 - "$said.ward" >"$said.want"
exported "$lib/libward-otp.so" | diff "$said.want" - >"$said"
verdict $? "so does that of OTP"

declared akka_zero.h "$@" | comm -23 - "$said.ward" >"$said.want"
exported "$lib/libward-akka-zero.so" | diff "$said.want" - >"$said"
verdict $? "so does that of Akka 0.x"

declared "net.h net/sim.h" "$@" | comm -23 - "$said.ward" >"$said.want"
exported "$lib/libward-net.so" | diff "$said.want" - >"$said"
verdict $? "so does that of the sockets"

declared tls.h "$@" | comm -23 - "$said.ward" >"$said.want"
declared net.h "$@" | comm -23 "$said.want" - >"$said.tls"
exported "$lib/libward-tls.so" | diff "$said.tls" - >"$said"
verdict $? "so does that of TLS"

readelf -d "$lib"/libward*.so | grep -c 'NEEDED.*lib\(ssl\|crypto\)' >"$said"
readelf -d "$lib"/libward-tls.so | grep -c 'NEEDED.*lib\(ssl\|crypto\)' | diff - "$said" >"$said.err"
verdict $? "no library but that of TLS needs OpenSSL"

declared config.h "$@" | comm -23 - "$said.ward" >"$said.want"
exported "$lib/libward-config.so" | diff "$said.want" - >"$said"
verdict $? "so does that of the configuration"

nm -g --defined-only "$lib"/libward*.a |
	awk 'NF == 3 && $3 !~ /^wardi?_/' >"$said"
[ ! -s "$said" ]
verdict $? "the static libraries define ward_ and wardi_ names only"

make --no-print-directory uninstall BUILD="$root/build" >"$said" 2>&1
verdict $? "make uninstall"

find "$root" -path "$root/build" -prune -o -path "$root/outside" -prune -o \( -type f -o -type l \) \
	! -path "$said*" -print >"$said.left"
cat "$said.left" >"$said"
[ ! -s "$said" ]
verdict $? "it leaves no file"

echo "1..$count"
[ $failed = 0 ]
