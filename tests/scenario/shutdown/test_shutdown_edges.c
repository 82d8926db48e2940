/* SPDX-License-Identifier: MIT
 *
 * test_shutdown_edges.c - shutdowns with many tasks and long names, and what happens at the same
 * moment (S76-S78).
 *
 * Method: simulated systems; where the order matters, /system has its turn last.
 */
#include <stdio.h>

#include <ward/simulation.h>

#include "cell/system.h"
#include "support/shutdown_tasks.h"

static const ward_phase three[] = {
	{.name = "first", .timeout_ms = 100},
	{.name = "second", .after = {"first"}, .timeout_ms = 200},
	{.name = "third", .after = {"second"}, .timeout_ms = 300},
	{.name = NULL},
};

static ward_kit *start(const ward_phase *phases)
{
	return script_start(&(ward_kit_options){.system.phases = phases});
}

/* ---- restarts after the task ------------------------------------------------------------- */

static ward_result join_plainly(ward_self *self, void *arg)
{
	const struct plan *plan = arg;
	ward_shutdown_join(self, plan->phase, plan->task);
	return WARD_DONE;
}

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

/* a's task is over, one way or the other, and that of the next phase is not, when a fails. */
static void check_restart_after_task(enum answer answer, const char *notes)
{
	struct plan plan = {.phase = "first", .task = "t", .answer = answer};
	struct plan next = {.phase = "second", .task = "t", .answer = NEVER};
	struct script a = PROMISING("a", &plan), b = PROMISING("b", &next);
	ward_kit *kit = start(three);
	a.pre_start = join_plainly;
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_kit_advance(kit, answer == NEVER ? 110 : 10);
	journal_clear();
	script_break(kit, a.ref, &bad_luck);
	ward_kit_run(kit);
	assert_journal_of("a", notes);
	ward_assert_state(kit, a.ref, WARD_STATE_RUNNING);
	(void)promising_end(kit);
	script_finish(kit);
}

WARD_TEST(actor_that_joins_again_after_its_task_is_restarted, "S77")
{
	const char *notes = "break;pre_restart;post_stop;init;post_restart;pre_start";
	check_restart_after_task(AT_ONCE, notes);
	check_restart_after_task(FAIL, notes);
	check_restart_after_task(NEVER, notes);
}

/* ---- many, and long names ---------------------------------------------------------------- */

static ward_result join_nowhere(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_shutdown_join(self, "no such phase", "t"), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "no phase \"no such phase\"; there are: phase-00-");
	journal_note("refused");
	return WARD_DONE;
}

WARD_TEST(more_phases_than_a_detail_holds_are_cut, "S77")
{
	ward_phase phases[WARD_PHASES_MAX + 1] = {{.name = NULL}};
	char names[WARD_PHASES_MAX][WARD_PHASE_NAME];
	struct script a = {.name = "a"};
	for (size_t i = 0; i < WARD_PHASES_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "phase-%02zu-with-a-long-name", i);
		phases[i].name = names[i];
	}
	ward_kit *kit = start(phases);
	script_spawn(kit, &a);
	journal_clear();
	script_do(kit, a.ref, join_nowhere, NULL);
	ward_kit_run(kit);
	assert_journal("refused");
	script_finish(kit);
}

WARD_TEST(more_late_tasks_than_an_event_holds_are_all_given_up, "S77")
{
	enum { MANY = SCRIPT_CHILDREN_MAX };
	char name[WARD_TASK_NAME];
	struct plan plan = {.phase = "first", .task = name, .answer = NEVER};
	struct script many[MANY];
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ward_kit *kit = start(three);
	for (int i = 0; i < MANY; i++) {
		many[i] = (struct script)PROMISING("late", &plan);
		many[i].name = (const char *const[]){"a", "b", "c", "d", "e", "f", "g", "h"}[i];
		script_spawn(kit, &many[i]);
	}
	ward_kit_forget_events(kit);
	ward_system_shutdown(ward_kit_system(kit), "many");
	ward_assert_eq(promising_end(kit), 100);
	size_t notes = ward_kit_count(kit, WARD_EVENT_NOTE, "*"), late = 0;
	for (size_t i = 0; i < notes; i++)
		late += strstr(ward_kit_event(kit, WARD_EVENT_NOTE, "*", i)->text,
			       "phase first is not done after 100 ms: nnnn") != NULL;
	ward_assert_eq(late, 1);
	script_finish(kit);
}

