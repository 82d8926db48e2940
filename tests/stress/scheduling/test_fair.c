/* SPDX-License-Identifier: MIT
 *
 * test_fair.c - an actor with a long mailbox: others have their turn, and a system message goes
 * before the rest of its mail.
 *
 * Method: time would be the machine's as much as ours. So it is counted in messages: how many the
 * long mailbox's owner handles while somebody else waits. With one worker nothing else can be the
 * reason for a wait. Handlers that must be running at some moment wait there for a semaphore.
 */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/stress.h"

enum {
	BATCH = 100, /* of messages, before others have their turn */
	BURST = 500,
	JOBS = 1000,
	FLOODERS = 2,
	ANSWERS_MAX = 100 * 1000
};

WARD_SIGNAL(drop);
WARD_SIGNAL(pump);
WARD_SIGNAL(job);
WARD_SIGNAL(fail);

/* How many messages were handled by the flooded one when it was asked, and by now. */
struct question {
	uint64_t handled;
};
WARD_MESSAGE(question);
struct answer {
	uint64_t handled;
};
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);

static struct {
	ward_kit *kit;
	ward_ref sink, desk;
	uint64_t drops; /* that are sent in all */
	_Atomic uint64_t sent, handled;
	uint64_t waited[ANSWERS_MAX]; /* messages, of each question */
	size_t answers;
} t;

/* ---- a flood ------------------------------------------------------------------------------ */

static bool flooding(void)
{
	return stress_get(&t.handled) < t.drops;
}

static ward_result sink_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	if (!ward_match(msg, drop))
		return WARD_UNHANDLED;
	stress_add(&t.handled, 1);
	return WARD_DONE;
}

/* Sends some, and goes on in its next turn. */
static ward_result pump_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, pump))
		return WARD_UNHANDLED;
	for (int i = 0; i < BURST; i++) {
		if (stress_add(&t.sent, 1) >= t.drops)
			return WARD_DONE;
		ward_tell(self, t.sink, drop);
	}
	ward_tell(self, ward_self_ref(self), pump);
	return WARD_DONE;
}

static void *flood(void *arg)
{
	ward_system *system = arg;

	while (stress_add(&t.sent, 1) < t.drops)
		ward_system_tell(system, t.sink, drop);
	return NULL;
}

static ward_result desk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);

	(void)state;
	if (question == NULL)
		return WARD_UNHANDLED;
	ward_answer(self, msg, question, .handled = stress_get(&t.handled));
	return WARD_DONE;
}

static void note_answer(uint64_t asked, uint64_t answered)
{
	if (t.answers < ANSWERS_MAX)
		t.waited[t.answers++] = answered - asked;
}

/* ---- who asks ----------------------------------------------------------------------------- */

struct asker {
	uint64_t asked;
};

static void ask(ward_self *self, struct asker *me)
{
	me->asked = stress_get(&t.handled);
	ward_assert_eq(ward_try_ask(self, t.desk, 1, WARD_FOREVER, question, .handled = me->asked),
		       WARD_OK);
}

static ward_result asker_start(ward_self *self, void *state)
{
	ask(self, state);
	return WARD_DONE;
}

static ward_result asker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct answer *answer = ward_match(msg, answer);
	struct asker *me = state;

	if (answer == NULL)
		return WARD_UNHANDLED;
	note_answer(me->asked, answer->handled);
	if (flooding())
		ask(self, me);
	return WARD_DONE;
}

