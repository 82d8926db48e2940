/* SPDX-License-Identifier: MIT
 *
 * test_ask.c - questions on real threads: answers race with timeouts, ends and restarts, and each
 * question of an incarnation that lives on ends exactly once.
 *
 * Method: askers keep four questions open at a time, to targets that answer, answer twice, say
 * nothing, pass on, fail, or stop before or after the answer; now and then an asker fails with its
 * questions open. Threads outside ask the same targets, waiting and by inboxes. Then the books:
 * each question was ended or abandoned.
 */
#include "support/stress.h"

enum { ASKERS = 8, OPEN_MAX = 4, TARGETS = 16, THREADS = 2 };

struct question {
	uint64_t dice;
};
WARD_MESSAGE(question);
struct answer {
	uint64_t dice;
};
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);

static struct {
	ward_kit *kit;
	pthread_mutex_t mu;
	ward_ref targets[TARGETS]; /* under mu */
	ward_ref echo;             /* what is passed on goes there */
	_Atomic uint64_t left[ASKERS];
	_Atomic uint64_t done;
	_Atomic uint64_t asked, ended, abandoned;
	_Atomic uint64_t answered, late, gone;
	_Atomic uint64_t outside_answered, outside_gone, received;
} field = {.mu = PTHREAD_MUTEX_INITIALIZER};

static ward_ref target_at(uint64_t dice)
{
	pthread_mutex_lock(&field.mu);
	ward_ref ref = field.targets[dice % TARGETS];
	pthread_mutex_unlock(&field.mu);
	return ref;
}

/* ---- targets ----------------------------------------------------------------------------- */

struct target {
	ward_ref kept;
	uint64_t kept_dice;
};

static ward_result target_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);
	struct target *me = state;

	if (question == NULL)
		return WARD_UNHANDLED;
	switch (question->dice % 16) {
	case 0: /* nothing */
		break;
	case 1:
		ward_answer(self, msg, question, .dice = question->dice);
		ward_stop_self(self);
		break;
	case 2:
		ward_stop_self(self);
		break;
	case 3:
		ward_answer(self, msg, question, .dice = question->dice);
		ward_answer(self, msg, question, .dice = question->dice);
		break;
	case 4:
		ward_forward(self, field.echo);
		break;
	case 5:
		return ward_failed(self, &ward_exception, "no answer");
	case 6: /* late, perhaps to an asker that is gone */
		ward_tell(self, me->kept, answer, .dice = me->kept_dice);
		me->kept = ward_msg_sender(msg);
		me->kept_dice = question->dice;
		break;
	default:
		ward_answer(self, msg, question, .dice = question->dice);
		break;
	}
	return WARD_DONE;
}

static ward_result echo_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);

	(void)state;
	if (question != NULL)
		ward_answer(self, msg, question, .dice = question->dice);
	return WARD_DONE;
}

static const ward_behavior echo = {.name = "echo", .receive = echo_receive};
static const ward_behavior target = {
	.name = "target",
	.state_size = sizeof(struct target),
	.receive = target_receive,
};

/* ---- askers ------------------------------------------------------------------------------ */

struct asker_args {
	int number;
};
WARD_MESSAGE(asker_args);

struct asker {
	int number;
	int open;
	uint64_t dice[OPEN_MAX + 1]; /* of the question with that tag; 0: it is not open */
};

static void ask(ward_self *self, struct asker *me, uint64_t tag)
{
	uint64_t dice = ward_random(self) | UINT64_C(1) << 63;
	int64_t timeout_ms = 1 + (int64_t)(dice >> 16) % 4;

	if (field.left[me->number] == 0)
		return;
	field.left[me->number]--;
	ward_assert_ok(
		ward_try_ask(self, target_at(dice >> 24), tag, timeout_ms, question, .dice = dice));
	stress_add(&field.asked, 1);
	me->dice[tag] = dice;
	me->open++;
}

static void rest(struct asker *me)
{
	if (me->open == 0 && field.left[me->number] == 0)
		stress_add(&field.done, 1);
}

static ward_result asker_init(ward_self *self, void *state, const void *args)
{
	struct asker *me = state;

	me->number = ((const struct asker_args *)args)->number;
	for (uint64_t tag = 1; tag <= OPEN_MAX; tag++)
		ask(self, me, tag);
	rest(me);
	return WARD_DONE;
}

/* One that is gone makes room for another. */
static void replace(ward_self *self, ward_ref old)
{
	ward_ref fresh;

	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&target), &fresh));
	pthread_mutex_lock(&field.mu);
	for (int i = 0; i < TARGETS; i++) {
		if (ward_ref_equal(field.targets[i], old)) {
			field.targets[i] = fresh;
			fresh = ward_nobody();
			break;
		}
	}
	pthread_mutex_unlock(&field.mu);
	ward_stop(self, fresh); /* somebody else was faster */
}

