/* SPDX-License-Identifier: MIT
 *
 * test_simulation.c - the points of a simulation: who is asked, who is told, and what failures,
 * refusals and losses do.
 *
 * Method: a driver with chosen strikes and a trace, see scripted_driver.h.
 */
#include "scripted_driver.h"

#include <pthread.h>

#include <ward/simulation.h>

static const ward_fault fail_before = {WARD_FAULT_FAIL_BEFORE, 0};
static const ward_fault fail_after = {WARD_FAULT_FAIL_AFTER, 0};
static const ward_fault refuse = {WARD_FAULT_REFUSE, 0};
static const ward_fault lose = {WARD_FAULT_LOSE, 0};

WARD_TEST(texts_name_all_points_and_faults_and_nothing_else)
{
	ward_assert_str(ward_point_text(WARD_POINT_TURN), "turn");
	ward_assert_str(ward_point_text(WARD_POINT_POST_RESTART), "post_restart");
	ward_assert_str(ward_point_text(WARD_POINT_SEND), "send");
	ward_assert_str(ward_point_text(WARD_POINTS), "?");
	ward_assert_str(ward_fault_kind_text(WARD_FAULT_NONE), "none");
	ward_assert_str(ward_fault_kind_text(WARD_FAULT_FAIL_BEFORE), "fail before");
	ward_assert_str(ward_fault_kind_text(WARD_FAULT_JUMP), "jump");
	ward_assert_str(ward_fault_kind_text(WARD_FAULT_KINDS), "?");
}

/* ---- failures ---------------------------------------------------------------------------- */

WARD_TEST(receive_failed_before_is_not_called_and_restarts)
{
	driven_start((struct strike){WARD_POINT_RECEIVE, "a", "word", 2, fail_before, 0});
	ward_ref a = start_pupil("a");
	say(a, "one");
	say(a, "two");
	say(a, "three");
	run_all();
	ward_assert_str(driven.journal, "a:init;a:one;a:init;a:three;");
	ward_assert_str(driven.failure,
			"ward_injected: injected before receive number 2 of the run");
	ward_assert_part(driven.trace, "receive a word;!receive a word;");
	driven_finish();
}

WARD_TEST(receive_failed_after_has_done_its_work)
{
	driven_start((struct strike){WARD_POINT_RECEIVE, "a", "word", 1, fail_after, 0});
	ward_ref a = start_pupil("a");
	say(a, "one");
	run_all();
	ward_assert_str(driven.journal, "a:init;a:one;a:init;");
	ward_assert_str(driven.failure,
			"ward_injected: injected after receive number 1 of the run");
	driven_finish();
}

static const ward_failure_class own = {.name = "own", .parent = &ward_exception};

static ward_result fail_by_return(ward_self *self, ward_ref to)
{
	(void)to;
	return ward_failed(self, &own, "by return");
}

static ward_result fail_by_jump(ward_self *self, ward_ref to)
{
	(void)to;
	ward_fail(self, &own, "by jump");
}

static ward_result fail_without_words(ward_self *self, ward_ref to)
{
	(void)self;
	(void)to;
	return WARD_FAILED;
}

WARD_TEST(fault_after_a_failure_of_its_own_leaves_that_one)
{
	driven_start((struct strike){WARD_POINT_RECEIVE, "a", "act", 0, fail_after, 0});
	ward_ref a = start_pupil("a");
	let(a, fail_by_return, a);
	run_all();
	ward_assert_str(driven.failure, "own: by return");
	let(a, fail_by_jump, a);
	run_all();
	ward_assert_str(driven.failure, "own: by jump");
	let(a, fail_without_words, a);
	run_all();
	ward_assert_part(driven.failure, "ward_misuse: a callback returned WARD_FAILED");
	ward_assert_part(driven.trace, "!receive a act;");
	ward_assert(strstr(driven.trace, ";receive a act;") == NULL);
	driven_finish();
}

WARD_TEST(factory_and_start_hook_fail_as_an_initialization)
{
	static const ward_point starts[] = {WARD_POINT_INIT, WARD_POINT_PRE_START};
	for (size_t i = 0; i < 2; i++) {
		driven_start((struct strike){starts[i], "a", NULL, 1, fail_before, 0});
		ward_ref a = start_pupil("a");
		ward_assert(!ward_system_is_alive(driven.system, a));
		ward_assert_part(driven.failure,
				 "ward_initialization: ward_injected: injected before");
		ward_assert_eq(strcmp(driven.journal, "") == 0, i == 0);
		driven_finish();
	}
}

