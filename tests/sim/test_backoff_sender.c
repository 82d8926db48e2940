/* SPDX-License-Identifier: MIT
 *
 * test_backoff_sender.c - a back-off sender in bad weather: what it has accepted is done at least
 * once; each tick sends in order; there is one tick at a time; and in the end nothing is kept.
 *
 * Method: a resource works, fails, is slow or hangs, by chance, until the weather is over. The
 * child of the sender uses it: so it fails before its work, or after it and before its word, gives
 * its word late, or never. Faults strike the child besides: it fails, it is stalled, what is sent
 * to it is late or lost. Producers send jobs with numbers that go up.
 */
#include <string.h>

#include <ward/backoff_sender.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { PRODUCERS = 3, JOBS = 12, ALL = PRODUCERS * JOBS, CHANGES = 12 };

struct job {
	int number; /* PRODUCER * JOBS + 0, 1, 2... */
};
WARD_MESSAGE_FLAT(job);
struct done {
	int number;
};
WARD_MESSAGE(done);
WARD_REPLY(job, done);
struct produce {
	int number;
};
WARD_MESSAGE(produce);
struct late_word {
	int number;
};
WARD_MESSAGE(late_word);
WARD_SIGNAL(change);

enum weather { FINE, FAILING, SLOW, HANGING, WEATHERS };

static struct {
	enum weather weather;
	ward_ref sender;
	int accepted[ALL]; /* the sender has it in hand: as the first, the second ... one; 0: not */
	int arrivals;
	int work[ALL];    /* so often was it done */
	int answers[ALL]; /* that its producer got */
	bool in_tick;     /* the sender is sending all that it keeps */
	int last_sent;    /* in this tick: of `accepted` */
	bool disorder;
	int causes; /* of a tick, since the last one */
	bool second_tick;
	bool wrong_sender;
	int dropped[ALL]; /* so often its owner has heard */
} books;

/* ---- the child ----------------------------------------------------------------------------- */

static void give_word(ward_self *self, int number)
{
	ward_tell(self, ward_parent(self), ward_sent, .id = (uint64_t)number);
}

static ward_result work(ward_self *self, const ward_msg *msg, int number)
{
	bool early = ward_random(self) % 2 == 0;

	if (books.weather == FAILING && early)
		return ward_failed(self, &ward_exception, "no resource");
	if (books.weather == HANGING)
		return WARD_DONE;
	books.work[number]++;
	ward_answer(self, msg, job, .number = number);
	if (books.weather == FAILING)
		return ward_failed(self, &ward_exception, "it broke afterwards");
	if (books.weather != SLOW)
		give_word(self, number);
	else
		ward_after(self, (uint64_t)number + 1, 1 + (int64_t)(ward_random(self) % 150),
			   late_word, .number = number);
	return WARD_DONE;
}

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);
	const struct late_word *late = ward_match(msg, late_word);

	(void)state;
	if (job != NULL)
		return work(self, msg, job->number);
	if (late == NULL)
		return WARD_UNHANDLED;
	give_word(self, late->number);
	return WARD_DONE;
}
static const ward_behavior child = {.name = "child", .receive = child_receive};

static bool id_of(const ward_msg *msg, uint64_t *ret_id)
{
	const struct job *job = ward_match(msg, job);

	if (job != NULL)
		*ret_id = (uint64_t)job->number;
	return job != NULL;
}

/* ---- producers, and the weather ------------------------------------------------------------ */

struct producer_args {
	int number;
};
WARD_MESSAGE(producer_args);

static ward_result produce_later(ward_self *self, int number)
{
	ward_after(self, 1, (int64_t)(ward_random(self) % 80), produce, .number = number);
	return WARD_DONE;
}

static ward_result producer_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	return produce_later(self, ((const struct producer_args *)args)->number * JOBS);
}

