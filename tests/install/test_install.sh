#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_install.sh COMPILER... - `make install` into an empty folder, then the first example built
# outside the tree against what was installed, shared and static; a test program of ward-testkit
# likewise. Prints TAP.
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

(cd man && find . -type f | sort) >"$said.want"
(cd "$out/share/man" && find . -type f | sed 's,^\./man[1-8],.,' | sort) 2>/dev/null |
	diff "$said.want" - >"$said"
verdict $? "so are the manual pages"

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

cp "$source/examples/02-directives/directives.c" .
# shellcheck disable=SC2046
"$@" directives.c $(pkg-config --cflags --libs ward) -o directives >"$said" 2>&1 &&
	LD_LIBRARY_PATH=$lib ./directives 2>"$said.err" |
	diff "$source/examples/02-directives/expected.txt" - >"$said"
verdict $? "so does the example of the four directives"

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

# profile LIBRARY EXPECTED SOURCE...: an example that needs this library, shared and static.
profile()
{
	library=$1
	expected=$source/examples/$2
	shift 2
	sources=
	for file; do
		sources="$sources $source/examples/$file"
	done
	# shellcheck disable=SC2046,SC2086
	$compiler $sources $(pkg-config --cflags --libs "$library") -o profile >"$said" 2>&1 &&
		LD_LIBRARY_PATH=$lib ./profile 2>"$said.err" | diff "$expected" - >"$said"
	verdict $? "$(basename "$expected" .txt) of $library with the shared libraries"

	# shellcheck disable=SC2046,SC2086
	$compiler -static $sources $(pkg-config --static --cflags --libs "$library") -o profile_static \
		>"$said" 2>&1 && ./profile_static 2>"$said.err" | diff "$expected" - >"$said"
	verdict $? "and without"
}

compiler=$*
profile ward-otp 23-otp/expected.txt 23-otp/office.c
profile ward-akka-zero 22-zero/factory.txt 22-zero/factory.c
profile ward-akka-zero 21-objects/bank.txt 21-objects/bank.c 21-objects/account.c

# The libraries of ward alone: they take what they need from the last ones.
# shellcheck disable=SC2046
"$@" -static "$source/tests/together/together.c" $(pkg-config --cflags ward) \
	-Wl,--whole-archive "$lib"/libward*.a -Wl,--no-whole-archive -lconfig -pthread -o together \
	>"$said" 2>&1 && ./together >"$said" 2>&1
verdict $? "all static libraries in one program, each of them whole"

example=$source/examples/25-config
cp "$example/shop.c" config.c
# shellcheck disable=SC2046
"$@" "-DFOLDER=\"$example\"" config.c $(pkg-config --cflags --libs ward-config) -o config \
	>"$said" 2>&1 &&
	LD_LIBRARY_PATH=$lib ./config 2>"$said.err" | diff "$example/expected.txt" - >"$said"
verdict $? "a program of ward-config with the shared libraries"

# shellcheck disable=SC2046
"$@" -static "-DFOLDER=\"$example\"" config.c \
	$(pkg-config --static --cflags --libs ward-config) -o config_static >"$said" 2>&1 &&
	./config_static 2>"$said.err" | diff "$example/expected.txt" - >"$said"
verdict $? "and without"

[ "$(pkg-config --modversion ward-testkit)" = "$(pkg-config --modversion ward)" ] &&
	[ "$(pkg-config --modversion ward)" = "$(sed -n 's/#define WARD_VERSION "\(.*\)"/\1/p' \
	"$out/include/ward/ward.h")" ]
verdict $? "pkg-config and header agree on the version"

cd "$source" || exit 1
declared "ward.h backoff_sender.h breaker.h bridge.h delivery.h exponential.h extend.h fsm.h retry.h
	simulation.h text.h" "$@" >"$said.ward"
exported "$lib/libward.so" | diff "$said.ward" - >"$said"
verdict $? "the shared library exports what the headers declare, and nothing else"

declared testkit.h "$@" | comm -23 - "$said.ward" >"$said.want"
exported "$lib/libward-testkit.so" | diff "$said.want" - >"$said"
verdict $? "so does that of the testkit"

declared otp.h "$@" | comm -23 - "$said.ward" >"$said.want"
exported "$lib/libward-otp.so" | diff "$said.want" - >"$said"
verdict $? "so does that of OTP"

declared akka_zero.h "$@" | comm -23 - "$said.ward" >"$said.want"
exported "$lib/libward-akka-zero.so" | diff "$said.want" - >"$said"
verdict $? "so does that of Akka 0.x"

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