static ward_result asker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct answer *answer = ward_match(msg, answer);
	struct asker *me = state;
	uint64_t tag = ward_ask_tag(self);

	ward_assert(tag >= 1 && tag <= OPEN_MAX);
	ward_assert(me->dice[tag] != 0);
	ward_assert((failed != NULL) != (answer != NULL));
	if (answer != NULL) {
		ward_assert_eq(answer->dice, me->dice[tag]);
		stress_add(&field.answered, 1);
	} else {
		ward_assert(failed->why == WARD_ETIMEDOUT || failed->why == WARD_EDEAD);
		stress_add(failed->why == WARD_EDEAD ? &field.gone : &field.late, 1);
		if (failed->why == WARD_EDEAD)
			replace(self, failed->to);
	}
	stress_add(&field.ended, 1);
	me->dice[tag] = 0;
	me->open--;
	if (me->open > 0 && ward_random(self) % 64 == 0)
		return ward_failed(self, &ward_exception, "with questions open");
	ask(self, me, tag);
	rest(me);
	return WARD_DONE;
}

static ward_result asker_pre_restart(ward_self *self, void *state, const ward_failure *why,
				     const ward_msg *msg)
{
	const struct asker *me = state;

	(void)self;
	(void)why;
	(void)msg;
	stress_add(&field.abandoned, (uint64_t)me->open);
	return WARD_DONE; /* keeps its targets */
}

static const ward_behavior asker = {
	.name = "asker",
	.state_size = sizeof(struct asker),
	.args = &ward_type_asker_args,
	.init = asker_init,
	.receive = asker_receive,
	.pre_restart = asker_pre_restart,
};

/* ---- threads outside --------------------------------------------------------------------- */

static void *ask_outside(void *arg)
{
	ward_system *system = ward_kit_system(field.kit);
	uint64_t state = (uint64_t)(uintptr_t)arg;
	ward_inbox *inbox = NULL;

	ward_assert_ok(ward_inbox_create(system, NULL, &inbox));
	while (stress_get(&field.done) < ASKERS) {
		uint64_t dice = stress_random(&state);
		ward_ref to = target_at(dice >> 24);
		const ward_msg *msg;
		struct answer answer;
		ward_err err = ward_system_ask(system, to, 2, &answer, question, .dice = dice);

		ward_assert(err == WARD_OK || err == WARD_EDEAD || err == WARD_ETIMEDOUT);
		if (err == WARD_OK)
			ward_assert_eq(answer.dice, dice);
		stress_add(err == WARD_OK ? &field.outside_answered : &field.outside_gone, 1);
		ward_assert_ok(ward_inbox_watch(inbox, to));
		ward_inbox_tell(inbox, to, question, .dice = dice);
		while (ward_inbox_receive(inbox, 0, &msg) == WARD_OK)
			stress_add(&field.received, 1);
		ward_assert_ok(ward_inbox_unwatch(inbox, to));
		if (dice % 64 == 1)
			ward_assert(ward_system_ask_stop(system, to, 1000) == WARD_OK);
	}
	ward_inbox_destroy(inbox);
	return NULL;
}

/* ---- the field --------------------------------------------------------------------------- */

static void questions(uint32_t workers)
{
	static const ward_strategy restarting = {.otherwise = WARD_RESTART};
	uint64_t quota = stress_size(STRESS_SANITIZED ? 1000 : 4000, 400000);
	pthread_t threads[THREADS];

	field.kit = stress_start(&(ward_kit_options){.system.workers = workers,
						     .system.user_strategy = &restarting});
	field.echo = ward_kit_spawn(field.kit, &echo);
	for (int i = 0; i < TARGETS; i++)
		field.targets[i] = ward_kit_spawn(field.kit, &target);
	for (int i = 0; i < ASKERS; i++)
		field.left[i] = quota;
	for (int i = 0; i < ASKERS; i++) {
		struct asker_args args = {i};

		ward_kit_spawn(field.kit, &asker, .args = {WARD_COPY(asker_args, &args)});
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		threads[i] = stress_thread(ask_outside, (void *)(i + 1));
	STRESS_UNTIL(field.kit, stress_get(&field.done) >= ASKERS);
	for (int i = 0; i < THREADS; i++)
		stress_join(threads[i]);
	ward_kit_run(field.kit);
	ward_assert_eq(field.asked, quota * ASKERS);
	ward_assert_eq(field.asked, field.ended + field.abandoned);
	ward_assert_eq(field.ended, field.answered + field.late + field.gone);
	ward_assert(field.answered > 0 && field.late > 0 && field.gone > 0);
	ward_assert(field.abandoned > 0 && field.outside_answered > 0 && field.outside_gone > 0);
	ward_assert(field.received > 0);
	ward_assert_eq(ward_kit_stats(field.kit).timers, 0);
	ward_kit_finish(field.kit);
}
STRESS_WORKERS(questions, "S51")

WARD_TEST_MAIN
