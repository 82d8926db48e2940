/* SPDX-License-Identifier: MIT
 *
 * life.c - actors that begin and end: fjcreate, deathwatch.
 */
#include <math.h>
#include <stdatomic.h>

#include "bench.h"

WARD_SIGNAL(work);
WARD_SIGNAL(done);

/* ---- fjcreate: each gets one message, computes a little, and ends ---- */

static atomic_llong unfinished; /* of the one run of this process */

static ward_result forked_receive(ward_self *self, void *state, const ward_msg *msg)
{
	volatile double result;

	(void)state;
	if (!ward_match(msg, work))
		return WARD_UNHANDLED;
	result = sin(1.0);
	(void)result;
	ward_stop_self(self);
	if (atomic_fetch_sub_explicit(&unfinished, 1, memory_order_relaxed) == 1)
		ward_tell(self, ward_parent(self), done);
	return WARD_DONE;
}

struct forker {
	int64_t begin_ns;
};

static ward_result forker_start(ward_self *self, void *state)
{
	static const ward_behavior forked = {.name = "forked", .receive = forked_receive};
	struct forker *me = state;
	int64_t n = bench_load_of(self)->n;
	ward_ref child;

	atomic_store_explicit(&unfinished, n, memory_order_relaxed);
	me->begin_ns = bench_begin_ns(self);
	for (int64_t i = 0; i < n; i++) {
		bench_must(ward_try_spawn(self, WARD_PROPS(&forked), &child));
		ward_tell(self, child, work);
	}
	return WARD_DONE;
}

static ward_result forker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct forker *me = state;

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	bench_report_since(self, "fjcreate", me->begin_ns, bench_load_of(self)->n, "ns/actor");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior forker = {
	.name = "forker",
	.state_size = sizeof(struct forker),
	.args = &ward_type_bench_load,
	.pre_start = forker_start,
	.receive = forker_receive,
};

/* ---- deathwatch: spawn, watch, end, notice; one after the other ---- */

static ward_result mortal_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, work))
		return WARD_UNHANDLED;
	ward_stop_self(self);
	return WARD_DONE;
}

/* The first and the last tenth are reported, too: past watches must cost nothing. */
struct mourner {
	int64_t begin_ns;
	int64_t tenth_ns;
	int64_t gone;
};

static void next_mortal(ward_self *self)
{
	static const ward_behavior mortal = {.name = "mortal", .receive = mortal_receive};
	ward_ref child;

	bench_must(ward_try_spawn(self, WARD_PROPS(&mortal), &child));
	bench_must(ward_try_watch(self, child));
	ward_tell(self, child, work);
}

static ward_result mourner_start(ward_self *self, void *state)
{
	struct mourner *me = state;

	me->begin_ns = me->tenth_ns = bench_begin_ns(self);
	next_mortal(self);
	return WARD_DONE;
}

static ward_result mourner_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct mourner *me = state;
	int64_t n = bench_load_of(self)->n, tenth = n / 10;

	if (!ward_match(msg, ward_terminated))
		return WARD_UNHANDLED;
	me->gone++;
	if (me->gone == tenth)
		bench_report_since(self, "deathwatch_first", me->begin_ns, tenth, "ns/cycle");
	if (me->gone == n - tenth)
		me->tenth_ns = bench_begin_ns(self);
	if (me->gone < n) {
		next_mortal(self);
		return WARD_DONE;
	}
	if (tenth > 0)
		bench_report_since(self, "deathwatch_last", me->tenth_ns, tenth, "ns/cycle");
	bench_report_since(self, "deathwatch", me->begin_ns, n, "ns/cycle");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior mourner = {
	.name = "mourner",
	.state_size = sizeof(struct mourner),
	.args = &ward_type_bench_load,
	.pre_start = mourner_start,
	.receive = mourner_receive,
};

const struct bench life_benches[] = {
	{"fjcreate", &forker, NULL, 1000 * 1000, 0, "N actors from one handler; one message each"},
	{"deathwatch", &mourner, NULL, 1000 * 1000, 0,
	 "N times spawn, watch, end, ward_terminated"},
	{0},
};
