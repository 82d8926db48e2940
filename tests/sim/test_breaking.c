/* SPDX-License-Identifier: MIT
 *
 * test_breaking.c - a resource that fails, hangs and comes back at random, and a clerk that asks it
 * through a circuit breaker, and again and again.
 *
 * Method: faults strike besides: callbacks fail, messages are late or lost, the clock jumps, memory
 * is out. Whatever happens: each question ends once in the incarnation that asked it, and never in
 * another; the breaker moves as its table says, not too early, and lets one call through while it
 * is half-open. When all is quiet, nothing is open, and no timer is left.
 */
#include <string.h>

#include <ward/breaker.h>
#include <ward/retry.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { QUESTIONS = 80, LAST = QUESTIONS + 1, NEXT = 1, RESET_MS = 60 };

enum resource { FINE, FAILS, HANGS, KINDS };

struct ask {
	uint64_t number;
};
WARD_MESSAGE(ask);
struct told {
	int64_t number; /* -1: it failed */
};
WARD_MESSAGE(told);
WARD_REPLY(ask, told);
WARD_SIGNAL(next);
WARD_SIGNAL(last);

static struct books {
	enum resource resource;
	ward_ref source, clerk;
	bool open[LAST + 1];
	uint64_t round[LAST + 1]; /* the number of moves when it was asked */
	uint64_t asked, ended, refused, moves;
	ward_breaker_state at;
	int64_t opened_ns;
	int probes;
	bool quiet;
	const char *wrong;
} books;

static bool nothing_wrong(void *arg)
{
	(void)arg;
	return books.wrong == NULL;
}

/* ---- the resource, and its weather --------------------------------------------------------- */

static ward_result source_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ask *ask = ward_match(msg, ask);

	(void)state;
	if (ask == NULL)
		return WARD_UNHANDLED;
	switch (books.resource) {
	case FINE:
		ward_answer(self, msg, ask, .number = (int64_t)ask->number);
		break;
	case FAILS:
		if (ward_random(self) % 4 == 0)
			return ward_failed(self, &ward_exception, "broken");
		ward_answer(self, msg, ask, .number = -1);
		break;
	case HANGS:
	case KINDS:
		break;
	}
	return WARD_DONE;
}
static const ward_behavior source = {.name = "source", .receive = source_receive};

static ward_result again(ward_self *self, int64_t most_ms)
{
	int64_t after_ms = (int64_t)(ward_random(self) % (uint64_t)most_ms);

	if (!books.quiet)
		ward_after(self, NEXT, after_ms, next);
	return WARD_DONE;
}

static ward_result weather_start(ward_self *self, void *state)
{
	(void)state;
	return again(self, 300);
}

static ward_result weather_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state, (void)msg;
	books.resource = books.quiet ? FINE : (enum resource)(ward_random(self) % KINDS);
	return again(self, 600);
}
static const ward_behavior weather = {
	.name = "weather", .pre_start = weather_start, .receive = weather_receive};

/* ---- the clerk ----------------------------------------------------------------------------- */

struct clerk {
	struct ward_breaker breaker;
	struct ward_retry retry;
};

static bool is_bad(const ward_msg *msg)
{
	const struct told *told = ward_match(msg, told);

	return told == NULL || told->number < 0;
}

static bool may_move(ward_breaker_state from, ward_breaker_state to)
{
	switch (from) {
	case WARD_BREAKER_CLOSED:
		return to == WARD_BREAKER_OPEN;
	case WARD_BREAKER_OPEN:
		return to == WARD_BREAKER_HALF_OPEN;
	case WARD_BREAKER_HALF_OPEN:
		return to == WARD_BREAKER_OPEN || to == WARD_BREAKER_CLOSED;
	}
	return false;
}

static void moved(ward_self *self, void *state, ward_breaker *breaker, ward_breaker_state from)
{
	ward_breaker_state to = ward_breaker_at(breaker);
	int64_t now_ns = ward_now_ns(self);

	(void)state;
	if (from != books.at || !may_move(from, to))
		books.wrong = "a move that is not in the table";
	if (to == WARD_BREAKER_HALF_OPEN && now_ns - books.opened_ns < RESET_MS * INT64_C(1000000))
		books.wrong = "half-open too early";
	if (to == WARD_BREAKER_OPEN)
		books.opened_ns = now_ns;
	books.at = to;
	books.probes = 0;
	books.moves++;
}

static const ward_breaker_options breaking = {.failures_max = 3,
					      .call_timeout_ms = 100,
					      .reset_ms = RESET_MS,
					      .reset_max_ms = 4 * RESET_MS,
					      .random_factor = 0.2,
					      .failed = is_bad,
					      .moved = moved};
static const ward_retry_options trying = {.tries_max = 4,
					  .try_timeout_ms = 60,
					  .delay_min_ms = 10,
					  .delay_max_ms = 100,
					  .random_factor = 0.5,
					  .within_ms = 400,
					  .again = is_bad};

/* Nothing may come of what another incarnation has asked. */
static ward_result clerk_init(ward_self *self, void *state, const void *args)
{
	struct clerk *me = state;

	(void)args;
	memset(books.open, 0, sizeof books.open);
	books.at = WARD_BREAKER_CLOSED;
	books.moves++;
	books.probes = 0;
	ward_breaker_init(self, &me->breaker, &breaking);
	return ward_retry_init(self, &me->retry, &trying);
}

