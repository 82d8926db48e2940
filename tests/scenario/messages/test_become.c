/* SPDX-License-Identifier: MIT
 *
 * test_become.c - an actor handles messages differently: replaced, stacked, and back (S89).
 *
 * Method: a scripted actor becomes one or the other receive below, which note who they are with
 * each word; first() stands for what it began with.
 */
#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	struct script a;
};

static ward_result note_as(ward_self *self, const ward_msg *msg, const char *who)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);

	if (word == NULL)
		return WARD_UNHANDLED;
	if (word->call != NULL)
		return word->call(self, word->arg);
	journal_note("%s %s", who, word->text);
	return word->breaks == NULL ? WARD_DONE : ward_failed(self, word->breaks, "so it says");
}

static ward_result second(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return note_as(self, msg, "second");
}

static ward_result third(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return note_as(self, msg, "third");
}

static ward_result first(ward_self *self, const ward_msg *msg)
{
	return note_as(self, msg, "first");
}

static void start(struct scene *scene)
{
	scene->a.name = "a";
	scene->a.receive = first;
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->a);
	journal_clear();
}

static void do_it(struct scene *scene, script_call *call)
{
	script_do(scene->kit, scene->a.ref, call, NULL);
}

/* Who handles a word now. */
static void check(struct scene *scene, const char *wanted)
{
	journal_clear();
	script_say(scene->kit, scene->a.ref, "word");
	ward_kit_run(scene->kit);
	assert_journal(wanted);
}

static ward_result become_second(ward_self *self, void *arg)
{
	(void)arg;
	ward_become(self, second);
	return WARD_DONE;
}

static ward_result stack_second(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_become_stacked(self, second));
	return WARD_DONE;
}

static ward_result stack_third(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_become_stacked(self, third));
	return WARD_DONE;
}

static ward_result become_third(ward_self *self, void *arg)
{
	(void)arg;
	ward_become(self, third);
	return WARD_DONE;
}

static ward_result unbecome(ward_self *self, void *arg)
{
	(void)arg;
	ward_unbecome(self);
	return WARD_DONE;
}

/* ---- the stack ----------------------------------------------------------------------------- */

WARD_TEST(become_replaces_what_handles_the_next_message, "S89")
{
	struct scene scene = {0};
	start(&scene);
	check(&scene, "first word");
	do_it(&scene, become_second);
	check(&scene, "second word");
	do_it(&scene, become_third);
	check(&scene, "third word");
	script_finish(scene.kit);
}

WARD_TEST(unbecome_after_a_replacement_gives_the_first_one_back, "S89")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, become_second);
	do_it(&scene, become_third);
	do_it(&scene, unbecome);
	check(&scene, "first word");
	do_it(&scene, unbecome); /* the last one stays */
	check(&scene, "first word");
	script_finish(scene.kit);
}

WARD_TEST(stacked_ones_are_uncovered_one_after_the_other, "S89")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, stack_second);
	do_it(&scene, stack_third);
	check(&scene, "third word");
	do_it(&scene, unbecome);
	check(&scene, "second word");
	do_it(&scene, unbecome);
	check(&scene, "first word");
	script_finish(scene.kit);
}

WARD_TEST(become_replaces_the_top_and_leaves_what_is_below, "S89")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, become_third);
	do_it(&scene, stack_second);
	do_it(&scene, become_second);
	do_it(&scene, unbecome);
	check(&scene, "third word");
	do_it(&scene, unbecome);
	check(&scene, "first word");
	script_finish(scene.kit);
}

WARD_TEST(receive_that_stays_on_the_stack_ends_with_the_actor, "S89")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, stack_second);
	do_it(&scene, stack_third);
	ward_kit_run(scene.kit);
	script_finish(scene.kit); /* finds what is left in memory */
}

/* ---- over the life ------------------------------------------------------------------------- */

WARD_TEST(become_in_init_wins_over_the_receive_of_the_behaviour, "S89")
{
	struct scene scene = {.a.init = become_second};
	start(&scene);
	check(&scene, "second word");
	do_it(&scene, unbecome);
	check(&scene, "first word");
	script_finish(scene.kit);
}

WARD_TEST(stacking_in_init_covers_the_receive_of_the_behaviour, "S89")
{
	struct scene scene = {.a.init = stack_second};
	start(&scene);
	check(&scene, "second word");
	do_it(&scene, unbecome);
	check(&scene, "first word");
	script_finish(scene.kit);
}

static void fail(struct scene *scene)
{
	script_break(scene->kit, scene->a.ref, &bad_luck);
	ward_kit_run(scene->kit);
}

WARD_TEST(restart_begins_with_the_first_one, "S89", "S44", "S34")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, become_second);
	do_it(&scene, stack_third);
	fail(&scene);
	check(&scene, "first word");
	do_it(&scene, stack_second);
	do_it(&scene, unbecome);
	check(&scene, "first word"); /* and nothing of the old stack is below */
	script_finish(scene.kit);
}

