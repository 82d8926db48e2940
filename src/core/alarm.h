/* SPDX-License-Identifier: MIT
 *
 * alarm.h - what the core arms at the scheduler: timers of actors, timeouts of questions.
 */
#ifndef WARDI_ALARM_H
#define WARDI_ALARM_H

#include "core/self.h"

struct wardi_alarm {
	struct wardi_timer_node node; /* first: what the scheduler sees */
	/* Frozen. Called under the timers' lock, on any worker; may deliver what is made. */
	void (*fire)(struct wardi_worker *worker, struct wardi_alarm *alarm, int64_t now_ns);
};

/* For the scheduler's hook. */
static inline void wardi_alarm_fire(struct wardi_worker *worker, struct wardi_timer_node *node,
				    int64_t now_ns)
{
	struct wardi_alarm *alarm = (struct wardi_alarm *)(void *)node;

	alarm->fire(worker, alarm, now_ns);
}

/* Times that would overflow are as good as for ever. */
static inline int64_t wardi_ms_to_ns(int64_t ms)
{
	enum { NS_PER_MS = 1000000 };
	const int64_t ms_max = INT64_MAX / NS_PER_MS / 4;

	return (ms < ms_max ? ms : ms_max) * NS_PER_MS;
}

#endif
