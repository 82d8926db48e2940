/* SPDX-License-Identifier: MIT
 *
 * test_guardians.c - the actors at the top, the ordered end of a system, and its callbacks
 * (S75-S80).
 *
 * Method: simulated systems, looked at through their life-cycle events. The last cases run on
 * threads: what ward_run() answers, and a deadline that passes.
 */
#include <semaphore.h>

#include "family.h"

#include "core/life.h"
#include "core/self.h"
#include "core/system.h"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class bad_disk = {.name = "bad_disk", .parent = &ward_error};

/* The place among all events of the first that says that this actor came to this state. */
static size_t when(const struct kit *kit, const char *path, const char *state)
{
	for (size_t i = 0; i < kit->events_count; i++) {
		const ward_event *event = &kit->events[i];
		if (event->kind == WARD_EVENT_LIFECYCLE && strcmp(event->path, path) == 0 &&
		    strcmp(event->new_state, state) == 0)
			return i;
	}
	ward_test_fail(__FILE__, __LINE__, "%s never came to \"%s\"", path, state);
}

static void end(struct kit *kit)
{
	ward_system_terminate(kit->system);
	ward_assert_ok(ward_system_wait(kit->system, WARD_SECOND));
}

/* ---- S75: who is there ------------------------------------------------------------------- */

static void note_path(void *arg, const ward_actor_info *info)
{
	(void)arg;
	kit_note("%s %s", info->path, info->state);
}

WARD_TEST(tree_begins_with_three_guardians, "S75")
{
	struct kit kit;
	kit_start(&kit, NULL);
	kit_run(&kit);
	ward_assert_eq(ward_system_actors(kit.system, note_path, NULL), 3);
	CHECK_JOURNAL("sim/ running;sim/user running;sim/system running");
	kit_finish(&kit);
}

WARD_TEST(strategy_of_the_top_is_configurable, "S75")
{
	const struct {
		const ward_strategy *strategy;
		const char *wanted;
	} cases[] = {
		{NULL, "running"},
		{&ward_default_strategy, "running"},
		{&ward_stopping_strategy, "gone"},
	};
	for (int i = 0; i < 3; i++) {
		struct kit kit;
		struct kit_script a = {.name = "a"};
		kit_start(&kit, &(struct kit_options){.user_strategy = cases[i].strategy});
		kit_spawn(&kit, &a);
		kit_break(&kit, a.ref, &bad_luck);
		kit_run(&kit);
		ward_assert_str(kit_state(&kit, a.ref), cases[i].wanted);
		kit_finish(&kit);
	}
}

/* An actor of the library's own, under /system. */
static void spawn_under_system(struct kit *kit, struct kit_script *script)
{
	struct wardi_cell *cell;
	ward_assert_ok(wardi_spawn(kit->system, NULL, kit->system->system_cell,
				   kit_script_props(script), &cell));
	script->ref = wardi_cell_ref(cell);
	kit_name_add(script->ref, script->name);
	wardi_cell_ready(NULL, cell);
	kit_run(kit);
}

WARD_TEST(system_guardian_has_the_default_strategy, "S75")
{
	struct kit kit;
	struct kit_script s = {.name = "s"}, t = {.name = "t"};
	kit_start(&kit, &(struct kit_options){.user_strategy = &ward_stopping_strategy});
	spawn_under_system(&kit, &s);
	spawn_under_system(&kit, &t);
	kit_break(&kit, s.ref, &bad_luck);
	ward_system_tell(kit.system, t.ref, ward_kill);
	kit_run(&kit);
	ward_assert_str(kit_state(&kit, s.ref), "running");
	ward_assert_str(kit_state(&kit, t.ref), "gone");
	ward_assert_str(kit_event(&kit, WARD_EVENT_FAILURE, "sim/system/s", 0)->failure_class,
			"bad_luck");
	kit_finish(&kit);
}

WARD_TEST(guardians_leave_foreign_messages_unhandled, "S77", "S83")
{
	struct kit kit;
	kit_start(&kit, NULL);
	ward_ref guardians[] = {kit.system->root, kit.system->user, kit.system->system_guardian};
	for (int i = 0; i < 3; i++)
		kit_say(&kit, guardians[i], "hello");
	kit_run(&kit);
	ward_assert_eq(kit_count(&kit, WARD_EVENT_UNHANDLED, "sim/*"), 3);
	ward_assert_eq(kit_count(&kit, WARD_EVENT_FAILURE, "*"), 0);
	kit_finish(&kit);
}

/* ---- S76: when the top gives up ---------------------------------------------------------- */

