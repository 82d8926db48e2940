/* SPDX-License-Identifier: MIT
 *
 * clock.c - the two clocks of a system.
 *
 * Most machines read their clocks without a system call. If a machine needs the call, and the
 * program has forbidden it to itself, the coarse clocks are read, which never need it. If even
 * these are refused, a count stands for the time: it goes on, but means little.
 *
 * Threads: reads may run at any time; only the one thread of a simulation steps.
 */
#include "base/clock.h"

#include <time.h>

#include "base/assert.h"

enum { COUNT_NS = 1000 /* for each read of a clock that is refused */ };

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

/* Reads the time after the first attempt has failed. */
static __attribute__((noinline, cold)) int64_t other_ns(struct wardi_clock *clock, clockid_t id,
							clockid_t coarse)
{
	struct timespec now;

	if (clock_gettime(id, &now) == 0 || clock_gettime(coarse, &now) == 0)
		return nanoseconds(&now);
	/* Relaxed: a time orders nothing. */
	return atomic_fetch_add_explicit(&clock->step_ns, COUNT_NS, memory_order_relaxed);
}

static int64_t machine_ns(struct wardi_clock *clock, clockid_t id, clockid_t coarse)
{
	struct timespec now;

	return clock_gettime(id, &now) == 0 ? nanoseconds(&now) : other_ns(clock, id, coarse);
}

void wardi_clock_init(struct wardi_clock *clock, bool stepped)
{
	clock->stepped = stepped;
	atomic_init(&clock->step_ns, 0);
	if (!stepped)
		atomic_init(&clock->step_ns,
			    machine_ns(clock, CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE));
}

/* Relaxed: a time orders nothing; only the stepping thread acts before a step. */
static int64_t stepped_ns(struct wardi_clock *clock)
{
	return atomic_load_explicit(&clock->step_ns, memory_order_relaxed);
}

int64_t wardi_clock_now(struct wardi_clock *clock)
{
	return clock->stepped ? stepped_ns(clock)
			      : machine_ns(clock, CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE);
}

int64_t wardi_clock_wall(struct wardi_clock *clock)
{
	return clock->stepped ? stepped_ns(clock)
			      : machine_ns(clock, CLOCK_REALTIME, CLOCK_REALTIME_COARSE);
}

void wardi_clock_step_to(struct wardi_clock *clock, int64_t ns)
{
	wardi_assert(clock->stepped);
	if (ns > stepped_ns(clock))
		atomic_store_explicit(&clock->step_ns, ns, memory_order_relaxed); /* as above */
}
