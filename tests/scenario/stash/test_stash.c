/* SPDX-License-Identifier: MIT
 *
 * test_stash.c - messages put aside come back first, in order, with their senders (S86).
 *
 * Method: see stashing_actor.h.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "stashing_actor.h"

/* ---- un-stashed ---------------------------------------------------------------------------- */

WARD_TEST(stashed_messages_come_first_in_order_with_their_senders, "S86")
{
	struct scene scene = {0};
	start(&scene);
	stash_three(&scene);
	do_it(&scene, unstash_all);
	say(&scene, "four");
	ward_kit_run(scene.kit);
	assert_journal(THREE ";four");
	script_finish(scene.kit);
}

WARD_TEST(bounded_mailbox_does_not_count_what_is_unstashed, "S86")
{
	struct scene scene = {.a.mailbox = {.messages_max = 3}};
	ward_actor_info info;
	start(&scene);
	stash_three(&scene);
	do_it(&scene, unstash_all);
	say(&scene, "four");
	say(&scene, "five");
	ward_assert(ward_kit_step(scene.kit));
	ward_assert(ward_kit_info(scene.kit, scene.a.ref, &info));
	ward_assert_eq(info.mailbox, 2);
	say(&scene, "six");
	ward_kit_run(scene.kit);
	assert_journal(THREE ";four;five;six");
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

static bool is_plain_word(const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);

	return word != NULL && word->call == NULL && word->breaks == NULL;
}

/* Takes the word, sends another message, and answers who sent it. */
static ward_result stash_or_take(ward_self *self, const ward_msg *msg)
{
	struct scene *scene = script_of(self)->arg;
	struct script_word *word = NULL;

	if (!scene->stashing && is_plain_word(msg))
		word = ward_take_body(self, &ward_type_script_word);
	if (word == NULL)
		return stash_or_note(self, msg);
	script_tell(self, scene->b.ref, "other");
	journal_note("%s, taken, from %s", word->text, script_name(ward_msg_sender(msg)));
	ward_discard(self, word);
	return WARD_DONE;
}

WARD_TEST(unstashed_message_that_is_taken_has_its_sender_until_the_end, "S86")
{
	struct scene scene = {.a.receive = stash_or_take};
	start_with(&scene, &(ward_kit_options){.pooled = true});
	stash_three(&scene);
	do_it(&scene, unstash_all);
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), "one, taken, from b;two, taken, from b;three, taken");
	script_finish(scene.kit);
}

static ward_result unstash_one(ward_self *self, void *arg)
{
	size_t size = ward_stash_count(self);

	(void)arg;
	ward_assert_eq(ward_unstash(self), size > 0);
	ward_assert_eq(ward_stash_count(self), size > 0 ? size - 1 : 0);
	return WARD_DONE;
}

static ward_result stash_or_note_periods(ward_self *self, const ward_msg *msg)
{
	const struct scene *scene = script_of(self)->arg;

	if (!scene->stashing && ward_msg_body(msg, &ward_type_script_word) != NULL)
		journal_note("%llu periods", (unsigned long long)ward_timer_periods(self));
	return stash_or_note(self, msg);
}

WARD_TEST(unstashed_message_is_no_tick, "S86", "S87")
{
	struct scene scene = {.a.receive = stash_or_note_periods};
	start(&scene);
	say(&scene, "one");
	ward_kit_run(scene.kit);
	scene.stashing = false;
	do_it(&scene, unstash_all);
	ward_kit_run(scene.kit);
	ward_assert(strstr(journal_text(), "1 periods") == NULL);
	ward_assert_part(journal_text(), "0 periods;one");
	script_finish(scene.kit);
}

WARD_TEST(oldest_one_can_be_unstashed_alone, "S86")
{
	struct scene scene = {0};
	start(&scene);
	stash_three(&scene);
	do_it(&scene, unstash_one);
	say(&scene, "four");
	do_it(&scene, unstash_one);
	say(&scene, "five");
	ward_kit_run(scene.kit);
	assert_journal("one from b;four;two from b;five");
	script_finish(scene.kit);
}

