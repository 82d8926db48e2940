/* SPDX-License-Identifier: MIT
 *
 * test_stash_watch.c - notices of an end that are stashed: received again, unless unwatched (S68)
 * or, of a link, unlinked (S117).
 *
 * Method: a watches its child c and stashes what tells of its end. A custom notice is a word, which
 * owns memory, so that one lost or dropped twice is seen.
 */
#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	bool stashing;
	bool custom; /* notices are words */
	struct script a, c, d;
};

static ward_result stash_or_note(ward_self *self, const ward_msg *msg)
{
	struct scene *scene = script_of(self)->arg;
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);

	if (gone == NULL && (word == NULL || word->call != NULL || word->breaks != NULL))
		return WARD_UNHANDLED;
	if (scene->stashing) {
		ward_assert_ok(ward_try_stash(self));
		return WARD_DONE;
	}
	if (gone != NULL)
		ward_assert(ward_ref_equal(gone->who, ward_msg_sender(msg)));
	journal_note("%s %s", gone != NULL ? "gone" : word->text,
		     script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

/* What receive gets of notices goes unhandled. */
static ward_result ignore_notices(ward_self *self, void *state, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);

	(void)state;
	return word != NULL && word->call != NULL ? word->call(self, word->arg) : WARD_UNHANDLED;
}

static ward_result watch(ward_self *self, struct scene *scene, ward_ref who)
{
	if (scene->custom) {
		struct script_word word = script_word("lost", &(struct script_word){0});
		ward_assert_ok(ward_try_watch_with_send(self, who, &ward_type_script_word, &word,
							sizeof word));
	} else {
		ward_assert_ok(ward_try_watch(self, who));
	}
	return WARD_DONE;
}

static ward_result watch_both(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	(void)watch(self, scene, scene->c.ref);
	return watch(self, scene, scene->d.ref);
}

static void stop(struct scene *scene, const struct script *who)
{
	ward_system_stop(ward_kit_system(scene->kit), who->ref);
	ward_kit_run(scene->kit);
}

static void do_it(struct scene *scene, script_call *call)
{
	script_do(scene->kit, scene->a.ref, call, scene);
}

/* a has the notices of c and d in its stash, with a word between them. */
static void start(struct scene *scene)
{
	scene->a.name = "a";
	scene->c.name = "c";
	scene->d.name = "d";
	scene->a.children[0] = &scene->c;
	scene->a.children[1] = &scene->d;
	scene->a.receive = stash_or_note;
	scene->a.arg = scene;
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->a);
	do_it(scene, watch_both);
	ward_kit_run(scene->kit);
	scene->stashing = true;
	stop(scene, &scene->c);
	script_say(scene->kit, scene->a.ref, "word");
	ward_kit_run(scene->kit);
	stop(scene, &scene->d);
	scene->stashing = false;
	journal_clear();
	ward_assert_eq(script_words_left(), scene->custom ? 3 : 1);
}

static void finish(struct scene *scene)
{
	ward_assert_eq(ward_kit_stats(scene->kit).dead_letters, 0);
	script_finish(scene->kit);
}

static ward_result unstash_all(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_unstash_all(self);
	return WARD_DONE;
}

WARD_TEST(stashed_notice_is_received_again, "S68")
{
	for (int custom = 0; custom < 2; custom++) {
		struct scene scene = {.custom = custom};
		start(&scene);
		do_it(&scene, unstash_all);
		ward_kit_run(scene.kit);
		assert_journal(custom ? "lost c;word ?;lost d" : "gone c;word ?;gone d");
		finish(&scene);
	}
}

static ward_result unwatch_c_and_unstash(ward_self *self, void *arg)
{
	ward_unwatch(self, ((struct scene *)arg)->c.ref);
	ward_assert_eq(ward_unstash_all(self), 2);
	return WARD_DONE;
}

WARD_TEST(unwatch_takes_the_notice_out_of_the_stash, "S63", "S68")
{
	for (int custom = 0; custom < 2; custom++) {
		struct scene scene = {.custom = custom};
		start(&scene);
		do_it(&scene, unwatch_c_and_unstash);
		ward_kit_run(scene.kit);
		assert_journal(custom ? "word ?;lost d" : "word ?;gone d");
		finish(&scene);
	}
}

static ward_result watch_and_link(ward_self *self, void *arg)
{
	const struct scene *scene = arg;

	(void)ward_trap_exit(self, true);
	ward_assert_ok(ward_try_watch(self, scene->c.ref));
	ward_assert_ok(ward_try_link(self, scene->c.ref));
	return WARD_DONE;
}