WARD_TEST(escalation_at_the_top_shuts_the_system_down, "S76", "S75")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct kit kit;
		struct kit_script a = {.name = "a"}, b = {.name = "b"};
		kit_start(&kit, NULL);
		kit_spawn(&kit, &a);
		kit_spawn(&kit, &b);
		kit_break(&kit, a.ref, &bad_disk);
		ward_assert_ok(ward_system_wait(kit.system, WARD_SECOND));
		CHECK_JOURNAL_OF("a", "init;pre_start;break;post_stop");
		CHECK_JOURNAL_OF("b", "init;pre_start;post_stop");
		const ward_event *event = kit_event(&kit, WARD_EVENT_FAILURE, "sim/user", 0);
		ward_assert_str(event->failure_class, "bad_disk");
		ward_assert_eq(event->directive, WARD_STOP);
		const ward_event *note = kit_event(&kit, WARD_EVENT_NOTE, "sim/user", 0);
		ward_assert_part(note->text, "guardian failed, shutting down system");
		ward_assert_eq(kit_stats(&kit).actors, 0);
		kit_finish(&kit);
	}
}

WARD_TEST(killed_guardian_shuts_the_system_down, "S76", "S75")
{
	for (int which = 0; which < 3; which++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct kit kit;
			struct kit_script a = {.name = "a"};
			kit_start(&kit, NULL);
			kit_spawn(&kit, &a);
			ward_ref guardians[] = {kit.system->root, kit.system->user,
						kit.system->system_guardian};
			ward_system_tell(kit.system, guardians[which], ward_kill);
			ward_assert_ok(ward_system_wait(kit.system, WARD_SECOND));
			CHECK_JOURNAL_OF("a", "init;pre_start;post_stop");
			ward_assert(kit_count(&kit, WARD_EVENT_NOTE, "sim/*") > 0);
			kit_finish(&kit);
		}
	}
}

/* ---- S77: the order of the end ----------------------------------------------------------- */

static ward_result check_alive(ward_self *self, void *arg)
{
	ward_assert(ward_is_alive(ward_self_system(self), ((struct kit_script *)arg)->ref));
	return WARD_DONE;
}

WARD_TEST(user_stops_before_system_before_the_root, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct kit_script recorder = {.name = "recorder"};
		f.p.post_stop = check_alive;
		f.p.arg = &recorder;
		family_start(&f);
		spawn_under_system(&f.kit, &recorder);
		end(&f.kit);
		ward_assert(when(&f.kit, "sim/user/g/p/a", "stopped") <
			    when(&f.kit, "sim/user/g/p", "stopped"));
		ward_assert(when(&f.kit, "sim/user/g", "stopped") <
			    when(&f.kit, "sim/user", "stopped"));
		ward_assert(when(&f.kit, "sim/user", "stopped") <
			    when(&f.kit, "sim/system", "stopping"));
		ward_assert(when(&f.kit, "sim/system/recorder", "stopped") <
			    when(&f.kit, "sim/system", "stopped"));
		ward_assert(when(&f.kit, "sim/system", "stopped") <
			    when(&f.kit, "sim/", "stopping"));
		/* What lives under /system works while the program's actors stop. */
		ward_assert(when(&f.kit, "sim/user", "stopped") <
			    when(&f.kit, "sim/system/recorder", "stopping"));
		kit_finish(&f.kit);
	}
}

WARD_TEST(events_are_heard_until_the_last_actor_is_gone, "S77")
{
	struct family f = FAMILY;
	f.a.traps[0] = (struct kit_trap){KIT_POST_STOP, .first = 1};
	family_start(&f);
	kit_say(&f.kit, f.g.ref, "unread");
	end(&f.kit);
	ward_assert_eq(kit_count(&f.kit, WARD_EVENT_HOOK_FAILURE, "*/p/a"), 1);
	kit_finish(&f.kit);
}

/* ---- S78: terminating -------------------------------------------------------------------- */

static void note_call(void *arg)
{
	kit_note("%s", (const char *)arg);
}

WARD_TEST(callbacks_run_in_reverse_after_the_tree_is_down, "S78")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct kit kit;
		struct kit_script a = {.name = "a"};
		kit_start(&kit, NULL);
		ward_assert_ok(ward_system_on_terminate(kit.system, note_call, "first"));
		kit_spawn(&kit, &a);
		ward_assert_ok(ward_system_on_terminate(kit.system, note_call, "second"));
		ward_system_terminate(kit.system);
		ward_system_terminate(kit.system);
		ward_assert_ok(ward_system_on_terminate(kit.system, note_call, "third"));
		ward_assert_ok(ward_system_wait(kit.system, WARD_SECOND));
		ward_system_terminate(kit.system);
		kit_run(&kit);
		CHECK_JOURNAL("a:init;a:pre_start;a:post_stop;third;second;first");
		ward_assert_err(ward_system_on_terminate(kit.system, note_call, "late"),
				WARD_ESTOPPING);
		ward_assert_ok(ward_system_wait(kit.system, 0));
		kit_finish(&kit);
	}
}

