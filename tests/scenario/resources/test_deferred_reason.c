/* SPDX-License-Identifier: MIT
 *
 * test_deferred_reason.c - a deferred call can ask why its incarnation ends (S46).
 *
 * Method: deferred calls note the reason and the failure, once with the self that deferred them and
 * once with none.
 */
#include <string.h>

#include "support/script.h"

struct asked {
	const ward_self *self;
};
static struct asked asked;

static void note_reason(void *arg)
{
	const struct asked *one = arg;
	const ward_failure *failure = NULL;
	ward_end end = ward_stop_reason(one->self, &failure);

	ward_assert_eq(ward_stop_reason(NULL, NULL), end);
	ward_assert(ward_ref_is_nobody(ward_self_ref(one->self)));
	journal_note("%s%s%s", ward_end_text(end), failure == NULL ? "" : " by ",
		     failure == NULL ? "" : ward_failure_class_of(failure)->name);
}

static ward_result defer_one(ward_self *self, void *arg)
{
	(void)arg;
	asked.self = self;
	ward_defer(self, note_reason, &asked);
	return WARD_DONE;
}

static ward_result stop_self(ward_self *self, void *arg)
{
	(void)arg;
	return ward_stop_self(self);
}

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	struct script parent, a;
};

static void start(struct scene *scene)
{
	*scene = (struct scene){.a = {.name = "a", .pre_start = defer_one},
				.parent = {.name = "p", .strategy = &script_one}};
	scene->parent.children[0] = &scene->a;
	scene->kit = script_start(NULL);
}

static void begin(struct scene *scene)
{
	script_spawn(scene->kit, &scene->parent);
	ward_kit_run(scene->kit);
	journal_clear();
}

static void fail_and_run(struct scene *scene, ward_directive directive)
{
	scene->parent.decides = directive;
	script_break(scene->kit, scene->a.ref, &bad_luck);
	ward_kit_run(scene->kit);
}

WARD_TEST(deferred_call_of_a_stop_is_told_of_it, "S46")
{
	struct scene scene;

	start(&scene);
	begin(&scene);
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;stopped");
	script_finish(scene.kit);
}

WARD_TEST(deferred_call_of_an_actor_that_stops_itself_is_told_of_a_normal_end, "S46")
{
	struct scene scene;

	start(&scene);
	begin(&scene);
	script_do(scene.kit, scene.a.ref, stop_self, NULL);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;normal");
	script_finish(scene.kit);
}

WARD_TEST(deferred_call_of_a_failed_actor_is_told_of_the_failure, "S46")
{
	struct scene scene;

	start(&scene);
	begin(&scene);
	fail_and_run(&scene, WARD_STOP);
	assert_journal("a:break;p:decide a;a:post_stop;failed by bad_luck");
	script_finish(scene.kit);
}

WARD_TEST(deferred_call_of_a_killed_actor_is_told_that_it_was_killed, "S46")
{
	struct scene scene;

	start(&scene);
	begin(&scene);
	scene.parent.decides = WARD_STOP;
	ward_kit_tell(scene.kit, scene.a.ref, ward_kill);
	ward_kit_run(scene.kit);
	assert_journal("p:decide a;a:post_stop;killed by ward_killed");
	script_finish(scene.kit);
}

WARD_TEST(deferred_call_of_a_restart_is_told_of_it_and_why, "S46")
{
	struct scene scene;

	start(&scene);
	begin(&scene);
	fail_and_run(&scene, WARD_RESTART);
	assert_journal("a:break;p:decide a;a:pre_restart;a:post_stop;restarted by bad_luck;a:init;"
		       "a:post_restart;a:pre_start");
	journal_clear();
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;stopped");
	script_finish(scene.kit);
}

WARD_TEST(deferred_call_of_a_resumed_actor_does_not_run, "S46")
{
	struct scene scene;

	start(&scene);
	begin(&scene);
	fail_and_run(&scene, WARD_RESUME);
	assert_journal("a:break;p:decide a");
	script_finish(scene.kit);
}

WARD_TEST(deferred_call_of_a_failed_start_is_told_what_follows, "S46", "S42")
{
	struct scene scene;

	start(&scene);
	scene.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1};
	scene.parent.decides = WARD_RESTART;
	begin(&scene);
	ward_kit_stop(scene.kit, scene.parent.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;stopped;p:post_stop");
	script_finish(scene.kit);

	start(&scene);
	scene.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1};
	scene.parent.decides = WARD_RESTART;
	script_spawn(scene.kit, &scene.parent);
	ward_kit_run(scene.kit);
	ward_assert(strstr(journal_text(), "restarted by ward_initialization;a:init") != NULL);
	script_finish(scene.kit);

	start(&scene);
	scene.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1};
	scene.parent.decides = WARD_STOP;
	script_spawn(scene.kit, &scene.parent);
	ward_kit_run(scene.kit);
	ward_assert(strstr(journal_text(), "failed by ward_initialization") != NULL);
	script_finish(scene.kit);
}

static ward_result run_early(ward_self *self, void *arg)
{
	ward_deferred deferred;

	asked.self = self;
	deferred = ward_defer(self, note_reason, &asked);
	ward_run_deferred(self, deferred);
	(void)arg;
	return WARD_DONE;
}

WARD_TEST(deferred_call_that_is_run_early_is_told_nothing, "S46")
{
	struct scene scene;

	start(&scene);
	scene.a.pre_start = NULL;
	scene.a.post_stop = run_early;
	begin(&scene);
	script_do(scene.kit, scene.a.ref, run_early, NULL);
	ward_kit_run(scene.kit);
	assert_journal("unknown");
	journal_clear();
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;stopped");
	script_finish(scene.kit);
}

static ward_result note_own_reason(ward_self *self, void *arg)
{
	const ward_failure *failure = NULL;
	ward_end end = ward_stop_reason(self, &failure);

	(void)arg;
	journal_note("%s%s", ward_end_text(end), failure == NULL ? "" : " by a failure");
	return WARD_DONE;
}

/* The reason is that of one end: it does not stay for the next actor of the thread. */
WARD_TEST(reason_of_a_deferred_call_is_gone_afterwards, "S46")
{
	struct scene scene;

	start(&scene);
	begin(&scene);
	fail_and_run(&scene, WARD_STOP);
	journal_clear();
	script_do(scene.kit, scene.parent.ref, note_own_reason, NULL);
	ward_kit_run(scene.kit);
	assert_journal("unknown");
	ward_assert_eq(ward_stop_reason(asked.self, NULL), WARD_END_UNKNOWN);
	ward_assert_eq(ward_stop_reason(NULL, NULL), WARD_END_UNKNOWN);
	script_finish(scene.kit);
}

WARD_TEST_MAIN
