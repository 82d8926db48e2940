/* SPDX-License-Identifier: MIT
 *
 * share.c - how fairly threads are shared: behind a flood, behind a long handler, among many.
 */
#include <stdatomic.h>

#include "bench.h"
#include "latency.h"

WARD_SIGNAL(drop);
struct ping {
	int64_t number;
};
WARD_MESSAGE(ping);
struct pong {
	int64_t number;
};
WARD_MESSAGE(pong);
WARD_SIGNAL(flood_over);
WARD_SIGNAL(go);
WARD_SIGNAL(done);

/* ---- fairness: questions and answers of two, and a failure, while a third has millions of
 * messages to handle ---- */

enum { QUESTION = 1, TIMEOUT_MS = 60 * 1000, TRIPS_MAX = 1000 * 1000, SLOW_NS = 100 * 1000 };

WARD_REPLY(ping, pong);

/* Set when the whole flood waits: only then is its first message handled. */
static atomic_bool flooded;
/* The chief fails: from here on a message takes long, so that one can count how many there are
 * before the end of the flooded one. */
static atomic_bool failing;

struct flood_args {
	ward_ref asker;
	int64_t n;
};
WARD_MESSAGE(flood_args);

static bool is_set(atomic_bool *flag)
{
	return atomic_load_explicit(flag, memory_order_acquire);
}

static void spin_for(int64_t ns)
{
	for (int64_t until_ns = bench_now_ns() + ns; bench_now_ns() < until_ns;)
		;
}

struct sink {
	int64_t handled;
	int64_t late; /* after the chief had begun to fail */
};

/* Has the chief fail after nine tenths of the messages. */
static ward_result sink_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct flood_args *args = ward_args(self);
	struct sink *me = state;

	if (!ward_match(msg, drop))
		return WARD_UNHANDLED;
	while (!is_set(&flooded))
		;
	if (++me->handled == args->n - args->n / 10)
		ward_tell(self, ward_parent(self), go);
	if (is_set(&failing)) {
		me->late++;
		spin_for(SLOW_NS);
	}
	return WARD_DONE;
}

static ward_result sink_stopped(ward_self *self, void *state)
{
	const struct flood_args *args = ward_args(self);
	const struct sink *me = state;

	bench_report("fairness_late", (double)me->late, "messages");
	ward_tell(self, args->asker, flood_over);
	return WARD_DONE;
}

static const ward_behavior sink = {
	.name = "sink",
	.state_size = sizeof(struct sink),
	.args = &ward_type_flood_args,
	.receive = sink_receive,
	.post_stop = sink_stopped,
};

/* The parent of the flooded actor. It sends the flood, and fails on request: the system message
 * that suspends the flooded actor must not wait for the flood. */
static ward_result chief_start(ward_self *self, void *state)
{
	const struct flood_args *args = ward_args(self);
	ward_ref child;

	(void)state;
	bench_must(ward_try_spawn(self, WARD_PROPS(&sink, .args = {WARD_COPY(flood_args, args)}),
				  &child));
	for (int64_t i = 0; i < args->n; i++)
		ward_tell(self, child, drop);
	atomic_store_explicit(&flooded, true, memory_order_release);
	ward_tell(self, args->asker, go);
	return WARD_DONE;
}

static ward_result chief_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, go))
		return WARD_UNHANDLED;
	atomic_store_explicit(&failing, true, memory_order_release);
	return ward_failed(self, &ward_exception, "as it was told");
}

static const ward_behavior chief = {
	.name = "chief",
	.args = &ward_type_flood_args,
	.pre_start = chief_start,
	.receive = chief_receive,
};

/* One for each other worker: so none of them is free for those who ask. */
static ward_result spinner_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, drop))
		return WARD_UNHANDLED;
	ward_tell(self, ward_self_ref(self), drop);
	return WARD_DONE;
}

static const ward_behavior spinner = {.name = "spinner", .receive = spinner_receive};

static ward_result echo_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ping *question = ward_match(msg, ping);

	(void)state;
	if (question == NULL)
		return WARD_UNHANDLED;
	ward_answer(self, msg, ping, question->number);
	return WARD_DONE;
}

static const ward_behavior echo = {.name = "echo", .receive = echo_receive};

struct asker {
	ward_ref echo;
	int64_t asked_ns;
	int64_t trips;
	int64_t *ns;
};

static void ask_echo(ward_self *self, struct asker *me)
{
	me->asked_ns = bench_now_ns();
	bench_must(ward_try_ask(self, me->echo, QUESTION, TIMEOUT_MS, ping, me->trips));
}

static ward_result asker_start(ward_self *self, void *state)
{
	const struct bench_load *load = bench_load_of(self);
	const struct flood_args args = {.asker = ward_self_ref(self), .n = load->n};
	struct asker *me = state;
	ward_ref child;

	me->ns = ward_alloc(self, TRIPS_MAX * sizeof(*me->ns));
	bench_must(ward_try_spawn(self, WARD_PROPS(&echo), &me->echo));
	bench_must(ward_try_spawn(self, WARD_PROPS(&chief, .args = {WARD_COPY(flood_args, &args)}),
				  &child));
	for (uint32_t i = 1; i < load->workers; i++) {
		bench_must(ward_try_spawn(self, WARD_PROPS(&spinner), &child));
		ward_tell(self, child, drop);
	}
	return WARD_DONE;
}