static struct kit *called_kit;

static void look_and_register(void *arg)
{
	ward_assert_eq(kit_stats(called_kit).actors, 0);
	kit_note("%s", (const char *)arg);
	/* There is still a next one to come, so this is no race that is lost. */
	ward_assert_ok(ward_system_on_terminate(called_kit->system, note_call, "from inside"));
	/* Waiters are not released before the last callback is done. */
	ward_assert_err(ward_system_wait(called_kit->system, 0), WARD_ETHREAD);
}

WARD_TEST(callback_registered_by_a_callback_runs_before_anybody_is_released, "S78")
{
	struct kit kit;
	kit_start(&kit, NULL);
	called_kit = &kit;
	ward_assert_ok(ward_system_on_terminate(kit.system, note_call, "first"));
	ward_assert_ok(ward_system_on_terminate(kit.system, look_and_register, "second"));
	end(&kit);
	CHECK_JOURNAL("second;from inside;first");
	kit_finish(&kit);
}

WARD_TEST(callback_without_a_function_or_a_system_is_refused, "S78")
{
	struct kit kit;
	kit_start(&kit, NULL);
	ward_assert_err(ward_system_on_terminate(kit.system, NULL, NULL), WARD_EINVAL);
	ward_assert_err(ward_system_on_terminate(NULL, note_call, NULL), WARD_EINVAL);
	kit_fail_all_allocations(&kit, true);
	ward_assert_err(ward_system_on_terminate(kit.system, note_call, "none"), WARD_ENOMEM);
	kit_fail_all_allocations(&kit, false);
	ward_system_terminate(NULL);
	end(&kit);
	CHECK_JOURNAL("");
	kit_finish(&kit);
}

static ward_result terminate(ward_self *self, void *arg)
{
	(void)arg;
	ward_system_terminate(ward_self_system(self));
	kit_note("%s:goes on", kit_script(self)->name);
	return WARD_DONE;
}

WARD_TEST(actor_may_end_its_system, "S78", "S77")
{
	struct family f = FAMILY;
	family_start(&f);
	kit_do(&f.kit, f.a.ref, terminate, NULL);
	ward_assert_ok(ward_system_wait(f.kit.system, WARD_SECOND));
	CHECK_JOURNAL_OF("a", "goes on;post_stop");
	kit_finish(&f.kit);
}

WARD_TEST(wait_for_a_system_that_nobody_ends_times_out, "S78")
{
	struct kit kit;
	kit_start(&kit, NULL);
	ward_assert_err(ward_system_wait(kit.system, 100), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "sim");
	kit_finish(&kit);
}

/* ---- S79, S80: actors at the top --------------------------------------------------------- */

WARD_TEST(name_at_the_top_is_free_after_a_stop, "S79", "S54")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct kit kit;
		struct kit_script a = {.name = "a"};
		kit_start(&kit, NULL);
		for (int i = 0; i < 3; i++) {
			kit_spawn(&kit, &a);
			ward_system_stop(kit.system, a.ref);
			kit_run(&kit);
		}
		CHECK_JOURNAL("a:init;a:pre_start;a:post_stop;a:init;a:pre_start;a:post_stop;"
			      "a:init;a:pre_start;a:post_stop");
		kit_finish(&kit);
	}
}

WARD_TEST(mail_sent_before_the_start_waits_in_order, "S80", "S4")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct kit kit;
		struct kit_script a = {.name = "a"};
		kit_start(&kit, NULL);
		ward_ref ref = kit_spawn_props(&kit, kit_script_props(&a));
		kit_say(&kit, ref, "one");
		kit_say(&kit, ref, "two");
		kit_run(&kit);
		CHECK_JOURNAL("a:init;a:pre_start;a:one;a:two");
		kit_finish(&kit);
	}
}

