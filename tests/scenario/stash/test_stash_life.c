/* SPDX-License-Identifier: MIT
 *
 * test_stash_life.c - what is stashed over restarts, suspensions and ends (S86, S90).
 *
 * Method: see stashing_actor.h. fail() lets the actor fail with "four" in its mailbox, and then
 * notes how many are stashed.
 */
#include "stashing_actor.h"

/* ---- over a restart ------------------------------------------------------------------------ */

static ward_result count_stash(ward_self *self, void *arg)
{
	(void)arg;
	journal_note("%d stashed", (int)ward_stash_count(self));
	return WARD_DONE;
}

static void fail(struct scene *scene)
{
	script_break(scene->kit, scene->a.ref, &bad_luck);
	say(scene, "four");
	do_it(scene, count_stash);
	ward_kit_run(scene->kit);
}

#define BEFORE "a:break;a:pre_restart;a:post_stop;a:init;a:post_restart;a:pre_start;"

WARD_TEST(new_incarnation_sees_stashed_messages_before_queued_ones, "S86", "S44")
{
	struct scene scene = {0};
	start(&scene);
	stash_three(&scene);
	fail(&scene);
	assert_journal(BEFORE THREE ";four;0 stashed");
	script_finish(scene.kit);
}

static ward_result note_stash_in_post_stop(ward_self *self, void *arg)
{
	return count_stash(self, arg);
}

WARD_TEST(default_pre_restart_unstashes_before_post_stop, "S86")
{
	struct scene scene = {.a.post_stop = note_stash_in_post_stop};
	start(&scene);
	stash_three(&scene);
	fail(&scene);
	ward_assert_part(journal_text(), "a:post_stop;0 stashed;a:init;");
	script_finish(scene.kit);
}

static ward_result stash_failed(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	ward_assert(msg != NULL);
	ward_assert_ok(ward_try_stash(self));
	ward_assert_err(ward_try_stash(self), WARD_EEXIST);
	return WARD_DONE;
}

/* Fails of each word in its first incarnation only, once it does not stash. */
static ward_result fail_at_first(ward_self *self, const ward_msg *msg)
{
	ward_result result = stash_or_note(self, msg);
	const struct scene *scene = script_of(self)->arg;

	if (result == WARD_DONE && !scene->stashing && ward_incarnation(self) == 1)
		return ward_failed(self, &bad_luck, "in the first one");
	return result;
}

WARD_TEST(failed_message_that_pre_restart_stashes_comes_again, "S86", "S31")
{
	struct scene scene = {.a = {.receive = fail_at_first, .pre_restart = stash_failed}};
	start(&scene);
	stash_three(&scene);
	say(&scene, "four");
	say(&scene, "five");
	ward_kit_run(scene.kit);
	assert_journal("four;a:pre_restart;a:post_stop;a:init;a:post_restart;a:pre_start;" THREE
		       ";four;five");
	script_finish(scene.kit);
}

static ward_result stash_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_stash(self));
	return ward_failed(self, &bad_luck, "after it");
}

static ward_result find_no_message(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	ward_assert(msg == NULL);
	ward_assert_err(ward_try_stash(self), WARD_ENOENT);
	journal_note("no message");
	return WARD_DONE;
}

static ward_result count_calls(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);

	if (word == NULL || word->call == NULL || ward_incarnation(self) == 1)
		return stash_or_note(self, msg);
	journal_note("the call again");
	return WARD_DONE;
}

WARD_TEST(message_that_was_stashed_before_the_failure_is_not_the_failed_one, "S86", "S31")
{
	struct scene scene = {.a = {.receive = count_calls, .pre_restart = find_no_message}};
	start(&scene);
	do_it(&scene, stash_and_fail);
	ward_kit_run(scene.kit);
	assert_journal("a:pre_restart;no message;a:post_stop;a:init;a:post_restart;a:pre_start;"
		       "the call again");
	script_finish(scene.kit);
}

