/* SPDX-License-Identifier: MIT
 *
 * stashing_actor.h - an actor that stashes words while it is told to, for the tests of the stash.
 *
 * While `stashing`, the actor a stashes each word that is not an order, and later notes it with its
 * sender. Words own memory, so that one lost or dropped twice is seen.
 */
#ifndef SCENARIO_STASH_STASHING_ACTOR_H
#define SCENARIO_STASH_STASHING_ACTOR_H

#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	bool stashing;
	struct script a, b, p; /* b sends; p is the parent of a, if it has any */
};

static inline ward_result stash_or_note(ward_self *self, const ward_msg *msg)
{
	struct scene *scene = script_of(self)->arg;
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);

	if (word == NULL || word->call != NULL || word->breaks != NULL)
		return WARD_UNHANDLED;
	if (scene->stashing) {
		ward_assert_ok(ward_try_stash(self));
		return WARD_DONE;
	}
	if (ward_ref_is_nobody(ward_msg_sender(msg)))
		journal_note("%s", word->text);
	else
		journal_note("%s from %s", word->text, script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

static inline void start_with(struct scene *scene, const ward_kit_options *options)
{
	scene->stashing = true;
	scene->a.name = "a";
	scene->b.name = "b";
	scene->a.arg = scene;
	if (scene->a.receive == NULL)
		scene->a.receive = stash_or_note;
	scene->kit = script_start(options);
	if (scene->p.strategy != NULL) {
		scene->p.name = "p";
		scene->p.children[0] = &scene->a;
		script_spawn(scene->kit, &scene->p);
	} else {
		script_spawn(scene->kit, &scene->a);
	}
	script_spawn(scene->kit, &scene->b);
	journal_clear();
}

static inline void start(struct scene *scene)
{
	start_with(scene, NULL);
}

static inline void say(struct scene *scene, const char *text)
{
	script_say(scene->kit, scene->a.ref, text);
}

static inline void do_it(struct scene *scene, script_call *call)
{
	script_do(scene->kit, scene->a.ref, call, scene);
}

static inline ward_result tell_two(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	script_tell(self, scene->a.ref, "one");
	script_tell(self, scene->a.ref, "two");
	return WARD_DONE;
}

/* one and two from b, three from outside. */
static inline void stash_three(struct scene *scene)
{
	script_do(scene->kit, scene->b.ref, tell_two, scene);
	ward_kit_run(scene->kit);
	say(scene, "three");
	ward_kit_run(scene->kit);
	assert_journal("");
	ward_assert_eq(script_words_left(), 3);
	scene->stashing = false;
}

#define THREE "one from b;two from b;three"

static inline ward_result unstash_all(ward_self *self, void *arg)
{
	size_t size = ward_stash_count(self);

	(void)arg;
	ward_assert_eq(ward_unstash_all(self), size);
	ward_assert_eq(ward_stash_count(self), 0);
	return WARD_DONE;
}

static inline ward_result clear(ward_self *self, void *arg)
{
	(void)arg;
	ward_stash_clear(self);
	ward_assert_eq(ward_stash_count(self), 0);
	return WARD_DONE;
}

#endif