static ward_result unstash_one_and_all(ward_self *self, void *arg)
{
	(void)unstash_one(self, arg);
	(void)unstash_one(self, arg);
	return unstash_all(self, arg);
}

WARD_TEST(what_a_callback_unstashes_bit_by_bit_keeps_its_order, "S86")
{
	struct scene scene = {0};
	start(&scene);
	stash_three(&scene);
	do_it(&scene, unstash_one_and_all);
	say(&scene, "four");
	ward_kit_run(scene.kit);
	assert_journal(THREE ";four");
	script_finish(scene.kit);
}

static ward_result unstash_two(ward_self *self, void *arg)
{
	(void)unstash_one(self, arg);
	return unstash_one(self, arg);
}

/* The one that is handled first un-stashes the rest. */
static ward_result unstash_rest(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	ward_result result = stash_or_note(self, msg);
	const struct scene *scene = script_of(self)->arg;

	if (result == WARD_DONE && !scene->stashing && word->text[0] == 'o')
		ward_assert_eq(ward_unstash_all(self), 1);
	return result;
}

WARD_TEST(later_callback_puts_its_own_before_what_was_unstashed_earlier, "S86")
{
	struct scene scene = {.a.receive = unstash_rest};
	start(&scene);
	stash_three(&scene);
	do_it(&scene, unstash_two);
	ward_kit_run(scene.kit);
	assert_journal("one from b;three;two from b");
	script_finish(scene.kit);
}

WARD_TEST(empty_stash_has_nothing_to_give, "S86")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, unstash_one);
	do_it(&scene, unstash_all); /* no record yet */
	say(&scene, "one");
	ward_kit_run(scene.kit);
	scene.stashing = false;
	do_it(&scene, unstash_all);
	do_it(&scene, unstash_all); /* a record, and nothing in it */
	do_it(&scene, unstash_one);
	ward_kit_run(scene.kit);
	assert_journal("one");
	script_finish(scene.kit);
}

WARD_TEST(unstashed_message_is_stashed_again_without_memory, "S86")
{
	struct scene scene = {0};
	start(&scene);
	stash_three(&scene);
	scene.stashing = true;
	do_it(&scene, unstash_all);
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_kit_run(scene.kit);
	ward_kit_fail_all_allocations(scene.kit, false);
	assert_journal("");
	scene.stashing = false;
	do_it(&scene, unstash_all);
	ward_kit_run(scene.kit);
	assert_journal(THREE);
	script_finish(scene.kit);
}

enum { MANY = 350 };

WARD_TEST(more_than_a_batch_is_unstashed_on_threads, "S86")
{
	struct scene scene = {0};
	/* One worker, since the journal is for one thread. */
	start_with(&scene, &(ward_kit_options){.real_threads = true, .system.workers = 1});
	for (int i = 0; i < MANY; i++)
		say(&scene, "x");
	ward_kit_run(scene.kit);
	ward_assert_eq(script_words_left(), MANY);
	scene.stashing = false;
	do_it(&scene, unstash_all);
	ward_kit_run(scene.kit);
	ward_assert_eq(script_words_left(), 0);
	script_finish(scene.kit);
}

/* ---- what can be stashed ------------------------------------------------------------------- */

struct big {
	int number;
	char rest[500];
};
WARD_MESSAGE(big);

static ward_result stash_big(ward_self *self, const ward_msg *msg)
{
	struct scene *scene = script_of(self)->arg;
	const struct big *big = ward_match(msg, big);

	if (big == NULL)
		return WARD_UNHANDLED;
	if (scene->stashing)
		ward_assert_ok(ward_try_stash(self));
	else
		journal_note("big %d", big->number);
	return WARD_DONE;
}

