/* SPDX-License-Identifier: MIT
 *
 * test_backoff.c - a resource that fails, hangs and comes back at random, and a back-off supervisor
 * in front of the actor that needs it.
 *
 * Method: a clerk sends numbered jobs, each of which owns something; the weather turns the resource
 * on and off; faults strike the supervisor and its child besides. Whatever happens: there is one
 * child at most, and one start that is due at most, never too early; jobs are handled in order;
 * each ends in one of these: it was handled, it failed the child, it is a dead letter, a fault
 * struck in place of the callback that had it in hand. When the weather is fine again the child
 * comes back, and nothing is left pending.
 */
#include <string.h>

#include <ward/backoff.h>
#include <ward/extend.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { JOBS = 60, CHANGES = 24, MIN_MS = 100, MAX_MS = 1600, PATIENCE_MS = 150 };

enum resource { FINE, FAILS, HANGS, KINDS };

struct job {
	int number;
	bool full;
};

static struct books {
	enum resource resource;
	int handled[JOBS + 1], dropped[JOBS + 1];
	int failed, struck;
	int last; /* that was handled */
	ward_ref nest, link;
	bool due; /* a start, from then on */
	int64_t due_ns;
	bool awaited;      /* its timer has not ticked */
	uint32_t undue;    /* starts of a supervisor that starts itself */
	const char *wrong; /* what was seen that must not be */
} books;

static void job_drop(struct job *job)
{
	if (job->full)
		books.dropped[job->number]++;
}
WARD_MESSAGE_DROP(job, job_drop);

WARD_SIGNAL(next);
WARD_SIGNAL(give_up);

/* ---- what needs the resource --------------------------------------------------------------- */

static const ward_failure_class unavailable = {.name = "unavailable", .parent = &ward_exception};

static void check_start(ward_self *self)
{
	if (!ward_ref_is_nobody(books.link) &&
	    ward_system_is_alive(ward_self_system(self), books.link))
		books.wrong = "a second child";
	if (books.due && ward_now_ns(self) < books.due_ns)
		books.wrong = "a start before it is due";
	if (!books.due)
		books.undue++;
	books.due = false;
	books.link = ward_self_ref(self);
}

static ward_result link_init(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	if (ward_incarnation(self) == 1)
		check_start(self);
	return WARD_DONE;
}

static ward_result link_start(ward_self *self, void *state)
{
	(void)state;
	if (books.resource == FAILS)
		return ward_failed(self, &unavailable, "no connection");
	return WARD_DONE;
}

static ward_result lost(ward_self *self, const char *why)
{
	books.failed++;
	return ward_failed(self, &unavailable, "%s", why);
}

/* Waits for the resource with all that comes meanwhile, in order. */
static ward_result wait(ward_self *self)
{
	if (!ward_timer_open(self, 1) &&
	    ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = PATIENCE_MS},
				 WARD_BODY(give_up)) != WARD_OK)
		return lost(self, "no timer");
	return ward_try_stash(self) == WARD_OK ? WARD_DONE : lost(self, "no room");
}

static ward_result link_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);

	(void)state;
	if (ward_match(msg, give_up)) {
		if (books.resource == HANGS)
			return ward_failed(self, &ward_hang, "no answer");
		(void)ward_unstash_all(self);
		return WARD_DONE;
	}
	if (job == NULL)
		return WARD_UNHANDLED;
	if (books.resource == HANGS || ward_timer_open(self, 1))
		return wait(self);
	if (books.resource == FAILS)
		return lost(self, "an error");
	if (job->number <= books.last)
		books.wrong = "jobs out of order";
	books.last = job->number;
	books.handled[job->number]++;
	return WARD_DONE;
}

static const ward_behavior link_behavior = {
	.name = "link", .init = link_init, .pre_start = link_start, .receive = link_receive};

/* ---- the world ----------------------------------------------------------------------------- */

static ward_result again(ward_self *self, int64_t most_ms)
{
	ward_after(self, 1, (int64_t)(ward_random(self) % (uint64_t)most_ms), next);
	return WARD_DONE;
}

struct turns {
	int so_far;
};

static ward_result weather_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct turns *turns = state;

	(void)msg;
	if (turns->so_far++ == CHANGES) {
		books.resource = FINE;
		return WARD_DONE;
	}
	books.resource = (enum resource)(ward_random(self) % KINDS);
	return again(self, 700);
}

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct turns *turns = state;

	(void)msg;
	if (turns->so_far == JOBS)
		return WARD_DONE;
	ward_tell(self, books.nest, job, .number = ++turns->so_far - 1, .full = true);
	return again(self, 250);
}

static const ward_behavior weather = {
	.name = "weather", .state_size = sizeof(struct turns), .receive = weather_receive};
static const ward_behavior clerk = {
	.name = "clerk", .state_size = sizeof(struct turns), .receive = clerk_receive};

/* Runs as the supervisor, whenever it arms the timer for a start. */
static uint64_t draw(ward_self *self)
{
	if (books.awaited)
		books.wrong = "a second start that is due";
	books.due = books.awaited = true;
	books.due_ns = ward_now_ns(self) + MIN_MS * INT64_C(1000000);
	return ward_random(self);
}

/* ---- following it -------------------------------------------------------------------------- */