static ward_result stash_or_note_either(ward_self *self, const ward_msg *msg)
{
	const struct scene *scene = script_of(self)->arg;

	if (ward_match(msg, ward_exited) == NULL)
		return stash_or_note(self, msg);
	if (scene->stashing)
		ward_assert_ok(ward_try_stash(self));
	else
		journal_note("exited %s", script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

/* One notice is of the watch and one of the link, both of c. */
static ward_result unwatch_and_unstash_the_other(ward_self *self, void *arg)
{
	ward_unwatch(self, ((struct scene *)arg)->c.ref);
	ward_assert_eq(ward_unstash_all(self), 1);
	return WARD_DONE;
}

static ward_result unlink_and_unstash_the_other(ward_self *self, void *arg)
{
	ward_unlink(self, ((struct scene *)arg)->c.ref);
	ward_assert_eq(ward_unstash_all(self), 1);
	return WARD_DONE;
}

WARD_TEST(unwatch_and_unlink_each_take_their_own_notice_out_of_the_stash, "S63", "S117")
{
	for (int linked = 0; linked < 2; linked++) {
		struct scene scene = {.stashing = true};
		scene.a = (struct script){.name = "a",
					  .children = {&scene.c},
					  .receive = stash_or_note_either,
					  .arg = &scene};
		scene.c.name = "c";
		scene.kit = script_start(NULL);
		script_spawn(scene.kit, &scene.a);
		do_it(&scene, watch_and_link);
		ward_kit_run(scene.kit);
		stop(&scene, &scene.c);
		scene.stashing = false;
		journal_clear();
		do_it(&scene,
		      linked ? unlink_and_unstash_the_other : unwatch_and_unstash_the_other);
		ward_kit_run(scene.kit);
		assert_journal(linked ? "gone c" : "exited c");
		finish(&scene);
	}
}

static ward_result unstash_and_unwatch(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	ward_unwatch(self, ward_nobody());
	ward_assert_eq(ward_unstash_all(self), 3);
	ward_unwatch(self, scene->d.ref);
	return WARD_DONE;
}

WARD_TEST(unwatch_takes_the_notice_out_of_what_is_unstashed, "S63", "S68")
{
	for (int custom = 0; custom < 2; custom++) {
		struct scene scene = {.custom = custom};
		start(&scene);
		do_it(&scene, unstash_and_unwatch);
		script_say(scene.kit, scene.a.ref, "more");
		ward_kit_run(scene.kit);
		assert_journal(custom ? "lost c;word ?;more ?" : "gone c;word ?;more ?");
		finish(&scene);
	}
}

static ward_result unwatch_what_was_placed_last(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	ward_assert(ward_unstash(self));
	ward_unwatch(self, scene->c.ref); /* it was the only one */
	ward_assert(ward_unstash(self));
	ward_assert(ward_unstash(self));
	ward_unwatch(self, scene->d.ref); /* behind the word */
	script_tell(self, ward_self_ref(self), "next");
	return WARD_DONE;
}

WARD_TEST(what_is_unstashed_keeps_its_order_around_one_that_is_taken_out, "S63", "S86")
{
	struct scene scene = {.custom = true};
	start(&scene);
	do_it(&scene, unwatch_what_was_placed_last);
	ward_kit_run(scene.kit);
	assert_journal("word ?;next a");
	finish(&scene);
}

static ward_result unwatch_all_but_the_word(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	ward_unwatch(self, scene->d.ref); /* the last of the stash */
	ward_unwatch(self, scene->c.ref); /* the first */
	ward_assert_eq(ward_stash_count(self), 1);
	ward_stash_clear(self);
	ward_unwatch(self, scene->c.ref); /* there is none */
	return WARD_DONE;
}

WARD_TEST(first_and_last_of_the_stash_are_taken_out, "S63")
{
	struct scene scene = {.custom = true};
	start(&scene);
	do_it(&scene, unwatch_all_but_the_word);
	do_it(&scene, unstash_all);
	ward_kit_run(scene.kit);
	assert_journal("");
	finish(&scene);
}

static ward_result ignore_and_unstash(ward_self *self, void *arg)
{
	ward_become(self, ignore_notices);
	return unstash_all(self, arg);
}

WARD_TEST(unstashed_notice_left_unhandled_is_a_death_pact, "S66", "S68")
{
	for (int custom = 0; custom < 2; custom++) {
		struct scene scene = {.custom = custom};
		start(&scene);
		do_it(&scene, ignore_and_unstash);
		ward_kit_run(scene.kit);
		ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a"), !custom);
		if (!custom)
			ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*/a", 0)
						->failure_class,
					"ward_death_pact");
		/* With one that stops, the notice of d is forgotten; the word becomes a letter. */
		ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, !custom);
		script_finish(scene.kit);
	}
}

static void fail(struct scene *scene)
{
	script_break(scene->kit, scene->a.ref, &bad_luck);
	ward_kit_run(scene->kit);
}

WARD_TEST(stashed_notices_of_actors_that_are_no_children_survive_a_restart, "S68", "S86")
{
	struct scene scene = {0};
	start(&scene);
	scene.a.children[0] = NULL; /* of the new incarnation */
	fail(&scene); /* c and d are gone, so the default pre_restart has nothing to unwatch */
	assert_journal("a:break;a:pre_restart;a:post_stop;a:init;a:post_restart;a:pre_start;"
		       "gone c;word ?;gone d");
	finish(&scene);
}

WARD_TEST(stop_forgets_stashed_notices, "S45", "S69")
{
	for (int custom = 0; custom < 2; custom++) {
		for (int unstashed = 0; unstashed < 2; unstashed++) {
			struct scene scene = {.custom = custom};
			start(&scene);
			if (unstashed)
				do_it(&scene, unstash_all);
			ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
			ward_kit_run(scene.kit);
			assert_journal("a:post_stop");
			/* The word; and the order to un-stash, if the stop was first. */
			ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 1 + unstashed);
			script_finish(scene.kit);
		}
	}
}

static ward_result stash_failed(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	ward_assert(ward_match(msg, ward_terminated) != NULL);
	ward_assert_ok(ward_try_stash(self));
	return WARD_DONE;
}

static ward_result fail_once(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_terminated) != NULL && ward_incarnation(self) == 1)
		return ward_failed(self, &bad_luck, "of a notice");
	return stash_or_note(self, msg);
}

WARD_TEST(notice_that_an_actor_failed_of_comes_again_from_pre_restart, "S68", "S86")
{
	struct scene scene = {0};
	start(&scene);
	scene.a.children[0] = NULL;
	scene.a.receive = fail_once;
	scene.a.pre_restart = stash_failed;
	do_it(&scene, unstash_all);
	ward_kit_run(scene.kit);
	assert_journal("a:pre_restart;a:post_stop;a:init;a:post_restart;a:pre_start;"
		       "gone c;word ?;gone d");
	finish(&scene);
}

WARD_TEST_MAIN
