/* SPDX-License-Identifier: MIT
 *
 * long_sleep.h - sleeps with a time limit that are as exact as short ones.
 *
 * The kernel lets a sleep in ppoll() end late by a share of its time: 0.1 %, or 0.5 % where the
 * process is nice, 100 ms at most (its function select_estimate_accuracy()). PR_SET_TIMERSLACK does
 * not change that. So a long sleep is one that ends early by as much, and another one for the rest.
 */
#ifndef WARDI_LONG_SLEEP_H
#define WARDI_LONG_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	WARDI_LONG_SLEEP_NS = 5 * 1000 * 1000, /* less is late by 25 us at most */
	WARDI_LATE_SHARE = 200,
	WARDI_LATE_MAX_NS = 100 * 1000 * 1000
};

static inline bool wardi_sleep_is_long(int64_t timeout_ns)
{
	return timeout_ns >= WARDI_LONG_SLEEP_NS;
}

/* Returns for how long to sleep first. */
static inline int64_t wardi_sleep_part_ns(int64_t left_ns)
{
	int64_t late_ns = left_ns / WARDI_LATE_SHARE;

	if (!wardi_sleep_is_long(left_ns))
		return left_ns;
	return left_ns - (late_ns < WARDI_LATE_MAX_NS ? late_ns : WARDI_LATE_MAX_NS);
}

#endif
