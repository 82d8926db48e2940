/* SPDX-License-Identifier: MIT
 *
 * test_shutdown.c - the phases of a shutdown and their tasks: in which order, how long, and who is
 * late (S77, S78).
 *
 * Method: simulated systems; the milliseconds are exact.
 */
#include "cell/system.h"
#include "support/shutdown_tasks.h"

enum { ROUNDS = 40 };

static const ward_phase three[] = {
	{.name = "third", .after = {"second"}, .timeout_ms = 300},
	{.name = "first", .timeout_ms = 100},
	{.name = "second", .after = {"first"}, .timeout_ms = 200, .abort_on_timeout = true},
	{.name = NULL},
};

static ward_kit *start(const ward_phase *phases)
{
	return script_start(&(ward_kit_options){.system.phases = phases});
}

WARD_TEST(tasks_of_a_phase_run_together_and_phases_one_after_the_other, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan p3 = {.phase = "third", .task = "t3", .answer = AT_ONCE},
			    p1 = {.phase = "first", .task = "t1", .answer = LATER, .after_ms = 70},
			    p2 = {.phase = "first", .task = "t2", .answer = LATER, .after_ms = 50},
			    p4 = {.phase = "second", .task = "t4", .answer = LATER, .after_ms = 20};
		struct script a = PROMISING("a", &p3), b = PROMISING("b", &p1),
			      c = PROMISING("c", &p2), d = PROMISING("d", &p4);
		ward_kit *kit = start(three);
		script_spawn(kit, &a);
		script_spawn(kit, &b);
		promising_service(kit, &c);
		script_spawn(kit, &d);
		journal_clear();
		ward_system_shutdown(ward_kit_system(kit), "maintenance");
		ward_system_shutdown(ward_kit_system(kit), "another");
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_assert_eq(promising_end(kit), 90);
		assert_journal_of("a", "third/t3(maintenance);post_stop");
		assert_journal_of("b", "first/t1(maintenance);late;post_stop");
		assert_journal_of("c", "first/t2(maintenance);late;post_stop");
		assert_journal_of("d", "second/t4(maintenance);late;post_stop");
		const char *text = journal_text();
		ward_assert(strstr(text, "c:first") < strstr(text, "c:late"));
		ward_assert(strstr(text, "c:late") < strstr(text, "b:late"));
		ward_assert(strstr(text, "b:late") < strstr(text, "d:second"));
		ward_assert(strstr(text, "d:late") < strstr(text, "a:third"));
		ward_assert(strstr(text, "a:third") < strstr(text, ":post_stop"));
		const ward_event *note = ward_kit_event(kit, WARD_EVENT_NOTE, "sim/system", 0);
		ward_assert_str(note->text, "shutting down: maintenance");
		ward_assert_eq(ward_kit_count(kit, WARD_EVENT_NOTE, "*"), 1);
		script_finish(kit);
	}
}

WARD_TEST(late_tasks_are_named_and_the_shutdown_goes_on, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan never = {.phase = "first", .task = "dawdle", .answer = NEVER},
			    slow = {.phase = "first",
				    .task = "drain",
				    .answer = LATER,
				    .after_ms = 150},
			    last = {.phase = "third",
				    .task = "flush",
				    .answer = LATER,
				    .after_ms = 120};
		struct script a = PROMISING("a", &never), b = PROMISING("b", &slow),
			      c = PROMISING("c", &last);
		ward_kit *kit = start(three);
		script_spawn(kit, &a);
		script_spawn(kit, &b);
		script_spawn(kit, &c);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		/* 100 for the first; the answer at 150 counts for nothing. */
		ward_assert_eq(promising_end(kit), 220);
		ward_assert_part(journal_of("c"), "third/flush();late");
		ward_assert_part(journal_of("b"), "late");
		const ward_event *note = ward_kit_event(kit, WARD_EVENT_NOTE, "sim/system", 0);
		ward_assert_str(note->text, "phase first is not done after 100 ms: dawdle of "
					    "sim/user/a, drain of sim/user/b");
		ward_assert_eq(note->level, WARD_LEVEL_WARNING);
		ward_assert_eq(ward_kit_count(kit, WARD_EVENT_NOTE, "*"), 1);
		const ward_event *dead = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0);
		ward_assert_str(dead->message_type, "ward_shutdown_done");
		ward_assert_eq(dead->reason, WARD_REASON_STALE);
		ward_assert_part(dead->path, "a thread or shutdown task (#");
		script_finish(kit);
	}
}

