/* SPDX-License-Identifier: MIT
 *
 * test_guardians.c - the actors at the top, the ordered end of a system, and its callbacks
 * (S75-S80).
 *
 * Method: simulated systems, looked at through their life-cycle events. The last cases run on
 * threads: what ward_run() answers, and a deadline that passes.
 */
#include <semaphore.h>

#include "cell/self.h"
#include "cell/system.h"
#include "support/family_tree.h"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class bad_disk = {.name = "bad_disk", .parent = &ward_error};

/* The place among all events of the first that says that this actor came to this state. */
static size_t when(const ward_kit *kit, const char *path, const char *state)
{
	size_t count = ward_kit_count(kit, WARD_EVENT_ALL, "*");
	for (size_t i = 0; i < count; i++) {
		const ward_event *event = ward_kit_event(kit, WARD_EVENT_ALL, "*", i);
		if (event->kind == WARD_EVENT_LIFECYCLE && strcmp(event->path, path) == 0 &&
		    strcmp(event->new_state, state) == 0)
			return i;
	}
	ward_test_fail(__FILE__, __LINE__, "%s never came to \"%s\"", path, state);
}

static void end(ward_kit *kit)
{
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_SECOND));
}

/* ---- S75: who is there ------------------------------------------------------------------- */

static void note_path(void *arg, const ward_actor_info *info)
{
	(void)arg;
	journal_note("%s %s", info->path, info->state);
}

WARD_TEST(tree_begins_with_three_guardians, "S75")
{
	ward_kit *kit = script_start(NULL);
	ward_kit_run(kit);
	ward_assert_eq(ward_system_actors(ward_kit_system(kit), note_path, NULL), 3);
	assert_journal("sim/ running;sim/user running;sim/system running");
	script_finish(kit);
}

WARD_TEST(strategy_of_the_top_is_configurable, "S75")
{
	const struct {
		const ward_strategy *strategy;
		ward_actor_state wanted;
	} cases[] = {
		{NULL, WARD_STATE_RUNNING},
		{&ward_default_strategy, WARD_STATE_RUNNING},
		{&ward_stopping_strategy, WARD_STATE_GONE},
	};
	for (int i = 0; i < 3; i++) {
		ward_kit *kit;
		struct script a = {.name = "a"};
		kit = script_start(&(ward_kit_options){.system.user_strategy = cases[i].strategy});
		script_spawn(kit, &a);
		script_break(kit, a.ref, &bad_luck);
		ward_kit_run(kit);
		ward_assert_state(kit, a.ref, cases[i].wanted);
		script_finish(kit);
	}
}

struct sought {
	const char *path;
	ward_ref found;
};

static void look_for(void *arg, const ward_actor_info *info)
{
	struct sought *sought = arg;
	if (strcmp(info->path, sought->path) == 0)
		sought->found = info->ref;
}

static ward_ref guardian(ward_kit *kit, const char *path)
{
	struct sought sought = {.path = path};
	ward_system_actors(ward_kit_system(kit), look_for, &sought);
	ward_assert(!ward_ref_is_nobody(sought.found));
	return sought.found;
}

static void spawn_service(ward_kit *kit, struct script *script)
{
	ward_assert_ok(ward_system_spawn_service(ward_kit_system(kit), script_props(script),
						 &script->ref));
	script_name_add(script->ref, script->name);
	ward_kit_run(kit);
}

WARD_TEST(system_guardian_has_the_default_strategy, "S75")
{
	struct script s = {.name = "s"}, t = {.name = "t"};
	ward_kit *kit =
		script_start(&(ward_kit_options){.system.user_strategy = &ward_stopping_strategy});
	spawn_service(kit, &s);
	spawn_service(kit, &t);
	script_break(kit, s.ref, &bad_luck);
	ward_system_tell(ward_kit_system(kit), t.ref, ward_kill);
	ward_kit_run(kit);
	ward_assert_state(kit, s.ref, WARD_STATE_RUNNING);
	ward_assert_state(kit, t.ref, WARD_STATE_GONE);
	ward_assert_str(ward_kit_event(kit, WARD_EVENT_FAILURE, "sim/system/s", 0)->failure_class,
			"bad_luck");
	script_finish(kit);
}

