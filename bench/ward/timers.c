/* SPDX-License-Identifier: MIT
 *
 * timers.c - timers that are armed, and cancelled before they fire.
 */
#include "bench.h"

WARD_SIGNAL(ring);

static ward_result clock_start(ward_self *self, void *state)
{
	int64_t n = bench_load_of(self)->n, begin_ns = bench_begin_ns(self);

	(void)state;
	/* Each for another time, none in order, none before the end. */
	for (int64_t i = 0; i < n; i++)
		ward_after(self, (uint64_t)i + 1, WARD_MINUTE * 60 + (i * 7919) % 1000003, ring);
	bench_report_since(self, "timers_arm", begin_ns, n, "ns/timer");
	begin_ns = bench_begin_ns(self);
	for (int64_t i = 0; i < n; i++)
		ward_timer_cancel(self, (uint64_t)i + 1);
	bench_report_since(self, "timers_cancel", begin_ns, n, "ns/timer");
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
	{"timers", &alarm_clock, NULL, 1000 * 1000, 0,
	 "N timers of one actor, armed and cancelled"},
	{0},
};
