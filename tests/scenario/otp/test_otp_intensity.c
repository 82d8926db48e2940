/* SPDX-License-Identifier: MIT
 *
 * test_otp_intensity.c - how often a supervisor of the OTP profile restarts, what becomes of it
 * when that was too often, and restarts that fail (S113, S74).
 *
 * Method: the clock stands at the beginning of a second, and is moved by hand. Below a supervisor
 * of which the other one is a transient child: that one is off when its reason was shutdown.
 */
#include "support/otp_workers.h"

#define THREE CHILDREN(PERMANENT("a"), PERMANENT("b"), PERMANENT("c"))

static ward_ref o_below; /* a supervisor; ... */
static ward_ref o_above; /* ... and that of which it is a child */

static void start_below(const ward_otp_supervisor *table)
{
	const ward_otp_supervisor above = {
		.children = CHILDREN(
			{.id = "below", .supervisor = table, .restart = WARD_OTP_TRANSIENT}),
	};

	o_above = o_start(&above);
	o_below = o_child(o_above, "below");
	ward_kit_advance(o.kit, WARD_SECOND - ward_kit_now_ms(o.kit) % WARD_SECOND);
	seen();
}

static bool has_ended_with_shutdown(void)
{
	return !o_lives(o_below) && strcmp(o_which(o_above), "below-") == 0;
}

/* Fails so long after the last time. */
static void fail_after(int64_t ms, const char *id)
{
	ward_kit_advance(o.kit, ms);
	o_fail(o_below, id);
}

/* ---- how often --------------------------------------------------------------------------- */

WARD_TEST(second_restart_in_five_seconds_ends_it_by_default, "S113", "S74")
{
	const ward_otp_supervisor table = {.children = THREE, .report = hears};

	o_begin();
	start_below(&table);
	fail_after(0, "a");
	ward_assert_str(seen(), "a- a+");
	fail_after(5999, "b"); /* of another child; in whole seconds it is 5 */
	ward_assert_str(seen(), "b- c- a-");
	ward_assert(has_ended_with_shutdown());
	ward_assert_str(reported(), "a:1:bad_luck: a had it b:1:bad_luck: b had it "
				    "b:4:bad_luck: b had it");
	o_end();
}

WARD_TEST(restart_after_the_period_is_the_first_one_again, "S113", "S74")
{
	const ward_otp_supervisor table = {.children = THREE};

	o_begin();
	start_below(&table);
	fail_after(999, "a");
	fail_after(5001, "a"); /* 6 whole seconds */
	ward_assert_str(seen(), "a- a+ a- a+");
	fail_after(5001, "a"); /* 5 */
	ward_assert(has_ended_with_shutdown());
	o_end();
}

WARD_TEST(window_slides, "S113", "S74")
{
	const ward_otp_supervisor table = {
		.intensity = 2, .window_ms = 2 * WARD_SECOND, .children = THREE};

	o_begin();
	start_below(&table);
	fail_after(0, "a");
	fail_after(2000, "a");
	fail_after(1000, "a");
	ward_assert(o_lives(o_below));
	fail_after(1000, "a"); /* those of 2, 3 and 4 */
	ward_assert(has_ended_with_shutdown());
	o_end();
}

WARD_TEST(none_ends_it_with_the_first, "S113")
{
	const ward_otp_supervisor table = {.intensity = WARD_RESTARTS_NONE, .children = THREE};

	o_begin();
	start_below(&table);
	o_leave(o_below, "c", .kind = WARD_EXIT_NORMAL);
	ward_assert_str(seen(), "c- b- a-");
	ward_assert(has_ended_with_shutdown());
	o_end();
}

WARD_TEST(simple_counts_all_its_children_together, "S113", "S111")
{
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.children = CHILDREN(PERMANENT("t")),
	};
	ward_ref a, b;

	o_begin();
	start_below(&table);
	a = o_more(o_below, "a");
	b = o_more(o_below, "b");
	ward_kit_tell(o.kit, a, act, .what = FAIL);
	ward_assert_str(seen(), "a+ b+ a- a+");
	ward_kit_tell(o.kit, b, act, .what = FAIL);
	ward_assert_str(seen(), "b- a-");
	ward_assert(has_ended_with_shutdown());
	o_end();
}

/* ---- it is told -------------------------------------------------------------------------- */

static const ward_event *o_event(size_t number)
{
	return ward_kit_event(o.kit, WARD_EVENT_NOTE, "*/top", number);
}

