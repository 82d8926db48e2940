/* SPDX-License-Identifier: MIT
 *
 * firing.c - timers that fire: many within a short time, and ticks without an end.
 */
#include <stdatomic.h>
#include <time.h>

#include "../clock.h"
#include "bench.h"
#include "busy.h"

WARD_SIGNAL(ring);
WARD_SIGNAL(done);

/* ---- timers_fire, timers_fire_many: all within FIRE_MS, of one actor or of many ---- */

enum { FIRE_MS = 200 };

struct ringer_args {
	int64_t timers;
};
WARD_MESSAGE(ringer_args);

struct ringer {
	int64_t left;
};

static ward_result ringer_start(ward_self *self, void *state)
{
	const struct ringer_args *args = ward_args(self);

	((struct ringer *)state)->left = args->timers;
	/* In no order. */
	for (int64_t i = 0; i < args->timers; i++)
		ward_after(self, (uint64_t)i + 1, 1 + i * 7919 % FIRE_MS, ring);
	return WARD_DONE;
}

static ward_result ringer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct ringer *me = state;

	if (!ward_match(msg, ring))
		return WARD_UNHANDLED;
	if (--me->left == 0)
		ward_tell(self, ward_parent(self), done);
	return WARD_DONE;
}

static const ward_behavior ringer = {
	.name = "ringer",
	.state_size = sizeof(struct ringer),
	.args = &ward_type_ringer_args,
	.pre_start = ringer_start,
	.receive = ringer_receive,
};

struct belfry {
	int64_t begin_cpu_ns;
	int64_t ringing;
};

static ward_result belfry_start(ward_self *self, void *state)
{
	const struct bench_load *load = bench_load_of(self);
	int64_t actors = load->bench->variant < load->n ? load->bench->variant : 1;
	struct belfry *me = state;

	*me = (struct belfry){.begin_cpu_ns = clock_cpu_ns(), .ringing = actors};
	for (int64_t i = 0; i < actors; i++)
		ward_spawn(self, &ringer, .args = WARD_ARGS(ringer_args, load->n / actors));
	return WARD_DONE;
}

static ward_result belfry_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	struct belfry *me = state;

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	if (--me->ringing > 0)
		return WARD_DONE;
	bench_report(load->bench->name,
		     (double)(clock_cpu_ns() - me->begin_cpu_ns) / (double)load->n, "ns/timer");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior belfry = {
	.name = "belfry",
	.state_size = sizeof(struct belfry),
	.args = &ward_type_bench_load,
	.pre_start = belfry_start,
	.receive = belfry_receive,
};

/* ---- ticks: a thousand actors, each with a period of PERIOD_MS, phases spread evenly ---- */

enum { TICKERS = 1000, PERIOD_MS = 100 };

WARD_SIGNAL(start);

/* Of all actors; relaxed: a statistic. */
static _Atomic int64_t ticks;

static ward_result ticker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ring))
		atomic_fetch_add_explicit(&ticks, (int64_t)ward_timer_periods(self),
					  memory_order_relaxed);
	else if (ward_match(msg, start))
		ward_every(self, 1, PERIOD_MS, ring);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static const ward_behavior ticker = {.name = "ticker", .receive = ticker_receive};

static int64_t ticks_so_far(void)
{
	return atomic_load_explicit(&ticks, memory_order_relaxed);
}

/* Starts them one by one, so that there is a tick each PERIOD_MS / TICKERS. */
static void start_tickers(ward_system *system, ward_ref *tickers)
{
	struct timespec at;

	for (int i = 0; i < TICKERS; i++)
		bench_must(ward_system_spawn(system, WARD_PROPS(&ticker), &tickers[i]));
	clock_gettime(CLOCK_MONOTONIC, &at);
	for (int i = 0; i < TICKERS; i++) {
		at.tv_nsec += PERIOD_MS * 1000000 / TICKERS;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		ward_system_tell(system, tickers[i], start);
	}
}

static int run_ticks(const struct bench_load *load)
{
	int64_t begin_ns, begin_cpu_ns, begin_ticks, cpu_ns, come;
	ward_ref tickers[TICKERS];
	ward_system *system;
	double span_ns;

	bench_must(ward_system_create(&(ward_options){.name = "bench", .workers = load->workers},
				      &system));
	start_tickers(system, tickers);
	busy_rest(PERIOD_MS);
	begin_ns = bench_now_ns();
	begin_ticks = ticks_so_far();
	begin_cpu_ns = clock_cpu_ns();
	busy_rest(load->n);
	cpu_ns = clock_cpu_ns() - begin_cpu_ns;
	come = ticks_so_far() - begin_ticks;
	span_ns = (double)(bench_now_ns() - begin_ns);
	bench_report("ticks", 100 * (double)cpu_ns / span_ns, "%");
	bench_report("ticks_rate", (double)come / span_ns * 1e9, "ticks/s");
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
	return 0;
}

const struct bench firing_benches[] = {
	{"timers_fire", &belfry, NULL, 50 * 1000, 1,
	 "N timers of one actor fire within 0.2 s; processor time"},
	{"timers_fire_many", &belfry, NULL, 50 * 1000, 1000, "the same, of 1000 actors"},
	{"ticks", NULL, run_ticks, 2000, 0, "10000 ticks a second for N ms; processor time"},
	{0},
};
