/* SPDX-License-Identifier: MIT
 *
 * test_run.c - ward_run() as the whole main of a program: what it prints, and the deadline of its
 * end (S76, S77).
 */
#include "program.h"

/* ---- actors ------------------------------------------------------------------------------ */

static ward_result say_path(ward_self *self, void *state)
{
	ward_note(self, WARD_LEVEL_WARNING, "it is warm");
	return stop_at_once(self, state);
}
static const ward_behavior noting = {.name = "a b/$c", .pre_start = say_path, .receive = ignore};

static ward_result fail(ward_self *self, void *state)
{
	(void)state;
	return ward_failed(self, &ward_error, "no paper");
}
static const ward_behavior failing = {.name = "failing", .pre_start = fail, .receive = ignore};

/* Never comes back. */
static ward_result hang(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state, (void)msg;
	printf("printed");
	ward_system_shutdown(ward_self_system(self), "of itself");
	for (;;)
		pause();
	return WARD_DONE;
}
static ward_result hang_later(ward_self *self, void *state)
{
	(void)state;
	ward_tell(self, ward_self_ref(self), ward_shutdown_done);
	return WARD_DONE;
}
static const ward_behavior hanging = {.name = "hanging", .pre_start = hang_later, .receive = hang};

/* ---- what it prints ---------------------------------------------------------------------- */

static int run_failing(void)
{
	return ward_run(WARD_PROPS(&failing), &(ward_options){.name = "shop"});
}

WARD_TEST(run_without_a_log_prints_events_with_their_time_and_level, "S76")
{
	struct program program = begin(run_failing);
	int day, month;

	ends_with(&program, 1);
	ward_assert_eq(sscanf(program.text, "20%*2d-%2d-%2dT", &month, &day), 2);
	ward_assert_part(program.text, "Z severe shop/user/failing failed: ");
	ward_assert_part(program.text, "no paper");
	ward_assert_eq(program.text[strlen(program.text) - 1], '\n');
}

static int run_noting(void)
{
	return ward_main(&noting);
}

WARD_TEST(run_of_an_actor_without_a_name_takes_that_of_its_behaviour)
{
	struct program program = begin(run_noting);

	ends_with(&program, 0);
	ward_assert_part(program.text, " warning ward/user/a_b__c: it is warm\n");
}

static int run_few_actors(void)
{
	return ward_run(WARD_PROPS(&brief), &(ward_options){.name = "shop", .actors_max = 2});
}

static int run_wrong_name(void)
{
	return ward_run(WARD_PROPS(&brief, .name = "a/b"), &(ward_options){.name = "shop"});
}

static int run_nothing(void)
{
	return ward_run(NULL, NULL);
}

WARD_TEST(run_that_is_refused_says_why_in_one_line_and_what_to_do)
{
	struct program program = begin(run_few_actors);

	ends_with(&program, 2);
	ward_assert_str(program.text, "shop: not started: options.actors_max is 2, but the "
				      "guardians alone need 3: raise it, or leave it 0\n");
	program = begin(run_wrong_name);
	ends_with(&program, 2);
	ward_assert_part(program.text, "shop: not started: the name \"a/b\" has a forbidden");
	ward_assert_part(program.text, "are fine\n");
	program = begin(run_nothing);
	ends_with(&program, 2);
	/* Without a name of the system it is that of the program. */
	ward_assert_part(program.text, "test_run: not started: ");
}

static int run_silently(void)
{
	const ward_options quiet = {.log_kinds = WARD_EVENT_NONE};
	const ward_options few = {.log_kinds = WARD_EVENT_NONE, .actors_max = 2};

	if (ward_run(WARD_PROPS(&failing), &quiet) != 1)
		return 9;
	return ward_run(WARD_PROPS(&brief), &few);
}

WARD_TEST(run_with_no_kind_of_event_prints_nothing)
{
	struct program program = begin(run_silently);

	ends_with(&program, 2);
	ward_assert_str(program.text, "");
}

WARD_TEST(kind_none_is_refused_beside_others)
{
	const ward_options options = {.log_kinds = WARD_EVENT_NONE | WARD_EVENT_NOTE};
	ward_system *system;

	ward_assert_err(ward_system_create(&options, &system), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "options.log_kinds");
}

static void count_event(void *arg, const ward_event *event)
{
	(void)event;
	++*(int *)arg;
}

WARD_TEST(system_with_kind_none_logs_nothing)
{
	int events = 0;
	const ward_options options = {
		.log_kinds = WARD_EVENT_NONE, .log = count_event, .log_arg = &events};

	ward_assert_eq(ward_run(WARD_PROPS(&failing), &options), 1);
	ward_assert_eq(events, 0);
}

/* ---- the deadline ------------------------------------------------------------------------ */

static void look_at_wait(void *arg, const ward_wait_info *info)
{
	*(bool *)arg |= strcmp(info->what, "its end") == 0;
}

/* The same, where nobody has a task, and main waits already. */
static ward_result terminate_and_hang(ward_self *self, void *state, const ward_msg *msg)
{
	bool waits = false;

	(void)state, (void)msg;
	while (!waits) {
		sched_yield();
		ward_system_waits(ward_self_system(self), look_at_wait, &waits);
	}
	ward_system_shutdown(ward_self_system(self), NULL);
	for (;;)
		pause();
	return WARD_DONE;
}
static const ward_behavior terminating = {
	.name = "terminating", .pre_start = hang_later, .receive = terminate_and_hang};

static int run_terminating(void)
{
	return ward_run(WARD_PROPS(&terminating), &(ward_options){.deadline_ms = 50});
}

WARD_TEST(run_that_is_late_after_it_was_terminated_ends_the_process, "S77")
{
	struct program program = begin(run_terminating);

	ends_with(&program, STATUS_LATE);
	ward_assert_part(program.text, "ward/user/terminating");
}

static int run_hanging(void)
{
	return ward_run(
		WARD_PROPS(&hanging),
		&(ward_options){.name = "shop", .deadline_ms = 50, .signals = WARD_SIGNALS_OFF});
}

WARD_TEST(run_that_is_late_names_who_is_left_and_ends_the_process, "S77")
{
	struct program program = begin(run_hanging);
	int printed = dup(program.printed);

	ends_with(&program, STATUS_LATE);
	ward_assert_part(program.text, "system shop is not down after 50 ms");
	ward_assert_part(program.text, "shop/user/hanging");
	ward_assert_str(read_all(&program, printed), "printed");
}

/* A child that hangs, below an actor that stops of itself. */
static ward_result hang_at_once(ward_self *self, void *state)
{
	(void)state;
	ward_tell(self, ward_parent(self), ward_shutdown_done);
	for (;;)
		pause();
	return WARD_DONE;
}
static const ward_behavior hung_child = {.name = "hung", .pre_start = hang_at_once};

static ward_result keep_hung(ward_self *self, void *state)
{
	(void)state;
	ward_spawn(self, &hung_child);
	return WARD_DONE;
}

static ward_result stop_above(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state, (void)msg;
	return ward_stop_self(self);
}
static const ward_behavior above_hung = {
	.name = "above", .pre_start = keep_hung, .receive = stop_above};

static int run_above_hung(void)
{
	return ward_run(WARD_PROPS(&above_hung), &(ward_options){.deadline_ms = 50});
}

WARD_TEST(run_whose_actor_stops_above_a_hanging_child_is_late, "S77")
{
	struct program program = begin(run_above_hung);

	ends_with(&program, STATUS_LATE);
	ward_assert_part(program.text, "/user/above/hung$1");
}

WARD_TEST_MAIN