static ward_result asker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct asker *me = state;

	if (ward_match(msg, go)) { /* the flood is there */
		ask_echo(self, me);
		return WARD_DONE;
	}
	if (ward_match(msg, pong)) {
		if (me->trips < TRIPS_MAX)
			me->ns[me->trips++] = bench_now_ns() - me->asked_ns;
		ask_echo(self, me);
		return WARD_DONE;
	}
	if (!ward_match(msg, flood_over))
		return WARD_UNHANDLED;
	latency_report("fairness", me->ns, me->trips, "us");
	bench_report("fairness_trips", (double)me->trips, "questions");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior asker = {
	.name = "asker",
	.state_size = sizeof(struct asker),
	.args = &ward_type_bench_load,
	.child_strategy = &ward_stopping_strategy,
	.pre_start = asker_start,
	.receive = asker_receive,
};

/* ---- lone: actors ready behind a long handler, until another thread takes them over ---- */

enum { HANDLER_NS = 5 * 1000 * 1000 };

static _Atomic int64_t taken_over_ns;

static ward_result lone_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	if (!ward_match(msg, go))
		return WARD_UNHANDLED;
	atomic_store_explicit(&taken_over_ns, bench_now_ns(), memory_order_release);
	return WARD_DONE;
}

struct busy {
	ward_ref lone;
	int64_t rounds;
	int64_t *ns;
};

static ward_result busy_start(ward_self *self, void *state)
{
	static const ward_behavior lone = {.name = "lone", .receive = lone_receive};
	struct busy *me = state;

	me->ns = ward_alloc(self, (size_t)bench_load_of(self)->n * sizeof(*me->ns));
	bench_must(ward_try_spawn(self, WARD_PROPS(&lone), &me->lone));
	ward_tell(self, ward_self_ref(self), go);
	return WARD_DONE;
}

/* A handler of a few milliseconds, which makes somebody ready first thing. */
static ward_result busy_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct busy *me = state;
	int64_t sent_ns, now_ns, taken_ns;

	if (!ward_match(msg, go))
		return WARD_UNHANDLED;
	atomic_store_explicit(&taken_over_ns, 0, memory_order_relaxed);
	sent_ns = bench_now_ns();
	ward_tell(self, me->lone, go);
	do
		now_ns = bench_now_ns();
	while (now_ns - sent_ns < HANDLER_NS);
	taken_ns = atomic_load_explicit(&taken_over_ns, memory_order_acquire);
	me->ns[me->rounds++] = (taken_ns != 0 ? taken_ns : now_ns) - sent_ns;
	if (me->rounds < bench_load_of(self)->n) {
		ward_tell(self, ward_self_ref(self), go);
		return WARD_DONE;
	}
	latency_report("lone", me->ns, me->rounds, "us");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior busy = {
	.name = "busy",
	.state_size = sizeof(struct busy),
	.args = &ward_type_bench_load,
	.pre_start = busy_start,
	.receive = busy_receive,
};

/* ---- spread: actors that compute, over the threads ---- */

enum { COMPUTE_ROUNDS = 30 * 1000, THREADS_MAX = 1024 };

static atomic_llong shares[THREADS_MAX]; /* computations of each thread */
static atomic_int threads;
static _Thread_local int thread = -1;

static ward_result computing_receive(ward_self *self, void *state, const ward_msg *msg)
{
	volatile uint64_t value = 1;

	(void)state;
	if (!ward_match(msg, go))
		return WARD_UNHANDLED;
	for (int i = 0; i < COMPUTE_ROUNDS; i++)
		value = value * 6364136223846793005U + 1442695040888963407U;
	if (thread < 0)
		thread = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % THREADS_MAX;
	atomic_fetch_add_explicit(&shares[thread], 1, memory_order_relaxed);
	ward_reply(self, msg, done);
	return WARD_DONE;
}

struct spread {
	int64_t begin_ns;
	int64_t left;
};

static ward_result spread_start(ward_self *self, void *state)
{
	static const ward_behavior computing = {.name = "computing", .receive = computing_receive};
	struct spread *me = state;
	ward_ref child;

	*me = (struct spread){.begin_ns = bench_begin_ns(self), .left = bench_load_of(self)->n};
	for (int64_t i = 0; i < me->left; i++) {
		bench_must(ward_try_spawn(self, WARD_PROPS(&computing), &child));
		ward_tell(self, child, go);
	}
	return WARD_DONE;
}

/* The largest share: of an even one it is 1.0. */
static ward_result spread_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	struct spread *me = state;
	long long largest = 0;

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	if (--me->left > 0)
		return WARD_DONE;
	for (int i = 0; i < THREADS_MAX; i++) {
		long long share = atomic_load_explicit(&shares[i], memory_order_relaxed);
		if (share > largest)
			largest = share;
	}
	bench_report_since(self, "spread", me->begin_ns, load->n, "ns/actor");
	bench_report("spread_largest", (double)largest * load->workers / (double)load->n,
		     "even shares");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior spread = {
	.name = "spread",
	.state_size = sizeof(struct spread),
	.args = &ward_type_bench_load,
	.pre_start = spread_start,
	.receive = spread_receive,
};

const struct bench share_benches[] = {
	{"fairness", &asker, NULL, 10 * 1000 * 1000, 0, "questions, while one has N messages"},
	{"lone", &busy, NULL, 200, 0, "N times one is ready behind a handler of 5 ms"},
	{"spread", &spread, NULL, 1000, 0, "N actors that compute"},
	{0},
};
