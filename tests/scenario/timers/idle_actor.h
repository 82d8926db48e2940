/* SPDX-License-Identifier: MIT
 *
 * idle_actor.h - an actor with a receive timeout, for the tests of it.
 *
 * In virtual time. The actor notes each timeout and each word with the time, which is counted from
 * its start. pass() lets time pass without a turn of any actor, so that a timeout waits in the
 * mailbox. A whisper puts nothing off.
 */
#ifndef SCENARIO_TIMERS_IDLE_ACTOR_H
#define SCENARIO_TIMERS_IDLE_ACTOR_H

#include "support/script.h"

enum { NS_PER_MS = 1000 * 1000 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	int64_t timeout_ms; /* what start_timeout() starts */
	int64_t start_ms;
	struct script a, b, p;
};

static struct scene *the_scene;

static inline int now(void)
{
	return (int)(ward_kit_now_ms(the_scene->kit) - the_scene->start_ms);
}

/* Time passes, timers fire, and nobody has a turn. */
static inline void pass(struct scene *scene, int64_t ms)
{
	int64_t until_ns = ward_kit_now_ns(scene->kit) + ms * NS_PER_MS;

	while (ward_simulation_advance(ward_kit_system(scene->kit), until_ns))
		;
}

/* A message that puts nothing off; it may carry an order. */
struct whisper {
	script_call *call;
};
static const ward_type ward_type_whisper = {
	.name = "whisper", .size = sizeof(struct whisper), .flags = WARD_TYPE_NOT_INFLUENCING};

static inline ward_result note_it(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	const struct whisper *whisper = ward_match(msg, whisper);

	if (ward_match(msg, ward_receive_timeout) != NULL) {
		ward_assert(ward_ref_is_nobody(ward_msg_sender(msg)));
		journal_note("timeout at %d", now());
		return WARD_DONE;
	}
	if (whisper != NULL && whisper->call != NULL)
		return whisper->call(self, the_scene);
	if (whisper != NULL) {
		journal_note("whisper at %d", now());
		return WARD_DONE;
	}
	if (word == NULL || word->call != NULL || word->breaks != NULL)
		return WARD_UNHANDLED;
	journal_note("%s at %d", word->text, now());
	return WARD_DONE;
}

static inline ward_result start_timeout(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_receive_timeout_set(self, ((struct scene *)arg)->timeout_ms));
	return WARD_DONE;
}

static inline ward_result cancel(ward_self *self, void *arg)
{
	(void)arg;
	ward_receive_timeout_set(self, 0);
	return WARD_DONE;
}

static inline void begin(struct scene *scene)
{
	the_scene = scene;
	scene->a.name = "a";
	scene->b.name = "b";
	scene->a.arg = scene;
	if (scene->a.receive == NULL)
		scene->a.receive = note_it;
	scene->kit = script_start(NULL);
	ward_kit_advance(scene->kit, WARD_SECOND - ward_kit_now_ms(scene->kit));
	scene->start_ms = ward_kit_now_ms(scene->kit);
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

static inline void do_it(struct scene *scene, script_call *call)
{
	script_do(scene->kit, scene->a.ref, call, scene);
	ward_kit_run(scene->kit);
}

static inline void start(struct scene *scene, int64_t timeout_ms)
{
	begin(scene);
	scene->timeout_ms = timeout_ms;
	do_it(scene, start_timeout);
}

static inline void say(struct scene *scene, const char *text)
{
	script_say(scene->kit, scene->a.ref, text);
}

static inline void whisper(struct scene *scene, script_call *call)
{
	ward_kit_tell(scene->kit, scene->a.ref, whisper, .call = call);
}

#endif