static ward_result throw_away(ward_self *self, void *state)
{
	(void)state;
	ward_fail(self, &own, "in a hook");
}

/* post_stop and pre_start are called by the default hooks in a restart. */
WARD_TEST(hooks_within_default_hooks_are_points_of_their_own)
{
	driven_start((struct strike){WARD_POINT_POST_STOP, "a", NULL, 1, fail_before, 0});
	ward_ref a = start_pupil("a");
	driven.trace[0] = '\0';
	let(a, fail_by_return, a);
	run_all();
	ward_assert_part(driven.trace, "!receive a act;!post_stop a;init a;pre_start a;");
	ward_assert(strstr(driven.trace, "pre_restart") == NULL);
	driven_finish();

	static const ward_behavior thrower = {
		.name = "thrower", .receive = pupil_receive, .post_stop = throw_away};
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_assert_ok(ward_system_spawn(driven.system, WARD_PROPS(&thrower, .name = "t"), &a));
	let(a, fail_by_return, a);
	run_all();
	ward_assert_part(driven.failure, "own: in pre_restart: in a hook");
	ward_assert_part(driven.trace, "!receive t act;!post_stop t;");
	say(a, "still there");
	run_all();
	ward_assert_part(driven.journal, "t:still there;");
	driven_finish();
}

static ward_directive decide_restart(ward_self *self, ward_ref child, const ward_failure *why)
{
	(void)self;
	(void)child;
	(void)why;
	return WARD_RESTART;
}
static const ward_strategy asks = {.decide = decide_restart};

static ward_result spawn_child(ward_self *self, ward_ref to)
{
	ward_err err = ward_try_spawn(self, WARD_PROPS(&pupil, .name = "c"), NULL);

	(void)to;
	write_journal(self, ward_err_text(err));
	return WARD_DONE;
}

static ward_result fail_child(ward_self *self, ward_ref to)
{
	(void)to;
	ward_tell(self, ward_child(self, "c"), act, .fn = fail_by_return);
	return WARD_DONE;
}

WARD_TEST(decider_is_a_point_and_its_failure_takes_the_place_of_the_cause)
{
	driven_start((struct strike){WARD_POINT_DECIDE, "p", NULL, 1, fail_after, 0});
	ward_ref p;
	ward_assert_ok(ward_system_spawn(
		driven.system, WARD_PROPS(&pupil, .name = "p", .child_strategy = &asks), &p));
	let(p, spawn_child, p);
	let(p, fail_child, p);
	run_all();
	ward_assert_part(driven.trace, "!decide p;");
	ward_assert_part(driven.failure,
			 "ward_injected: injected after decide number 1 of the run");
	driven_finish();
}

WARD_TEST(guardians_have_no_faults_but_their_turns_are_told)
{
	driven_start((struct strike){WARD_POINT_TURN, "user", NULL, 0, {WARD_FAULT_STALL, 1}, 0});
	driven.strikes[1] = (struct strike){WARD_POINT_RECEIVE, "system", NULL, 0, fail_before, 0};
	driven.strikes[2] =
		(struct strike){WARD_POINT_SEND, NULL, "word", 0, {WARD_FAULT_LOSE, 0}, 0};
	driven.traces_turns = true;
	ward_ref a = start_pupil("a");
	ward_assert(ward_system_is_alive(driven.system, a));
	ward_assert_part(driven.trace, "turn user;");
	driven_finish();
	ward_assert_eq(driven.strikes[0].seen, 0);
	ward_assert_eq(driven.strikes[1].seen, 0);
}

/* ---- refusals and losses ----------------------------------------------------------------- */

WARD_TEST(spawn_refused_inside_and_outside_with_words)
{
	driven_start((struct strike){WARD_POINT_SPAWN, NULL, NULL, 0, refuse, 0});
	ward_ref none = ward_nobody();
	ward_assert_err(ward_system_spawn(driven.system, WARD_PROPS(&pupil), &none), WARD_ELIMIT);
	ward_assert_part(ward_err_detail(), "simulation refused");
	ward_assert(ward_ref_is_nobody(none));
	driven.strikes[0].who = "a";
	ward_ref a = start_pupil("a");
	let(a, spawn_child, a);
	run_all();
	ward_assert_part(driven.journal, "a:a limit of the system is reached;");
	ward_assert_part(driven.trace, "send outside act;!spawn a;receive a act;");
	driven_finish();
}

