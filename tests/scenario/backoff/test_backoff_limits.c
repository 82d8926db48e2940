/* SPDX-License-Identifier: MIT
 *
 * test_backoff_limits.c - what a back-off supervisor makes of a failure, how many restarts it
 * allows in a row, and when a row is over (S95-S98, S103).
 *
 * Method: as in test_backoff.c.
 */
#include "supervisor_between_probes.h"

/* It is the only one. */
static void expect_note(const char *text)
{
	const ward_event *event = ward_kit_event(nest.kit, WARD_EVENT_NOTE, "*/nest", 0);

	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_NOTE, "*/nest"), 1);
	ward_assert_eq(event->level, WARD_LEVEL_SEVERE);
	ward_assert_str(event->text, text);
}

static void expect_no_note(void)
{
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_NOTE, "*/nest"), 0);
}

/* ---- S95: on stop ------------------------------------------------------------------------ */

WARD_TEST(on_stop_a_restart_is_one_at_once_without_a_count, "S95")
{
	struct ward_backoff options = nest_options();

	options.strategy = &ward_default_strategy;
	nest_on_stop(&options);
	nest_fail();
	nest_tell(task, .number = 1);
	ward_assert_str(nest_log(), "+0 0 R 1");
	ward_assert_eq(nest_count(), 0);
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 0);
	ward_assert(nest_has_child(nest.child));
	nest_end();
}