/* The answer to an earlier task is not taken for that to a later one. */
WARD_TEST(late_answer_does_not_end_the_next_phase, "S77")
{
	struct plan plan = {.phase = "first", .task = "one", .answer = LATER, .after_ms = 130},
		    next = {.phase = "third", .task = "other", .answer = LATER, .after_ms = 90};
	struct script a = PROMISING("a", &plan), b = PROMISING("b", &next);
	ward_kit *kit = start(three);
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 190);
	script_finish(kit);
}

WARD_TEST(phase_that_aborts_skips_those_after_it, "S77")
{
	struct plan never = {.phase = "second", .task = "dawdle", .answer = NEVER},
		    last = {.phase = "third", .task = "flush", .answer = AT_ONCE};
	struct plan other = {.answer = AT_ONCE};
	struct script a = PROMISING("a", &never), b = PROMISING("b", &last);
	struct script h = PROMISING("h", &other);
	ward_kit *kit = start(three);
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	promising_service(kit, &h);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 200);
	assert_journal_of("b", "init;pre_start;post_stop");
	assert_journal_of("h", "init;pre_start;services/flush();post_stop");
	ward_assert_part(ward_kit_event(kit, WARD_EVENT_NOTE, "sim/system", 0)->text,
			 "phase second is not done after 200 ms, the phases after it are skipped: "
			 "dawdle of sim/user/a");
	script_finish(kit);
}

WARD_TEST(default_timeouts_are_5_and_10_seconds_and_one_may_be_for_ever, "S77")
{
	struct plan p1 = {.phase = "service-stop", .task = "a", .answer = NEVER},
		    p2 = {.phase = "actor-system-terminate", .task = "b", .answer = NEVER};
	struct plan p3 = {
		.phase = "p", .task = "c", .answer = LATER, .after_ms = 24 * 60 * WARD_MINUTE};
	struct script a = PROMISING("a", &p1), b = PROMISING("b", &p2), c = PROMISING("c", &p3);
	ward_kit *kit = start(NULL);
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 15000);
	script_finish(kit);
	kit = start((ward_phase[]){{.name = "p", .timeout_ms = WARD_FOREVER}, {.name = NULL}});
	script_spawn(kit, &c);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_FOREVER));
	ward_assert_eq(ward_kit_now_ms(kit), 24 * 60 * WARD_MINUTE);
	script_finish(kit);
}

WARD_TEST(task_of_one_that_stops_or_fails_counts_as_done, "S77")
{
	const enum answer ways[] = {STOP, FAIL, FORWARD};
	for (int i = 0; i < 3; i++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct plan plan = {.phase = "first", .task = "t", .answer = ways[i]},
				    last = {.phase = "third", .task = "u", .answer = AT_ONCE};
			struct script a = PROMISING("a", &plan), b = PROMISING("b", &last);
			ward_kit *kit = start(three);
			script_spawn(kit, &a);
			script_spawn(kit, &b);
			ward_system_shutdown(ward_kit_system(kit), NULL);
			ward_assert_eq(promising_end(kit), 0);
			ward_assert_part(journal_of("b"), "third/u()");
			script_finish(kit);
		}
	}
}

WARD_TEST(task_of_one_that_is_gone_before_is_forgotten, "S77")
{
	struct plan plan = {.phase = "first", .task = "t", .answer = NEVER};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = start(three);
	script_spawn(kit, &a);
	ward_kit_stop(kit, a.ref);
	ward_kit_run(kit);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 0);
	/* No task was left: it ended as if there had been none. */
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_NOTE, "*"), 0);
	script_finish(kit);
}

/* ---- who begins it ----------------------------------------------------------------------- */

WARD_TEST(shutdown_without_a_reason_runs_the_phases_too, "S77", "S78")
{
	struct plan plan = {.phase = "first", .task = "t", .answer = LATER, .after_ms = 60};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = start(three);
	script_spawn(kit, &a);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 60);
	ward_assert_part(journal_of("a"), "first/t();late");
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_NOTE, "*"), 0); /* there is nothing to say */
	script_finish(kit);
}

WARD_TEST(shutdown_without_tasks_ends_the_system_and_tells_why, "S77")
{
	struct script a = {.name = "a"};
	ward_kit *kit = start(NULL);
	script_spawn(kit, &a);
	ward_system_shutdown(NULL, "nothing");
	ward_system_shutdown(ward_kit_system(kit), "a signal");
	ward_assert_eq(promising_end(kit), 0);
	ward_assert_str(ward_kit_event(kit, WARD_EVENT_NOTE, "sim/system", 0)->text,
			"shutting down: a signal");
	ward_system_shutdown(ward_kit_system(kit), "again");
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_NOTE, "*"), 1);
	script_finish(kit);
}

