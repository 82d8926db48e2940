/* SPDX-License-Identifier: MIT
 *
 * ask.c - how long it takes from a question to its answer: one at a time, each with its own time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "latency.h"

enum { QUESTION = 1, TIMEOUT_MS = 60 * 1000 };

struct get_price {
	int64_t item;
};
WARD_MESSAGE(get_price);
struct price {
	int64_t cents;
};
WARD_MESSAGE(price);
WARD_REPLY(get_price, price);

static ward_result shop_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct get_price *question = ward_match(msg, get_price);

	(void)state;
	if (question == NULL)
		return WARD_UNHANDLED;
	ward_answer(self, msg, get_price, .cents = question->item);
	return WARD_DONE;
}

static const ward_behavior shop = {.name = "shop", .receive = shop_receive};

/* ---- the buyer ---- */

struct buyer_args {
	ward_ref shop;
	int64_t n;
	const char *name; /* of the figures */
};
WARD_MESSAGE(buyer_args);

struct buyer {
	ward_ref shop;
	int64_t asked_ns;
	int64_t answered;
	int64_t n;
	int64_t *ns;
};

static void ask(ward_self *self, struct buyer *me)
{
	me->asked_ns = bench_now_ns();
	bench_must(ward_try_ask(self, me->shop, QUESTION, TIMEOUT_MS, get_price, me->answered));
}

static ward_result buyer_start(ward_self *self, void *state)
{
	const struct buyer_args *args = ward_args(self);

	*(struct buyer *)state =
		(struct buyer){.shop = args->shop,
			       .n = args->n,
			       .ns = ward_alloc(self, (size_t)args->n * sizeof(int64_t))};
	ask(self, state);
	return WARD_DONE;
}

/* Stops itself when it has all its answers. */
static ward_result buyer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct buyer_args *args = ward_args(self);
	struct buyer *me = state;

	if (!ward_match(msg, price))
		return WARD_UNHANDLED;
	me->ns[me->answered++] = bench_now_ns() - me->asked_ns;
	if (me->answered < me->n) {
		ask(self, me);
		return WARD_DONE;
	}
	latency_report(args->name, me->ns, me->n, "ns");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior buyer = {
	.name = "buyer",
	.state_size = sizeof(struct buyer),
	.args = &ward_type_buyer_args,
	.pre_start = buyer_start,
	.receive = buyer_receive,
};

/* Spawns the shop and the buyer, and watches the buyer. For the actor at the top. */
static ward_result market_open(ward_self *self, const char *shop_runs_on, const char *buyer_runs_on)
{
	const struct bench_load *load = bench_load_of(self);
	struct buyer_args args = {.n = load->n, .name = load->bench->name};
	ward_ref asking;

	bench_must(ward_try_spawn(self, WARD_PROPS(&shop, .dispatcher = shop_runs_on), &args.shop));
	bench_must(ward_try_spawn(self,
				  WARD_PROPS(&buyer, .args = {WARD_COPY(buyer_args, &args)},
					     .dispatcher = buyer_runs_on),
				  &asking));
	bench_must(ward_try_watch(self, asking));
	return WARD_DONE;
}

static ward_result market_start(ward_self *self, void *state)
{
	(void)state;
	return market_open(self, NULL, NULL);
}

static ward_result market_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, ward_terminated))
		return WARD_UNHANDLED;
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior market = {
	.name = "market",
	.args = &ward_type_bench_load,
	.pre_start = market_start,
	.receive = market_receive,
};

/* ---- ask_across: from one core to another, both awake ---- */

static ward_result far_market_start(ward_self *self, void *state)
{
	(void)state;
	return market_open(self, "there", "here");
}

/* Two pools of one thread each: so they cannot meet on one. */
static int ask_across(const struct bench_load *load)
{
	static const ward_behavior far_market = {
		.name = "market",
		.args = &ward_type_bench_load,
		.pre_start = far_market_start,
		.receive = market_receive,
	};
	static const ward_dispatcher pools[] = {
		{.name = "here", .threads = 1}, {.name = "there", .threads = 1}, {0}};

	return ward_run(WARD_PROPS(&far_market, .args = {WARD_COPY(bench_load, load)}),
			&(ward_options){.name = "bench",
					.workers = load->workers,
					.dispatchers = pools,
					.user_strategy = &ward_stopping_strategy,
					.log_kinds = WARD_EVENT_NONE,
					.signals = WARD_SIGNALS_OFF});
}

/* ---- ask_outside: from a thread that is none of ward's ---- */

static int ask_outside(const struct bench_load *load)
{
	int64_t *ns = calloc((size_t)load->n, sizeof(*ns));
	ward_system *system;
	ward_ref there;

	if (ns == NULL) {
		perror("ward-bench");
		return 1;
	}
	bench_must(ward_system_create(&(ward_options){.name = "bench", .workers = load->workers},
				      &system));
	bench_must(ward_system_spawn(system, WARD_PROPS(&shop), &there));
	for (int64_t i = 0; i < load->n; i++) {
		int64_t asked_ns = bench_now_ns();
		struct price price;
		bench_must(
			ward_system_ask(system, there, TIMEOUT_MS, &price, get_price, .item = i));
		ns[i] = bench_now_ns() - asked_ns;
	}
	latency_report("ask_outside", ns, load->n, "ns");
	free(ns);
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
	return 0;
}

const struct bench ask_benches[] = {
	{"ask", &market, NULL, 300 * 1000, 0, "N questions of an actor, one after the other"},
	{"ask_across", NULL, ask_across, 20 * 1000, 0, "the same between two threads"},
	{"ask_outside", NULL, ask_outside, 20 * 1000, 0, "the same of a thread outside"},
	{0},
};
