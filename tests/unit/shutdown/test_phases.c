/* SPDX-License-Identifier: MIT
 *
 * test_phases.c - the table of a shutdown's phases: in which order they come, and which tables are
 * refused (S77).
 */
#include <stdio.h>
#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#include "shutdown/phases.h"

static const ward_phase *sorted[WARD_PHASES_MAX];
static uint32_t count;

static const char *order(const ward_phase *table)
{
	static char text[512];
	size_t length = 0;
	ward_assert_ok(wardi_phases_sort(table, sorted, &count));
	text[0] = '\0';
	for (uint32_t i = 0; i < count; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
					   i == 0 ? "" : " ", sorted[i]->name);
	return text;
}

static ward_err refused(const ward_phase *table)
{
	count = 77;
	ward_err err = wardi_phases_sort(table, sorted, &count);
	ward_assert_eq(count, 77);
	return err;
}

WARD_TEST(phase_comes_after_those_that_it_names, "S77")
{
	ward_assert_str(order((ward_phase[]){{.name = "stop", .after = {"unbind", "drain"}},
					     {.name = "unbind"},
					     {.name = "drain", .after = {"unbind"}},
					     {.name = NULL}}),
			"unbind drain stop");
	ward_assert_str(order((ward_phase[]){
				{.name = "d", .after = {"a", "b", "c", "e"}, .timeout_ms = 100},
				{.name = "c"},
				{.name = "b"},
				{.name = "a", .after = {"e"}},
				{.name = "e"},
				{.name = NULL}}),
			"c b e a d");
}

WARD_TEST(rows_without_an_order_stand_as_in_the_table, "S77")
{
	ward_assert_str(
		order((ward_phase[]){{.name = "b"}, {.name = "a"}, {.name = "c"}, {.name = NULL}}),
		"b a c");
	ward_assert_str(order((ward_phase[]){{.name = NULL}}), "");
}

WARD_TEST(default_phases_have_an_order, "S77")
{
	ward_assert_str(order(ward_default_phases),
			"before-service-unbind service-unbind service-requests-done service-stop "
			"before-actor-system-terminate actor-system-terminate");
}

WARD_TEST(cycle_is_refused_and_named_by_one_that_is_on_it, "S77")
{
	ward_assert_err(refused((ward_phase[]){{.name = "behind", .after = {"x"}},
					       {.name = "x", .after = {"y"}},
					       {.name = "y", .after = {"first", "z"}},
					       {.name = "z", .after = {"x"}},
					       {.name = "first"},
					       {.name = "far-behind", .after = {"behind"}},
					       {.name = NULL}}),
			WARD_EINVAL);
	ward_assert(strstr(ward_err_detail(), "behind") == NULL);
	ward_assert(strstr(ward_err_detail(), "first") == NULL);
	ward_assert_part(ward_err_detail(), "comes after itself");
	ward_assert_err(
		refused((ward_phase[]){{.name = "self", .after = {"self"}}, {.name = NULL}}),
		WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "\"self\" comes after itself");
}

WARD_TEST(wrong_rows_are_refused_by_name, "S77")
{
	ward_assert_err(refused((ward_phase[]){
				{.name = "a"}, {.name = "b"}, {.name = "a"}, {.name = NULL}}),
			WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "\"a\"");
	ward_assert_err(refused((ward_phase[]){{.name = "a", .after = {"ghost"}}, {.name = NULL}}),
			WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "\"a\" comes after \"ghost\"");
	ward_assert_err(refused((ward_phase[]){{.name = WARD_PHASE_SERVICES}, {.name = NULL}}),
			WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "\"services\" is the phase behind /user");
	ward_assert_err(refused((ward_phase[]){{.name = "a b"}, {.name = NULL}}), WARD_ENAME);
	ward_assert_part(ward_err_detail(), "options.phases");
	ward_assert_err(refused((ward_phase[]){{.name = "x2345678901234567890123456789012"},
					       {.name = NULL}}),
			WARD_ENAME);
	ward_assert_part(ward_err_detail(), "32 bytes, at most 31");
	ward_assert_ok(wardi_phases_sort(
		(ward_phase[]){{.name = "x234567890123456789012345678901"}, {.name = NULL}}, sorted,
		&count));
	ward_assert_err(refused((ward_phase[]){{.name = "a", .timeout_ms = -1}, {.name = NULL}}),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), ".timeout_ms of \"a\" is -1: it must not be negative");
	ward_assert_err(refused((ward_phase[]){{.name = "a", .reserved = {0, 1}}, {.name = NULL}}),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "reserved");
}

WARD_TEST(table_has_at_most_its_rows, "S77")
{
	ward_phase table[WARD_PHASES_MAX + 2] = {{0}};
	char names[WARD_PHASES_MAX + 1][8];
	for (int i = 0; i <= WARD_PHASES_MAX; i++) {
		snprintf(names[i], sizeof names[i], "p%d", i);
		table[i].name = names[i];
	}
	ward_assert_err(refused(table), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "more than 32 rows");
	table[WARD_PHASES_MAX].name = NULL;
	ward_assert_ok(wardi_phases_sort(table, sorted, &count));
	ward_assert_eq(count, WARD_PHASES_MAX);
}

WARD_TEST_MAIN
