/* SPDX-License-Identifier: MIT
 *
 * clock.c - the two clocks of a system.
 *
 * Safe together: reads with everything; step belongs to the one thread of a simulation.
 */
#include "base/clock.h"

#include <time.h>

#include "base/assert.h"

static int64_t machine_ns(clockid_t id)
{
	struct timespec now;

	int rc = clock_gettime(id, &now);
	wardi_assert(rc == 0);
	return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void wardi_clock_init(struct wardi_clock *clock, bool stepped)
{
	clock->stepped = stepped;
	atomic_init(&clock->step_ns, 0);
}

/* Relaxed: a time orders nothing; what happened before a step is the stepping thread's own. */
static int64_t stepped_ns(struct wardi_clock *clock)
{
	return atomic_load_explicit(&clock->step_ns, memory_order_relaxed);
}

int64_t wardi_clock_now(struct wardi_clock *clock)
{
	return clock->stepped ? stepped_ns(clock) : machine_ns(CLOCK_MONOTONIC);
}

int64_t wardi_clock_wall(struct wardi_clock *clock)
{
	return clock->stepped ? stepped_ns(clock) : machine_ns(CLOCK_REALTIME);
}

void wardi_clock_step_to(struct wardi_clock *clock, int64_t ns)
{
	wardi_assert(clock->stepped);
	if (ns > stepped_ns(clock))
		atomic_store_explicit(&clock->step_ns, ns, memory_order_relaxed); /* as above */
}
