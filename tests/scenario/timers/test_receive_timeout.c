/* SPDX-License-Identifier: MIT
 *
 * test_receive_timeout.c - a message for when none came for a time: when it comes (S88).
 *
 * Method: see idle_actor.h.
 */
#include "idle_actor.h"

/* ---- when it comes ------------------------------------------------------------------------- */

WARD_TEST(timeout_comes_after_each_time_without_a_message, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 1);
	ward_kit_advance(scene.kit, 9);
	assert_journal("");
	ward_kit_advance(scene.kit, 26);
	assert_journal("timeout at 10;timeout at 20;timeout at 30");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 1);
	script_finish(scene.kit);
}

static ward_result nothing(ward_self *self, void *arg)
{
	(void)self;
	(void)arg;
	return WARD_DONE;
}

WARD_TEST(each_message_puts_the_timeout_off, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	for (int i = 0; i < 5; i++) {
		ward_kit_advance(scene.kit, 9);
		do_it(&scene, nothing);
	}
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 1);
	ward_kit_advance(scene.kit, 9);
	assert_journal("");
	ward_kit_advance(scene.kit, 10);
	assert_journal("timeout at 55");
	script_finish(scene.kit);
}

WARD_TEST(message_that_is_not_influencing_does_not_put_it_off, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	ward_kit_advance(scene.kit, 9);
	whisper(&scene, NULL);
	ward_kit_advance(scene.kit, 2);
	whisper(&scene, NULL);
	ward_kit_advance(scene.kit, 9);
	assert_journal("whisper at 9;timeout at 10;whisper at 11;timeout at 20");
	script_finish(scene.kit);
}

static ward_result start_ticks(ward_self *self, void *arg)
{
	struct whisper body = {NULL};

	(void)arg;
	ward_assert_ok(ward_try_timer_start(
		self, &(ward_timer){.key = 1, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 4},
		&ward_type_whisper, &body, sizeof body));
	return WARD_DONE;
}

WARD_TEST(ticks_count_as_the_message_that_they_bring, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	do_it(&scene, start_ticks);
	ward_kit_advance(scene.kit, 11);
	assert_journal("whisper at 4;whisper at 8;timeout at 10");
	script_finish(scene.kit);
}

WARD_TEST(message_that_fails_puts_it_off, "S88")
{
	struct scene scene = {.p = {.strategy = &script_one, .decides = WARD_RESUME}};
	start(&scene, 10);
	ward_kit_advance(scene.kit, 9);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_advance(scene.kit, 12);
	assert_journal("a:break;p:decide a;timeout at 19");
	script_finish(scene.kit);
}

WARD_TEST(full_mailbox_takes_the_timeout, "S88")
{
	struct scene scene = {.a.mailbox = {.messages_max = 1}};
	start(&scene, 10);
	whisper(&scene, NULL);
	pass(&scene, 10);
	ward_kit_run(scene.kit);
	assert_journal("whisper at 10;timeout at 10");
	script_finish(scene.kit);
}

WARD_TEST(longest_timeout_never_comes, "S88")
{
	struct scene scene = {0};
	start(&scene, WARD_FOREVER);
	ward_kit_advance(scene.kit, 365 * 24 * 60 * WARD_MINUTE);
	assert_journal("");
	script_finish(scene.kit);
}

static _Atomic bool timed_out;

static bool has_timed_out(void *arg)
{
	(void)arg;
	return timed_out;
}

static ward_result tell_timeout(ward_self *self, const ward_msg *msg)
{
	(void)self;
	if (ward_match(msg, ward_receive_timeout) == NULL)
		return WARD_UNHANDLED;
	timed_out = true;
	return WARD_DONE;
}

WARD_TEST(timeout_comes_on_threads, "S88")
{
	struct scene scene = {.a = {.name = "a", .receive = tell_timeout}};
	the_scene = &scene;
	scene.timeout_ms = 1;
	scene.kit = script_start(&(ward_kit_options){.real_threads = true});
	script_spawn(scene.kit, &scene.a);
	do_it(&scene, start_timeout);
	ward_assert(ward_kit_run_until(scene.kit, 20 * WARD_SECOND, has_timed_out, NULL));
	script_finish(scene.kit);
}

/* ---- what waits in the mailbox ------------------------------------------------------------- */

WARD_TEST(timeout_behind_a_message_is_not_seen, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	pass(&scene, 5);
	say(&scene, "word");
	pass(&scene, 10); /* it is in the mailbox, behind the word */
	ward_kit_run(scene.kit);
	assert_journal("word at 15");
	ward_kit_advance(scene.kit, 9);
	assert_journal("word at 15");
	ward_kit_advance(scene.kit, 1);
	assert_journal("word at 15;timeout at 25");
	script_finish(scene.kit);
}

