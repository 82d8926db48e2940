/* SPDX-License-Identifier: MIT
 *
 * late.c - how late timers fire: in a system that is idle, and beside busy pairs.
 */

#include "bench.h"
#include "busy.h"
#include "latency.h"

WARD_SIGNAL(ring);

/* Bits of a variant. */
enum { IDLE = 0, BUSY = 1, EXACT = 2 };

struct sleeper {
	int64_t due_ns;
	int64_t rung;
	int64_t *ns;
};

/* 1, 2 and 3 ms in turn. */
static void sleep_on(ward_self *self, struct sleeper *me)
{
	int64_t ms = 1 + me->rung % 3;
	bool exact = (bench_load_of(self)->bench->variant & EXACT) != 0;

	me->due_ns = bench_now_ns() + ms * WARD_NS_PER_MS;
	ward_timer_start(self, &(ward_timer){.key = 1, .after_ms = ms, .exact = exact},
			 &ward_type_ring, NULL, 0);
}

static ward_result sleeper_start(ward_self *self, void *state)
{
	struct sleeper *me = state;

	me->ns = ward_alloc(self, (size_t)bench_load_of(self)->n * sizeof(me->ns[0]));
	sleep_on(self, me);
	return WARD_DONE;
}

static ward_result sleeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	struct sleeper *me = state;

	if (!ward_match(msg, ring))
		return WARD_UNHANDLED;
	me->ns[me->rung++] = bench_now_ns() - me->due_ns;
	if (me->rung < load->n) {
		sleep_on(self, me);
		return WARD_DONE;
	}
	latency_report(load->bench->name, me->ns, load->n, "us");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior sleeper = {
	.name = "sleeper",
	.state_size = sizeof(struct sleeper),
	.args = &ward_type_bench_load,
	.pre_start = sleeper_start,
	.receive = sleeper_receive,
};

static int run_late(const struct bench_load *load)
{
	ward_system *system;
	ward_ref one;

	bench_must(ward_system_create(&(ward_options){.name = "bench", .workers = load->workers},
				      &system));
	if ((load->bench->variant & BUSY) != 0)
		busy_start(system);
	bench_must(ward_system_spawn(
		system, WARD_PROPS(&sleeper, .args = {WARD_COPY(bench_load, load)}), &one));
	bench_must(ward_system_wait_for(system, one, WARD_MINUTE));
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
	return 0;
}

const struct bench late_benches[] = {
	{"late", NULL, run_late, 500, IDLE, "N timers, one after the other: how late each fires"},
	{"late_busy", NULL, run_late, 500, BUSY, "the same beside four busy pairs"},
	{"late_exact", NULL, run_late, 500, EXACT, "exact timers, in an idle system"},
	{"late_exact_busy", NULL, run_late, 500, EXACT | BUSY, "the same beside four busy pairs"},
	{0},
};
