/* SPDX-License-Identifier: MIT
 *
 * test_children_few.c - the notice that an actor has few children (S127).
 *
 * Method: a parent with three children notes what it gets; the test stops its children one by one.
 */
#include <string.h>

#include <ward/timer.h>

#include "support/script.h"

static ward_result note_few(ward_self *self, const ward_msg *msg)
{
	const struct ward_children_few *few = ward_match(msg, ward_children_few);

	if (few == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_is_nobody(ward_msg_sender(msg)));
	journal_note("few %u<%u, %zu now", few->count, few->below, ward_children(self, NULL, 0));
	return WARD_DONE;
}

static ward_result wait_below(ward_self *self, void *arg)
{
	if (ward_try_children_notify(self, *(const uint32_t *)arg) != WARD_OK)
		return ward_failed(self, &ward_out_of_memory, "no notice");
	return WARD_DONE;
}

struct scene {
	ward_kit *kit;
	struct script parent, children[3];
};
static uint32_t below[] = {0, 1, 2, 3, 4};

/* above: the grandparent, or NULL. */
static void start_below(struct scene *scene, struct script *above)
{
	static const char *const names[] = {"a", "b", "c"};

	*scene = (struct scene){
		.parent = {.name = "p", .strategy = &script_one, .receive = note_few}};
	for (int i = 0; i < 3; i++) {
		scene->children[i].name = names[i];
		scene->parent.children[i] = &scene->children[i];
	}
	scene->kit = script_start(NULL);
	if (above != NULL)
		above->children[0] = &scene->parent;
	script_spawn(scene->kit, above != NULL ? above : &scene->parent);
	ward_kit_run(scene->kit);
	journal_clear();
}

static void start(struct scene *scene)
{
	start_below(scene, NULL);
}

static void wait_for(struct scene *scene, uint32_t n)
{
	script_do(scene->kit, scene->parent.ref, wait_below, &below[n]);
	ward_kit_run(scene->kit);
}

static void stop(struct scene *scene, int which)
{
	ward_kit_stop(scene->kit, scene->children[which].ref);
	ward_kit_run(scene->kit);
}

static void assert_few(const char *notes)
{
	assert_journal_of("p", "");
	ward_assert_str(journal_text(), notes);
	journal_clear();
}

WARD_TEST(notice_comes_once_when_the_number_falls_below, "S127")
{
	struct scene scene;

	start(&scene);
	wait_for(&scene, 2);
	stop(&scene, 0);
	assert_few("a:post_stop");
	stop(&scene, 1);
	assert_few("b:post_stop;few 1<2, 1 now");
	stop(&scene, 2);
	assert_few("c:post_stop");
	script_finish(scene.kit);
}

WARD_TEST(notice_comes_at_once_when_the_number_is_below_already, "S127")
{
	struct scene scene;

	start(&scene);
	wait_for(&scene, 4);
	assert_few("few 3<4, 3 now");
	stop(&scene, 0);
	assert_few("a:post_stop");
	script_finish(scene.kit);
}

WARD_TEST(notice_of_an_actor_that_never_had_children_comes_at_once, "S127")
{
	struct script lone = {.name = "lone", .receive = note_few};
	ward_kit *kit = script_start(NULL);

	script_spawn(kit, &lone);
	journal_clear();
	script_do(kit, lone.ref, wait_below, &below[0]);
	script_do(kit, lone.ref, wait_below, &below[1]);
	ward_kit_run(kit);
	assert_journal("few 0<1, 0 now");
	script_finish(kit);
}

WARD_TEST(new_wait_replaces_the_one_before, "S127")
{
	struct scene scene;

	start(&scene);
	wait_for(&scene, 3);
	wait_for(&scene, 2);
	stop(&scene, 0);
	assert_few("a:post_stop");
	stop(&scene, 1);
	assert_few("b:post_stop;few 1<2, 1 now");
	wait_for(&scene, 1);
	stop(&scene, 2);
	assert_few("c:post_stop;few 0<1, 0 now");
	script_finish(scene.kit);
}

WARD_TEST(wait_that_was_cancelled_brings_nothing, "S127")
{
	struct scene scene;

	start(&scene);
	wait_for(&scene, 3);
	wait_for(&scene, 0);
	stop(&scene, 0);
	assert_few("a:post_stop");
	script_finish(scene.kit);
}

static ward_result wait_twice(ward_self *self, void *arg)
{
	ward_result result = wait_below(self, &below[4]);

	return result == WARD_DONE ? wait_below(self, arg) : result;
}