WARD_TEST(body_of_any_size_is_stashed, "S86")
{
	struct scene scene = {.a.receive = stash_big};
	start(&scene);
	ward_kit_tell(scene.kit, scene.a.ref, big, .number = 7);
	ward_kit_run(scene.kit);
	scene.stashing = false;
	do_it(&scene, unstash_all);
	ward_kit_run(scene.kit);
	assert_journal("big 7");
	script_finish(scene.kit);
}

static ward_result start_timer(ward_self *self, void *arg)
{
	struct script_word word = script_word("tick", &(struct script_word){0});

	(void)arg;
	ward_assert_ok(ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = 10},
					    &ward_type_script_word, &word, sizeof word));
	return WARD_DONE;
}

WARD_TEST(what_a_timer_brought_is_stashed, "S86", "S87")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, start_timer);
	ward_kit_advance(scene.kit, 20);
	scene.stashing = false;
	do_it(&scene, unstash_all);
	ward_kit_run(scene.kit);
	assert_journal("tick from a");
	script_finish(scene.kit);
}

struct question {
	int number;
};
WARD_MESSAGE(question);
struct answer {
	int number;
};
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);

static ward_result answer_second_time(ward_self *self, const ward_msg *msg)
{
	struct scene *scene = script_of(self)->arg;
	const struct question *asked = ward_match(msg, question);

	if (asked == NULL)
		return WARD_UNHANDLED;
	if (scene->stashing) {
		ward_assert_ok(ward_try_stash(self));
		scene->stashing = false;
		ward_assert_eq(ward_unstash_all(self), 1);
		return WARD_DONE;
	}
	ward_answer(self, msg, question, .number = asked->number + 1);
	return WARD_DONE;
}

WARD_TEST(thread_that_asked_gets_the_answer_to_what_was_stashed, "S86")
{
	struct scene scene = {.a.receive = answer_second_time};
	struct answer answer = {0};
	struct question asked = {6};
	start(&scene);
	ward_assert_ok(ward_system_ask_send(ward_kit_system(scene.kit), scene.a.ref, WARD_SECOND,
					    &ward_type_answer, &answer, &ward_type_question, &asked,
					    sizeof asked));
	ward_assert_eq(answer.number, 7);
	script_finish(scene.kit);
}

/* ---- refused ------------------------------------------------------------------------------- */

static ward_result stash_twice(ward_self *self, const ward_msg *msg)
{
	if (ward_msg_body(msg, &ward_type_script_word) == NULL)
		return WARD_UNHANDLED;
	ward_assert_ok(ward_try_stash(self));
	ward_assert_err(ward_try_stash(self), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "already");
	ward_assert_eq(ward_stash_count(self), 1);
	ward_stash_clear(self);
	ward_assert_err(ward_try_stash(self), WARD_EEXIST);
	return WARD_DONE;
}

WARD_TEST(message_is_stashed_once, "S86")
{
	struct scene scene = {.a.receive = stash_twice};
	start(&scene);
	say(&scene, "one");
	say(&scene, "two"); /* what was said of one is forgotten */
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(scene.kit);
}

static ward_result stash_nothing(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_stash(self), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "no message");
	ward_assert_eq(ward_stash_count(self), 0);
	return WARD_DONE;
}

static ward_result forward_and_stash(ward_self *self, void *arg)
{
	ward_forward(self, ward_nobody());
	return stash_nothing(self, arg);
}

static ward_result take_and_stash(ward_self *self, void *arg)
{
	ward_discard(self, ward_take_body(self, &ward_type_script_word));
	return stash_nothing(self, arg);
}