static void ask_outside(void)
{
	ward_system *system = ward_kit_system(t.kit);

	while (flooding()) {
		uint64_t asked = stress_get(&t.handled);
		struct answer answer;
		ward_assert_eq(ward_system_ask(system, t.desk, WARD_MINUTE, &answer, question,
					       .handled = asked),
			       WARD_OK);
		note_answer(asked, answer.handled);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Floods one actor, from inside and from two threads, while another is asked. Returns how many
 * messages of the flood went before 99 of 100 questions. */
static uint64_t run_flood(uint32_t workers, bool outside)
{
	static const ward_behavior sink = {.name = "sink", .receive = sink_receive};
	static const ward_behavior desk = {.name = "desk", .receive = desk_receive};
	static const ward_behavior pumping = {.name = "pump", .receive = pump_receive};
	static const ward_behavior asker = {.name = "asker",
					    .state_size = sizeof(struct asker),
					    .pre_start = asker_start,
					    .receive = asker_receive};
	pthread_t flooders[FLOODERS];

	t.kit = stress_start(&(ward_kit_options){.system.workers = workers});
	t.drops = stress_size(1000 * 1000, 10 * 1000 * 1000);
	t.sink = ward_kit_spawn(t.kit, &sink);
	t.desk = ward_kit_spawn(t.kit, &desk);
	ward_ref pump = ward_kit_spawn(t.kit, &pumping);
	ward_kit_tell(t.kit, pump, pump);
	for (int i = 0; i < FLOODERS; i++)
		flooders[i] = stress_thread(flood, ward_kit_system(t.kit));
	if (outside)
		ask_outside();
	else
		(void)ward_kit_spawn(t.kit, &asker);
	for (int i = 0; i < FLOODERS; i++)
		stress_join(flooders[i]);
	STRESS_UNTIL(t.kit, !flooding());
	ward_kit_finish(t.kit);

	ward_assert(t.answers > 0);
	qsort(t.waited, t.answers, sizeof(t.waited[0]), compare);
	printf("# %zu questions; before 99 of 100 went %llu messages at most\n", t.answers,
	       (unsigned long long)t.waited[t.answers * 99 / 100]);
	return t.waited[t.answers * 99 / 100];
}

WARD_TEST(fair_question_of_an_actor_beside_a_flood_waits_for_two_batches)
{
	ward_assert(run_flood(1, false) <= 2 * BATCH);
}

/* It is asked by a thread that may lose the processor between looking at the count and asking. */
WARD_TEST(fair_question_of_a_thread_beside_a_flood_waits_for_some_batches)
{
	ward_assert(run_flood(1, true) <= 4 * BATCH);
}

WARD_TEST(fair_question_of_a_thread_beside_a_flood_is_answered_2_workers)
{
	(void)run_flood(2, true);
}

WARD_TEST(fair_question_of_a_thread_beside_a_flood_is_answered_8_workers)
{
	(void)run_flood(8, true);
}

/* ---- a system message --------------------------------------------------------------------- */

static sem_t running, go;

/* The first one waits until the test has told it something. */
static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	if (!ward_match(msg, job))
		return WARD_UNHANDLED;
	if (stress_add(&t.handled, 1) == 0) {
		sem_post(&running);
		sem_wait(&go);
	}
	return WARD_DONE;
}

static const ward_behavior worker = {.name = "worker", .receive = worker_receive};

static void give_jobs(ward_ref who)
{
	for (int i = 0; i < JOBS; i++)
		ward_kit_tell(t.kit, who, job);
	sem_wait(&running);
}

static void stop_goes_before_mail(uint32_t workers)
{
	t.kit = stress_start(&(ward_kit_options){.system.workers = workers});
	sem_init(&running, 0, 0);
	sem_init(&go, 0, 0);
	ward_ref who = ward_kit_spawn(t.kit, &worker);

	give_jobs(who);
	ward_kit_stop(t.kit, who);
	sem_post(&go);
	ward_assert_eq(ward_system_wait_for(ward_kit_system(t.kit), who, WARD_MINUTE), WARD_OK);
	ward_assert_eq(stress_get(&t.handled), 1);
	ward_kit_finish(t.kit);
}

STRESS_WORKERS(stop_goes_before_mail, "S1")

/* The actor at the top of a subtree: it has one child, and fails when told to. */
static ward_result head_start(ward_self *self, void *state)
{
	(void)state;
	ward_assert_eq(ward_try_spawn(self, WARD_PROPS(&worker), &t.sink), WARD_OK);
	sem_post(&running);
	return WARD_DONE;
}

static ward_result head_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, fail))
		return WARD_UNHANDLED;
	return ward_failed(self, &ward_exception, "as told");
}

/* The child was told to suspend before this is asked. It is let go now, and has ended its handler
 * at some time: only then it stops with its parent. */
static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	(void)failure;
	sem_post(&go);
	return WARD_STOP;
}

static void run_failure(uint32_t workers)
{
	static const ward_behavior head = {
		.name = "head", .pre_start = head_start, .receive = head_receive};
	static const ward_strategy stopping = {.decide = decide};

	t.kit = stress_start(
		&(ward_kit_options){.system = {.workers = workers, .user_strategy = &stopping}});
	sem_init(&running, 0, 0);
	sem_init(&go, 0, 0);
	ward_ref who = ward_kit_spawn(t.kit, &head);

	sem_wait(&running); /* the child is there */
	give_jobs(t.sink);
	ward_kit_tell(t.kit, who, fail);
	ward_assert_eq(ward_system_wait_for(ward_kit_system(t.kit), who, WARD_MINUTE), WARD_OK);
	ward_assert_eq(stress_get(&t.handled), 1);
	ward_kit_finish(t.kit);
}

WARD_TEST(failure_suspends_a_child_after_its_handler_2_workers, "S12")
{
	run_failure(2);
}

WARD_TEST(failure_suspends_a_child_after_its_handler_8_workers, "S12")
{
	run_failure(8);
}

WARD_TEST_MAIN