WARD_TEST(stop_sent_before_the_start_goes_before_mail, "S80", "S1")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct kit kit;
		struct kit_script a = {.name = "a"};
		kit_start(&kit, NULL);
		ward_ref ref = kit_spawn_props(&kit, kit_script_props(&a));
		bool unborn = strcmp(kit_state(&kit, ref), "starting") == 0;
		kit_say(&kit, ref, "one");
		ward_system_stop(kit.system, ref);
		kit_run(&kit);
		if (unborn) {
			seen++;
			CHECK_JOURNAL("a:init;a:pre_start;a:post_stop");
		}
		ward_assert_str(kit_state(&kit, ref), "gone");
		kit_finish(&kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(failed_start_at_the_top_is_supervised_and_bad_options_are_refused, "S80", "S42")
{
	struct kit kit;
	struct kit_script a = {.name = "a", .traps = {{KIT_INIT, .first = 1}}};
	kit_start(&kit, NULL);
	/* A factory that fails is a failure of the actor, not of the call. */
	ward_ref ref = kit_spawn_props(&kit, kit_script_props(&a));
	kit_run(&kit);
	ward_assert_str(kit_event(&kit, WARD_EVENT_FAILURE, "sim/user/a", 0)->failure_class,
			"initialization");
	ward_assert_str(kit_state(&kit, ref), "gone");
	ward_props props = *kit_script_props(&a);
	props.dispatcher = "unknown";
	ward_assert_err(ward_system_spawn(kit.system, &props, NULL), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "unknown");
	kit_finish(&kit);
}

/* ---- with threads: ward_run() and the deadline ------------------------------------------- */

struct orders {
	const ward_failure_class *fails;
	bool never_starts;
};
WARD_MESSAGE(orders);
WARD_SIGNAL(go);

static ward_result obey_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	const struct orders *orders = args;
	return orders->never_starts ? ward_failed(self, &bad_luck, "ordered to") : WARD_DONE;
}

static ward_result obey_start(ward_self *self, void *state)
{
	(void)state;
	ward_tell(self, ward_self_ref(self), go);
	return WARD_DONE;
}

static ward_result obey(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	const struct orders *orders = ward_args(self);
	if (orders->fails != NULL)
		return ward_failed(self, orders->fails, "ordered to");
	ward_stop(self, ward_self_ref(self));
	return WARD_DONE;
}

static const ward_behavior obeying = {.name = "obeying",
				      .args = &ward_type_orders,
				      .init = obey_init,
				      .pre_start = obey_start,
				      .receive = obey};

static int run_with(const struct orders *orders, const ward_strategy *strategy, const char *name)
{
	return ward_run(&(ward_props){.behavior = &obeying, .name = name, .args = orders},
			&(ward_options){.workers = 2, .user_strategy = strategy});
}

WARD_TEST(run_answers_how_the_actor_ended, "S76")
{
	static const ward_strategy twice = {.otherwise = WARD_RESTART, .restarts_max = 2};
	ward_assert_eq(run_with(&(struct orders){0}, NULL, "top"), 0);
	ward_assert_eq(run_with(&(struct orders){.fails = &ward_killed}, NULL, "top"), 1);
	ward_assert_eq(run_with(&(struct orders){.fails = &bad_disk}, NULL, "top"), 1);
	ward_assert_eq(run_with(&(struct orders){.fails = &bad_luck}, &twice, "top"), 1);
	ward_assert_eq(run_with(&(struct orders){.never_starts = true}, NULL, "top"), 1);
	ward_assert_eq(run_with(&(struct orders){0}, NULL, "not/a/name"), 2);
	ward_assert_part(ward_err_detail(), "not/a/name");
	ward_assert_eq(run_with(&(struct orders){0}, &(ward_strategy){.window_ms = 1}, "top"), 2);
	ward_assert_part(ward_err_detail(), "restarts_max");
	ward_assert_eq(ward_run(NULL, NULL), 2);
}

static sem_t entered, released;

static ward_result block(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	sem_post(&entered);
	while (sem_wait(&released) != 0)
		;
	return WARD_DONE;
}

static void note_survivor(void *arg, const ward_actor_info *info)
{
	(void)arg;
	if (info->message[0] != '\0')
		kit_note("%s %s handling %s", info->path, info->state, info->message);
}

WARD_TEST(deadline_that_passes_names_who_is_left_and_leaves_all_in_place, "S77")
{
	static const ward_behavior blocking = {.name = "blocking", .receive = block};
	ward_system *system;
	ward_ref ref;
	sem_init(&entered, 0, 0);
	sem_init(&released, 0, 0);
	ward_assert_ok(ward_system_create(&(ward_options){.name = "stuck", .workers = 1}, &system));
	ward_assert_ok(ward_system_spawn(
		system,
		&(ward_props){.behavior = &blocking, .name = "b", .dispatcher = WARD_BLOCKING},
		&ref));
	ward_system_tell(system, ref, go);
	while (sem_wait(&entered) != 0)
		;
	ward_assert_err(ward_system_destroy(system, 30), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "stuck/user/b");
	ward_assert_part(ward_err_detail(), "go");
	ward_assert(ward_system_actors(system, note_survivor, NULL) >= 1);
	CHECK_JOURNAL("stuck/user/b running handling go");
	sem_post(&released);
	ward_assert_ok(ward_system_destroy(system, 60 * WARD_SECOND));
}

WARD_TEST_MAIN
