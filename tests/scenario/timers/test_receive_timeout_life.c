/* SPDX-License-Identifier: MIT
 *
 * test_receive_timeout_life.c - the receive timeout over restarts and ends, forged, and without
 * memory (S88).
 *
 * Method: see idle_actor.h.
 */
#include "idle_actor.h"

/* ---- over the life ------------------------------------------------------------------------- */

#define RESTART "a:pre_restart;a:post_stop;a:init;a:post_restart;a:pre_start"

WARD_TEST(restart_keeps_the_timeout_and_begins_it_anew, "S88", "S44", "S35")
{
	struct scene scene = {0};
	start(&scene, 10);
	pass(&scene, 8);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_run_until_state(scene.kit, scene.a.ref, WARD_STATE_FAILED);
	pass(&scene, 20); /* one waits in the mailbox */
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 9);
	assert_journal("a:break;" RESTART);
	ward_kit_advance(scene.kit, 1);
	assert_journal("a:break;" RESTART ";timeout at 38");
	script_finish(scene.kit);
}

WARD_TEST(timeout_set_in_pre_start_is_armed_at_a_restart, "S88", "S35")
{
	struct scene scene = {.timeout_ms = 10};
	begin(&scene);
	scene.a.pre_start = start_timeout;
	ward_kit_advance(scene.kit, 5);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_advance(scene.kit, 11);
	assert_journal("a:break;" RESTART ";timeout at 15");
	script_finish(scene.kit);
}

WARD_TEST(failed_restart_keeps_the_timeout, "S88", "S44")
{
	struct scene scene = {
		.a.traps = {{SCRIPT_POST_RESTART, .first = 1}},
		.p = {.strategy = &script_one, .decides = WARD_RESTART},
	};
	start(&scene, 10);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_advance(scene.kit, 11);
	ward_assert_eq(scene.a.calls[SCRIPT_POST_RESTART], 2);
	ward_assert_part(journal_text(), ";a:pre_start;timeout at 10");
	script_finish(scene.kit);
}

WARD_TEST(resume_keeps_the_timeout, "S88", "S22")
{
	struct scene scene = {.p = {.strategy = &script_one, .decides = WARD_RESUME}};
	start(&scene, 10);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_advance(scene.kit, 11);
	assert_journal("a:break;p:decide a;timeout at 10");
	script_finish(scene.kit);
}

static ward_result start_in_the_first(ward_self *self, void *arg)
{
	return ward_incarnation(self) == 1 ? start_timeout(self, arg) : WARD_DONE;
}

WARD_TEST(first_start_that_is_tried_again_forgets_the_timeout, "S88", "S42")
{
	struct scene scene = {
		.timeout_ms = 10,
		.a = {.init = start_in_the_first, .traps = {{SCRIPT_PRE_START, .first = 1}}},
		.p = {.strategy = &script_one, .decides = WARD_RESTART},
	};
	begin(&scene);
	ward_assert_eq(scene.a.calls[SCRIPT_PRE_START], 2);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	ward_kit_advance(scene.kit, 50);
	assert_journal("");
	script_finish(scene.kit);
}

static ward_result note_timers(ward_self *self, void *arg)
{
	(void)self;
	(void)arg;
	journal_note("%d timers", (int)ward_kit_stats(the_scene->kit).timers);
	return WARD_DONE;
}

WARD_TEST(stop_ends_the_timeout_before_post_stop_without_a_dead_letter, "S88", "S45")
{
	struct scene scene = {.a.post_stop = note_timers};
	start(&scene, 10);
	pass(&scene, 15); /* one waits in the mailbox */
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;0 timers");
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

WARD_TEST(timeout_started_in_post_stop_goes_with_the_actor, "S88")
{
	struct scene scene = {.timeout_ms = 10, .a.post_stop = start_timeout};
	begin(&scene);
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	script_finish(scene.kit);
}

/* ---- stashed, forged ----------------------------------------------------------------------- */

static ward_result stash_first_timeout(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_receive_timeout) == NULL || now() > 10)
		return note_it(self, msg);
	ward_assert_ok(ward_try_stash(self));
	return WARD_DONE;
}

static ward_result unstash_all(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_eq(ward_unstash_all(self), 1);
	return WARD_DONE;
}

WARD_TEST(stashed_timeout_is_received_again, "S86", "S88")
{
	struct scene scene = {.a.receive = stash_first_timeout};
	start(&scene, 10);
	ward_kit_advance(scene.kit, 15);
	do_it(&scene, unstash_all);
	assert_journal("timeout at 15");
	script_finish(scene.kit);
}

static ward_result forge(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	ward_tell(self, scene->a.ref, ward_receive_timeout);
	return WARD_DONE;
}

