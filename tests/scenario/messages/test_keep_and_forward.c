/* SPDX-License-Identifier: MIT
 *
 * test_keep_and_forward.c - a kept body is passed on late, in the name of the one that it came
 * from.
 *
 * Method: a desk keeps the questions that it gets; told to open, it passes them on to a clerk, who
 * answers his sender. A question owns memory and counts its drops.
 */
#include <stdlib.h>

#include <ward/extend.h>

#include "support/script.h"

static int questions_left;

struct question {
	void *owned;
	int number;
};

static void question_drop(struct question *question)
{
	questions_left--;
	free(question->owned);
}
WARD_MESSAGE_DROP(question, question_drop);

struct answer {
	int number;
};
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);

static struct question question(int number)
{
	questions_left++;
	return (struct question){malloc(1), number};
}

enum { KEPT_MAX = 4 };

struct scene {
	ward_kit *kit;
	struct script desk, clerk, a;
	ward_ref to; /* whom the desk passes things on to */
	const ward_type *as;
	bool opens_itself;
	ward_err refused; /* what a try answered last */
	int count;
	struct {
		struct question *question;
		ward_ref sender;
	} kept[KEPT_MAX];
};

static ward_result pass_on(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	ward_give_body_from(self, ward_nobody(), scene->to, scene->as, NULL); /* nothing to give */
	for (int i = 0; i < scene->count; i++)
		ward_give_body_from(self, scene->kept[i].sender, scene->to, scene->as,
				    scene->kept[i].question);
	return WARD_DONE;
}

static ward_result keep(ward_self *self, const ward_msg *msg)
{
	struct scene *scene = script_of(self)->arg;
	ward_ref sender = ward_msg_sender(msg);
	struct question *taken = ward_take(self, question);

	if (taken == NULL)
		return WARD_UNHANDLED;
	scene->kept[scene->count].question = taken;
	scene->kept[scene->count++].sender = sender;
	if (scene->opens_itself)
		script_tell_do(self, ward_self_ref(self), pass_on, scene);
	return WARD_DONE;
}

static ward_result reply(ward_self *self, const ward_msg *msg)
{
	const struct question *asked = ward_match(msg, question);

	if (asked == NULL)
		return WARD_UNHANDLED;
	ward_answer(self, msg, question, .number = asked->number * 10);
	return WARD_DONE;
}

static ward_result note_answer(ward_self *self, const ward_msg *msg)
{
	const struct answer *answer = ward_match(msg, answer);

	(void)self;
	if (answer == NULL)
		return WARD_UNHANDLED;
	journal_note("%d from %s", answer->number, script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

static void start(struct scene *scene)
{
	*scene = (struct scene){
		.desk = {.name = "desk", .receive = keep, .arg = scene},
		.clerk = {.name = "clerk", .receive = reply},
		.a = {.name = "a", .receive = note_answer},
		.as = &ward_type_question,
	};
	questions_left = 0;
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->desk);
	script_spawn(scene->kit, &scene->clerk);
	script_spawn(scene->kit, &scene->a);
	journal_clear();
	scene->to = scene->clerk.ref;
}

static ward_result ask_twice(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	for (int i = 1; i <= 2; i++) {
		struct question asked = question(i);
		ward_send(self, scene->desk.ref, WARD_COPY(question, &asked));
	}
	return WARD_DONE;
}

static void have_it_pass_on(struct scene *scene)
{
	script_do(scene->kit, scene->a.ref, ask_twice, scene);
	ward_kit_run(scene->kit);
	ward_assert_eq(scene->count, 2);
	ward_assert_eq(questions_left, 2);
	script_do(scene->kit, scene->desk.ref, pass_on, scene);
	ward_kit_run(scene->kit);
	ward_assert_eq(questions_left, 0);
}

static void finish(struct scene *scene)
{
	script_finish(scene->kit);
	ward_assert_eq(questions_left, 0);
}

WARD_TEST(kept_bodies_passed_on_late_are_answered_to_their_first_sender)
{
	struct scene scene;
	start(&scene);
	have_it_pass_on(&scene);
	assert_journal("10 from clerk;20 from clerk");
	finish(&scene);
}

WARD_TEST(thread_that_asked_gets_the_answer_to_what_was_kept)
{
	struct scene scene;
	struct question asked;
	struct answer answer = {0};
	start(&scene);
	asked = question(7);
	scene.opens_itself = true;
	ward_assert_ok(ward_system_ask_send(ward_kit_system(scene.kit), scene.desk.ref, WARD_SECOND,
					    &ward_type_answer, &answer, &ward_type_question, &asked,
					    sizeof(asked)));
	ward_assert_eq(answer.number, 70);
	finish(&scene);
}

static const ward_event *letter(struct scene *scene, size_t number)
{
	return ward_kit_event(scene->kit, WARD_EVENT_DEAD_LETTER, "*", number);
}

WARD_TEST(kept_body_that_cannot_be_passed_on_is_a_dead_letter_of_its_first_sender)
{
	struct scene scene;
	start(&scene);
	ward_system_stop(ward_kit_system(scene.kit), scene.clerk.ref);
	ward_kit_run(scene.kit);
	ward_kit_forget_events(scene.kit);
	have_it_pass_on(&scene);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 2);
	ward_assert_eq(letter(&scene, 1)->reason, WARD_REASON_DEAD);
	ward_assert_str(letter(&scene, 1)->sender_path, "sim/user/a");
	finish(&scene);
}