static ward_result shut_down(ward_self *self, void *arg)
{
	ward_system_shutdown(ward_self_system(self), arg);
	return WARD_DONE;
}

WARD_TEST(actor_may_shut_its_system_down, "S77")
{
	struct plan plan = {.phase = "first", .task = "t", .answer = AT_ONCE};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = start(three);
	script_spawn(kit, &a);
	script_do(kit, a.ref, shut_down, "had enough");
	ward_assert_eq(promising_end(kit), 0);
	ward_assert_part(journal_of("a"), "first/t(had enough)");
	script_finish(kit);
}

/* The tasks of those that are left are asked for all the same. */
WARD_TEST(services_do_their_tasks_when_user_ends_by_itself, "S76", "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		static const ward_failure_class bad_disk = {.name = "bad_disk",
							    .parent = &ward_error};
		struct plan plan = {.phase = "second",
				    .task = "t",
				    .answer = LATER,
				    .after_ms = 30},
			    lost = {.phase = "first", .task = "u", .answer = NEVER};
		struct script a = PROMISING("a", &plan), b = PROMISING("b", &lost);
		ward_kit *kit = start(three);
		promising_service(kit, &a);
		script_spawn(kit, &b);
		script_break(kit, b.ref, &bad_disk);
		ward_assert_eq(promising_end(kit), 30);
		ward_assert_part(journal_of("a"), "second/t(/user has ended);late");
		script_finish(kit);
	}
}

/* /user ends while a phase is under way: nothing is left to be stopped after the phases. */
WARD_TEST(user_may_end_while_a_phase_is_under_way, "S77")
{
	struct plan plan = {.phase = "first", .task = "t", .answer = LATER, .after_ms = 80};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = start(three);
	promising_service(kit, &a);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_kit_run(kit);
	ward_system_stop(ward_kit_system(kit), ward_kit_system(kit)->user);
	ward_kit_run(kit);
	ward_assert_state(kit, a.ref, WARD_STATE_RUNNING);
	ward_assert_eq(promising_end(kit), 80);
	script_finish(kit);
}

WARD_TEST(deadline_names_the_task_that_is_waited_for, "S77")
{
	struct plan plan = {.phase = "first", .task = "dawdle", .answer = NEVER};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = start(three);
	script_spawn(kit, &a);
	ward_assert(ward_kit_is_alive(kit, a.ref));
	ward_assert_err(ward_system_destroy(ward_kit_system(kit), 50), WARD_ETIMEDOUT);
	ward_assert_part(
		ward_err_detail(),
		"not down after 50 ms: phase first waits for dawdle of sim/user/a; 4 actors");
	script_finish(kit);
}

WARD_TEST(end_needs_no_memory_once_the_tasks_are_joined, "S77")
{
	struct plan now = {.phase = "first", .task = "t", .answer = AT_ONCE},
		    never = {.phase = "third", .task = "u", .answer = NEVER};
	struct script a = PROMISING("a", &now), b = PROMISING("b", &never);
	ward_kit *kit = start(three);
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	ward_kit_fail_all_allocations(kit, true);
	ward_system_shutdown(ward_kit_system(kit), "no memory");
	ward_assert_eq(promising_end(kit), 300);
	ward_kit_fail_all_allocations(kit, false);
	ward_assert_part(journal_of("a"), "first/t(no memory)");
	ward_assert_part(journal_of("b"), "third/u(no memory)");
	script_finish(kit);
}

static ward_result start_timers(ward_self *self, void *arg)
{
	for (int i = 0; i < *(const int *)arg; i++)
		ward_after(self, 1000 + (uint64_t)i, WARD_MINUTE, answer_now);
	return WARD_DONE;
}

/* The first heap of timers has room for 63: the timeout must not be the one too many. */
WARD_TEST(timeout_has_its_place_however_many_timers_run, "S77")
{
	bool few = ward_test_shortage();
	for (int timers = few ? 62 : 58; timers < (few ? 65 : 68); timers++) {
		struct plan never = {.phase = "first", .task = "t", .answer = NEVER};
		struct script a = PROMISING("a", &never), b = {.name = "b"};
		ward_kit *kit = start(three);
		script_spawn(kit, &a);
		script_spawn(kit, &b);
		script_do(kit, b.ref, start_timers, &timers);
		ward_kit_run(kit);
		ward_kit_fail_all_allocations(kit, true);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_assert_eq(promising_end(kit), 100);
		ward_kit_fail_all_allocations(kit, false);
		script_finish(kit);
	}
}