WARD_TEST(guardians_leave_foreign_messages_unhandled, "S77", "S83")
{
	ward_kit *kit = script_start(NULL);
	ward_ref guardians[] = {guardian(kit, "sim/"), guardian(kit, "sim/user"),
				guardian(kit, "sim/system")};
	for (int i = 0; i < 3; i++)
		script_say(kit, guardians[i], "hello");
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/*"), 3);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(kit);
}

/* ---- S76: when the top gives up ---------------------------------------------------------- */

WARD_TEST(escalation_at_the_top_shuts_the_system_down, "S76", "S75")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		ward_kit *kit;
		struct script a = {.name = "a"}, b = {.name = "b"};
		kit = script_start(NULL);
		script_spawn(kit, &a);
		script_spawn(kit, &b);
		script_break(kit, a.ref, &bad_disk);
		ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_SECOND));
		assert_journal_of("a", "init;pre_start;break;post_stop");
		assert_journal_of("b", "init;pre_start;post_stop");
		const ward_event *event = ward_kit_event(kit, WARD_EVENT_FAILURE, "sim/user", 0);
		ward_assert_str(event->failure_class, "bad_disk");
		ward_assert_eq(event->directive, WARD_STOP);
		const ward_event *note = ward_kit_event(kit, WARD_EVENT_NOTE, "sim/user", 0);
		ward_assert_part(note->text, "guardian failed, shutting down system");
		ward_assert_eq(ward_kit_stats(kit).actors, 0);
		script_finish(kit);
	}
}

WARD_TEST(killed_guardian_shuts_the_system_down, "S76", "S75")
{
	for (int which = 0; which < 3; which++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			ward_kit *kit;
			struct script a = {.name = "a"};
			kit = script_start(NULL);
			script_spawn(kit, &a);
			ward_ref guardians[] = {guardian(kit, "sim/"), guardian(kit, "sim/user"),
						guardian(kit, "sim/system")};
			ward_system_tell(ward_kit_system(kit), guardians[which], ward_kill);
			ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_SECOND));
			assert_journal_of("a", "init;pre_start;post_stop");
			ward_assert(ward_kit_count(kit, WARD_EVENT_NOTE, "sim/*") > 0);
			script_finish(kit);
		}
	}
}

/* ---- S77: the order of the end ----------------------------------------------------------- */

static ward_kit *kit_here;
static ward_result check_alive(ward_self *self, void *arg)
{
	(void)self;
	ward_assert(ward_kit_is_alive(kit_here, ((struct script *)arg)->ref));
	return WARD_DONE;
}

WARD_TEST(user_stops_before_system_before_the_root, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script recorder = {.name = "recorder"};
		f.p.post_stop = check_alive;
		f.p.arg = &recorder;
		family_start(&f);
		kit_here = f.kit;
		spawn_service(f.kit, &recorder);
		end(f.kit);
		ward_assert(when(f.kit, "sim/user/g/p/a", "stopped") <
			    when(f.kit, "sim/user/g/p", "stopped"));
		ward_assert(when(f.kit, "sim/user/g", "stopped") <
			    when(f.kit, "sim/user", "stopped"));
		ward_assert(when(f.kit, "sim/user", "stopped") <
			    when(f.kit, "sim/system", "stopping"));
		ward_assert(when(f.kit, "sim/system/recorder", "stopped") <
			    when(f.kit, "sim/system", "stopped"));
		ward_assert(when(f.kit, "sim/system", "stopped") < when(f.kit, "sim/", "stopping"));
		/* What lives under /system works while the program's actors stop. */
		ward_assert(when(f.kit, "sim/user", "stopped") <
			    when(f.kit, "sim/system/recorder", "stopping"));
		script_finish(f.kit);
	}
}