static void begins(void *arg, const ward_occasion *it, const ward_fault *fault)
{
	(void)arg;
	if (it->point == WARD_POINT_RECEIVE && fault != NULL && it->type == &ward_type_job)
		books.struck += fault->kind == WARD_FAULT_FAIL_BEFORE;
	if (!ward_ref_equal(it->who, books.nest))
		return;
	/* What was due went with the incarnation. */
	if (it->point == WARD_POINT_INIT)
		books.due = books.awaited = false;
	if (it->point == WARD_POINT_RECEIVE &&
	    ward_type_same(it->type, &ward_type_ward_backoff_start))
		books.awaited = false;
}

static bool nothing_wrong(void *arg)
{
	(void)arg;
	for (int i = 0; i <= JOBS; i++)
		if (books.handled[i] > 1 || books.dropped[i] > 1)
			return false;
	return books.wrong == NULL;
}

static int dead_jobs(ward_kit *kit)
{
	size_t count = ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*");
	int dead = 0;

	for (size_t i = 0; i < count; i++)
		dead += strcmp(ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", i)->message_type,
			       "job") == 0;
	return dead;
}

static const ward_strategy restarts = {.otherwise = WARD_RESTART};

static struct ward_backoff options_of(uint32_t stash_max)
{
	return (struct ward_backoff){
		.child = {.behavior = &link_behavior, .name = "link"},
		.min_backoff_ms = MIN_MS,
		.max_backoff_ms = MAX_MS,
		.random_factor = 0.2,
		.stash_max = stash_max,
		.random = draw,
	};
}

static void run_world(ward_kit *kit, ward_props props)
{
	static const ward_simulation_observer observer = {.begins = begins};
	ward_ref actors[2];

	memset(&books, 0, sizeof books);
	books.last = -1;
	ward_simulation_observe(kit, &observer);
	ward_simulation_invariant(kit, nothing_wrong, NULL,
				  "one child, one start that is due, jobs once and in order");
	props.name = "nest";
	books.nest = ward_kit_spawn_props(kit, &props);
	actors[0] = ward_kit_spawn(kit, &weather, .name = "weather");
	actors[1] = ward_kit_spawn(kit, &clerk, .name = "clerk");
	ward_kit_tell(kit, actors[0], next);
	ward_kit_tell(kit, actors[1], next);
	ward_simulation_eventually_idle(kit, 10 * WARD_MINUTE);
}

static void check_books(ward_kit *kit)
{
	ward_actor_info nest;
	int handled = 0;

	ward_simulation_faults_end(kit);
	ward_kit_tell(kit, books.nest, job, .number = JOBS, .full = true);
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	ward_assert_eq(books.handled[JOBS], 1);
	for (int i = 0; i <= JOBS; i++) {
		handled += books.handled[i];
		ward_assert_eq(books.dropped[i], 1);
	}
	ward_assert_eq(handled + books.failed + dead_jobs(kit) + books.struck, JOBS + 1);
	ward_assert(ward_kit_info(kit, books.nest, &nest));
	ward_assert(books.undue <= nest.incarnation);
	ward_assert_str(nest.status, "");
	ward_assert_eq(ward_kit_stats(kit).timers, 0);
}

#define FAULTS                                                                                     \
	{                                                                                          \
		.fail = 3, .refuse = 1, .stall = 2, .jump = 1, .delay = 2, .lose = 1,              \
		.delay_ms = 400, .horizon = 400, .path = "*/nest*"                                 \
	}
#define KIT                                                                                        \
	{                                                                                          \
		.system.user_strategy = &restarts                                                  \
	}

WARD_SIMULATION(child_on_stop_comes_back_and_jobs_are_accounted_for, .seeds = 300, .kit = KIT,
		.faults = FAULTS)
{
	struct ward_backoff options = options_of(0);

	options.default_stopping_strategy = true;
	run_world(kit,
		  *WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	check_books(kit);
}

WARD_SIMULATION(child_on_stop_comes_back_to_jobs_that_waited, .seeds = 300, .kit = KIT,
		.faults = FAULTS)
{
	struct ward_backoff options = options_of(10);

	options.default_stopping_strategy = true;
	run_world(kit,
		  *WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	check_books(kit);
}

WARD_SIMULATION(child_on_failure_comes_back_to_jobs_that_waited, .seeds = 300, .kit = KIT,
		.faults = FAULTS)
{
	struct ward_backoff options = options_of(10);

	options.strategy = &restarts;
	options.window_ms = 500;
	run_world(kit, *WARD_PROPS(&ward_backoff_on_failure,
				   .args = {WARD_COPY(ward_backoff, &options)}));
	check_books(kit);
}

/* Nothing but the weather: what waits in the supervisor is never lost. */
WARD_SIMULATION(jobs_that_wait_are_not_lost, .seeds = 100, .kit = KIT)
{
	struct ward_backoff options = options_of(JOBS);

	options.strategy = &restarts;
	run_world(kit, *WARD_PROPS(&ward_backoff_on_failure,
				   .args = {WARD_COPY(ward_backoff, &options)}));
	for (size_t i = 0; i < ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"); i++)
		ward_assert_eq(ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", i)->reason,
			       WARD_REASON_DEAD); /* it had it */
	check_books(kit);
}

WARD_SIMULATION(supervisor_short_of_memory_leaves_nothing, .seeds = 200, .kit = KIT,
		.faults = {.memory = 3, .path = "*/nest*"})
{
	struct ward_backoff options = options_of(10);

	options.default_stopping_strategy = true;
	run_world(kit,
		  *WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	check_books(kit);
}

WARD_TEST_MAIN
