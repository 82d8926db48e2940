/* SPDX-License-Identifier: MIT
 *
 * test_signal_watch.c - an actor watches signals of the process: one notice at most waits, its
 * count is exact, and it belongs to the incarnation (S131).
 *
 * Method: a simulation, whose signals the test raises.
 */
#include <signal.h>
#include <string.h>

#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	struct script a, b;
};

static uint32_t total; /* of the counts that a and b have seen */

static ward_result note_signal(ward_self *self, const ward_msg *msg)
{
	const struct ward_signal *signal = ward_match(msg, ward_signal);

	if (signal == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_is_nobody(ward_msg_sender(msg)));
	total += signal->count;
	journal_note("%s:%d*%u", script_of(self)->name, signal->number, signal->count);
	return WARD_DONE;
}

static void start(struct scene *scene)
{
	scene->a.name = "a";
	scene->b.name = "b";
	scene->a.receive = scene->b.receive = note_signal;
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->a);
	script_spawn(scene->kit, &scene->b);
	journal_clear();
	total = 0;
}

/* Before the notice waits in a mailbox. */
static ward_err raise_in(struct scene *scene, int number)
{
	return ward_system_signal(ward_kit_system(scene->kit),
				  &(struct ward_signal){.number = number});
}

static ward_result watch(ward_self *self, void *number)
{
	ward_err err = ward_try_signal_watch(self, *(int *)number);

	return err == WARD_OK ? WARD_DONE : ward_failed_err(self, err);
}

static ward_result unwatch(ward_self *self, void *number)
{
	ward_signal_unwatch(self, *(int *)number);
	return WARD_DONE;
}

static void do_and_run(struct scene *scene, const struct script *who, script_call *call, int number)
{
	script_do(scene->kit, who->ref, call, &number);
	ward_kit_run(scene->kit);
}

WARD_TEST(signal_is_noticed_by_each_that_watches_it_and_by_nobody_else, "S131")
{
	struct scene scene = {0};

	start(&scene);
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	do_and_run(&scene, &scene.b, watch, SIGHUP);
	do_and_run(&scene, &scene.b, watch, SIGRTMIN + 1);
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	assert_journal_of("a", "1*1");
	assert_journal_of("b", "1*1");
	journal_clear();
	ward_assert_ok(raise_in(&scene, SIGRTMIN + 1));
	ward_kit_run(scene.kit);
	ward_assert_str(journal_of("a"), "");
	ward_assert(journal_of("b")[0] != '\0');
	ward_assert_err(raise_in(&scene, SIGUSR1), WARD_ENOENT);
	script_finish(scene.kit);
}

WARD_TEST(burst_of_signals_is_one_notice_with_their_count, "S131")
{
	enum { BURST = 10000 };
	struct scene scene = {0};

	start(&scene);
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	do_and_run(&scene, &scene.a, watch, SIGHUP); /* has no effect */
	for (int i = 0; i < BURST; i++)
		ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	assert_journal("a:1*10000");
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	assert_journal("a:1*10000;a:1*1");
	script_finish(scene.kit);
}

static ward_result note_values(ward_self *self, const ward_msg *msg)
{
	const struct ward_signal *signal = ward_match(msg, ward_signal);

	(void)self;
	if (signal == NULL)
		return WARD_UNHANDLED;
	journal_note("%u from %d of %u: %d", signal->count, (int)signal->from,
		     (unsigned)signal->uid, signal->value);
	return WARD_DONE;
}

WARD_TEST(notice_has_the_values_of_the_last_signal)
{
	struct scene scene = {.a = {.receive = note_values}};
	ward_system *system;

	start(&scene);
	scene.a.receive = note_values;
	system = ward_kit_system(scene.kit);
	do_and_run(&scene, &scene.a, watch, SIGUSR1);
	ward_assert_ok(
		ward_system_signal(system, &(struct ward_signal){SIGUSR1, .count = 3, .from = 7,
								 .uid = 8, .value = 9}));
	ward_assert_ok(ward_system_signal(
		system, &(struct ward_signal){SIGUSR1, .from = 17, .uid = 18, .value = 19}));
	ward_kit_run(scene.kit);
	assert_journal("4 from 17 of 18: 19");
	script_finish(scene.kit);
}

WARD_TEST(count_of_signals_never_overflows)
{
	struct scene scene = {0};

	start(&scene);
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	for (int i = 0; i < 2; i++)
		ward_assert_ok(
			ward_system_signal(ward_kit_system(scene.kit),
					   &(struct ward_signal){SIGHUP, .count = UINT32_MAX - 1}));
	ward_kit_run(scene.kit);
	assert_journal("a:1*4294967295");
	script_finish(scene.kit);
}

