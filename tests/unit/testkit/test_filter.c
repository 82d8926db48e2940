/* SPDX-License-Identifier: MIT
 *
 * test_filter.c - exactly so many events within a block: none too few, none too many.
 */
#include "bank.h"

#define REAL                                                                                       \
	&(ward_kit_options)                                                                        \
	{                                                                                          \
		.real_threads = real                                                               \
	}

static void break_bank(struct scene *s)
{
	ward_system_tell(ward_kit_system(s->kit), s->bank, break_down);
}

BOTH(block_with_as_many_events_as_wanted_passes)
{
	struct scene s = scene_start(REAL);
	break_bank(&s);
	ward_kit_run(s.kit);
	ward_expect_events(s.kit, 2, .kinds = WARD_EVENT_FAILURE, .path = "sim/user/bank")
	{
		break_bank(&s);
		break_bank(&s);
	}
	ward_assert_eq(ward_filter_count(s.kit, &(ward_filter){.kinds = WARD_EVENT_FAILURE}), 3);
	ward_kit_finish(s.kit);
}

static void count_restarts(struct scene *s, size_t wanted, int breaks)
{
	ward_expect_events(s->kit, wanted, .old_state = "restarting", .new_state = "running",
			   .within_ms = 20) for (int i = 0; i < breaks; i++) break_bank(s);
}

BOTH(block_with_too_few_events_says_which_others_came)
{
	struct scene s = scene_start(REAL);
	CAUGHT(count_restarts(&s, 3, 2),
	       "expected 3 events, saw 2, from restarting, to running\n  counted ");
	ward_assert_part(caught.text, "\n  other   ");
	ward_assert_part(caught.text, "broke");
	ward_kit_finish(s.kit);
}

static void count_none(struct scene *s)
{
	ward_expect_events(s->kit, 1, .kinds = WARD_EVENT_FAILURE | WARD_EVENT_DEAD_LETTER,
			   .path = "/user/bank", .within_ms = 20) break_bank(s);
}

WARD_TEST(report_of_a_block_names_kinds_and_how_paths_begin)
{
	struct scene s = scene_start(NULL);
	CAUGHT(count_none(&s), "saw 0, kinds FAILURE|DEAD_LETTER, path /user/bank (paths begin "
			       "with the name of the system: \"sim/...\")\n");
	ward_kit_finish(s.kit);
}

BOTH(block_with_too_many_events_shows_them)
{
	struct scene s = scene_start(REAL);
	CAUGHT(count_restarts(&s, 1, 2), "expected 1 events and no more, saw 2");
	CAUGHT(count_restarts(&s, 0, 1), "expected 0 events and no more, saw 1");
	ward_kit_finish(s.kit);
}

static ward_result be_late(ward_self *self, void *state)
{
	(void)state;
	ward_after(self, 1, WARD_MINUTE, ward_kill);
	return WARD_DONE;
}

static const ward_behavior late_behavior = {
	.name = "late", .pre_start = be_late, .receive = bank_receive};

/* Virtual time: to wait so long on threads would take as long. */

WARD_TEST(block_waits_for_the_last_event_as_long_as_is_said)
{
	struct scene s = scene_start(NULL);
	ward_expect_events(s.kit, 1, .class_name = "ward_killed", .directive = WARD_STOP,
			   .within_ms = 2 * WARD_MINUTE) ward_kit_spawn(s.kit, &late_behavior);
	ward_assert_eq(ward_kit_now_ns(s.kit), INT64_C(60) * 1000000000);
	ward_kit_finish(s.kit);
}

static void expect_no_kill(struct scene *s, int64_t within_ms)
{
	ward_expect_events(s->kit, 0, .class_name = "ward_killed", .within_ms = within_ms)
		ward_kit_spawn(s->kit, &late_behavior);
}

WARD_TEST(block_that_wants_none_waits_only_if_that_is_said)
{
	struct scene s = scene_start(NULL);
	expect_no_kill(&s, 0);
	ward_assert_eq(ward_kit_now_ns(s.kit), 0);
	CAUGHT(expect_no_kill(&s, 2 * WARD_MINUTE), "expected 0 events and no more, saw 2");
	ward_kit_finish(s.kit);
}

BOTH(events_are_told_apart_by_each_field)
{
	struct scene s = scene_start(REAL);
	ward_kit_run(s.kit);
	ward_expect_events(s.kit, 1, .kinds = WARD_EVENT_DEAD_LETTER, .message_type = "hello",
			   .reason = WARD_REASON_NOBODY)
	{
		ward_system_tell(ward_kit_system(s.kit), ward_nobody(), hello);
		ward_system_tell(ward_kit_system(s.kit), ward_nobody(), deposit, .cents = 1);
	}
	ward_expect_events(s.kit, 1, .text = "*with 0 cents*", .class_name = "broke")
		break_bank(&s);
	ward_expect_events(s.kit, 0, .directive = WARD_STOP, .class_name = "broke") break_bank(&s);
	ward_expect_events(s.kit, 0, .text = "*with 1 cents*", .class_name = "broke")
		break_bank(&s);
	ward_expect_events(s.kit, 0, .path = "sim/user/probe", .class_name = "broke")
		break_bank(&s);
	ward_expect_events(s.kit, 0, .reason = WARD_REASON_DEAD)
		ward_system_tell(ward_kit_system(s.kit), ward_nobody(), hello);
	ward_kit_finish(s.kit);
}

BOTH(events_that_are_forgotten_within_the_block_count_no_more)
{
	struct scene s = scene_start(REAL);
	ward_expect_events(s.kit, 1, .kinds = WARD_EVENT_FAILURE)
	{
		break_bank(&s);
		ward_kit_run(s.kit);
		ward_kit_forget_events(s.kit);
		break_bank(&s);
	}
	ward_kit_finish(s.kit);
}

WARD_TEST_MAIN
