/* SPDX-License-Identifier: MIT
 *
 * test_delivery.c - at-least-once delivery to a store that fails, hangs and comes back at random,
 * by a sender that fails, too.
 *
 * Method: faults strike besides: messages are late or lost, confirmations among them, the clock
 * jumps, the store's callbacks fail. The sender keeps over its restarts what is unconfirmed. Each
 * job that was delivered is stored in the end, at least once; the first sendings are in order of
 * the ids; no more are sent in a time than may be; and nothing is left. What a fault takes from the
 * sender itself (the message in which it keeps the jobs, or its life) is excused.
 */
#include <string.h>

#include <ward/delivery.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { JOBS = 60, NEXT = 1, LIVES = 64, BURST = 4, REDELIVER_MS = 100, NS_PER_MS = 1000000 };

enum resource { FINE, FAILS, HANGS, KINDS };

struct job {
	uint64_t id;
	uint64_t number;
};
WARD_MESSAGE(job);
WARD_SIGNAL(next);

static struct books {
	enum resource resource;
	ward_ref store, sender;
	uint64_t delivered; /* jobs, by number from 1 */
	uint64_t ids[JOBS + 1];
	bool stored[JOBS + 1], excused[JOBS + 1];
	uint64_t first_sent[LIVES]; /* the last id of each life that was sent for the first time */
	uint64_t twice, restarts;
	int64_t sendings_ns[2 * BURST]; /* the last ones of this incarnation */
	uint64_t sendings;
	bool quiet;
	bool short_of_memory; /* a sending may come to nothing before anybody sees it */
	const char *wrong;
} books;

static bool nothing_wrong(void *arg)
{
	(void)arg;
	return books.wrong == NULL;
}

/* ---- the store, and its weather ------------------------------------------------------------ */

static ward_result store_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);

	(void)state;
	if (job == NULL)
		return WARD_UNHANDLED;
	if (books.resource == FAILS)
		return ward_failed(self, &ward_exception, "broken");
	if (books.resource == HANGS)
		return WARD_DONE;
	books.twice += books.stored[job->number];
	books.stored[job->number] = true;
	ward_reply(self, msg, ward_delivered, .id = job->id);
	return WARD_DONE;
}
static const ward_behavior store = {.name = "store", .receive = store_receive};

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

/* ---- the sender ---------------------------------------------------------------------------- */

struct sender {
	struct ward_delivery out;
};

static const ward_delivery_options options = {.redeliver_ms = REDELIVER_MS, .burst_max = BURST};

static ward_result sender_init(ward_self *self, void *state, const void *args)
{
	(void)args;
	books.sendings = 0; /* a new incarnation begins a new window */
	books.restarts += ward_incarnation(self) > 1;
	return ward_delivery_init(self, &((struct sender *)state)->out, &options);
}

static ward_result sender_start(ward_self *self, void *state)
{
	(void)state;
	return again(self, 60);
}

static void excuse_all(void)
{
	for (int i = 1; i <= JOBS; i++)
		books.excused[i] = books.excused[i] || books.ids[i] != 0;
}

static ward_result sender_before(ward_self *self, void *state, const ward_failure *why,
				 const ward_msg *msg)
{
	(void)why;
	if (ward_try_delivery_keep(self, &((struct sender *)state)->out, msg) != WARD_OK)
		excuse_all();
	return WARD_DONE;
}

static ward_result deliver_next(ward_self *self, struct ward_delivery *out)
{
	uint64_t number = books.delivered + 1, id = ward_delivery_next(out);

	if (number <= JOBS) {
		books.ids[number] = id; /* before it is sent */
		if (ward_try_deliver(self, out, books.store, job, .id = id, .number = number))
			return ward_failed(self, &ward_out_of_memory, "%s", ward_err_detail());
		books.delivered++;
	}
	if (ward_random(self) % 16 == 0)
		return ward_failed(self, &ward_exception, "bad luck");
	return again(self, 60);
}