WARD_TEST(timeout_behind_a_message_that_is_not_influencing_is_seen, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	whisper(&scene, NULL);
	pass(&scene, 15);
	ward_kit_run(scene.kit);
	assert_journal("whisper at 15;timeout at 15");
	script_finish(scene.kit);
}

static ward_result resume_child(ward_self *self, void *arg)
{
	ward_assert_ok(ward_decide(self, ((struct scene *)arg)->a.ref, WARD_RESUME));
	return WARD_DONE;
}

WARD_TEST(suspended_actor_gets_one_timeout_once_it_goes_on, "S88", "S8")
{
	struct scene scene = {.p = {.strategy = &script_one, .decides = WARD_LATER}};
	start(&scene, 10);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_advance(scene.kit, 15);
	uint64_t blocks = ward_kit_blocks(scene.kit);
	ward_kit_advance(scene.kit, 20);
	assert_journal("a:break;p:decide a");
	ward_assert_eq(ward_kit_blocks(scene.kit), blocks); /* one waits, and no more */
	say(&scene, "word");
	script_do(scene.kit, scene.p.ref, resume_child, &scene);
	ward_kit_run(scene.kit);
	assert_journal("a:break;p:decide a;timeout at 35;word at 35");
	ward_kit_advance(scene.kit, 10);
	assert_journal("a:break;p:decide a;timeout at 35;word at 35;timeout at 45");
	script_finish(scene.kit);
}

WARD_TEST(suspended_actor_with_mail_gets_no_timeout_when_it_goes_on, "S88", "S8")
{
	struct scene scene = {.p = {.strategy = &script_one, .decides = WARD_LATER}};
	start(&scene, 10);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	say(&scene, "word");
	ward_kit_advance(scene.kit, 35);
	script_do(scene.kit, scene.p.ref, resume_child, &scene);
	ward_kit_run(scene.kit);
	assert_journal("a:break;p:decide a;word at 35");
	script_finish(scene.kit);
}

WARD_TEST(cancelled_timeout_is_not_seen_and_a_new_one_is, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	whisper(&scene, cancel);
	pass(&scene, 15); /* it is in the mailbox, behind the order to cancel it */
	ward_kit_run(scene.kit);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	do_it(&scene, cancel); /* twice is fine */
	do_it(&scene, start_timeout);
	ward_kit_advance(scene.kit, 10);
	assert_journal("timeout at 25");
	script_finish(scene.kit);
}

static ward_result cancel_and_start(ward_self *self, void *arg)
{
	(void)cancel(self, arg);
	return start_timeout(self, arg);
}

WARD_TEST(timeout_that_waits_when_another_is_started_is_not_seen, "S88")
{
	struct scene scene = {0};
	start(&scene, 10);
	whisper(&scene, cancel_and_start);
	pass(&scene, 15);
	ward_kit_run(scene.kit);
	assert_journal("");
	ward_kit_advance(scene.kit, 10);
	assert_journal("timeout at 25");
	script_finish(scene.kit);
}

/* ---- changed ------------------------------------------------------------------------------- */

WARD_TEST(change_in_a_message_takes_effect, "S88")
{
	/* In one that is influencing, and in one that is not; to less, and to more. */
	for (int i = 0; i < 4; i++) {
		struct scene scene = {0};
		start(&scene, 10);
		ward_kit_advance(scene.kit, 5);
		scene.timeout_ms = i % 2 == 0 ? 3 : 30;
		if (i < 2)
			script_do(scene.kit, scene.a.ref, start_timeout, &scene);
		else
			whisper(&scene, start_timeout);
		ward_kit_advance(scene.kit, i % 2 == 0 ? 4 : 31);
		assert_journal(i % 2 == 0 ? "timeout at 8" : "timeout at 35");
		ward_assert_eq(ward_kit_stats(scene.kit).timers, 1);
		script_finish(scene.kit);
	}
}

WARD_TEST(cancel_in_a_message_takes_effect, "S88")
{
	for (int i = 0; i < 2; i++) {
		struct scene scene = {0};
		start(&scene, 10);
		if (i == 0)
			script_do(scene.kit, scene.a.ref, cancel, &scene);
		else
			whisper(&scene, cancel);
		ward_kit_advance(scene.kit, 100);
		assert_journal("");
		ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
		script_finish(scene.kit);
	}
}

static ward_result cancel_in_timeout(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_receive_timeout) != NULL)
		ward_receive_timeout_set(self, 0);
	return note_it(self, msg);
}

WARD_TEST(cancel_in_the_timeout_itself_takes_effect, "S88")
{
	struct scene scene = {.a.receive = cancel_in_timeout};
	start(&scene, 10);
	ward_kit_advance(scene.kit, 100);
	assert_journal("timeout at 10");
	script_finish(scene.kit);
}

WARD_TEST_MAIN