WARD_TEST(services_stop_one_after_the_other_last_started_first, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct script child = {.name = "child"};
		struct script a = {.name = "a"}, b = {.name = "b"};
		struct script c = {.name = "c", .children = {&child}};
		ward_kit *kit = script_start(NULL);
		spawn_service(kit, &a);
		spawn_service(kit, &b);
		spawn_service(kit, &c);
		end(kit);
		ward_assert(when(kit, "sim/system/c/child", "stopped") <
			    when(kit, "sim/system/c", "stopped"));
		ward_assert(when(kit, "sim/system/c", "stopped") <
			    when(kit, "sim/system/b", "stopping"));
		ward_assert(when(kit, "sim/system/b", "stopped") <
			    when(kit, "sim/system/a", "stopping"));
		script_finish(kit);
	}
}

/* Its own stop comes while it is suspended, or on its way out already. */
WARD_TEST(service_that_failed_or_went_by_itself_holds_up_no_other, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct script a = {.name = "a"}, b = {.name = "b"}, c = {.name = "c"};
		ward_kit *kit = script_start(NULL);
		spawn_service(kit, &a);
		spawn_service(kit, &b);
		spawn_service(kit, &c);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		script_break(kit, a.ref, &bad_luck);
		ward_system_stop(ward_kit_system(kit), b.ref);
		ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_SECOND));
		ward_assert_eq(ward_kit_stats(kit).actors, 0);
		script_finish(kit);
	}
}

WARD_TEST(service_is_refused_like_an_actor_at_the_top, "S75", "S77")
{
	struct script a = {.name = "a"}, late = {.name = "late"};
	ward_kit *kit = script_start(NULL);
	spawn_service(kit, &a);
	ward_assert_err(ward_system_spawn_service(ward_kit_system(kit), script_props(&a), NULL),
			WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "sim/system");
	ward_assert_err(ward_system_spawn_service(NULL, script_props(&a), NULL), WARD_EINVAL);
	end(kit);
	ward_assert_err(ward_system_spawn_service(ward_kit_system(kit), script_props(&late), NULL),
			WARD_ESTOPPING);
	script_finish(kit);
}

WARD_TEST(events_are_heard_until_the_last_actor_is_gone, "S77")
{
	struct family f = FAMILY;
	f.a.traps[0] = (struct script_trap){SCRIPT_POST_STOP, .first = 1};
	family_start(&f);
	script_say(f.kit, f.g.ref, "unread");
	end(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_HOOK_FAILURE, "*/p/a"), 1);
	script_finish(f.kit);
}

/* ---- S78: terminating -------------------------------------------------------------------- */

static void note_call(void *arg)
{
	journal_note("%s", (const char *)arg);
}

WARD_TEST(callbacks_run_in_reverse_after_the_tree_is_down, "S78")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		ward_kit *kit;
		struct script a = {.name = "a"};
		kit = script_start(NULL);
		ward_assert_ok(ward_system_on_terminate(ward_kit_system(kit), note_call, "first"));
		script_spawn(kit, &a);
		ward_assert_ok(ward_system_on_terminate(ward_kit_system(kit), note_call, "second"));
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_assert_ok(ward_system_on_terminate(ward_kit_system(kit), note_call, "third"));
		ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_SECOND));
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_kit_run(kit);
		assert_journal("a:init;a:pre_start;a:post_stop;third;second;first");
		ward_assert_err(ward_system_on_terminate(ward_kit_system(kit), note_call, "late"),
				WARD_ESTOPPING);
		ward_assert_ok(ward_system_wait(ward_kit_system(kit), 0));
		script_finish(kit);
	}
}

static ward_kit *called_kit;
static ward_err registered;