static ward_result producer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct produce *now = ward_match(msg, produce);
	const struct done *done = ward_match(msg, done);
	int me = ((const struct producer_args *)ward_args(self))->number;

	(void)state;
	if (done != NULL) {
		books.wrong_sender |= done->number / JOBS != me;
		books.answers[done->number]++;
		return WARD_DONE;
	}
	if (now == NULL)
		return WARD_UNHANDLED;
	ward_tell(self, books.sender, job, .number = now->number);
	if (now->number % JOBS == JOBS - 1)
		return WARD_DONE;
	return produce_later(self, now->number + 1);
}
static const ward_behavior producer = {.name = "producer",
				       .args = &ward_type_producer_args,
				       .init = producer_init,
				       .receive = producer_receive};

struct weather_state {
	int changes;
};

static ward_result weather_next(ward_self *self, void *state)
{
	(void)state;
	ward_after(self, 1, 1 + (int64_t)(ward_random(self) % 200), change);
	return WARD_DONE;
}

static ward_result weather_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct weather_state *me = state;

	if (!ward_match(msg, change))
		return WARD_UNHANDLED;
	if (++me->changes == CHANGES) {
		books.weather = FINE;
		return WARD_DONE;
	}
	books.weather = (enum weather)(ward_random(self) % WEATHERS);
	return weather_next(self, state);
}
static const ward_behavior weather = {.name = "weather",
				      .state_size = sizeof(struct weather_state),
				      .pre_start = weather_next,
				      .receive = weather_receive};

/* ---- who looks on -------------------------------------------------------------------------- */

static bool is(const ward_type *type, const char *name)
{
	return type != NULL && strcmp(type->name, name) == 0;
}

static int number_in(const ward_occasion *it)
{
	return ((const struct job *)it->body)->number;
}

/* The sender gets a message. */
static void note_receive(const ward_occasion *it, const ward_fault *fault)
{
	bool job = is(it->type, "job");

	books.in_tick = is(it->type, "ward.backoff_tick");
	books.last_sent = 0;
	if (books.in_tick) {
		books.second_tick |= books.causes == 0;
		books.causes = 0;
	}
	if (job && (fault == NULL || fault->kind != WARD_FAULT_FAIL_BEFORE))
		books.accepted[number_in(it)] = ++books.arrivals;
	if (job || is(it->type, "ward_terminated"))
		books.causes++;
}

/* The sender sends a copy. */
static void note_send(const ward_occasion *it)
{
	int arrival = books.accepted[number_in(it)];

	books.disorder |= arrival <= books.last_sent;
	books.last_sent = arrival;
}

static void begins(void *arg, const ward_occasion *it, const ward_fault *fault)
{
	(void)arg;
	if (!ward_ref_equal(it->who, books.sender))
		return;
	if (it->point == WARD_POINT_RECEIVE)
		note_receive(it, fault);
	if (it->point == WARD_POINT_SEND && books.in_tick && is(it->type, "job") &&
	    !ward_ref_equal(it->to, books.sender)) /* as it does when it is restarted */
		note_send(it);
}

static bool one_tick(void *arg)
{
	(void)arg;
	return !books.second_tick;
}

static bool in_order(void *arg)
{
	(void)arg;
	return !books.disorder;
}

static bool to_first_senders(void *arg)
{
	(void)arg;
	return !books.wrong_sender;
}

static const ward_simulation_observer observer = {.begins = begins};

static void start(ward_kit *kit, const struct ward_backoff_sender *args)
{
	memset(&books, 0, sizeof books);
	ward_simulation_observe(kit, &observer);
	books.sender = ward_kit_spawn(kit, &ward_backoff_sender, .name = "sender",
				      .args = {WARD_COPY(ward_backoff_sender, args)});
	ward_kit_spawn(kit, &weather, .name = "weather");
	for (int i = 0; i < PRODUCERS; i++)
		ward_kit_spawn(kit, &producer, .args = WARD_ARGS(producer_args, i));
}

static void check_sender(ward_kit *kit)
{
	struct ward_sending now;

	ward_assert_ok(ward_system_ask(ward_kit_system(kit), books.sender, WARD_SECOND, &now,
				       ward_get_sending));
	ward_assert_eq(now.pending, 0);
	ward_assert(!now.waiting);
	ward_assert_eq(ward_kit_stats(kit).timers, 0);
	for (int i = 0; i < ALL; i++)
		ward_simulation_note(kit, (uint64_t)books.work[i]);
}