WARD_TEST(forged_timeout_counts_for_nothing, "S88")
{
	struct scene scene = {0};
	begin(&scene);
	script_do(scene.kit, scene.b.ref, forge, &scene); /* to one that has none */
	ward_kit_run(scene.kit);
	scene.timeout_ms = 10;
	do_it(&scene, start_timeout);
	pass(&scene, 5);
	script_do(scene.kit, scene.b.ref, forge, &scene);
	ward_kit_run(scene.kit);
	do_it(&scene, cancel);
	script_do(scene.kit, scene.b.ref, forge, &scene); /* to one that has none any more */
	ward_kit_run(scene.kit);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(scene.kit).unhandled, 0);
	script_finish(scene.kit);
}

/* ---- refused ------------------------------------------------------------------------------- */

static ward_result start_wrong(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_receive_timeout_set(self, -1), WARD_EINVAL);
	ward_assert_err(ward_try_receive_timeout_set(self, INT64_MIN), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "it must not be negative; 0 switches it off");
	return WARD_DONE;
}

WARD_TEST(wrong_time_is_refused_and_the_one_before_stays, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	whisper(&scene, start_wrong);
	ward_kit_advance(scene.kit, 15);
	assert_journal("timeout at 10");
	ward_assert_err(ward_try_receive_timeout_set(NULL, 10), WARD_EINVAL);
	ward_receive_timeout_set(NULL, 0);
	script_finish(scene.kit);
}

static uint64_t starved_nth;

static ward_result start_without_memory(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	ward_err err;

	ward_kit_fail_allocation(scene->kit, starved_nth);
	err = ward_try_receive_timeout_set(self, 10);
	ward_kit_fail_allocation(scene->kit, 0);
	journal_note("%s", err == WARD_OK ? "ok" : ward_err_detail());
	return WARD_DONE;
}

WARD_TEST(timeout_without_memory_is_refused_and_can_be_started_later, "S88")
{
	/* The record of what few actors need, the message, the heap of timers. */
	for (starved_nth = 1; starved_nth <= 4; starved_nth++) {
		struct scene scene = {0};
		begin(&scene);
		do_it(&scene, start_without_memory);
		assert_journal(starved_nth < 4 ? "no memory for a receive timeout" : "ok");
		if (starved_nth < 4)
			ward_kit_advance(scene.kit, 20);
		journal_clear();
		ward_assert_eq(ward_kit_stats(scene.kit).timers, starved_nth == 4);
		scene.timeout_ms = 7;
		do_it(&scene, start_timeout);
		ward_kit_advance(scene.kit, 7);
		assert_journal(starved_nth < 4 ? "timeout at 27" : "timeout at 7");
		script_finish(scene.kit);
	}
}

static ward_result change_without_memory(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	ward_kit_fail_all_allocations(scene->kit, true);
	ward_assert_ok(ward_try_receive_timeout_set(self, 20));
	ward_kit_fail_all_allocations(scene->kit, false);
	return WARD_DONE;
}

WARD_TEST(change_needs_no_memory, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	do_it(&scene, change_without_memory);
	ward_kit_advance(scene.kit, 25);
	assert_journal("timeout at 20");
	script_finish(scene.kit);
}

WARD_TEST(timeout_is_made_ahead_while_there_is_memory, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	ward_kit_advance(scene.kit, 15);
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_kit_advance(scene.kit, 10);
	ward_kit_fail_all_allocations(scene.kit, false);
	assert_journal("timeout at 10;timeout at 20");
	script_finish(scene.kit);
}

WARD_TEST(timeout_that_finds_no_memory_comes_a_time_later, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_kit_advance(scene.kit, 25); /* the first was made ahead, the second cannot be */
	assert_journal("timeout at 10");
	ward_kit_fail_all_allocations(scene.kit, false);
	ward_kit_advance(scene.kit, 10);
	assert_journal("timeout at 10;timeout at 30");
	script_finish(scene.kit);
}

static ward_err start_err;

static ward_result start_it(ward_self *self, void *arg)
{
	(void)arg;
	start_err = ward_try_receive_timeout_set(self, 10);
	return WARD_DONE;
}

static ward_result note_timeout(ward_self *self, const ward_msg *msg)
{
	(void)self;
	if (!ward_match(msg, ward_receive_timeout))
		return WARD_UNHANDLED;
	journal_note("seen");
	return WARD_DONE;
}

WARD_TEST(forged_timeout_is_not_seen_after_a_start_that_was_refused, "S88")
{
	int refused = 0;
	for (uint64_t nth = 1; nth < 12; nth++) {
		struct script a = {.name = "a", .receive = note_timeout};
		ward_kit *kit = script_start(NULL);
		script_spawn(kit, &a);
		journal_clear();
		start_err = WARD_OK;
		script_do(kit, a.ref, start_it, NULL);
		ward_kit_fail_allocation(kit, nth);
		ward_kit_run(kit);
		ward_kit_fail_allocation(kit, 0);
		ward_kit_tell(kit, a.ref, ward_receive_timeout);
		ward_kit_run(kit);
		refused += start_err == WARD_ENOMEM;
		assert_journal("");
		script_finish(kit);
	}
	ward_assert(refused >= 2);
}

WARD_TEST_MAIN