/* ---- what comes to it meanwhile ---------------------------------------------------------- */

/* Nobody but /system waits for its turn. */
static size_t system_last(void *arg, ward_system *system, size_t count)
{
	size_t at = 0;
	(void)arg;
	while (at + 1 < count &&
	       ward_ref_equal(ward_simulation_ready(system, at), system->system_guardian))
		at++;
	return at;
}

WARD_TEST(shutdown_and_the_end_of_user_may_be_heard_of_together, "S76", "S77")
{
	const ward_simulation driver = {.choose = system_last};
	struct plan plan = {.phase = "first", .task = "t", .answer = AT_ONCE};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit =
		script_start(&(ward_kit_options){.system.phases = three, .simulation = &driver});
	ward_system *system = ward_kit_system(kit);
	promising_service(kit, &a);
	journal_clear();
	ward_system_shutdown(system, "both");
	ward_system_stop(system, system->user);
	ward_assert_eq(promising_end(kit), 0);
	assert_journal("a:first/t(both);a:post_stop");
	script_finish(kit);
}

WARD_TEST(shutdown_that_user_began_by_its_end_keeps_its_reason, "S76", "S77")
{
	struct plan first = {.phase = "first", .task = "t", .answer = LATER, .after_ms = 10};
	struct plan third = {.phase = "third", .task = "u", .answer = AT_ONCE};
	struct script a = PROMISING("a", &first), b = PROMISING("b", &third);
	ward_kit *kit = start(three);
	ward_system *system = ward_kit_system(kit);
	promising_service(kit, &a);
	promising_service(kit, &b);
	ward_system_stop(system, system->user);
	ward_kit_run(kit);
	ward_system_shutdown(system, "too late for a reason");
	ward_assert_eq(promising_end(kit), 10);
	ward_assert_part(journal_of("b"), "third/u(/user has ended)");
	script_finish(kit);
}

/* As the last words of an actor below /user. */
static ward_result tell_service(ward_self *self, void *arg)
{
	script_tell_do(self, ((struct script *)arg)->ref, plan_join, ((struct script *)arg)->arg);
	return WARD_DONE;
}

WARD_TEST(phase_of_services_may_be_joined_as_long_as_user_stops, "S78")
{
	struct plan plan = {.answer = AT_ONCE, .refused = WARD_EINVAL};
	struct script service = {.name = "s", .arg = &plan, .receive = plan_receive};
	struct script a = {.name = "a", .post_stop = tell_service, .arg = &service};
	const ward_simulation driver = {.choose = system_last};
	ward_kit *kit =
		script_start(&(ward_kit_options){.system.phases = three, .simulation = &driver});
	promising_service(kit, &service);
	script_spawn(kit, &a);
	journal_clear();
	ward_system_shutdown(ward_kit_system(kit), "services");
	ward_assert_eq(promising_end(kit), 0);
	ward_assert_ok(plan.refused);
	assert_journal("a:post_stop;s:services/flush(services);s:post_stop");
	script_finish(kit);
}

static ward_result resume_child(ward_self *self, void *arg)
{
	ward_assert_ok(ward_decide(self, ((struct script *)arg)->ref, WARD_RESUME));
	return WARD_DONE;
}

WARD_TEST(task_that_is_read_after_its_phase_is_done_for_nobody, "S77")
{
	static const ward_strategy later = {.decide = script_decide};
	struct plan plan = {.phase = "first", .task = "t", .answer = AT_ONCE};
	struct script a = PROMISING("a", &plan);
	struct script p = {
		.name = "p", .strategy = &later, .decides = WARD_LATER, .children = {&a}};
	struct plan second = {.phase = "second", .task = "u", .answer = LATER, .after_ms = 50};
	struct script b = PROMISING("b", &second);
	ward_kit *kit = start(three);
	script_spawn(kit, &p);
	script_spawn(kit, &b);
	script_break(kit, a.ref, &ward_exception);
	ward_kit_run(kit);
	journal_clear();
	ward_system_shutdown(ward_kit_system(kit), "slow");
	ward_kit_run(kit);
	ward_kit_advance(kit, 100);
	assert_journal("b:second/u(slow)");
	script_do(kit, p.ref, resume_child, &a);
	ward_kit_run(kit);
	assert_journal("b:second/u(slow);a:first/t(slow)");
	ward_assert_eq(promising_end(kit), 50);
	script_finish(kit);
}

WARD_TEST_MAIN