WARD_TEST(restart_after_a_replacement_begins_with_the_first_one, "S89", "S44")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, become_second); /* with nothing below, which is kept elsewhere */
	fail(&scene);
	check(&scene, "first word");
	script_finish(scene.kit);
}

WARD_TEST(init_of_each_incarnation_becomes_anew, "S89")
{
	struct scene scene = {.a.init = stack_second};
	start(&scene);
	do_it(&scene, stack_third);
	fail(&scene);
	check(&scene, "second word");
	do_it(&scene, unbecome);
	check(&scene, "first word");
	script_finish(scene.kit);
}

static ward_result become_third_once(ward_self *self, void *arg)
{
	(void)arg;
	return ward_incarnation(self) == 1 ? stack_third(self, NULL) : WARD_DONE;
}

WARD_TEST(first_start_that_is_tried_again_begins_with_the_first_one, "S89", "S42")
{
	static const ward_strategy tries_again = {.otherwise = WARD_RESTART};
	struct scene scene = {
		.a = {.name = "a",
		      .receive = first,
		      .init = become_third_once,
		      .traps = {{SCRIPT_PRE_START, .first = 1}}},
	};
	struct script parent = {.name = "p", .strategy = &tries_again, .children = {&scene.a}};
	scene.kit = script_start(NULL);
	script_spawn(scene.kit, &parent);
	check(&scene, "first word");
	script_finish(scene.kit);
}

WARD_TEST(resume_keeps_the_stack, "S89", "S22")
{
	static const ward_strategy resumes = {.otherwise = WARD_RESUME};
	struct scene scene = {.a = {.name = "a", .receive = first}};
	struct script parent = {.name = "p", .strategy = &resumes, .children = {&scene.a}};
	scene.kit = script_start(NULL);
	script_spawn(scene.kit, &parent);
	do_it(&scene, stack_second);
	fail(&scene);
	check(&scene, "second word");
	do_it(&scene, unbecome);
	check(&scene, "first word");
	script_finish(scene.kit);
}

/* ---- refused ------------------------------------------------------------------------------- */

static ward_result become_null(ward_self *self, void *arg)
{
	(void)arg;
	ward_become(self, NULL);
	return WARD_DONE;
}

static ward_result fail_and_become_null(ward_self *self, void *arg)
{
	ward_result failed = ward_failed(self, &bad_luck, "first");

	(void)become_null(self, arg);
	return failed;
}

WARD_TEST(become_of_null_fails_the_callback_and_changes_nothing, "S89")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, become_null);
	ward_kit_run(scene.kit);
	const ward_event *event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*/a", 0);
	ward_assert_str(event->failure_class, "ward_misuse");
	ward_assert_str(event->text, "ward_become() with a NULL receive");
	check(&scene, "first word");
	do_it(&scene, fail_and_become_null);
	ward_kit_run(scene.kit);
	event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*/a", 1);
	ward_assert_str(event->failure_class, "bad_luck");
	script_finish(scene.kit);
}

static ward_result stack_null(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_become_stacked(self, NULL), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "ward_become_stacked");
	return WARD_DONE;
}

WARD_TEST(stacking_null_is_refused_and_changes_nothing, "S89")
{
	struct scene scene = {0};
	start(&scene);
	do_it(&scene, stack_null);
	check(&scene, "first word");
	script_finish(scene.kit);
}

static ward_kit *starved;

static ward_result stack_without_memory(ward_self *self, void *arg)
{
	ward_kit_fail_allocation(starved, *(uint64_t *)arg);
	ward_assert_err(ward_try_become_stacked(self, second), WARD_ENOMEM);
	ward_kit_fail_allocation(starved, 0);
	ward_assert_part(ward_err_detail(), "no memory");
	ward_unbecome(self); /* nothing was covered */
	return WARD_DONE;
}

WARD_TEST(stacking_without_memory_is_refused_and_changes_nothing, "S89")
{
	/* The record of what few actors need, and the place on the stack. */
	for (uint64_t nth = 1; nth <= 2; nth++) {
		struct scene scene = {0};
		start(&scene);
		starved = scene.kit;
		script_do(scene.kit, scene.a.ref, stack_without_memory, &nth);
		check(&scene, "first word");
		do_it(&scene, stack_second);
		check(&scene, "second word");
		script_finish(scene.kit);
	}
}

WARD_TEST(outside_a_callback_nothing_happens, "S89")
{
	ward_become(NULL, second);
	ward_unbecome(NULL);
	ward_assert_err(ward_try_become_stacked(NULL, second), WARD_EINVAL);
}

WARD_TEST_MAIN