static void begin(ward_kit *kit, struct ward_backoff_sender args)
{
	args.child = (ward_props){.behavior = &child};
	args.id = id_of;
	args.patience_ms = 400;
	start(kit, &args);
	ward_simulation_invariant(kit, in_order, NULL, "each tick sends in order of arrival");
	ward_simulation_invariant(kit, to_first_senders, NULL, "answers go to the first senders");
}

static void run(ward_kit *kit, struct ward_backoff_sender args)
{
	begin(kit, args);
	ward_simulation_invariant(kit, one_tick, NULL, "one tick at a time");
	ward_simulation_eventually_idle(kit, 10 * WARD_MINUTE);
	for (int i = 0; i < ALL; i++) {
		ward_assert(books.accepted[i] > 0);
		ward_assert(books.work[i] > 0);
		ward_assert(books.answers[i] > 0);
	}
	check_sender(kit);
}

static const ward_strategy restarting = {.otherwise = WARD_RESTART};

#define FAULTS                                                                                     \
	{                                                                                          \
		.fail = 3, .refuse = 1, .stall = 2, .jump = 1, .delay = 3, .lose = 3,              \
		.delay_ms = 300, .path = "*/sender/*"                                              \
	}

WARD_SIMULATION(each_job_is_done_at_least_once, .seeds = 1000, .faults = FAULTS,
		.kit = {.system.user_strategy = &restarting})
{
	run(kit, (struct ward_backoff_sender){.back_off.ceiling = 3});
}

WARD_SIMULATION(each_job_is_done_at_least_once_by_a_sender_that_stays_at_its_ceiling, .seeds = 1000,
		.faults = FAULTS, .kit = {.system.user_strategy = &restarting})
{
	run(kit,
	    (struct ward_backoff_sender){.back_off.stay_at_ceiling = true, .back_off.ceiling = 6});
}

/* ---- bounds -------------------------------------------------------------------------------- */

static ward_result owner_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_backoff_dropped *dropped = ward_match(msg, ward_backoff_dropped);

	(void)self, (void)state;
	if (dropped == NULL)
		return WARD_UNHANDLED;
	books.dropped[dropped->id]++;
	return WARD_DONE;
}
static const ward_behavior owner = {.name = "owner", .receive = owner_receive};

WARD_SIMULATION(each_job_is_done_or_its_owner_hears_that_it_was_dropped, .seeds = 1000,
		.faults = FAULTS, .kit = {.system.user_strategy = &restarting})
{
	ward_ref hears = ward_kit_spawn(kit, &owner);

	begin(kit, (struct ward_backoff_sender){.pending_max = 4, .owner = hears});
	ward_simulation_eventually_idle(kit, 10 * WARD_MINUTE);
	for (int i = 0; i < ALL; i++) {
		ward_assert(books.work[i] > 0 || books.dropped[i] == 1);
		ward_assert(books.dropped[i] <= 1);
	}
	check_sender(kit);
}

/* ---- short of memory ----------------------------------------------------------------------- */

static bool is_dead(ward_kit *kit, int number)
{
	for (size_t i = 0; i < ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"); i++) {
		const ward_event *event = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", i);
		struct job job;

		memcpy(&job, event->bytes, sizeof job);
		if (strcmp(event->message_type, "job") == 0 && job.number == number)
			return true;
	}
	return false;
}

WARD_SIMULATION(each_job_is_done_or_a_dead_letter_when_memory_is_short, .seeds = 1000,
		.faults = {.memory = 4, .stall = 2, .delay = 2, .path = "*/sender*"},
		.kit = {.system.user_strategy = &restarting})
{
	begin(kit, (struct ward_backoff_sender){.back_off.ceiling = 4});
	ward_simulation_eventually_idle(kit, 10 * WARD_MINUTE);
	for (int i = 0; i < ALL; i++) {
		ward_assert(books.accepted[i] > 0);
		ward_assert(books.work[i] > 0 || is_dead(kit, i));
	}
	check_sender(kit);
}

WARD_TEST_MAIN