WARD_TEST(on_stop_a_child_that_cannot_start_is_tried_again_later, "S95")
{
	struct ward_backoff options = nest_options();

	nest_begin();
	nest.broken = true;
	nest_spawn(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	nest_advance(9000);
	nest.broken = false;
	nest_advance(12000);
	ward_assert_str(nest_log(), "+0 +3000 +9000 +21000");
	ward_assert_eq(nest_count(), 3);
	nest_tell(task, .number = 1);
	ward_assert_str(nest_log(), "1");
	nest_end();
}

WARD_TEST(on_stop_a_partial_strategy_leaves_the_rest_to_the_default_decider, "S95")
{
	static const ward_strategy partial = {.rules = {{&odd_luck, WARD_STOP}}};
	struct ward_backoff options = nest_options();

	options.strategy = &partial;
	nest_on_stop(&options);
	nest_fail();
	ward_assert_str(nest_log(), "+0 0 R");
	nest_tell(task, .deed = FAIL_OF_IT, .why = &ward_killed);
	ward_assert_str(nest_log(), "0 -");
	nest_advance(3000);
	nest_tell(task, .deed = FAIL_OF_IT, .why = &meltdown);
	(void)ward_expect_failure(nest.parent, 0, nest.supervisor, &meltdown);
	ward_probe_decide(nest.parent, nest.supervisor, WARD_STOP);
	ward_kit_run(nest.kit);
	nest_expect_end();
	nest_end();
}

static ward_directive puts_off(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self, (void)child, (void)failure;
	return WARD_LATER;
}

WARD_TEST(strategy_that_would_decide_later_leaves_it_to_the_default_decider, "S95", "S96")
{
	static const ward_strategy later = {.decide = puts_off};
	struct ward_backoff options = nest_options();

	options.strategy = &later;
	nest_on_stop(&options);
	nest_fail();
	ward_assert_str(nest_log(), "+0 0 R");
	nest_end();
	nest_on_failure(&options);
	nest_expect_start(3000, FAIL_OF_IT);
	nest_end();
}

WARD_TEST(on_stop_the_end_after_the_last_retry_ends_the_supervisor, "S95")
{
	struct ward_backoff options = nest_options();

	options.retries_max = 2;
	nest_on_stop(&options);
	nest_expect_start(3000, END_WITH_IT);
	nest_expect_start(6000, END_WITH_IT);
	expect_no_note();
	nest_tell(task, .deed = END_WITH_IT);
	nest_expect_end();
	expect_note("gives up: its child has ended after 2 of 2 restarts in a row");
	nest_advance(WARD_MINUTE);
	ward_assert_str(nest_log(), "0 -");
	nest_end();
}

WARD_TEST(without_any_retry_the_first_end_ends_the_supervisor, "S95", "S96")
{
	struct ward_backoff options = nest_options();

	options.retries_max = WARD_RESTARTS_NONE;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_expect_end();
	ward_assert_str(nest_log(), "+0 0 -");
	nest_end();
	nest_on_stop(&options);
	nest_fail();
	nest_expect_end();
	ward_assert_str(nest_log(), "+0 0 -");
	nest_end();
	nest_on_failure(&options);
	nest_fail();
	nest_expect_end();
	ward_assert_str(nest_log(), "+0 0 -");
	nest_end();
}

WARD_TEST(on_stop_restarts_at_once_have_the_same_limit_and_then_stop_the_child, "S95")
{
	struct ward_backoff options = nest_options();

	options.retries_max = 2;
	options.window_ms = 1000;
	nest_on_stop(&options);
	nest_fail();
	nest_advance(1000); /* counts still */
	nest_fail();
	ward_assert_str(nest_log(), "+0 0 R 0 R");
	nest_advance(1);
	nest_fail();
	nest_fail();
	ward_assert_str(nest_log(), "0 R 0 R");
	nest_fail();
	ward_assert_str(nest_log(), "0 -");
	nest_advance(3000);
	ward_assert_str(nest_log(), "+4001");
	nest_end();
	options.window_ms = 0;
	nest_on_stop(&options);
	nest_fail();
	nest_advance(WARD_MINUTE);
	nest_fail();
	nest_fail();
	ward_assert_str(nest_log(), "+0 0 R 0 R 0 -");
	nest_advance(3000);
	nest_fail(); /* the next child begins at none */
	ward_assert_str(nest_log(), "+63000 0 R");
	nest_end();
}

/* ---- S96: on failure --------------------------------------------------------------------- */

WARD_TEST(on_failure_a_child_that_ends_otherwise_ends_the_supervisor, "S96")
{
	static const ward_strategy stops = {.rules = {{&odd_luck, WARD_STOP}}};
	struct ward_backoff options = nest_options();

	options.strategy = &stops;
	nest_on_failure(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_expect_end();
	expect_no_note(); /* no limit has done that */
	nest_end();
	nest_on_failure(&options);
	nest_tell(task, .deed = FAIL_OF_IT, .why = &odd_luck);
	nest_expect_end();
	ward_assert_str(nest_log(), "+0 0 -");
	nest_end();
	nest_on_failure(&options);
	nest_expect_start(3000, FAIL_OF_IT);
	ward_probe_tell(nest.client, nest.child, ward_poison_pill);
	ward_kit_run(nest.kit);
	nest_expect_end();
	nest_end();
}

WARD_TEST(on_failure_resume_and_escalate_are_what_they_are, "S96")
{
	static const ward_strategy mixed = {
		.rules = {{&bad_luck, WARD_RESUME}, {&odd_luck, WARD_ESCALATE}}};
	struct ward_backoff options = nest_options();

	options.strategy = &mixed;
	nest_on_failure(&options);
	nest_fail();
	nest_tell(task, .number = 1);
	ward_assert_str(nest_log(), "+0 0 1");
	nest_tell(task, .deed = FAIL_OF_IT, .why = &odd_luck);
	(void)ward_expect_failure(nest.parent, 0, nest.supervisor, &odd_luck);
	ward_probe_decide(nest.parent, nest.supervisor, WARD_RESTART);
	ward_kit_run(nest.kit);
	ward_assert_str(nest_log(), "0 - +0");
	ward_assert_eq(nest_count(), 0);
	nest_end();
}

/* In a log the cause comes first. */
static void expect_note_behind_the_failure(void)
{
	const uint32_t kinds = WARD_EVENT_FAILURE | WARD_EVENT_NOTE;
	size_t count = ward_kit_count(nest.kit, kinds, "*/nest*");

	ward_assert_eq(ward_kit_event(nest.kit, kinds, "*/nest*", count - 1)->kind,
		       WARD_EVENT_NOTE);
	ward_assert_eq(ward_kit_event(nest.kit, kinds, "*/nest*", count - 2)->kind,
		       WARD_EVENT_FAILURE);
}

WARD_TEST(on_failure_the_failure_after_the_last_retry_ends_the_supervisor, "S96")
{
	struct ward_backoff options = nest_options();

	options.retries_max = 2;
	nest_on_failure(&options);
	nest_expect_start(3000, FAIL_OF_IT);
	nest_expect_start(6000, FAIL_OF_IT);
	expect_no_note();
	nest_fail();
	nest_expect_end();
	expect_note("gives up: its child failed after 2 of 2 restarts in a row");
	expect_note_behind_the_failure();
	ward_assert_str(nest_log(), "0 -");
	nest_end();
}

/* ---- S97: the window --------------------------------------------------------------------- */

WARD_TEST(window_on_failure_ends_the_row_if_there_was_one_failure_alone, "S97")
{
	struct ward_backoff options = nest_options();

	options.manual_reset = true;
	options.auto_reset_ms = 0;
	options.retries_max = 2;
	options.window_ms = 10000;
	nest_on_failure(&options);
	nest_advance(500);
	nest_expect_start(3000, FAIL_OF_IT);
	nest_advance(6999);
	ward_assert_eq(nest_count(), 1);
	nest_advance(1);
	ward_assert_eq(nest_count(), 0);
	nest_expect_start(3000, FAIL_OF_IT);
	nest_expect_start(6000, FAIL_OF_IT); /* a second one: the window is without effect */
	nest_advance(WARD_MINUTE);
	ward_assert_eq(nest_count(), 2);
	nest_end();
}

WARD_TEST(window_that_is_endless_is_none, "S97")
{
	struct ward_backoff options = nest_options();

	options.manual_reset = true;
	options.auto_reset_ms = 0;
	options.window_ms = WARD_FOREVER;
	nest_on_failure(&options);
	nest_expect_start(3000, FAIL_OF_IT);
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 0);
	nest_end();
}

static void ask_for_a_start(ward_self *self)
{
	ward_tell(self, ward_parent(self), ward_backoff_start);
}

WARD_TEST(start_while_the_old_child_is_on_its_way_out_is_ignored, "S97")
{
	struct ward_backoff options = nest_options();

	nest_on_failure(&options);
	nest.last_words = ask_for_a_start;
	nest_expect_start(3000, FAIL_OF_IT);
	nest_expect_start(6000, FAIL_OF_IT);
	ward_assert_eq(nest_count(), 2);
	nest_end();
}

/* ---- S98: the reset ---------------------------------------------------------------------- */

WARD_TEST(row_is_over_when_the_child_has_run_for_the_period, "S98")
{
	struct ward_backoff options = nest_options();

	options.auto_reset_ms = 5000;
	nest_on_stop(&options);
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 0);
	nest_expect_start(3000, END_WITH_IT);
	nest_advance(4999);
	ward_assert_eq(nest_count(), 1);
	nest_advance(1);
	ward_assert_eq(nest_count(), 0);
	nest_expect_start(3000, END_WITH_IT);
	nest_end();
}

