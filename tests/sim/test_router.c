/* SPDX-License-Identifier: MIT
 *
 * test_router.c - routers under faults: what is sent through one arrives once, or is accounted for.
 *
 * Method: jobs that own something, sent through a router whose routees come and go, while callbacks
 * fail, spawns are refused and messages are late or lost. Each job ends in one of these: a routee
 * handled it; it is a dead letter; a fault struck in place of the callback that had it in hand. And
 * each is dropped once. In the end nothing is left.
 */
#include <string.h>

#include <ward/ask.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { JOBS = 60, ROUTEES = 4 };

struct work {
	int number;
	bool full;
};

static struct {
	int handled[JOBS], dropped[JOBS];
	int struck, dead, answers[JOBS];
	ward_ref router;
} books;

static void work_drop(struct work *work)
{
	if (work->full)
		books.dropped[work->number]++;
}
static ward_err work_clone(struct work *to, const struct work *from)
{
	*to = *from;
	to->full = false; /* only the first counts */
	return WARD_OK;
}
WARD_MESSAGE_CLONE(work, work_drop, work_clone);

struct done {
	int number;
};
WARD_MESSAGE(done);

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct work *work = ward_match(msg, work);

	(void)state;
	if (work == NULL)
		return WARD_UNHANDLED;
	books.handled[work->number]++;
	ward_reply(self, msg, done, .number = work->number);
	return WARD_DONE;
}
static const ward_behavior worker = {.name = "worker", .receive = worker_receive};

static bool is_work(const ward_type *type)
{
	return type != NULL && strcmp(type->name, "work") == 0;
}

static void begins(void *arg, const ward_occasion *it, const ward_fault *fault)
{
	(void)arg;
	if (it->point == WARD_POINT_RECEIVE && is_work(it->type) && fault != NULL)
		books.struck += fault->kind == WARD_FAULT_FAIL_BEFORE;
}

static size_t dead_work(ward_kit *kit)
{
	size_t dead = 0, count = ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*");

	for (size_t i = 0; i < count; i++)
		dead += strcmp(ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", i)->message_type,
			       "work") == 0;
	return dead;
}

static bool none_twice(void *arg)
{
	(void)arg;
	for (int i = 0; i < JOBS; i++)
		if (books.handled[i] > 1 || books.dropped[i] > 1)
			return false;
	return true;
}

/* Jobs as nobody, with changes in between. */
static void send_work(ward_kit *kit, int first, int end)
{
	for (int i = first; i < end; i++) {
		ward_kit_tell(kit, books.router, work, .number = i, .full = true);
		if (i % 7 == 3)
			ward_kit_tell(kit, books.router, ward_adjust_pool,
				      .change = i % 2 ? 2 : -1);
		if (i % 5 == 0)
			ward_kit_advance(kit, 30);
	}
}

static void begin(ward_kit *kit, const ward_behavior *behavior, const struct ward_router *args)
{
	static const ward_simulation_observer observer = {.begins = begins};

	memset(&books, 0, sizeof books);
	ward_simulation_observe(kit, &observer);
	ward_simulation_invariant(kit, none_twice, NULL, "no job is handled or dropped twice");
	books.router = ward_kit_spawn(kit, behavior, .name = "router",
				      .args = {WARD_COPY(ward_router, args)});
}

static void check_books(ward_kit *kit)
{
	int handled = 0;

	ward_simulation_eventually_idle(kit, 10 * WARD_MINUTE);
	for (int i = 0; i < JOBS; i++) {
		handled += books.handled[i];
		ward_assert_eq(books.dropped[i], 1);
	}
	ward_assert_eq(handled + (int)dead_work(kit) + books.struck, JOBS);
}

#define FAULTS                                                                                     \
	{                                                                                          \
		.fail = 4, .refuse = 2, .stall = 2, .jump = 1, .delay = 3, .lose = 2,              \
		.delay_ms = 300, .path = "*/router*"                                               \
	}

WARD_SIMULATION(pool_accounts_for_each_job, .seeds = 300, .faults = FAULTS)
{
	begin(kit, &ward_pool,
	      &(struct ward_router){.routees = ROUTEES, .routee = {.behavior = &worker}});
	send_work(kit, 0, JOBS);
	check_books(kit);
}

