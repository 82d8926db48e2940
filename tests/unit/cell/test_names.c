/* SPDX-License-Identifier: MIT
 *
 * test_names.c - what is a name, and the names that are made (S55, S56).
 *
 * Method: every byte at every kind of place, against the list of the contract.
 */
#include <stdio.h>
#include <string.h>

#include <ward/testkit.h>

#include "cell/path.h"
#include "cell/system.h"
#include "support/script.h"

static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			      "-_.$+:@&=,!~';";

WARD_TEST(each_byte_is_allowed_or_refused_with_its_position, "S55")
{
	for (int byte = 1; byte < 256; byte++) {
		for (size_t at = 0; at < 3; at++) {
			char name[4] = "zzz", part[32];
			name[at] = (char)byte;
			bool fine = strchr(allowed, byte) != NULL && !(byte == '$' && at == 0);
			ward_assert_err(wardi_name_check(name), fine ? WARD_OK : WARD_ENAME);
			if (fine || byte == '$')
				continue;
			snprintf(part, sizeof(part), "(0x%02x) at position %zu", (unsigned)byte,
				 at);
			ward_assert_part(ward_err_detail(), part);
		}
	}
}

WARD_TEST(percent_needs_two_hex_digits, "S55")
{
	const char *fine[] = {"%41", "a%2f", "%aA%Bb", "%00x", "%99", "%ff%FF%af%AF"};
	const char *wrong[] = {"%",   "a%",  "a%4", "%g0", "%0g",  "%G0",  "%0G",
			       "%`0", "%0@", "%/0", "%0:", "%%41", "%4%41"};
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		ward_assert_ok(wardi_name_check(fine[i]));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ward_assert_err(wardi_name_check(wrong[i]), WARD_ENAME);
}

WARD_TEST(name_has_1_to_1024_bytes, "S55")
{
	char name[1026];
	memset(name, 'n', sizeof(name));
	name[1024] = '\0';
	ward_assert_ok(wardi_name_check(name));
	name[1024] = 'n';
	name[1025] = '\0';
	ward_assert_err(wardi_name_check(name), WARD_ENAME);
	ward_assert_part(ward_err_detail(), "1025");
	ward_assert_err(wardi_name_check(""), WARD_ENAME);
	ward_assert_part(ward_err_detail(), "empty");
}

WARD_TEST(made_name_is_that_of_the_behaviour_and_a_number, "S56")
{
	static const struct {
		const char *behavior;
		uint64_t number;
		const char *name;
	} cases[] = {
		{"worker", 0, "worker$1"},
		{"worker", 8, "worker$9"},
		{"worker", 9, "worker$10"},
		{"worker", INT64_MAX, "worker$9223372036854775808"},
		{"ward.router", 4, "ward.router$5"},
		/* What a name cannot have. */
		{"", 0, "actor$1"},
		{"a b/c", 0, "a_b_c$1"},
		{"50%", 0, "50_$1"},
		{"x$1", 0, "x_1$1"},
		{"\xc3\xa4", 0, "__$1"},
	};
	char name[WARDI_NAME_GENERATED];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wardi_name_generate(cases[i].behavior, cases[i].number, name);
		ward_assert_str(name, cases[i].name);
	}
}

WARD_TEST(made_name_of_a_long_behaviour_is_cut, "S56")
{
	char behavior[2000], name[WARDI_NAME_GENERATED];

	memset(behavior, 'b', sizeof behavior);
	behavior[sizeof behavior - 1] = '\0';
	wardi_name_generate(behavior, INT64_MAX, name);
	ward_assert_eq(strspn(name, "b"), 64);
	ward_assert_str(name + 64, "$9223372036854775808");
}

WARD_TEST(made_name_gives_its_number_and_no_other_text_gives_one, "S56")
{
	const char *others[] = {"",     "$",    "a",    "$1",   "a$",
				"a$0",  "a$01", "a$1b", "a$1$", "a$-1",
				"a$ 1", "a$1 ", "1",    "a$+1", "a$99999999999999999999"};
	char name[WARDI_NAME_GENERATED];

	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t number = i < 10000 ? i : i * i * i;
		wardi_name_generate(i % 2 == 0 ? "a" : "b$7", number, name);
		ward_assert_eq(wardi_name_number(name), number);
	}
	ward_assert_eq(wardi_name_number("a$1$2"), 1);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ward_assert_eq(wardi_name_number(others[i]), UINT64_MAX);
}

WARD_TEST(made_names_are_all_different_and_no_name_of_a_user, "S56", "S55")
{
	enum { COUNT = 5000 };
	static char names[COUNT][WARDI_NAME_GENERATED];
	for (int i = 0; i < COUNT; i++) {
		wardi_name_generate("worker", (uint64_t)i, names[i]);
		ward_assert_err(wardi_name_check(names[i]), WARD_ENAME);
		ward_assert_part(ward_err_detail(), "as generated names do");
		for (int j = i > 200 ? i - 200 : 0; j < i; j++)
			ward_assert(strcmp(names[i], names[j]) != 0);
	}
}

/* ---- the end of a path ------------------------------------------------------------------- */

/* In a room of any size: all of it, or its last bytes, of which dots replace the first three. */
static void check_tails(ward_system *system, ward_ref ref)
{
	char whole[256], tail[256], expected[256];
	size_t length = ward_system_path(system, ref, whole, sizeof whole);
	for (size_t max = 4; max < length + 5; max++) {
		memset(tail, '#', sizeof tail);
		wardi_path_tail(system, ref, tail, max);
		strcpy(expected, length < max ? whole : whole + length - (max - 1));
		if (length >= max)
			memcpy(expected, "...", 3);
		ward_assert_str(tail, expected);
		ward_assert(tail[max] == '#');
	}
}

WARD_TEST(end_of_a_path_fills_the_room_there_is, "S57")
{
	struct script top = {.name = "top"}, child = {.name = "a-child-with-a-longer-name"};
	top.children[0] = &child;
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &top);
	ward_kit_run(kit);
	check_tails(system, system->root);
	check_tails(system, system->user);
	check_tails(system, top.ref);
	check_tails(system, child.ref);
	script_finish(kit);
}

WARD_TEST_MAIN
