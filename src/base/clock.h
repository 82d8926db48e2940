/* SPDX-License-Identifier: MIT
 *
 * clock.h - the two clocks of a system: monotonic for timers, wall for stamps. Both are either the
 * clocks of the machine or stepped by hand.
 *
 * Threads: reads may run at any time; only the one thread of a simulation steps.
 */
#ifndef WARDI_CLOCK_H
#define WARDI_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct wardi_clock {
	bool stepped; /* frozen */
	/* Stepped: the time of both clocks. Else the count for a clock that cannot be read. */
	_Atomic int64_t step_ns;
};

void wardi_clock_init(struct wardi_clock *clock, bool stepped);
int64_t wardi_clock_now(struct wardi_clock *clock);  /* monotonic, ns */
int64_t wardi_clock_wall(struct wardi_clock *clock); /* since 1970, ns; stepped: since its start */
/* Returns the time that much later; INT64_MAX: never. A simulation comes to the end of time. */
static inline int64_t wardi_clock_later(int64_t from_ns, int64_t by_ns)
{
	return by_ns < INT64_MAX - from_ns ? from_ns + by_ns : INT64_MAX;
}
/* Never goes back: an earlier time is ignored. */
void wardi_clock_step_to(struct wardi_clock *clock, int64_t ns);

#endif