WARD_TEST(notice_in_the_mailbox_is_taken_back_by_the_next_call, "S127")
{
	struct scene scene;

	start(&scene);
	script_do(scene.kit, scene.parent.ref, wait_twice, &below[0]);
	ward_kit_run(scene.kit);
	assert_few("");
	script_do(scene.kit, scene.parent.ref, wait_twice, &below[3]);
	ward_kit_run(scene.kit);
	assert_few("");
	stop(&scene, 0);
	assert_few("a:post_stop;few 2<3, 2 now");
	script_finish(scene.kit);
}

static ward_result keep_children(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)self, (void)why, (void)msg;
	return WARD_DONE;
}

WARD_TEST(wait_ends_with_the_incarnation, "S127")
{
	struct scene scene;

	start(&scene);
	scene.parent.keeps_children = true;
	scene.parent.pre_restart = keep_children;
	wait_for(&scene, 3);
	script_break(scene.kit, scene.parent.ref, &ward_exception);
	ward_kit_run(scene.kit);
	ward_assert(strstr(journal_text(), "p:post_restart") != NULL);
	journal_clear();
	stop(&scene, 0);
	assert_few("a:post_stop");
	wait_for(&scene, 2);
	stop(&scene, 1);
	assert_few("b:post_stop;few 1<2, 1 now");
	script_finish(scene.kit);
}

/* The notice waits behind the word that breaks. */
static ward_result wait_and_break(ward_self *self, void *arg)
{
	ward_result result = wait_below(self, arg);

	return result == WARD_DONE ? ward_failed(self, &ward_exception, "broken") : result;
}

WARD_TEST(notice_in_the_mailbox_ends_with_the_incarnation, "S127")
{
	struct scene scene;

	start(&scene);
	script_do(scene.kit, scene.parent.ref, wait_and_break, &below[4]);
	ward_kit_run(scene.kit);
	ward_assert(strstr(journal_text(), "p:post_restart") != NULL);
	ward_assert(strstr(journal_text(), "few") == NULL);
	script_finish(scene.kit);
}

WARD_TEST(notice_survives_a_resume, "S127")
{
	struct scene scene;
	struct script above = {.name = "above", .strategy = &script_one, .decides = WARD_RESUME};

	start_below(&scene, &above);
	script_do(scene.kit, scene.parent.ref, wait_and_break, &below[3]);
	ward_kit_stop(scene.kit, scene.children[0].ref);
	ward_kit_run(scene.kit);
	ward_assert(strstr(journal_text(), "above:decide p") != NULL);
	assert_journal_of("p", "");
	ward_assert(strstr(journal_text(), "few 2<3, 2 now") != NULL);
	script_finish(scene.kit);
}

WARD_TEST(stopping_parent_gets_no_notice, "S127")
{
	struct scene scene;

	start(&scene);
	wait_for(&scene, 3);
	ward_kit_stop(scene.kit, scene.parent.ref);
	ward_kit_run(scene.kit);
	ward_assert(strstr(journal_text(), "few") == NULL);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	script_finish(scene.kit);
}

/* ---- as a message ------------------------------------------------------------------------ */

/* Fills its own mailbox before it waits. */
static ward_result fill_and_wait(ward_self *self, void *arg)
{
	ward_result result;

	script_tell(self, ward_self_ref(self), "full");
	result = wait_below(self, arg);
	journal_note("%d waits", (int)ward_mailbox_count(self, ward_self_ref(self)));
	return result;
}

WARD_TEST(notice_is_neither_counted_nor_refused_by_a_full_mailbox, "S127")
{
	static const ward_overflow overflows[] = {WARD_OVERFLOW_REFUSE, WARD_OVERFLOW_DROP_OLDEST,
						  WARD_OVERFLOW_HOLD_SENDER};

	for (size_t i = 0; i < sizeof overflows / sizeof overflows[0]; i++) {
		struct script lone = {.name = "lone",
				      .receive = note_few,
				      .mailbox = {.messages_max = 1, .overflow = overflows[i]}};
		ward_kit *kit = script_start(NULL);

		script_spawn(kit, &lone);
		journal_clear();
		script_do(kit, lone.ref, fill_and_wait, &below[1]);
		ward_kit_run(kit);
		assert_journal("1 waits;lone:full;few 0<1, 0 now");
		script_finish(kit);
	}
}

static bool stashes;