WARD_TEST(what_was_stashed_is_no_current_message_of_a_later_hook, "S86", "S90")
{
	struct scene scene = {
		.a.pre_restart = find_no_message,
		.p = {.strategy = &script_all, .decides = WARD_RESTART},
	};
	struct script c = {.name = "c"};
	scene.p.children[1] = &c;
	start(&scene);
	stash_three(&scene);
	ward_kit_tell(scene.kit, c.ref, ward_kill); /* no message that fails comes between */
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), "no message;a:post_stop");
	ward_assert_part(journal_text(), THREE);
	script_finish(scene.kit);
}

static ward_result clear_first(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	return clear(self, NULL);
}

WARD_TEST(stash_that_pre_restart_clears_is_dropped, "S86")
{
	struct scene scene = {.a.pre_restart = clear_first};
	start(&scene);
	stash_three(&scene);
	fail(&scene);
	assert_journal(BEFORE "four;0 stashed");
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

WARD_TEST(pre_restart_that_does_not_care_loses_nothing_of_the_stash, "S86")
{
	/* Without the default hook; and with an error, which is only reported (S33). */
	for (int i = 0; i < 2; i++) {
		struct scene scene = {.a.keeps_children = true};
		if (i == 1)
			scene.a.traps[0] = (struct script_trap){SCRIPT_PRE_RESTART, .first = 1};
		start(&scene);
		stash_three(&scene);
		fail(&scene);
		assert_journal("a:break;a:pre_restart;a:init;a:post_restart;a:pre_start;" THREE
			       ";four;0 stashed");
		script_finish(scene.kit);
	}
}

WARD_TEST(restart_that_fails_keeps_what_was_unstashed, "S86", "S38")
{
	struct scene scene = {
		.a.traps = {{SCRIPT_POST_RESTART, .first = 1}},
		.p = {.strategy = &script_one, .decides = WARD_RESTART},
	};
	start(&scene);
	stash_three(&scene);
	fail(&scene);
	ward_assert_part(journal_text(), ";a:pre_start;" THREE ";four;0 stashed");
	ward_assert_eq(scene.a.calls[SCRIPT_POST_RESTART], 2);
	script_finish(scene.kit);
}

WARD_TEST(resume_keeps_the_stash, "S86", "S22")
{
	struct scene scene = {.p = {.strategy = &script_one, .decides = WARD_RESUME}};
	start(&scene);
	stash_three(&scene);
	fail(&scene);
	assert_journal("a:break;p:decide a;four;3 stashed");
	script_finish(scene.kit);
}

/* ---- suspended ----------------------------------------------------------------------------- */

static ward_result unstash_and_fail(ward_self *self, void *arg)
{
	(void)unstash_all(self, arg);
	return ward_failed(self, &bad_luck, "after it");
}

static ward_result resume_child(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	ward_assert_ok(ward_decide(self, scene->a.ref, WARD_RESUME));
	return WARD_DONE;
}

WARD_TEST(unstashed_messages_of_a_suspended_actor_wait_and_are_seen_as_mail, "S86", "S8")
{
	for (uint32_t messages_max = 0; messages_max < 10; messages_max += 5) {
		struct scene scene = {
			.a.mailbox.messages_max = messages_max,
			.p = {.strategy = &script_one, .decides = WARD_LATER},
		};
		ward_actor_info info;
		start(&scene);
		stash_three(&scene);
		ward_assert(ward_kit_info(scene.kit, scene.a.ref, &info));
		ward_assert(!info.has_mail); /* what is stashed waits for the actor alone */
		do_it(&scene, unstash_and_fail);
		ward_kit_run(scene.kit);
		assert_journal("p:decide a");
		ward_assert(ward_kit_info(scene.kit, scene.a.ref, &info));
		ward_assert_str(info.state, "failed");
		ward_assert(info.has_mail);
		script_do(scene.kit, scene.p.ref, resume_child, &scene);
		ward_kit_run(scene.kit);
		assert_journal("p:decide a;" THREE);
		ward_assert(ward_kit_info(scene.kit, scene.a.ref, &info));
		ward_assert(!info.has_mail);
		script_finish(scene.kit);
	}
}

/* ---- the end ------------------------------------------------------------------------------- */

struct number {
	int number;
};
WARD_MESSAGE_FLAT(number);

static ward_result stash_number(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, number) == NULL)
		return WARD_UNHANDLED;
	ward_assert_ok(ward_try_stash(self));
	return WARD_DONE;
}