/* ---- joining ----------------------------------------------------------------------------- */

static ward_result join_wrongly(ward_self *self, void *arg)
{
	char name[WARD_TASK_NAME + 1];
	(void)arg;
	memset(name, 'x', sizeof name);
	name[WARD_TASK_NAME] = '\0';
	ward_assert_err(ward_try_shutdown_join(self, "fourth", "t"), WARD_ENOENT);
	ward_assert_part(ward_err_detail(),
			 "no phase \"fourth\"; there are: first, second, third, services");
	ward_assert_err(ward_try_shutdown_join(self, NULL, "t"), WARD_EINVAL);
	ward_assert_err(ward_try_shutdown_join(self, "first", NULL), WARD_ENAME);
	ward_assert_err(ward_try_shutdown_join(self, "first", ""), WARD_ENAME);
	ward_assert_err(ward_try_shutdown_join(self, "first", name), WARD_ENAME);
	ward_assert_part(ward_err_detail(), "64 bytes, at most 63");
	ward_assert_ok(ward_try_shutdown_join(self, "first", name + 1));
	ward_assert_ok(ward_try_shutdown_join(self, "first", name + 1));
	ward_assert_err(ward_try_shutdown_join(self, "first", "t"), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "in phase first already, with task \"xxx");
	ward_assert_ok(ward_try_shutdown_join(self, "second", "t"));
	return WARD_DONE;
}

WARD_TEST(wrong_joins_are_refused_with_a_reason, "S77")
{
	struct script a = {.name = "a"};
	ward_kit *kit = start(three);
	ward_assert_err(ward_try_shutdown_join(NULL, "first", "t"), WARD_EINVAL);
	script_spawn(kit, &a);
	script_do(kit, a.ref, join_wrongly, NULL);
	ward_kit_run(kit);
	script_finish(kit);
}

WARD_TEST(table_that_is_wrong_is_refused_at_the_creation, "S77")
{
	ward_kit *kit;
	ward_assert_err(
		ward_kit_try_start(
			&(ward_kit_options){.system.phases =
						    (ward_phase[]){{.name = "a", .after = {"b"}},
								   {.name = NULL}}},
			&kit),
		WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "\"a\" comes after \"b\"");
}

static ward_result join_meanwhile(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_shutdown_task) == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:%s", script_of(self)->name, ward_match(msg, ward_shutdown_task)->phase);
	if (strcmp(ward_match(msg, ward_shutdown_task)->phase, "second") == 0) {
		ward_assert_err(ward_try_shutdown_join(self, "first", "past"), WARD_ESTOPPING);
		ward_assert_part(ward_err_detail(), "too late");
		ward_assert_ok(ward_try_shutdown_join(self, "third", "to come"));
		ward_assert_ok(ward_try_shutdown_join(self, WARD_PHASE_SERVICES, "last"));
	}
	ward_reply(self, msg, ward_shutdown_done);
	return WARD_DONE;
}

WARD_TEST(phase_that_is_still_to_come_may_be_joined, "S77")
{
	struct plan plan = {.phase = "second", .task = "t", .answer = AT_ONCE};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = start(three);
	a.receive = join_meanwhile;
	script_spawn(kit, &a);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 0);
	assert_journal_of("a", "init;pre_start;second;third;post_stop");
	script_finish(kit);
}

static ward_result join_with_nth(ward_self *self, void *arg)
{
	ward_kit *kit = arg;
	uint64_t refused = 0;
	ward_err err;
	do {
		ward_kit_fail_allocation(kit, refused + 1);
		err = ward_try_shutdown_join(self, "first", "t");
		ward_kit_fail_allocation(kit, 0);
		refused += err == WARD_ENOMEM;
	} while (err == WARD_ENOMEM);
	ward_assert_ok(err);
	ward_assert(refused >= 3);
	ward_stop_self(self);
	return WARD_DONE;
}

WARD_TEST(join_without_memory_is_refused_and_leaves_nothing, "S77")
{
	struct script a = {.name = "a"};
	ward_kit *kit = start(three);
	script_spawn(kit, &a);
	script_do(kit, a.ref, join_with_nth, kit);
	ward_kit_run(kit);
	script_finish(kit);
}