static ward_result stash_few(ward_self *self, const ward_msg *msg)
{
	if (!ward_match(msg, ward_children_few) || !stashes)
		return note_few(self, msg);
	stashes = false;
	return ward_stash(self);
}

static ward_result unstash(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_unstash_all(self);
	return WARD_DONE;
}

WARD_TEST(stashed_notice_comes_again, "S127")
{
	struct script lone = {.name = "lone", .receive = stash_few};
	ward_kit *kit = script_start(NULL);

	stashes = true;
	script_spawn(kit, &lone);
	journal_clear();
	script_do(kit, lone.ref, wait_below, &below[1]);
	ward_kit_run(kit);
	assert_journal("");
	script_do(kit, lone.ref, unstash, NULL);
	ward_kit_run(kit);
	assert_journal("few 0<1, 0 now");
	script_finish(kit);
}

static ward_result forge(ward_self *self, void *arg)
{
	(void)arg;
	ward_tell(self, ward_self_ref(self), ward_children_few, .count = 1, .below = 2);
	ward_tell_after(self, ward_self_ref(self), 1, 1, ward_children_few, .count = 1, .below = 2);
	return WARD_DONE;
}

WARD_TEST(notice_that_the_program_sends_is_dropped, "S127")
{
	struct scene scene;

	start(&scene);
	ward_kit_tell(scene.kit, scene.parent.ref, ward_children_few, .count = 1, .below = 2);
	ward_kit_run(scene.kit);
	wait_for(&scene, 2);
	ward_kit_tell(scene.kit, scene.parent.ref, ward_children_few, .count = 1, .below = 2);
	script_do(scene.kit, scene.parent.ref, forge, NULL);
	ward_kit_advance(scene.kit, 10);
	ward_kit_run(scene.kit);
	assert_few("");
	stop(&scene, 0);
	stop(&scene, 1);
	ward_assert(strstr(journal_text(), "few 1<2, 1 now") != NULL);
	script_finish(scene.kit);
}

static ward_result forward_few(ward_self *self, const ward_msg *msg)
{
	ward_result result = note_few(self, msg);

	if (result == WARD_DONE)
		ward_forward(self, ward_self_ref(self));
	return result;
}

WARD_TEST(forwarded_notice_is_dropped, "S127")
{
	struct script lone = {.name = "lone", .receive = forward_few};
	ward_kit *kit = script_start(NULL);

	script_spawn(kit, &lone);
	journal_clear();
	script_do(kit, lone.ref, wait_below, &below[1]);
	ward_kit_run(kit);
	assert_journal("few 0<1, 0 now");
	script_finish(kit);
}

/* ---- without memory ---------------------------------------------------------------------- */

WARD_TEST(notice_needs_no_memory_when_it_is_due, "S127")
{
	for (uint64_t nth = 1; nth < 4; nth++) {
		struct scene scene;

		start(&scene);
		wait_for(&scene, 3);
		ward_kit_fail_allocation(scene.kit, nth);
		stop(&scene, 0);
		ward_kit_fail_allocation(scene.kit, 0);
		ward_assert(strstr(journal_text(), "few 2<3, 2 now") != NULL);
		script_finish(scene.kit);
	}
}

static ward_result wait_without_memory(ward_self *self, void *arg)
{
	ward_kit *kit = arg;
	ward_err first = ward_try_children_notify(self, 4), second;

	ward_kit_fail_allocation(kit, 1);
	second = ward_try_children_notify(self, 0x7fffffff);
	ward_kit_fail_allocation(kit, 0);
	if (first != WARD_OK || second != WARD_ENOMEM)
		return ward_failed(self, &ward_exception, "%d, %d", (int)first, (int)second);
	return WARD_DONE;
}

WARD_TEST(refused_wait_leaves_the_one_before_in_force, "S127")
{
	struct scene scene;

	start(&scene);
	script_do(scene.kit, scene.parent.ref, wait_without_memory, scene.kit);
	ward_kit_run(scene.kit);
	assert_few("few 3<4, 3 now");
	script_finish(scene.kit);
}

static ward_result wait_plainly(ward_self *self, void *arg)
{
	ward_kit_fail_allocation(arg, 1);
	ward_children_notify(self, 4);
	ward_kit_fail_allocation(arg, 0);
	return WARD_DONE;
}

WARD_TEST(plain_form_fails_the_actor_without_memory, "S127")
{
	struct scene scene;

	start(&scene);
	script_do(scene.kit, scene.parent.ref, wait_plainly, scene.kit);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/p"), 1);
	script_finish(scene.kit);
}

WARD_TEST_MAIN