WARD_TEST(without_a_function_each_report_is_an_event, "S113", "S115", "S84")
{
	const ward_otp_supervisor table = {.name = "top", .children = THREE};
	ward_ref top;

	o_begin();
	top = o_start(&table);
	o_fail(top, "a");
	ward_assert_eq(ward_kit_count(o.kit, WARD_EVENT_NOTE, "*/top"), 2);
	ward_assert_str(o_event(0)->text, "child \"a\" has ended: bad_luck: a had it");
	ward_assert_eq(o_event(0)->level, WARD_LEVEL_WARNING);
	ward_assert_str(o_event(1)->text, "child \"a\" is restarted (1 of 1 in 5 s)");
	ward_assert_eq(o_event(1)->level, WARD_LEVEL_INFO);
	o_fail(top, "b");
	ward_assert_str(o_event(2)->text, "child \"b\" has ended: bad_luck: b had it");
	ward_assert_str(o_event(3)->text,
			"child \"b\" was restarted too often, more than 1 restart in "
			"5 s: bad_luck: b had it; the supervisor ends");
	ward_assert_eq(o_event(3)->level, WARD_LEVEL_SEVERE);
	o_end();
}

WARD_TEST(event_of_a_restart_names_the_siblings_that_are_restarted_too, "S113", "S111")
{
	ward_otp_supervisor table = {
		.name = "top",
		.intensity = 9,
		.report = hears,
		.children = CHILDREN(PERMANENT("a"), PERMANENT("b"), PERMANENT("c"), PERMANENT("d"),
				     PERMANENT("e"), PERMANENT("f"), TEMPORARY("g"))};
	static const struct {
		ward_otp_strategy strategy;
		const char *fails, *others;
	} cases[] = {
		{WARD_OTP_ONE_FOR_ONE, "a", ""},
		{WARD_OTP_REST_FOR_ONE, "d", ", with \"e\", \"f\""},
		{WARD_OTP_REST_FOR_ONE, "f", ""}, /* g is not started again */
		{WARD_OTP_ONE_FOR_ALL, "b", ", with \"a\", \"c\", \"d\", \"e\" and 1 more"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char wanted[128];
		ward_ref top;

		o_begin();
		table.strategy = cases[i].strategy;
		top = o_start(&table);
		o_fail(top, cases[i].fails);
		snprintf(wanted, sizeof wanted, "child \"%s\" is restarted (1 of 9 in 5 s)%s",
			 cases[i].fails, cases[i].others);
		ward_assert_str(o_event(0)->text, wanted);
		o_end();
	}
}

WARD_TEST(event_of_a_restart_names_siblings_that_had_ended_and_start_again, "S113", "S111")
{
	const ward_otp_supervisor table = {
		.name = "top",
		.strategy = WARD_OTP_ONE_FOR_ALL,
		.report = hears,
		.children = CHILDREN(PERMANENT("a"), CHILD("b", .restart = WARD_OTP_TRANSIENT),
				     TEMPORARY("c"))};
	ward_ref top;

	o_begin();
	top = o_start(&table);
	o_tell(top, "b", .what = LEAVE);
	ward_assert_str(o_which(top), "c+ b- a+");
	o_fail(top, "a");
	ward_assert_str(o_which(top), "b+ a+");
	ward_assert_str(o_event(0)->text, "child \"a\" is restarted (1 of 1 in 5 s), with \"b\"");
	o_end();
}

WARD_TEST(levels_of_events_are_those_of_the_table, "S113", "S30")
{
	const ward_otp_supervisor table = {.name = "top",
					   .children = THREE,
					   .restart_level = WARD_LEVEL_DEBUG,
					   .stop_level = WARD_LEVEL_WARNING},
				  wrong = {.name = "top",
					   .children = THREE,
					   .stop_level = (ward_level)5};
	ward_ref top;

	ward_assert_err(ward_otp_check(&wrong), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "stop_level is 5");
	o_begin();
	top = o_start(&table);
	o_fail(top, "a");
	ward_assert_eq(o_event(1)->level, WARD_LEVEL_DEBUG);
	ward_assert_eq(ward_kit_event(o.kit, WARD_EVENT_FAILURE, "*/a", 0)->level,
		       WARD_LEVEL_WARNING);
	o_fail(top, "b");
	ward_assert_part(o_event(3)->text, "restarted too often");
	ward_assert_eq(o_event(3)->level, WARD_LEVEL_WARNING);
	o_end();
}

WARD_TEST(only_restarts_within_the_period_are_counted, "S113", "S84")
{
	const ward_otp_supervisor table = {.name = "top",
					   .intensity = 3,
					   .window_ms = 2 * WARD_SECOND,
					   .children = THREE,
					   .report = hears};
	ward_ref top;

	o_begin();
	top = o_start(&table);
	o_fail(top, "a");
	ward_kit_advance(o.kit, 2000);
	o_fail(top, "a");
	ward_kit_advance(o.kit, 3000);
	o_fail(top, "b");
	ward_assert_eq(ward_kit_count(o.kit, WARD_EVENT_NOTE, "*/top"), 3);
	ward_assert_str(o_event(1)->text, "child \"a\" is restarted (2 of 3 in 2 s)");
	ward_assert_str(o_event(2)->text, "child \"b\" is restarted (1 of 3 in 2 s)");
	o_end();
}

WARD_TEST(its_reason_says_that_it_was_too_often, "S113", "S117")
{
	const ward_otp_supervisor table = {
		.intensity = 2, .window_ms = 10 * WARD_SECOND, .children = THREE, .report = hears};
	const ward_otp_supervisor above = {
		.children = CHILDREN({.id = "below", .supervisor = &table}),
		.report = hears,
	};

	o_begin();
	o_above = o_start(&above);
	for (int i = 0; i < 3; i++)
		o_fail(o_child(o_above, "below"), "a");
	ward_assert_part(reported(), "below:1:shutdown: more than 2 restarts in 10 s: a");
	ward_assert(!ward_kit_stats(o.kit).gave_up);
	o_end();
}

WARD_TEST(at_the_top_it_has_given_up, "S113", "S76")
{
	const ward_otp_supervisor table = {.children = THREE};
	ward_ref top;

	o_begin();
	top = o_start(&table);
	ward_kit_tell(o.kit, top, ward_otp_shut_down);
	ward_kit_run(o.kit);
	ward_assert(!o_lives(top));
	ward_assert(!ward_kit_stats(o.kit).gave_up);
	top = o_start(&table);
	o_fail(top, "a");
	o_fail(top, "a");
	ward_assert(!o_lives(top));
	ward_assert(ward_kit_stats(o.kit).gave_up);
	o_end();
}

/* ---- restarts that fail ------------------------------------------------------------------ */

WARD_TEST(restart_that_fails_is_tried_again_and_counts_again, "S113")
{
	const ward_otp_supervisor table = {.intensity = 3, .children = THREE, .report = hears};

	o_begin();
	start_below(&table);
	o.broken = "b";
	o.broken_for = 2;
	o_fail(o_below, "b");
	ward_assert_str(seen(), "b- bx bx b+");
	ward_assert_str(reported(), "b:1:bad_luck: b had it b:2:bad_luck: b cannot start "
				    "b:2:bad_luck: b cannot start");
	ward_kit_advance(o.kit, WARD_MINUTE);
	o.broken = "b";
	o.broken_for = 0;
	o_fail(o_below, "b");
	ward_assert_str(seen(), "b- bx bx bx c- a-");
	ward_assert(has_ended_with_shutdown());
	o_end();
}

WARD_TEST(what_was_asked_comes_before_the_next_try, "S113", "S116")
{
	const ward_otp_supervisor table = {.intensity = 9, .children = THREE};

	o_begin();
	start_below(&table);
	o.broken = "b";
	o.pleas[0] = &ward_type_ward_otp_terminate_child;
	o_fail(o_below, "b");
	ward_assert_str(seen(), "b- bx");
	ward_assert_str(o_which(o_below), "c+ b- a+");
	o.broken = NULL;
	ward_assert_eq(o_restart(o_below, "b"), WARD_OTP_OK);
	ward_assert_str(seen(), "b+");
	ward_assert_eq(ward_expect(o.probe, 0, ward_otp_done)->code, WARD_OTP_OK);
	o_end();
}

WARD_TEST(simple_tries_again_and_tells_of_it, "S113", "S116", "S111")
{
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.intensity = 9,
		.children = CHILDREN(PERMANENT("t")),
	};
	struct ward_otp_counts counts;
	ward_ref a;

	o_begin();
	start_below(&table);
	a = o_more(o_below, "a");
	(void)o_more(o_below, "b");
	o.broken = "a";
	o.broken_for = 3;
	ward_kit_tell(o.kit, a, act, .what = FAIL);
	ward_assert_str(seen(), "a+ b+ a- ax ax ax a+");
	ward_assert_ok(ward_system_ask(o_system(), o_below, WARD_MINUTE, &counts,
				       ward_otp_count_children));
	ward_assert_eq(counts.active, 2);
	ward_assert_eq(counts.workers, 2);
	o_end();
}