static ward_result tell_numbers(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	for (int i = 1; i <= 3; i++)
		ward_tell(self, scene->a.ref, number, .number = i);
	return WARD_DONE;
}

static ward_result unstash_one_and_stop(ward_self *self, void *arg)
{
	ward_assert(ward_unstash(self));
	ward_tell(self, ward_self_ref(self), number, .number = 4);
	(void)arg;
	ward_stop_self(self);
	return WARD_DONE;
}

WARD_TEST(stashed_messages_become_dead_letters_in_order_before_the_mailbox, "S86", "S46", "S49")
{
	for (uint32_t messages_max = 0; messages_max < 10; messages_max += 5) {
		struct scene scene = {
			.a = {.receive = stash_number, .mailbox.messages_max = messages_max},
		};
		start(&scene);
		script_do(scene.kit, scene.b.ref, tell_numbers, &scene);
		ward_kit_run(scene.kit);
		do_it(&scene, unstash_one_and_stop);
		ward_kit_run(scene.kit);
		assert_journal("a:post_stop");
		ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*/a"), 4);
		for (int i = 1; i <= 4; i++) {
			const ward_event *letter = ward_kit_event(scene.kit, WARD_EVENT_DEAD_LETTER,
								  "*/a", (size_t)i - 1);
			ward_assert_eq(letter->bytes_count, sizeof(struct number));
			ward_assert_eq(((const struct number *)(const void *)letter->bytes)->number,
				       i);
			ward_assert_eq(letter->reason, WARD_REASON_DEAD);
			ward_assert_str(letter->sender_path, i == 4 ? "sim/user/a" : "sim/user/b");
		}
		script_finish(scene.kit);
	}
}

WARD_TEST(stash_that_post_stop_clears_makes_no_dead_letters, "S86")
{
	struct scene scene = {.a.post_stop = clear};
	start(&scene);
	stash_three(&scene);
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	ward_assert_eq(script_words_left(), 0);
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

static ward_result stash_current(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_stash(self));
	return WARD_DONE;
}

WARD_TEST(failed_message_that_post_stop_stashes_becomes_a_dead_letter, "S86", "S17")
{
	struct scene scene = {
		.a.post_stop = stash_current,
		.p = {.strategy = &script_one, .decides = WARD_STOP},
	};
	start(&scene);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*/a"), 1);
	ward_assert_eq(script_words_left(), 0);
	script_finish(scene.kit);
}

WARD_TEST(stash_of_a_failed_actor_that_stops_becomes_dead_letters, "S86", "S45")
{
	struct scene scene = {.p = {.strategy = &script_one, .decides = WARD_STOP}};
	start(&scene);
	stash_three(&scene);
	do_it(&scene, unstash_and_fail);
	ward_kit_run(scene.kit);
	ward_assert_state(scene.kit, scene.a.ref, WARD_STATE_GONE);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*/a"), 3);
	script_finish(scene.kit);
}

/* ---- the current message ------------------------------------------------------------------- */

static ward_result note_message(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	journal_note("%s: %s", script_of(self)->name, msg == NULL ? "no message" : "a message");
	return WARD_DONE;
}

WARD_TEST(current_message_is_cleared_after_a_successful_handler_only, "S90", "S31")
{
	struct scene scene = {
		.a.pre_restart = note_message,
		.p = {.strategy = &script_all, .decides = WARD_RESTART},
	};
	struct script c = {.name = "c", .pre_restart = note_message};
	scene.p.children[1] = &c;
	start(&scene);
	scene.stashing = false;
	script_say(scene.kit, c.ref, "handled");
	ward_kit_run(scene.kit);
	fail(&scene);
	ward_assert_part(journal_of("a"), "pre_restart; a message");
	ward_assert_part(journal_of("c"), "pre_restart; no message");
	script_finish(scene.kit);
}

WARD_TEST_MAIN
