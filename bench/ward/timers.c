/* SPDX-License-Identifier: MIT
 *
 * timers.c - timers that are armed, and cancelled before they fire.
 */
#include <stdio.h>

#include "bench.h"

WARD_SIGNAL(ring);

enum { SUCCESSIVE, SCATTERED };

static uint64_t key_of(const struct bench *bench, int64_t i)
{
	uint64_t key = (uint64_t)i + 1;

	return bench->variant == SCATTERED ? key * UINT64_C(0x9e3779b97f4a7c15) : key;
}

/* name_what */
static void report(ward_self *self, const char *what, int64_t begin_ns, int64_t n)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", bench_load_of(self)->bench->name, what);
	bench_report_since(self, name, begin_ns, n, "ns/timer");
}

static ward_result clock_start(ward_self *self, void *state)
{
	const struct bench *bench = bench_load_of(self)->bench;
	int64_t n = bench_load_of(self)->n, begin_ns = bench_begin_ns(self);

	(void)state;
	/* Each for another time, none in order, none before the end. */
	for (int64_t i = 0; i < n; i++)
		ward_after(self, key_of(bench, i), WARD_MINUTE * 60 + (i * 7919) % 1000003, ring);
	report(self, "arm", begin_ns, n);
	begin_ns = bench_begin_ns(self);
	for (int64_t i = 0; i < n; i++)
		ward_timer_cancel(self, key_of(bench, i));
	report(self, "cancel", begin_ns, n);
	ward_stop_self(self);
	return WARD_DONE;
}

static ward_result clock_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return ward_match(msg, ring) ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior alarm_clock = {
	.name = "alarm_clock",
	.args = &ward_type_bench_load,
	.pre_start = clock_start,
	.receive = clock_receive,
};

const struct bench timer_benches[] = {
	{"timers", &alarm_clock, NULL, 1000 * 1000, SUCCESSIVE,
	 "N timers of one actor, armed and cancelled"},
	{"timers_scattered", &alarm_clock, NULL, 1000 * 1000, SCATTERED,
	 "the same with keys that are random numbers"},
	{0},
};