WARD_TEST(notice_enters_a_full_mailbox_and_is_not_counted, "S131")
{
	struct scene scene = {.a = {.mailbox = {.messages_max = 1}}};

	start(&scene);
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	script_say(scene.kit, scene.a.ref, "full");
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	assert_journal_of("a", "full;1*1");
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

WARD_TEST(unwatched_signal_gives_no_notice_also_if_it_waits_already, "S131")
{
	struct scene scene = {0};
	int number = SIGHUP;

	start(&scene);
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	script_do(scene.kit, scene.a.ref, unwatch, &number);
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	assert_journal("");
	ward_assert_err(raise_in(&scene, SIGHUP), WARD_ENOENT);
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	assert_journal("a:1*1");
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

WARD_TEST(watch_of_signals_ends_with_its_actor_and_its_notice_is_no_dead_letter, "S131")
{
	struct scene scene = {0};
	ward_kit *kit;

	start(&scene);
	kit = scene.kit;
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	ward_system_stop(ward_kit_system(kit), scene.a.ref);
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(kit);
	ward_assert_err(raise_in(&scene, SIGHUP), WARD_ENOENT);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 0);
	script_finish(kit);
}

/* ---- a restart ---------------------------------------------------------------------------- */

static int hangup = SIGHUP;

static ward_err start_watching(struct scene *scene)
{
	scene->a.pre_start = watch;
	scene->a.arg = &hangup;
	start(scene);
	return raise_in(scene, SIGHUP); /* for the first incarnation */
}

WARD_TEST(restart_loses_no_signal_of_an_actor_that_watches_it_again, "S131")
{
	struct scene scene = {0};

	ward_assert_ok(start_watching(&scene));
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	ward_assert_eq(total, 3);
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

static ward_result break_on_signal(ward_self *self, const ward_msg *msg)
{
	const struct ward_signal *signal = ward_match(msg, ward_signal);

	if (signal == NULL)
		return WARD_UNHANDLED;
	journal_note("*%u in %u", signal->count, ward_incarnation(self));
	return ward_incarnation(self) == 1 ? ward_failed(self, &bad_luck, "at a signal")
					   : WARD_DONE;
}

static struct scene *the_scene;

static ward_result raise_between(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)self, (void)why, (void)msg;
	ward_assert_ok(raise_in(the_scene, SIGHUP));
	return WARD_DONE;
}

WARD_TEST(signal_between_two_incarnations_is_noticed_by_the_next, "S131")
{
	struct scene scene = {.a = {.pre_restart = raise_between}};

	the_scene = &scene;
	scene.a.pre_start = watch;
	scene.a.arg = &hangup;
	start(&scene);
	scene.a.receive = break_on_signal;
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), "*1 in 1");
	ward_assert_part(journal_text(), "*1 in 2");
	script_finish(scene.kit);
}

WARD_TEST(notice_that_an_incarnation_did_not_handle_comes_to_the_next, "S131")
{
	struct scene scene = {0};

	scene.a.pre_start = watch;
	scene.a.arg = &hangup;
	start(&scene);
	scene.a.receive = break_on_signal;
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), "*2 in 2");
	script_finish(scene.kit);
}

WARD_TEST(incarnation_that_does_not_watch_again_gets_no_signal, "S131")
{
	struct scene scene = {0};

	start(&scene);
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	ward_assert(strstr(journal_text(), "1*") == NULL);
	ward_assert_err(raise_in(&scene, SIGHUP), WARD_ENOENT);
	script_finish(scene.kit);
}

/* ---- refused ------------------------------------------------------------------------------ */

static ward_result watch_what_cannot_be(ward_self *self, void *arg)
{
	const int numbers[] = {-1,      0,       SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,
			       SIGFPE,  SIGILL,  SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE,
			       SIGXFSZ, SIGTTIN, SIGTTOU, 32,      33,      SIGRTMAX + 1};

	(void)arg;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		ward_assert_err(ward_try_signal_watch(self, numbers[i]), WARD_EINVAL);
		ward_assert_part(ward_err_detail(), "cannot be watched: ");
		ward_signal_unwatch(self, numbers[i]);
	}
	return WARD_DONE;
}

WARD_TEST(signals_that_cannot_be_watched_are_refused_with_the_reason)
{
	struct scene scene = {0};
	ward_system *system;

	start(&scene);
	system = ward_kit_system(scene.kit);
	do_and_run(&scene, &scene.a, watch_what_cannot_be, 0);
	ward_assert_err(raise_in(&scene, SIGSEGV), WARD_EINVAL);
	ward_assert_err(ward_system_signal(system, NULL), WARD_EINVAL);
	ward_assert_err(ward_system_signal(NULL, NULL), WARD_EINVAL);
	ward_assert_err(ward_try_signal_watch(NULL, SIGHUP), WARD_EINVAL);
	script_finish(scene.kit);
}

/* ---- sent on ------------------------------------------------------------------------------ */

static ward_result send_on(ward_self *self, const ward_msg *msg)
{
	const struct scene *scene = script_of(self)->arg;

	if (ward_match(msg, ward_signal) == NULL)
		return WARD_UNHANDLED;
	ward_forward(self, scene->b.ref);
	return WARD_DONE;
}

WARD_TEST(notice_can_be_sent_on_like_any_message)
{
	struct scene scene = {0};

	start(&scene);
	scene.a.arg = &scene;
	scene.a.receive = send_on;
	do_and_run(&scene, &scene.a, watch, SIGHUP);
	ward_assert_ok(raise_in(&scene, SIGHUP));
	ward_kit_run(scene.kit);
	assert_journal_of("b", "1*1");
	script_finish(scene.kit);
}

WARD_TEST_MAIN