/* ---- plain functions --------------------------------------------------------------------- */

static void note_call(void *arg)
{
	journal_note("%s", (const char *)arg);
}

WARD_TEST(function_is_called_in_its_phase, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan plan = {.phase = "second", .task = "t", .answer = AT_ONCE};
		struct script a = PROMISING("a", &plan);
		ward_kit *kit = start(three);
		ward_system *system = ward_kit_system(kit);
		ward_assert_ok(
			ward_system_on_shutdown(system, "third", "x", note_call, "in third"));
		ward_assert_ok(
			ward_system_on_shutdown(system, "first", "x", note_call, "in first"));
		script_spawn(kit, &a);
		journal_clear();
		ward_system_shutdown(system, NULL);
		ward_assert_eq(promising_end(kit), 0);
		assert_journal("in first;a:second/t();in third;a:post_stop");
		script_finish(kit);
	}
}

WARD_TEST(function_of_the_phase_of_services_is_called_when_user_is_gone, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct script a = {.name = "a"}, service = {.name = "s"};
		ward_kit *kit = start(three);
		ward_system *system = ward_kit_system(kit);
		promising_service(kit, &service);
		ward_assert_ok(ward_system_on_shutdown(system, WARD_PHASE_SERVICES, "x", note_call,
						       "at last"));
		script_spawn(kit, &a);
		journal_clear();
		ward_system_shutdown(system, NULL);
		ward_assert_eq(promising_end(kit), 0);
		assert_journal("a:post_stop;at last;s:post_stop");
		script_finish(kit);
	}
}

WARD_TEST(function_is_refused_like_a_join, "S77")
{
	char name[WARD_TASK_NAME + 8];
	ward_kit *kit = start(three);
	ward_system *system = ward_kit_system(kit);
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = '\0';
	ward_assert_err(ward_system_on_shutdown(system, "fourth", "x", note_call, NULL),
			WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "no phase \"fourth\"");
	ward_assert_err(ward_system_on_shutdown(system, "first", name, note_call, NULL),
			WARD_ENAME);
	ward_assert_err(ward_system_on_shutdown(system, "first", NULL, note_call, NULL),
			WARD_ENAME);
	ward_assert_err(ward_system_on_shutdown(system, NULL, "x", note_call, NULL), WARD_EINVAL);
	ward_assert_err(ward_system_on_shutdown(system, "first", "x", NULL, NULL), WARD_EINVAL);
	ward_assert_err(ward_system_on_shutdown(NULL, "first", "x", note_call, NULL), WARD_EINVAL);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).actors, 3); /* what was refused is gone */
	ward_system_shutdown(system, NULL);
	ward_assert_eq(promising_end(kit), 0);
	ward_assert_err(ward_system_on_shutdown(system, "first", "x", note_call, NULL),
			WARD_ESTOPPING);
	assert_journal("");
	script_finish(kit);
}

WARD_TEST(function_without_memory_is_refused_and_leaves_nothing, "S77")
{
	ward_kit *kit = start(three);
	uint64_t refused = 0;
	ward_err err;
	ward_kit_run(kit); /* the guardians start */
	do {
		/* Each twice: the second time with the cell that the first has left. */
		ward_kit_fail_allocation(kit, refused / 2 + 1);
		err = ward_system_on_shutdown(ward_kit_system(kit), "first", "x", note_call,
					      "done");
		ward_kit_fail_allocation(kit, 0);
		ward_kit_run(kit);
		refused += err != WARD_OK;
		ward_assert(err == WARD_OK || ward_kit_stats(kit).actors == 3);
	} while (err == WARD_ENOMEM);
	ward_assert_ok(err);
	ward_assert(refused >= 10);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 0);
	assert_journal("done");
	script_finish(kit);
}

WARD_SIGNAL(stranger);

WARD_TEST(function_leaves_what_is_not_for_it, "S77")
{
	ward_kit *kit = start(three);
	ward_system *system = ward_kit_system(kit);
	ward_assert_ok(ward_system_on_shutdown(system, "first", "x", note_call, "called"));
	journal_clear();
	ward_system_select_tell(system, "/system/*", stranger);
	ward_kit_run(kit);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(kit).unhandled, 1);
	ward_system_shutdown(system, NULL);
	ward_assert_eq(promising_end(kit), 0);
	assert_journal("called");
	script_finish(kit);
}

WARD_TEST_MAIN
