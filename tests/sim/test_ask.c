/* SPDX-License-Identifier: MIT
 *
 * test_ask.c - questions under faults: each one of an incarnation that lives on ends exactly once,
 * and nothing is open at the end.
 *
 * Method: a few askers and targets; questions and answers are lost and late, targets and askers
 * fail, stall and stop. The asker's books are checked at each end of a question, and in the end.
 */
#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { ASKERS = 3, TARGETS = 3, TAGS = 4, QUOTA = 12 };

struct question {
	uint64_t dice;
};
WARD_MESSAGE(question);
struct answer {
	uint64_t dice;
};
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);
struct asker_args {
	int number;
};
WARD_MESSAGE(asker_args);

static struct books {
	ward_ref targets[TARGETS];
	ward_ref echo; /* what is passed on goes there */
	ward_ref askers[ASKERS];
	int left[ASKERS];
	uint64_t open[ASKERS][TAGS + 1]; /* the dice; 0: it is not open */
	int asked, refused, ended, abandoned;
	int piped; /* and passed on by who asked, at most */
	int passed;
	bool wrong; /* an end that is none */
} books;

static ward_result target_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);

	(void)state;
	if (question == NULL)
		return WARD_UNHANDLED;
	switch (question->dice % 8) {
	case 0:
		break;
	case 1:
		ward_answer(self, msg, question, .dice = question->dice);
		ward_stop_self(self);
		break;
	case 2:
		ward_forward(self, books.echo);
		break;
	case 3:
		ward_answer(self, msg, question, .dice = question->dice);
		ward_answer(self, msg, question, .dice = question->dice);
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
static const ward_behavior target = {.name = "target", .receive = target_receive};

struct asker {
	int number;
};

static int count_open(int number)
{
	int count = 0;

	for (int tag = 1; tag <= TAGS; tag++)
		count += books.open[number][tag] != 0;
	return count;
}

/* The incarnation is over. */
static void abandon(int number)
{
	books.abandoned += count_open(number);
	memset(books.open[number], 0, sizeof books.open[number]);
}

/* Some are piped to the asker itself, to come back as mail that ends nothing. */
static void ask(ward_self *self, struct asker *me, uint64_t tag)
{
	struct question body = {ward_random(self) | UINT64_C(1) << 63};
	ward_question question = {
		.to = books.targets[body.dice / 64 % TARGETS],
		.timeout_ms = 1 + (int64_t)(body.dice / 1024 % 2000),
		.tag = tag,
	};
	ward_err err;

	if (books.left[me->number]-- <= 0)
		return;
	err = ward_try_ask_send(self, &question, &ward_type_question, &body, sizeof body);
	if (err != WARD_OK) { /* it found no memory */
		books.refused++;
		books.wrong |= err != WARD_ENOMEM || ward_ask_open(self, tag);
		return;
	}
	books.asked++;
	books.open[me->number][tag] = body.dice;
	question.tag = 0;
	question.answer_to = ward_self_ref(self);
	if (body.dice / 4096 % 4 == 0 &&
	    ward_try_ask_send(self, &question, &ward_type_question, &body, sizeof body) == WARD_OK)
		books.piped++;
}

static ward_result asker_init(ward_self *self, void *state, const void *args)
{
	struct asker *me = state;

	me->number = ((const struct asker_args *)args)->number;
	abandon(me->number);
	for (uint64_t tag = 1; tag <= TAGS; tag++)
		ask(self, me, tag);
	return WARD_DONE;
}

static ward_result asker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct answer *answer = ward_match(msg, answer);
	struct asker *me = state;
	uint64_t tag = ward_ask_tag(self);
	uint64_t *open = &books.open[me->number][tag <= TAGS ? tag : 0];

	if (tag == 0) {
		books.passed++;
		return WARD_DONE;
	}
	books.wrong |= tag > TAGS || *open == 0 || (failed != NULL) == (answer != NULL) ||
		       ward_ask_open(self, tag);
	books.wrong |= answer != NULL && answer->dice != *open;
	books.ended++;
	*open = 0;
	ask(self, me, tag);
	return WARD_DONE;
}

static const ward_behavior asker = {
	.name = "asker",
	.state_size = sizeof(struct asker),
	.args = &ward_type_asker_args,
	.init = asker_init,
	.receive = asker_receive,
};

static bool ends_are_right(void *arg)
{
	(void)arg;
	return !books.wrong && books.ended <= books.asked && books.passed <= books.piped;
}

static void run(ward_kit *kit)
{
	books = (struct books){.wrong = false};
	ward_simulation_invariant(kit, ends_are_right, NULL, "each question ends once");
	books.echo = ward_kit_spawn(kit, &echo);
	for (int i = 0; i < TARGETS; i++)
		books.targets[i] = ward_kit_spawn(kit, &target);
	for (int i = 0; i < ASKERS; i++) {
		struct asker_args args = {i};

		books.left[i] = QUOTA;
		books.askers[i] =
			ward_kit_spawn(kit, &asker, .args = {WARD_COPY(asker_args, &args)});
	}
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	ward_assert(ends_are_right(NULL));
	ward_assert_eq(ward_kit_stats(kit).timers, 0);
	ward_simulation_note(kit, (uint64_t)books.ended);
	for (int i = 0; i < ASKERS; i++) {
		/* Whoever lives has heard of all that this incarnation asked. */
		if (ward_system_is_alive(ward_kit_system(kit), books.askers[i]))
			ward_assert_eq(count_open(i), 0);
		abandon(i);
	}
	ward_assert_eq(books.asked, books.ended + books.abandoned);
}

static const ward_strategy restarting = {.otherwise = WARD_RESTART};

WARD_SIMULATION(questions_end_once_though_all_goes_wrong,
		.faults = {.fail = 4,
			   .memory = 2,
			   .stall = 3,
			   .jump = 2,
			   .delay = 4,
			   .lose = 4,
			   .path = "*/user/*"},
		.kit = {.system.user_strategy = &restarting})
{
	(void)arg;
	run(kit);
}

/* Nobody fails: so none is abandoned. */
WARD_SIMULATION(questions_of_askers_that_live_on_all_end,
		.faults = {.stall = 3, .jump = 2, .delay = 6, .lose = 6, .path = "*/user/*"},
		.kit = {.system.user_strategy = &restarting})
{
	(void)arg;
	run(kit);
	ward_assert_eq(books.abandoned, 0);
	ward_assert_eq(books.ended, ASKERS * QUOTA);
}

WARD_TEST_MAIN