WARD_TEST(one_for_all_stops_what_it_restarted_when_a_later_one_fails, "S113", "S111")
{
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_ONE_FOR_ALL, .intensity = 9, .children = THREE};

	o_begin();
	start_below(&table);
	o.broken = "c";
	o.broken_for = 1;
	o_fail(o_below, "a");
	ward_assert_str(seen(), "a- c- b- a+ b+ cx b- a- a+ b+ c+");
	ward_assert_str(o_which(o_below), "c+ b+ a+");
	o_end();
}

WARD_TEST(rest_for_one_goes_on_at_the_later_one_that_failed, "S113", "S111")
{
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_REST_FOR_ONE, .intensity = 9, .children = THREE};

	o_begin();
	start_below(&table);
	o.broken = "b";
	o.broken_for = 1;
	o_fail(o_below, "a");
	ward_assert_str(seen(), "a- c- b- a+ bx b+ c+");
	ward_assert_str(o_which(o_below), "c+ b+ a+");
	o_end();
}

WARD_TEST(too_many_tries_end_it_with_those_it_restarted, "S113")
{
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_REST_FOR_ONE, .intensity = 2, .children = THREE};

	o_begin();
	start_below(&table);
	o.broken = "c";
	o_fail(o_below, "b");
	ward_assert_str(seen(), "b- c- b+ cx cx b- a-");
	ward_assert(has_ended_with_shutdown());
	o_end();
}

WARD_TEST_MAIN