static void look_and_register(void *arg)
{
	ward_assert_eq(ward_kit_stats(called_kit).actors, 0);
	journal_note("%s", (const char *)arg);
	/* There is still a next one to come, so this is no race that is lost. */
	registered =
		ward_system_on_terminate(ward_kit_system(called_kit), note_call, "from inside");
	/* Waiters are not released before the last callback is done. */
	ward_assert_err(ward_system_wait(ward_kit_system(called_kit), 0), WARD_ETHREAD);
}

WARD_TEST(callback_registered_by_a_callback_runs_before_anybody_is_released, "S78")
{
	ward_kit *kit = script_start(NULL);
	called_kit = kit;
	ward_assert_ok(ward_system_on_terminate(ward_kit_system(kit), note_call, "first"));
	ward_assert_ok(ward_system_on_terminate(ward_kit_system(kit), look_and_register, "second"));
	end(kit);
	ward_assert_ok(registered);
	assert_journal("second;from inside;first");
	script_finish(kit);
}

WARD_TEST(callback_without_a_function_or_a_system_is_refused, "S78")
{
	ward_kit *kit = script_start(NULL);
	ward_assert_err(ward_system_on_terminate(ward_kit_system(kit), NULL, NULL), WARD_EINVAL);
	ward_assert_err(ward_system_on_terminate(NULL, note_call, NULL), WARD_EINVAL);
	ward_kit_fail_all_allocations(kit, true);
	ward_assert_err(ward_system_on_terminate(ward_kit_system(kit), note_call, "none"),
			WARD_ENOMEM);
	ward_kit_fail_all_allocations(kit, false);
	ward_system_shutdown(NULL, NULL);
	end(kit);
	assert_journal("");
	script_finish(kit);
}

static ward_result terminate(ward_self *self, void *arg)
{
	(void)arg;
	ward_system_shutdown(ward_self_system(self), NULL);
	journal_note("%s:goes on", script_of(self)->name);
	return WARD_DONE;
}

WARD_TEST(actor_may_end_its_system, "S78", "S77")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, terminate, NULL);
	ward_assert_ok(ward_system_wait(ward_kit_system(f.kit), WARD_SECOND));
	assert_journal_of("a", "goes on;post_stop");
	script_finish(f.kit);
}

WARD_TEST(wait_for_a_system_that_nobody_ends_times_out, "S78")
{
	ward_kit *kit = script_start(NULL);
	ward_assert_err(ward_system_wait(ward_kit_system(kit), 100), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "sim");
	script_finish(kit);
}

/* ---- S79, S80: actors at the top --------------------------------------------------------- */

WARD_TEST(name_at_the_top_is_free_after_a_stop, "S79", "S54")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		ward_kit *kit;
		struct script a = {.name = "a"};
		kit = script_start(NULL);
		for (int i = 0; i < 3; i++) {
			script_spawn(kit, &a);
			ward_system_stop(ward_kit_system(kit), a.ref);
			ward_kit_run(kit);
		}
		assert_journal("a:init;a:pre_start;a:post_stop;a:init;a:pre_start;a:post_stop;"
			       "a:init;a:pre_start;a:post_stop");
		script_finish(kit);
	}
}

WARD_TEST(mail_sent_before_the_start_waits_in_order, "S80", "S4")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		ward_kit *kit;
		struct script a = {.name = "a"};
		kit = script_start(NULL);
		ward_ref ref = ward_kit_spawn_props(kit, script_props(&a));
		script_say(kit, ref, "one");
		script_say(kit, ref, "two");
		ward_kit_run(kit);
		assert_journal("a:init;a:pre_start;a:one;a:two");
		script_finish(kit);
	}
}