static ward_result sender_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct ward_delivery *out = &((struct sender *)state)->out;
	ward_result result = ward_delivery_receive(self, out, msg);

	if (result != WARD_UNHANDLED)
		return result;
	return ward_match(msg, next) ? deliver_next(self, out) : WARD_UNHANDLED;
}
static const ward_behavior sender = {.name = "sender",
				     .state_size = sizeof(struct sender),
				     .init = sender_init,
				     .pre_start = sender_start,
				     .pre_restart = sender_before,
				     .receive = sender_receive};

/* ---- who looks on -------------------------------------------------------------------------- */

static void note_sending(uint64_t id, int64_t now_ns)
{
	uint64_t life = id >> 40, *last = &books.first_sent[life % LIVES];
	int64_t *oldest = &books.sendings_ns[books.sendings % (2 * BURST)];

	if (id > *last + 1 && *last != 0 && !books.short_of_memory)
		books.wrong = "a first sending out of order";
	if (id > *last)
		*last = id;
	/* Among one more than fit into two windows there is a whole one. */
	if (books.sendings >= 2 * BURST && now_ns - *oldest < REDELIVER_MS * NS_PER_MS)
		books.wrong = "more in a time than may be";
	*oldest = now_ns;
	books.sendings++;
}

static ward_kit *the_kit;

static void begins(void *arg, const ward_occasion *it, const ward_fault *fault)
{
	bool own = ward_ref_equal(it->who, books.sender);

	(void)arg;
	if (it->point == WARD_POINT_SEND && own && it->type == &ward_type_job)
		note_sending(((const struct job *)it->body)->id, ward_kit_now_ns(the_kit));
	if (fault != NULL && fault->kind == WARD_FAULT_LOSE && own &&
	    strcmp(it->type->name, "ward.delivery_kept") == 0)
		excuse_all();
}

/* ---- the runs ------------------------------------------------------------------------------ */

static bool all_is_stored(void *arg)
{
	(void)arg;
	for (uint64_t i = 1; i <= books.delivered; i++)
		if (!books.stored[i] && !books.excused[i])
			return false;
	return true;
}

static void run(ward_kit *kit, bool short_of_memory)
{
	static const ward_simulation_observer observer = {.begins = begins};

	memset(&books, 0, sizeof books);
	books.short_of_memory = short_of_memory;
	the_kit = kit;
	ward_simulation_observe(kit, &observer);
	ward_simulation_invariant(kit, nothing_wrong, NULL, "nothing is wrong");
	books.store = ward_kit_spawn(kit, &store, .name = "store");
	ward_kit_spawn(kit, &weather, .name = "weather");
	books.sender = ward_kit_spawn(kit, &sender, .name = "sender");
	ward_kit_advance(kit, 4 * WARD_SECOND);
	ward_simulation_faults_end(kit);
	books.quiet = true;
	ward_kit_run(kit);
	books.resource = FINE;
	if (ward_kit_state(kit, books.sender) != WARD_STATE_RUNNING)
		excuse_all();
	ward_simulation_eventually(kit, WARD_MINUTE, all_is_stored, NULL, "all jobs are stored");
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	ward_assert(books.wrong == NULL);
	ward_simulation_note(kit, books.twice * 1000 + books.restarts);
}

WARD_SIMULATION(each_job_is_stored_at_least_once_in_bad_weather, .seeds = 300)
{
	run(kit, false);
	for (int i = 1; i <= JOBS; i++)
		ward_assert(!books.excused[i]);
	ward_assert(books.delivered > 0);
}

WARD_SIMULATION(each_job_is_stored_at_least_once_under_faults, .seeds = 300,
		.faults = {.stall = 3, .jump = 2, .delay = 6, .lose = 8, .delay_ms = 300})
{
	run(kit, false);
}

WARD_SIMULATION(each_job_is_stored_at_least_once_by_a_store_that_fails, .seeds = 300,
		.faults = {.fail = 6, .delay = 3, .lose = 3, .delay_ms = 300, .path = "*/store*"})
{
	run(kit, false);
	for (int i = 1; i <= JOBS; i++)
		ward_assert(!books.excused[i]);
}

WARD_SIMULATION(each_job_is_stored_at_least_once_short_of_memory, .seeds = 300,
		.faults = {.memory = 5, .path = "*/sender*"})
{
	run(kit, true);
}

WARD_TEST_MAIN