WARD_TEST(kept_body_passed_on_as_another_type_is_dropped_and_reported)
{
	struct scene scene;
	start(&scene);
	scene.as = &ward_type_answer;
	have_it_pass_on(&scene);
	assert_journal("");
	ward_assert_eq(letter(&scene, 0)->reason, WARD_REASON_MISUSE);
	ward_assert_str(letter(&scene, 0)->message_type, "question");
	ward_assert_str(letter(&scene, 0)->sender_path, "sim/user/a");
	finish(&scene);
}

WARD_TEST(kept_body_passed_on_without_memory_is_dropped)
{
	struct scene scene;
	start(&scene);
	script_do(scene.kit, scene.a.ref, ask_twice, &scene);
	ward_kit_run(scene.kit);
	script_do(scene.kit, scene.desk.ref, pass_on, &scene);
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_kit_run(scene.kit);
	ward_kit_fail_all_allocations(scene.kit, false);
	ward_assert_eq(questions_left, 0);
	ward_assert_eq(letter(&scene, 0)->reason, WARD_REASON_NO_MEMORY);
	ward_assert_str(letter(&scene, 0)->sender_path, "sim/user/a");
	finish(&scene);
}

/* ---- the form that can refuse -------------------------------------------------------------- */

/* What is refused stays in the desk. */
static ward_result try_to_pass_on(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	int left = 0;

	for (int i = 0; i < scene->count; i++) {
		ward_err err = ward_try_give_body_from(self, scene->kept[i].sender, scene->to,
						       scene->as, scene->kept[i].question);

		if (err != WARD_OK) {
			scene->refused = err;
			scene->kept[left++] = scene->kept[i];
		}
	}
	scene->count = left;
	return WARD_DONE;
}

static void have_it_try(struct scene *scene)
{
	script_do(scene->kit, scene->desk.ref, try_to_pass_on, scene);
	ward_kit_run(scene->kit);
}

static void keep_two(struct scene *scene)
{
	start(scene);
	script_do(scene->kit, scene->a.ref, ask_twice, scene);
	ward_kit_run(scene->kit);
	ward_assert_eq(scene->count, 2);
}

WARD_TEST(kept_bodies_that_are_tried_are_answered_to_their_first_sender)
{
	struct scene scene;
	keep_two(&scene);
	have_it_try(&scene);
	assert_journal("10 from clerk;20 from clerk");
	ward_assert_eq(scene.count, 0);
	ward_assert_eq(questions_left, 0);
	finish(&scene);
}

/* Both are there still, and can be tried again; nobody else was told. */
static void assert_refused(struct scene *scene, ward_err err)
{
	ward_assert_err(scene->refused, err);
	ward_assert_eq(scene->count, 2);
	ward_assert_eq(questions_left, 2);
	ward_assert_eq(ward_kit_count(scene->kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
}

WARD_TEST(kept_body_without_a_receiver_is_refused_and_can_be_given_to_another)
{
	struct scene scene;
	ward_ref clerk;
	keep_two(&scene);
	clerk = scene.to;
	scene.to = ward_nobody();
	have_it_try(&scene);
	assert_refused(&scene, WARD_EDEAD);
	scene.to = clerk;
	have_it_try(&scene);
	assert_journal("10 from clerk;20 from clerk");
	finish(&scene);
}

WARD_TEST(kept_body_tried_without_memory_is_refused_and_can_be_tried_again)
{
	struct scene scene;
	keep_two(&scene);
	script_do(scene.kit, scene.desk.ref, try_to_pass_on, &scene);
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_kit_run(scene.kit);
	ward_kit_fail_all_allocations(scene.kit, false);
	assert_refused(&scene, WARD_ENOMEM);
	have_it_try(&scene);
	assert_journal("10 from clerk;20 from clerk");
	finish(&scene);
}

WARD_TEST(kept_body_tried_as_another_type_is_refused_with_a_text)
{
	struct scene scene;
	keep_two(&scene);
	scene.as = &ward_type_answer;
	have_it_try(&scene);
	assert_refused(&scene, WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "\"answer\" was meant, it is one of question");
	finish(&scene);
	ward_assert_eq(questions_left, 0); /* they went with the desk */
}

static ward_result try_nothing(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	scene->refused =
		ward_try_give_body_from(self, ward_nobody(), scene->to, &ward_type_question, NULL);
	return WARD_DONE;
}

WARD_TEST(trying_to_pass_on_nothing_is_refused)
{
	struct scene scene;
	start(&scene);
	script_do(scene.kit, scene.desk.ref, try_nothing, &scene);
	ward_kit_run(scene.kit);
	ward_assert_err(scene.refused, WARD_EINVAL);
	finish(&scene);
}

WARD_TEST(kept_body_for_a_full_mailbox_is_refused_and_can_be_tried_again)
{
	struct scene scene;
	struct script narrow = {.name = "narrow",
				.receive = reply,
				.mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_REFUSE}};
	keep_two(&scene);
	script_spawn(scene.kit, &narrow);
	journal_clear();
	scene.to = narrow.ref;
	have_it_try(&scene);
	ward_assert_err(scene.refused, WARD_EFULL);
	ward_assert_eq(scene.count, 1);
	have_it_try(&scene);
	assert_journal("10 from narrow;20 from narrow");
	finish(&scene);
}

WARD_TEST_MAIN