WARD_TEST(stop_sent_before_the_start_goes_before_mail, "S80", "S1")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		ward_kit *kit;
		struct script a = {.name = "a"};
		kit = script_start(NULL);
		ward_ref ref = ward_kit_spawn_props(kit, script_props(&a));
		bool unborn = ward_kit_state(kit, ref) == WARD_STATE_STARTING;
		script_say(kit, ref, "one");
		ward_system_stop(ward_kit_system(kit), ref);
		ward_kit_run(kit);
		if (unborn) {
			seen++;
			assert_journal("a:init;a:pre_start;a:post_stop");
		}
		ward_assert_state(kit, ref, WARD_STATE_GONE);
		script_finish(kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(failed_start_at_the_top_is_supervised_and_bad_options_are_refused, "S80", "S42")
{
	struct script a = {.name = "a", .traps = {{SCRIPT_INIT, .first = 1}}};
	ward_kit *kit = script_start(NULL);
	/* A factory that fails is a failure of the actor, not of the call. */
	ward_ref ref = ward_kit_spawn_props(kit, script_props(&a));
	ward_kit_run(kit);
	ward_assert_str(ward_kit_event(kit, WARD_EVENT_FAILURE, "sim/user/a", 0)->failure_class,
			"ward_initialization");
	ward_assert_state(kit, ref, WARD_STATE_GONE);
	ward_props props = *script_props(&a);
	props.dispatcher = "unknown";
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &props, NULL), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "unknown");
	script_finish(kit);
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
	return ward_run(WARD_PROPS(&obeying, .name = name, .args = {WARD_COPY(orders, orders)}),
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
		journal_note("%s %s handling %s", info->path, info->state, info->message);
}

WARD_TEST(deadline_that_passes_names_who_is_left_and_leaves_all_in_place, "S77")
{
	static const ward_behavior blocking = {.name = "blocking", .receive = block};
	ward_kit *kit =
		script_start(&(ward_kit_options){.real_threads = true, .system.workers = 1});
	ward_system *system = ward_kit_system(kit);
	sem_init(&entered, 0, 0);
	sem_init(&released, 0, 0);
	ward_ref ref = ward_kit_spawn(kit, &blocking, .name = "b", .dispatcher = WARD_BLOCKING);
	ward_system_tell(system, ref, go);
	while (sem_wait(&entered) != 0)
		;
	ward_assert_err(ward_system_destroy(system, 30), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "sim/user/b");
	ward_assert_part(ward_err_detail(), "go");
	ward_assert(ward_system_actors(system, note_survivor, NULL) >= 1);
	assert_journal("sim/user/b running handling go");
	sem_post(&released);
	script_finish(kit);
}

/* ---- memory that is out -------------------------------------------------------------------- */

WARD_TEST(system_is_created_whole_or_refused, "S75", "S77")
{
	/* Whichever allocation fails: a system that was created has guardians that started, and
	 * that end in their order. The last rounds have the failure come after all that. */
	const size_t enough = ward_test_shortage() ? 1 : 20;
	for (int threads = 0; threads < 2; threads++) {
		size_t refused = 0, created = 0;
		for (uint64_t nth = 1; created < enough; nth++) {
			ward_kit *kit;
			ward_assert(nth < 400);
			ward_err err =
				ward_kit_try_start(&(ward_kit_options){.fail_allocation = nth,
								       .real_threads = threads == 1,
								       .system.workers = 2},
						   &kit);
			if (err != WARD_OK) {
				ward_assert_err(err, WARD_ENOMEM);
				ward_assert_eq(created, 0);
				refused++;
				continue;
			}
			created++;
			ward_kit_run(kit);
			ward_assert_eq(ward_kit_stats(kit).actors, 3);
			ward_assert(!ward_kit_stats(kit).gave_up);
			ward_kit_fail_allocation(kit, 0);
			struct script a = {.name = "a"};
			a.ref = ward_kit_spawn_props(kit, script_props(&a));
			ward_kit_run(kit);
			ward_assert(ward_kit_is_alive(kit, a.ref));
			ward_kit_finish(kit);
		}
		ward_assert(refused > 10);
	}
}

WARD_TEST_MAIN