WARD_TEST(row_goes_on_when_the_child_ended_before_the_period_was_over, "S98")
{
	struct ward_backoff options = nest_options();

	options.auto_reset_ms = 5000;
	nest_on_stop(&options);
	nest_expect_start(3000, END_WITH_IT);
	nest_advance(4999);
	nest_expect_start(6000, END_WITH_IT); /* the reset of the last start falls into that */
	ward_assert_eq(nest_count(), 2);
	nest_advance(4999);
	ward_assert_eq(nest_count(), 2);
	nest_advance(1);
	ward_assert_eq(nest_count(), 0);
	nest_end();
}

WARD_TEST(period_of_a_child_that_has_ended_does_not_end_a_later_row, "S97", "S98")
{
	struct ward_backoff options = nest_options();

	options.window_ms = 10 * WARD_SECOND;
	nest_on_failure(&options);
	nest_fail();                   /* 0 s: counted, the window ends at 10 s */
	nest_advance(3 * WARD_SECOND); /* 3 s: a child, whose period would end at 33 s */
	nest_advance(8 * WARD_SECOND); /* 11 s: the row is over by the window */
	ward_assert_eq(nest_count(), 0);
	nest_advance(21 * WARD_SECOND);
	nest_fail(); /* 32 s: another row; the next child comes at 35 s */
	ward_assert_eq(nest_count(), 1);
	nest_advance(2 * WARD_SECOND);
	ward_assert(nest_has_child(ward_nobody()));
	ward_assert_eq(nest_count(), 1);
	nest_end();
}

WARD_TEST(period_is_the_shortest_delay_by_default, "S98")
{
	struct ward_backoff options = nest_options();

	options.auto_reset_ms = 0;
	nest_on_stop(&options);
	nest_expect_start(3000, END_WITH_IT);
	nest_advance(2999);
	ward_assert_eq(nest_count(), 1);
	nest_advance(1);
	ward_assert_eq(nest_count(), 0);
	nest_end();
}