static const ward_strategy restarts = {.otherwise = WARD_RESTART, .restarts_max = 2};
static const ward_resizer resizer = {.routees_min = 2, .routees_max = 6, .messages_per_resize = 3};

/* Its routees die of their third failure, and are replaced. */
static void resizing(ward_kit *kit, ward_routing routing)
{
	static const ward_simulation_observer observer = {.begins = begins};
	const struct ward_router args = {
		.routing = routing, .routee = {.behavior = &worker}, .resizer = &resizer};

	memset(&books, 0, sizeof books);
	ward_simulation_observe(kit, &observer);
	ward_simulation_invariant(kit, none_twice, NULL, "no job is handled or dropped twice");
	books.router = ward_kit_spawn(kit, &ward_pool, .name = "router",
				      .args = {WARD_COPY(ward_router, &args)},
				      .child_strategy = &restarts);
	send_work(kit, 0, JOBS);
	check_books(kit);
}

WARD_SIMULATION(resizing_pool_accounts_for_each_job, .seeds = 200, .faults = FAULTS)
{
	resizing(kit, WARD_ROUTE_RANDOM);
}

WARD_SIMULATION(pool_of_smallest_mailboxes_accounts_for_each_job, .seeds = 200, .faults = FAULTS)
{
	resizing(kit, WARD_ROUTE_SMALLEST_MAILBOX);
}

/* ---- questions ----------------------------------------------------------------------------- */

static ward_result asker_start(ward_self *self, void *state)
{
	(void)state;
	for (int i = 0; i < JOBS; i++)
		ward_tell(self, books.router, work, .number = i, .full = true);
	return WARD_DONE;
}

static ward_result asker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct done *done = ward_match(msg, done);

	(void)self, (void)state;
	if (done != NULL)
		books.answers[done->number]++;
	else if (ward_match(msg, ward_ask_failed) != NULL)
		books.dead++;
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}
static const ward_behavior asker = {
	.name = "asker", .receive = asker_receive, .pre_start = asker_start};

static bool one_answer_each(void *arg)
{
	(void)arg;
	for (int i = 0; i < JOBS; i++)
		if (books.answers[i] > 1 || books.dropped[i] > 1)
			return false;
	return true;
}

static void ask_all(ward_kit *kit, ward_routing routing)
{
	const struct ward_router args = {.routing = routing,
					 .routees = 3,
					 .timeout_ms = 500,
					 .interval_ms = 20,
					 .routee = {.behavior = &worker}};
	int ended = 0;

	memset(&books, 0, sizeof books);
	ward_simulation_invariant(kit, one_answer_each, NULL, "one answer for each question");
	books.router = ward_kit_spawn(kit, &ward_pool, .name = "router",
				      .args = {WARD_COPY(ward_router, &args)});
	ward_kit_spawn(kit, &asker, .name = "asker");
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	for (int i = 0; i < JOBS; i++) {
		ward_assert_eq(books.dropped[i], 1);
		ended += books.answers[i];
	}
	ward_assert(ended + books.dead <= JOBS);
	if (ward_simulation_faults(kit) == 0)
		ward_assert_eq(ended, JOBS);
	else
		ward_assert(ended > 0 || books.dead > 0 || dead_work(kit) > 0);
}

WARD_SIMULATION(questions_have_one_answer, .seeds = 200, .faults = FAULTS)
{
	ask_all(kit, WARD_ROUTE_SCATTER_GATHER);
}

WARD_SIMULATION(chopped_questions_have_one_answer, .seeds = 200, .faults = FAULTS)
{
	ask_all(kit, WARD_ROUTE_TAIL_CHOPPING);
}

WARD_SIMULATION(questions_without_faults_have_one_answer, .seeds = 50)
{
	ask_all(kit, WARD_ROUTE_SCATTER_GATHER);
}

/* ---- short of memory ----------------------------------------------------------------------- */

WARD_SIMULATION(pool_short_of_memory_leaves_nothing, .seeds = 200,
		.faults = {.memory = 3, .path = "*/router*"})
{
	begin(kit, &ward_pool,
	      &(struct ward_router){.routees = ROUTEES, .routee = {.behavior = &worker}});
	send_work(kit, 0, JOBS);
	check_books(kit);
}

WARD_TEST_MAIN