static ward_result send_parcels(ward_self *self, ward_ref to)
{
	struct parcel *body = ward_make(self, parcel, 0);

	ward_tell(self, to, parcel, .number = 1);
	ward_assert_ok(ward_try_tell(self, to, parcel, .number = 2));
	ward_give(self, to, parcel, &body);
	return WARD_DONE;
}

static ward_result forward_it(ward_self *self, ward_ref to)
{
	ward_forward(self, to);
	return WARD_DONE;
}

WARD_TEST(lost_messages_are_dead_letters_dropped_once_by_every_verb)
{
	driven_start((struct strike){WARD_POINT_SEND, NULL, NULL, 0, lose, 0});
	driven.strikes[0].type = "parcel";
	ward_ref a = start_pupil("a"), b = start_pupil("b");
	let(a, send_parcels, b);
	run_all();
	ward_assert_eq(driven.reasons[WARD_REASON_LOST], 3);
	ward_assert_eq(driven.dropped, 3);
	ward_system_tell(driven.system, a, parcel, .number = 4);
	ward_assert_ok(ward_system_try_tell(driven.system, a, parcel, .number = 5));
	ward_assert_eq(driven.dropped, 5);
	driven.strikes[0] = (struct strike){WARD_POINT_SEND, "a", "act", 0, lose, 0};
	let(a, forward_it, b);
	run_all();
	ward_assert_eq(driven.reasons[WARD_REASON_LOST], 6);
	ward_assert(strstr(driven.journal, "b:parcel") == NULL);
	driven_finish();
	ward_assert_eq(driven.dropped, 5);
}

struct question {
	int number;
};
WARD_MESSAGE_FLAT(question);
WARD_REPLY(question, word);

static ward_result answer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, question) == NULL)
		return WARD_UNHANDLED;
	ward_answer(self, msg, question, .text = "yes");
	return WARD_DONE;
}
static const ward_behavior answerer = {.name = "answerer", .receive = answer_receive};

WARD_TEST(question_may_be_lost_but_no_answer_pill_or_kill)
{
	struct word answer;
	ward_ref q;
	driven_start((struct strike){WARD_POINT_SEND, "q", NULL, 0, lose, 0});
	ward_assert_ok(ward_system_spawn(driven.system, WARD_PROPS(&answerer, .name = "q"), &q));
	ward_assert_ok(
		ward_system_ask(driven.system, q, WARD_SECOND, &answer, question, .number = 1));
	ward_assert_str(answer.text, "yes");
	driven.strikes[0] = (struct strike){WARD_POINT_SEND, "outside", NULL, 0, lose, 0};
	ward_assert_err(
		ward_system_ask(driven.system, q, WARD_SECOND, &answer, question, .number = 2),
		WARD_EDEAD);
	ward_system_tell(driven.system, q, ward_poison_pill);
	run_all();
	ward_assert(!ward_system_is_alive(driven.system, q));
	ward_assert_eq(driven.strikes[0].seen, 1);
	driven_finish();
}

/* ---- what a driver may and may not ------------------------------------------------------- */

static int too_far_calls;

static size_t too_far(void *arg, ward_system *system, size_t count)
{
	too_far_calls++;
	(void)arg;
	ward_assert(!ward_simulation_step(system));
	ward_assert(!ward_simulation_advance(system, INT64_MAX));
	ward_assert_err(ward_system_wait_for(system, ward_nobody(), 0), WARD_ETHREAD);
	ward_assert_eq(ward_simulation_count(system), count);
	ward_assert(!ward_ref_is_nobody(ward_simulation_ready(system, count - 1)));
	return count + 7;
}

/* No such kind; at the wrong points; at the right ones, but without a time. */
static ward_fault nonsense(void *arg, ward_system *system, const ward_occasion *it)
{
	(void)arg;
	ward_assert_err(ward_system_spawn(system, WARD_PROPS(&pupil), NULL), WARD_ETHREAD);
	switch (it->point) {
	case WARD_POINT_TURN:
		return (ward_fault){WARD_FAULT_STALL, -1};
	case WARD_POINT_SEND:
		return (ward_fault){WARD_FAULT_DELAY, 0};
	case WARD_POINT_RECEIVE:
		return (ward_fault){(ward_fault_kind)77, 5};
	default:
		return (ward_fault){WARD_FAULT_JUMP, 5};
	}
}

