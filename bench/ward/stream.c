/* SPDX-License-Identifier: MIT
 *
 * stream.c - actors that send without waiting: counting, mpsc, fjthroughput.
 */
#include "bench.h"

enum { CONSUMERS = 60 };

struct count {
	int64_t i;
};
WARD_MESSAGE(count);
WARD_SIGNAL(done);

/* ---- the consumer ---- */

struct consumer_args {
	int64_t n;
};
WARD_MESSAGE(consumer_args);

struct consumer {
	int64_t left;
};

static ward_result consumer_init(ward_self *self, void *state, const void *args)
{
	const struct consumer_args *a = args;
	struct consumer *me = state;

	(void)self;
	me->left = a->n;
	return WARD_DONE;
}

static ward_result consumer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct consumer *me = state;

	if (!ward_match(msg, count))
		return WARD_UNHANDLED;
	if (--me->left == 0)
		ward_tell(self, ward_parent(self), done);
	return WARD_DONE;
}

static const ward_behavior consumer = {
	.name = "consumer",
	.state_size = sizeof(struct consumer),
	.args = &ward_type_consumer_args,
	.init = consumer_init,
	.receive = consumer_receive,
};

/* ---- the producers ---- */

struct produce {
	ward_ref consumer;
	int64_t n;
};
WARD_MESSAGE(produce);

static ward_result producer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct produce *order = ward_match(msg, produce);

	(void)state;
	if (order == NULL)
		return WARD_UNHANDLED;
	for (int64_t i = 0; i < order->n; i++)
		ward_tell(self, order->consumer, count, .i = i);
	return WARD_DONE;
}

static const ward_behavior producer = {.name = "producer", .receive = producer_receive};

struct stream {
	int64_t begin_ns;
	int64_t messages;
	int consuming;
};

/* Several producers send N messages to one consumer. */
static ward_result stream_start(ward_self *self, void *state)
{
	const struct bench_load *load = bench_load_of(self);
	int64_t producers = load->bench->variant, each = load->n / producers;
	struct consumer_args args = {.n = each * producers};
	struct stream *me = state;
	ward_ref to, from;

	*me = (struct stream){.begin_ns = bench_begin_ns(self), .messages = args.n, .consuming = 1};
	bench_must(ward_try_spawn(
		self, WARD_PROPS(&consumer, .args = {WARD_COPY(consumer_args, &args)}), &to));
	for (int64_t i = 0; i < producers; i++) {
		bench_must(ward_try_spawn(self, WARD_PROPS(&producer), &from));
		ward_tell(self, from, produce, .consumer = to, .n = each);
	}
	return WARD_DONE;
}

static ward_result stream_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct stream *me = state;

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	if (--me->consuming > 0)
		return WARD_DONE;
	bench_report_since(self, bench_load_of(self)->bench->name, me->begin_ns, me->messages,
			   "ns/msg");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior stream = {
	.name = "stream",
	.state_size = sizeof(struct stream),
	.args = &ward_type_bench_load,
	.pre_start = stream_start,
	.receive = stream_receive,
};

/* ---- fjthroughput: one producer, to many in turn ---- */

static ward_result fan_start(ward_self *self, void *state)
{
	int64_t n = bench_load_of(self)->n;
	struct consumer_args args = {.n = n};
	struct stream *me = state;
	ward_ref to[CONSUMERS];

	*me = (struct stream){.begin_ns = bench_begin_ns(self),
			      .messages = n * CONSUMERS,
			      .consuming = CONSUMERS};
	for (int k = 0; k < CONSUMERS; k++)
		bench_must(ward_try_spawn(
			self, WARD_PROPS(&consumer, .args = {WARD_COPY(consumer_args, &args)}),
			&to[k]));
	for (int64_t i = 0; i < n; i++)
		for (int k = 0; k < CONSUMERS; k++)
			ward_tell(self, to[k], count, .i = i);
	return WARD_DONE;
}

static const ward_behavior fan = {
	.name = "fan",
	.state_size = sizeof(struct stream),
	.args = &ward_type_bench_load,
	.pre_start = fan_start,
	.receive = stream_receive,
};

const struct bench stream_benches[] = {
	{"counting", &stream, NULL, 10 * 1000 * 1000, 1, "one sends N in one handler to one"},
	{"mpsc", &stream, NULL, 10 * 1000 * 1000, 100, "100 send N together to one"},
	{"fjthroughput", &fan, NULL, 100 * 1000, 0, "one sends N to each of 60 in turn"},
	{0},
};
