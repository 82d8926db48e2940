/* SPDX-License-Identifier: MIT
 *
 * arming.c - the longest call that arms a timer, and the bytes of one that is armed.
 */
#include <stdio.h>

#include "bench.h"
#include "resident.h"

WARD_SIGNAL(ring);

enum { DEFAULT, EXACT };

/* One of so many is beyond the quantile of 99.9999 %. */
enum { RARE = 1000 * 1000, LONGEST_MAX = 64 };

/* Of the empty loop, at most. */
#define IDLE_MAX_NS (5 * WARD_SECOND * WARD_NS_PER_MS)

/* The longest gaps between two looks at the clock, the longest first. */
struct longest {
	int count;
	int64_t ns[LONGEST_MAX];
};

static void longest_add(struct longest *me, int64_t ns)
{
	int i = me->count - 1;

	if (ns <= me->ns[i])
		return;
	for (; i > 0 && me->ns[i - 1] < ns; i--)
		me->ns[i] = me->ns[i - 1];
	me->ns[i] = ns;
}

/* row_what */
static void report(const char *row, const char *what, int64_t ns)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", row, what);
	bench_report(name, (double)ns / 1e3, "us");
}

/* Each for another time, none in order, none before the end. */
static void arm(ward_self *self, int64_t i, bool exact)
{
	ward_timer timer = {.key = (uint64_t)i + 1,
			    .after_ms = WARD_MINUTE * 60 + (i * 7919) % 1000003,
			    .exact = exact};

	ward_timer_start(self, &timer, &ward_type_ring, NULL, 0);
}

/* Does nothing for that long. */
static void idle_for(struct longest *gaps, int64_t span_ns)
{
	int64_t begin_ns = bench_now_ns(), before = begin_ns, now;

	do {
		now = bench_now_ns();
		longest_add(gaps, now - before);
		before = now;
	} while (now - begin_ns < span_ns && now - begin_ns < IDLE_MAX_NS);
}

/* The loop that does nothing runs for as long as the arming has taken, or IDLE_MAX_NS. */
static ward_result clerk_start(ward_self *self, void *state)
{
	const struct bench *bench = bench_load_of(self)->bench;
	int64_t n = bench_load_of(self)->n, begin_ns = bench_now_ns(), before = begin_ns, now;
	int wanted = (int)(n / RARE) + 1;
	struct longest calls = {.count = wanted < LONGEST_MAX ? wanted : LONGEST_MAX};
	struct longest gaps = {.count = calls.count};

	(void)state;
	for (int64_t i = 0; i < n; i++) {
		arm(self, i, bench->variant == EXACT);
		now = bench_now_ns();
		longest_add(&calls, now - before);
		before = now;
	}
	idle_for(&gaps, before - begin_ns);
	bench_report(bench->name, (double)(before - begin_ns) / (double)n, "ns/timer");
	report(bench->name, "p99.9999", calls.ns[calls.count - 1]);
	report(bench->name, "max", calls.ns[0]);
	report(bench->name, "idle_p99.9999", gaps.ns[gaps.count - 1]);
	report(bench->name, "idle_max", gaps.ns[0]);
	report(bench->name, "beyond", calls.ns[0] - gaps.ns[0]);
	ward_stop_self(self);
	return WARD_DONE;
}

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return ward_match(msg, ring) ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior clerk = {
	.name = "clerk",
	.args = &ward_type_bench_load,
	.pre_start = clerk_start,
	.receive = clerk_receive,
};

/* ---- mem_timer: bytes of an armed timer, with its message ---- */

static ward_result holder_start(ward_self *self, void *state)
{
	int64_t n = bench_load_of(self)->n, before = resident_bytes();

	(void)state;
	for (int64_t i = 0; i < n; i++)
		arm(self, i, false);
	bench_report("mem_timer", (double)(resident_bytes() - before) / (double)n, "bytes/timer");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior holder = {
	.name = "holder",
	.args = &ward_type_bench_load,
	.pre_start = holder_start,
	.receive = clerk_receive,
};

const struct bench arming_benches[] = {
	{"arming", &clerk, NULL, 10 * 1000 * 1000, DEFAULT, "the longest single start of N timers"},
	{"arming_exact", &clerk, NULL, 2 * 1000 * 1000, EXACT, "the same, of exact timers"},
	{"mem_timer", &holder, NULL, 1000 * 1000, DEFAULT, "N timers wait"},
	{0},
};