WARD_TEST(without_a_current_message_nothing_is_stashed, "S86", "S90")
{
	struct scene scene = {
		.a = {.init = stash_nothing,
		      .pre_start = stash_nothing,
		      .post_stop = stash_nothing},
	};
	start(&scene);
	do_it(&scene, forward_and_stash);
	do_it(&scene, take_and_stash);
	ward_kit_run(scene.kit);
	ward_assert_err(ward_try_stash(NULL), WARD_EINVAL);
	ward_assert_eq(ward_unstash_all(NULL), 0);
	ward_assert(!ward_unstash(NULL));
	ward_assert_eq(ward_stash_count(NULL), 0);
	ward_stash_clear(NULL);
	script_finish(scene.kit);
	ward_assert_eq(scene.a.calls[SCRIPT_POST_STOP], 1);
}

static ward_result stash_if_room(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	ward_err err;

	if (word == NULL || word->call != NULL)
		return WARD_UNHANDLED;
	err = ward_try_stash(self);
	if (err == WARD_OK)
		return WARD_DONE;
	journal_note("%s: %s", word->text, ward_err_detail());
	return WARD_DONE;
}

WARD_TEST(full_stash_refuses_and_leaves_the_message_in_hand, "S86")
{
	struct scene scene = {.a = {.stash_max = 2, .receive = stash_if_room}};
	start(&scene);
	for (int i = 1; i <= 3; i++)
		say(&scene, (const char *[]){"", "one", "two", "three"}[i]);
	do_it(&scene, clear);
	say(&scene, "four");
	ward_kit_run(scene.kit);
	assert_journal("three: ward_stash: 2 messages are stashed, its props.stash_max: drop or "
		       "un-stash some first");
	ward_assert_eq(script_words_left(), 1);
	script_finish(scene.kit);
}

static struct scene *starved;
static uint64_t starved_nth;

static ward_result stash_without_memory(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);

	if (word == NULL || word->call != NULL)
		return WARD_UNHANDLED;
	ward_kit_fail_allocation(starved->kit, starved_nth);
	ward_assert_err(ward_try_stash(self), WARD_ENOMEM);
	ward_kit_fail_allocation(starved->kit, 0);
	journal_note("%s is here", word->text);
	ward_assert_ok(ward_try_stash(self));
	return WARD_DONE;
}

WARD_TEST(stash_without_memory_leaves_the_message_in_hand, "S86")
{
	for (starved_nth = 1; starved_nth <= 2; starved_nth++) {
		struct scene scene = {.a.receive = stash_without_memory};
		starved = &scene;
		start(&scene);
		say(&scene, "one");
		ward_kit_run(scene.kit);
		assert_journal("one is here");
		ward_assert_eq(script_words_left(), 1);
		script_finish(scene.kit);
	}
}

static int pipe_ends[2];

static ward_result watch_pipe(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_fd_watch(self, pipe_ends[0], WARD_FD_READ));
	return WARD_DONE;
}

static ward_result stash_ready(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_fd_ready) == NULL)
		return WARD_UNHANDLED;
	ward_assert_err(ward_try_stash(self), WARD_EINVAL);
	journal_note("%.32s", ward_err_detail());
	return WARD_DONE;
}

WARD_TEST(readiness_is_not_stashed)
{
	struct scene scene = {.a.receive = stash_ready};
	ward_assert_eq(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK), 0);
	start(&scene);
	do_it(&scene, watch_pipe);
	ward_kit_run(scene.kit);
	ward_assert_eq(write(pipe_ends[1], "x", 1), 1);
	ward_kit_run(scene.kit);
	assert_journal("ward_stash: readiness is of the ");
	script_finish(scene.kit);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

/* ---- cleared ------------------------------------------------------------------------------- */

static ward_result unstash_one_and_clear(ward_self *self, void *arg)
{
	(void)unstash_one(self, arg);
	return clear(self, arg);
}

WARD_TEST(cleared_stash_is_dropped_and_what_was_unstashed_still_comes, "S86")
{
	struct scene scene = {0};
	start(&scene);
	stash_three(&scene);
	do_it(&scene, unstash_one_and_clear);
	ward_kit_run(scene.kit);
	assert_journal("one from b");
	ward_assert_eq(script_words_left(), 0);
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

WARD_TEST_MAIN