WARD_TEST(nonsense_of_a_driver_is_harmless)
{
	int before = too_far_calls;
	driven_start_by(too_far, (struct strike){.fault = {WARD_FAULT_NONE, 0}});
	driven.driver.fault = nonsense;
	ward_ref a = start_pupil("a");
	say(a, "fine");
	run_all();
	ward_assert_str(driven.journal, "a:init;a:fine;");
	ward_assert_eq(ward_simulation_now_ns(driven.system), 0);
	ward_assert(too_far_calls > before);
	driven_finish();
}

WARD_TEST(real_system_is_no_simulation)
{
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.workers = 1});
	ward_system *system = ward_kit_system(kit);
	ward_assert(!ward_simulation_step(system));
	ward_assert(!ward_simulation_advance(system, INT64_MAX));
	ward_assert(!ward_simulation_poll(system));
	ward_assert_eq(ward_simulation_count(system), 0);
	ward_assert(ward_ref_is_nobody(ward_simulation_ready(system, 0)));
	ward_kit_finish(kit);
	ward_assert(!ward_simulation_step(NULL));
}

static ward_result subscribe(ward_self *self, ward_ref to)
{
	(void)to;
	ward_assert_ok(ward_try_subscribe(self, WARD_EVENT_LIFECYCLE));
	return WARD_DONE;
}

static ward_result pass_events_on(ward_self *self, void *state, const ward_msg *msg)
{
	const struct act *act = ward_match(msg, act);

	(void)state;
	if (act != NULL)
		return act->fn(self, act->to);
	ward_forward(self, *(const ward_ref *)ward_args(self));
	return WARD_DONE;
}

struct reader {
	ward_ref to;
};
WARD_MESSAGE(reader);

WARD_TEST(what_the_runtime_relies_on_is_not_lost)
{
	static const ward_behavior relay = {
		.name = "relay", .args = &ward_type_reader, .receive = pass_events_on};
	ward_inbox *inbox;
	const ward_msg *msg;

	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a"), c = start_pupil("c");
	ward_ref b = ward_kit_spawn(driven.kit, &relay, .args = WARD_ARGS(reader, c));
	let(b, subscribe, c);
	run_all();
	/* From here on all is lost that may be. */
	driven.strikes[0] = (struct strike){.point = WARD_POINT_SEND, .fault = lose};
	say(a, "lost");
	ward_assert_ok(ward_inbox_create(driven.system, NULL, &inbox));
	ward_assert_ok(ward_inbox_watch(inbox, a));
	ward_system_stop(driven.system, a);
	ward_assert_ok(ward_inbox_receive(inbox, WARD_SECOND, &msg));
	ward_assert(ward_match(msg, ward_terminated) != NULL);
	ward_inbox_destroy(inbox);
	run_all();
	ward_assert_eq(driven.reasons[WARD_REASON_LOST], 1);
	ward_assert_part(driven.journal, "c:ward_event;");
	driven_finish();
}

/* Its own handle while it runs, and whether somebody moves the simulation. */
static ward_result look_at_itself(ward_self *self, ward_ref to)
{
	bool moving = false;

	(void)to;
	ward_assert(ward_simulation_self(driven.system, &moving) == self && moving);
	ward_assert(ward_simulation_self(driven.system, NULL) == self);
	ward_assert(ward_simulation_self(NULL, &moving) == NULL && !moving);
	write_journal(self, "looked");
	return WARD_DONE;
}

static ward_system *other;

static ward_result look_at_another(ward_self *self, ward_ref to)
{
	bool moving = true;

	(void)to;
	ward_assert(ward_simulation_self(other, &moving) == NULL && !moving);
	/* It may be waited for, even here: it stands on no thread that runs it. */
	ward_assert_err(ward_system_wait(other, 0), WARD_ETIMEDOUT);
	write_journal(self, "looked");
	return WARD_DONE;
}