WARD_TEST(reset_by_hand_ends_the_row_and_leaves_the_next_start, "S98")
{
	struct ward_backoff options = nest_options();

	options.manual_reset = true;
	options.auto_reset_ms = 0;
	nest_on_stop(&options);
	nest_expect_start(3000, END_WITH_IT);
	nest_expect_start(6000, END_WITH_IT);
	nest_advance(WARD_MINUTE);
	ward_assert_eq(nest_count(), 2);
	nest_tell(task, .deed = RESET_PARENT);
	ward_assert_str(nest_log(), "0");
	ward_assert_eq(nest_count(), 0);
	nest_tell(task, .deed = END_WITH_IT);
	nest_advance(1000);
	nest_tell(ward_backoff_reset); /* also while it is down */
	ward_assert_eq(nest_count(), 0);
	nest_advance(2000);
	ward_assert_str(nest_log(), "0 - +72000");
	nest_expect_start(3000, END_WITH_IT);
	nest_end();
}

WARD_TEST(reset_by_hand_is_unhandled_where_it_comes_by_itself, "S98")
{
	struct ward_backoff options = nest_options();

	nest_on_stop(&options);
	nest_expect_start(3000, END_WITH_IT);
	nest_tell(ward_backoff_reset);
	ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_UNHANDLED, "*/nest"), 1);
	ward_assert_eq(nest_count(), 1);
	nest_end();
}

/* ---- S103: whose numbers count ----------------------------------------------------------- */

static const ward_strategy twice_in_a_second = {
	.otherwise = WARD_RESTART, .restarts_max = 2, .window_ms = 1000};

WARD_TEST(strategy_brings_its_numbers, "S103")
{
	struct ward_backoff options = nest_options();

	options.strategy = &twice_in_a_second;
	nest_on_failure(&options);
	nest_fail();
	nest_advance(1000);
	ward_assert_eq(nest_count(), 0); /* its window */
	nest_advance(2000);
	nest_fail();
	nest_advance(500);
	ward_assert_eq(nest_count(), 1);
	nest_advance(2500);
	nest_end();
	options.min_backoff_ms = 100;
	nest_on_failure(&options);
	nest_expect_start(100, FAIL_OF_IT);
	nest_expect_start(200, FAIL_OF_IT);
	nest_fail();
	nest_expect_end();
	nest_end();
}

WARD_TEST(numbers_of_the_options_come_before_those_of_the_strategy, "S103")
{
	struct ward_backoff options = nest_options();

	options.strategy = &twice_in_a_second;
	options.retries_max = 1;
	options.window_ms = WARD_FOREVER;
	nest_on_failure(&options);
	nest_expect_start(3000, FAIL_OF_IT);
	nest_fail();
	nest_expect_end();
	nest_end();
}

WARD_TEST(stopping_strategy_keeps_the_maximum_and_drops_the_window, "S103")
{
	struct ward_backoff options = nest_options();

	options.default_stopping_strategy = true;
	options.retries_max = 1;
	options.window_ms = 1000;
	nest_on_stop(&options);
	nest_expect_start(3000, FAIL_OF_IT);
	nest_advance(2000);
	nest_fail();
	nest_expect_end();
	nest_end();
	options.retries_max = 0;
	nest_on_stop(&options); /* without a maximum: a window would be refused */
	nest_expect_start(3000, FAIL_OF_IT);
	nest_tell(task, .deed = FAIL_OF_IT, .why = &meltdown);
	(void)ward_expect_failure(nest.parent, 0, nest.supervisor, &meltdown);
	ward_probe_decide(nest.parent, nest.supervisor, WARD_STOP);
	ward_kit_run(nest.kit);
	nest_expect_end();
	nest_end();
}

WARD_TEST(quiet_strategy_makes_no_events, "S95", "S96")
{
	static const ward_strategy loud = {.otherwise = WARD_RESTART};
	static const ward_strategy quiet = {.otherwise = WARD_RESTART, .quiet = true};
	struct ward_backoff options = nest_options();

	for (int i = 0; i < 4; i++) {
		options.strategy = i % 2 == 0 ? &loud : &quiet;
		if (i < 2)
			nest_on_stop(&options);
		else
			nest_on_failure(&options);
		nest_fail();
		ward_assert_eq(ward_kit_count(nest.kit, WARD_EVENT_FAILURE, "*"), i % 2 == 0);
		nest_end();
	}
}

/* ---- what it shows ----------------------------------------------------------------------- */

WARD_TEST(supervisor_shows_how_many_restarts_there_may_be)
{
	struct ward_backoff options = nest_options();

	options.retries_max = 6;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(ward_backoff_start);
	nest_tell(task, .deed = END_WITH_IT);
	ward_assert_str(nest_status(), "new child in 6.0 s (2nd time of 6)");
	nest_end();
}

WARD_TEST_MAIN
