/* SPDX-License-Identifier: MIT
 *
 * test_filter.c - exactly so many events within a block: none too few, none too many.
 */
#include <string.h>

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
	ward_expect_events(s->kit, wanted, .old_state = WARD_STATE_RESTARTING,
			   .new_state = WARD_STATE_RUNNING,
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

/* Is not over before the block has waited in vain. */
static ward_result note_late(ward_self *self, void *state, const ward_msg *msg)
{
	int64_t end_ns = ward_now_ns(self) + INT64_C(5) * 1000000;

	(void)state;
	(void)msg;
	while (ward_now_ns(self) < end_ns)
		;
	ward_note(self, WARD_LEVEL_INFO, "at last");
	return WARD_DONE;
}

WARD_TEST(event_of_an_actor_that_is_busy_when_the_time_is_up_counts_on_threads)
{
	static const ward_behavior behavior = {.name = "noter", .receive = note_late};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = true});
	ward_ref noter = ward_kit_spawn(kit, &behavior);

	ward_kit_run(kit);
	ward_expect_events(kit, 1, .kinds = WARD_EVENT_NOTE, .within_ms = 1)
		ward_kit_tell(kit, noter, hello);
	ward_kit_finish(kit);
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

static ward_result note(ward_self *self, void *state, void *arg)
{
	(void)state;
	(void)arg;
	ward_note(self, WARD_LEVEL_INFO, "a word");
	ward_note(self, WARD_LEVEL_WARNING, "a warning");
	return WARD_DONE;
}

static void count_notes(struct scene *s, size_t wanted, ward_level level)
{
	ward_expect_events(s->kit, wanted, .kinds = WARD_EVENT_NOTE, .level = level,
			   .path = "*/bank", .within_ms = 20)
		ward_kit_inside(s->kit, s->bank, note, NULL);
}

BOTH(events_are_told_apart_by_their_level)
{
	struct scene s = scene_start(REAL);

	ward_kit_run(s.kit);
	count_notes(&s, 2, WARD_LEVEL_DEBUG);
	count_notes(&s, 2, WARD_LEVEL_INFO);
	count_notes(&s, 1, WARD_LEVEL_WARNING);
	count_notes(&s, 0, WARD_LEVEL_SEVERE);
	ward_kit_finish(s.kit);
}

static void count_class_and_level(struct scene *s)
{
	ward_expect_events(s->kit, 2, .failure_class = &broke, .level = WARD_LEVEL_WARNING,
			   .within_ms = 20) break_bank(s);
}

WARD_TEST(report_of_a_block_names_class_and_level)
{
	struct scene s = scene_start(NULL);

	CAUGHT(count_class_and_level(&s), "saw 1, class broke or below, at least warning\n");
	ward_kit_finish(s.kit);
}

/* broke is below ward_exception: one that has the same name elsewhere is another class, and one
 * whose name goes on is not below it. */
static const ward_failure_class elsewhere = {.name = "broke", .parent = &ward_error};
static const ward_failure_class shorter = {.name = "bro", .parent = &ward_exception};
static const ward_failure_class below = {.name = "below", .parent = &broke};
static const ward_failure_class copy = {.name = "broke", .parent = &ward_exception};

static ward_result fail_below(ward_self *self, void *state, void *arg)
{
	(void)state;
	(void)arg;
	return ward_failed(self, &below, "a class of its own");
}

BOTH(events_are_told_apart_by_their_class_and_those_above_it)
{
	struct scene s = scene_start(REAL);

	ward_kit_run(s.kit);
	ward_expect_events(s.kit, 1, .failure_class = &broke) break_bank(&s);
	ward_expect_events(s.kit, 1, .failure_class = &copy) break_bank(&s);
	ward_expect_events(s.kit, 1, .failure_class = &ward_exception) break_bank(&s);
	ward_expect_events(s.kit, 0, .failure_class = &elsewhere) break_bank(&s);
	ward_expect_events(s.kit, 0, .failure_class = &shorter) break_bank(&s);
	ward_expect_events(s.kit, 0, .failure_class = &below) break_bank(&s);
	ward_expect_events(s.kit, 1, .failure_class = &broke)
		ward_kit_inside(s.kit, s.bank, fail_below, NULL);
	ward_kit_finish(s.kit);
}

static void count_class(struct scene *s, const ward_failure_class *failure_class)
{
	ward_expect_events(s->kit, 0, .failure_class = failure_class) break_bank(s);
}

WARD_TEST(class_that_no_event_can_name_is_refused)
{
	static char name[WARD_EVENT_CLASSES];
	static const ward_failure_class without_root = {.name = "alone"};
	static const ward_failure_class long_one = {.name = name, .parent = &ward_exception};
	struct scene s = scene_start(NULL);

	memset(name, 'x', sizeof name - 1);
	CAUGHT(count_class(&s, &without_root), "a filter: failure class \"alone\" has no parent");
	CAUGHT(count_class(&s, &long_one), "are longer than events have room for");
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