static ward_result clerk_start(ward_self *self, void *state)
{
	(void)state;
	return again(self, 40);
}

static ward_err ask_one(ward_self *self, struct clerk *me, uint64_t number)
{
	if (number % 2 == 0)
		return ward_try_retry_ask(self, &me->retry, books.source, number, ask,
					  .number = number);
	return ward_breaker_ask(self, &me->breaker, books.source, number, ask, .number = number);
}

static ward_result ask_next(ward_self *self, struct clerk *me)
{
	uint64_t number = ++books.asked;
	ward_err err;

	if (number > QUESTIONS)
		return WARD_DONE;
	err = ask_one(self, me, number);
	books.open[number] = err == WARD_OK;
	books.round[number] = books.moves;
	books.refused += err == WARD_EOPEN;
	if (err == WARD_OK && number % 2 == 1 &&
	    ward_breaker_at(&me->breaker) == WARD_BREAKER_HALF_OPEN && ++books.probes > 1)
		books.wrong = "a second call while it is half-open";
	if (number % 10 == 0)
		ward_retry_cancel(self, &me->retry, number);
	if (number % 10 == 5)
		ward_breaker_cancel(self, &me->breaker, number);
	if (number % 5 == 0) {
		books.open[number] = false;
		books.probes = 0;
	}
	return again(self, 40);
}

/* The weather is fine, and nothing else is open. */
static ward_result ask_last(ward_self *self, struct clerk *me)
{
	ward_err err = ward_breaker_ask(self, &me->breaker, books.source, LAST, ask, .number = 1);

	if (err != WARD_OK)
		books.wrong = "nothing is let through any more";
	books.open[LAST] = err == WARD_OK;
	books.round[LAST] = books.moves;
	return WARD_DONE;
}

/* The breaker looks at a message, and does nothing that it must not. */
static ward_result look(ward_self *self, struct clerk *me, const ward_msg *msg)
{
	uint64_t before = books.moves, tag = ward_ask_tag(self);
	bool was_half_open = books.at == WARD_BREAKER_HALF_OPEN;
	ward_result result = ward_breaker_receive(self, &me->breaker, msg);

	if (tag % 2 == 0 || tag > LAST || !books.open[tag])
		return result;
	if (books.round[tag] != before && books.moves != before)
		books.wrong = "a call of another round has moved it";
	if (books.round[tag] == before && books.moves == before && was_half_open)
		books.wrong = "half-open, it was not moved by its call";
	return result;
}

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct clerk *me = state;
	ward_result result = look(self, me, msg);
	uint64_t tag = ward_ask_tag(self);

	if (result == WARD_UNHANDLED)
		result = ward_retry_receive(self, &me->retry, msg);
	if (result != WARD_UNHANDLED)
		return result;
	if (ward_match(msg, next))
		return ask_next(self, me);
	if (ward_match(msg, last))
		return ask_last(self, me);
	if (tag == 0)
		return WARD_UNHANDLED;
	if (tag > LAST || !books.open[tag])
		books.wrong = "an end of a question that is not open";
	else
		books.open[tag] = false;
	books.ended++;
	return WARD_DONE;
}
static const ward_behavior clerk = {.name = "clerk",
				    .state_size = sizeof(struct clerk),
				    .init = clerk_init,
				    .pre_start = clerk_start,
				    .receive = clerk_receive};

/* ---- the runs ------------------------------------------------------------------------------ */

static void run(ward_kit *kit)
{
	uint64_t open = 0;

	memset(&books, 0, sizeof books);
	ward_simulation_invariant(kit, nothing_wrong, NULL, "nothing is wrong");
	books.source = ward_kit_spawn(kit, &source, .name = "source");
	ward_kit_spawn(kit, &weather, .name = "weather");
	books.clerk = ward_kit_spawn(kit, &clerk, .name = "clerk");
	ward_kit_advance(kit, 4 * WARD_SECOND);
	ward_simulation_faults_end(kit);
	books.quiet = true;
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	ward_kit_advance(kit, WARD_SECOND); /* one without memory for its timer is due, too */
	books.resource = FINE;              /* the weather may be gone */
	ward_kit_tell(kit, books.clerk, last);
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	ward_assert(books.wrong == NULL);
	ward_simulation_note(kit, books.ended * 1000000 + books.refused * 1000 + books.moves);
	for (int i = 0; i <= LAST; i++)
		open += books.open[i];
	if (ward_kit_state(kit, books.clerk) != WARD_STATE_RUNNING)
		return;
	ward_assert_eq(open, 0);
	if (ward_kit_state(kit, books.source) == WARD_STATE_RUNNING)
		ward_assert_eq(books.at, WARD_BREAKER_CLOSED);
}

WARD_SIMULATION(each_question_ends_once_in_bad_weather, .seeds = 300)
{
	run(kit);
	ward_assert(books.ended > 0);
}

WARD_SIMULATION(each_question_ends_once_under_faults, .seeds = 300,
		.faults = {
			.fail = 4, .stall = 2, .jump = 2, .delay = 4, .lose = 4, .delay_ms = 300})
{
	run(kit);
}

WARD_SIMULATION(each_question_ends_once_short_of_memory, .seeds = 300,
		.faults = {.memory = 4, .path = "*/clerk*"})
{
	run(kit);
}

WARD_TEST_MAIN