WARD_TEST(self_of_a_simulation_is_whose_callback_runs)
{
	const ward_simulation idle = {.choose = NULL};
	bool moving = true;

	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_assert_ok(ward_system_create(&(ward_options){.simulation = &idle}, &other));
	ward_ref a = start_pupil("a");
	let(a, look_at_itself, a);
	let(a, look_at_another, a);
	run_all();
	ward_assert_str(driven.journal, "a:init;a:looked;a:looked;");
	ward_assert(ward_simulation_self(driven.system, &moving) == NULL && !moving);
	ward_assert_ok(ward_system_destroy(other, WARD_MINUTE));
	driven_finish();
}

WARD_TEST(spawn_from_outside_is_told_when_it_is_done)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	start_pupil("a");
	ward_assert_part(driven.trace, "spawn outside;");
	ward_assert(strstr(driven.trace, "!spawn outside;") == NULL);
	driven_finish();
}

WARD_TEST(who_is_ready_is_told_one_by_one)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a"), b = start_pupil("b");
	ward_assert_eq(ward_simulation_count(driven.system), 0);
	ward_assert(ward_ref_is_nobody(ward_simulation_ready(driven.system, 0)));
	say(a, "x");
	ward_assert_eq(ward_simulation_count(driven.system), 1);
	ward_assert(ward_ref_equal(ward_simulation_ready(driven.system, 0), a));
	ward_assert(ward_ref_is_nobody(ward_simulation_ready(driven.system, 1)));
	say(b, "x");
	ward_assert_eq(ward_simulation_count(driven.system), 2);
	ward_assert(ward_ref_is_nobody(ward_simulation_ready(driven.system, 2)));
	ward_assert_eq(ward_simulation_count(NULL), 0);
	ward_assert(ward_ref_is_nobody(ward_simulation_ready(NULL, 0)));
	ward_assert_eq(ward_simulation_now_ns(NULL), 0);
	ward_assert(!ward_simulation_advance(NULL, 1));
	ward_assert(!ward_simulation_poll(NULL));
	ward_assert(!ward_simulation_poll(driven.system));
	run_all();
	driven_finish();
}

static void *look_from_elsewhere(void *arg)
{
	bool moving = true;

	(void)arg;
	ward_assert_eq(ward_simulation_count(driven.system), 0);
	ward_assert(ward_ref_is_nobody(ward_simulation_ready(driven.system, 0)));
	ward_assert(ward_simulation_self(driven.system, &moving) == NULL && !moving);
	return NULL;
}

WARD_TEST(another_thread_does_not_see_who_is_ready)
{
	pthread_t thread;

	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a");
	say(a, "x");
	ward_assert_eq(pthread_create(&thread, NULL, look_from_elsewhere, NULL), 0);
	ward_assert_eq(pthread_join(thread, NULL), 0);
	ward_assert_eq(ward_simulation_count(driven.system), 1);
	run_all();
	driven_finish();
}

/* ---- one message a turn ------------------------------------------------------------------ */

static size_t turns_of(const char *name)
{
	size_t count = 0;
	char turn[32];

	snprintf(turn, sizeof turn, "turn %s;", name);
	for (const char *at = driven.trace; (at = strstr(at, turn)) != NULL; at++)
		count++;
	return count;
}

WARD_TEST(turn_is_one_message_whatever_the_mailbox_and_none_is_empty)
{
	static const ward_mailbox boxes[] = {{0}, {.messages_max = 10}, {.counted = true}};
	for (size_t i = 0; i < 3; i++) {
		driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
		ward_ref a;
		ward_assert_ok(ward_system_spawn(
			driven.system, WARD_PROPS(&pupil, .name = "a", .mailbox = boxes[i]), &a));
		run_all();
		driven.traces_turns = true;
		say(a, "one");
		say(a, "two");
		ward_system_tell(driven.system, a, ward_poison_pill);
		ward_assert(ward_simulation_step(driven.system));
		ward_assert_str(driven.journal, "a:init;a:one;");
		ward_assert(ward_simulation_step(driven.system));
		ward_assert_str(driven.journal, "a:init;a:one;a:two;");
		ward_assert(ward_system_is_alive(driven.system, a));
		run_all();
		ward_assert(!ward_system_is_alive(driven.system, a));
		/* One for each message, and none that finds nothing. */
		ward_assert_eq(turns_of("a"), 3);
		ward_ref b = start_pupil("b");
		driven.trace[0] = '\0';
		say(b, "one");
		run_all();
		ward_assert_eq(turns_of("b"), 1);
		driven_finish();
	}
}

WARD_TEST_MAIN
