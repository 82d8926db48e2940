/* SPDX-License-Identifier: MIT
 *
 * backoff_delay.h - the delay before something is tried again (S93).
 *
 * The random part is added after the cap, so that delays at the maximum are spread as well.
 *
 * Threads: functions of their arguments.
 */
#ifndef WARDI_BACKOFF_DELAY_H
#define WARDI_BACKOFF_DELAY_H

#include <stdint.h>

static inline int64_t wardi_backoff_doubled_ms(uint32_t times, int64_t min_ms, int64_t max_ms)
{
	if (times >= 63 || min_ms > max_ms >> times)
		return max_ms;
	return min_ms << times;
}

/* Returns, in milliseconds, min_backoff_ms doubled `restarts` times, at most max_backoff_ms, plus
 * `random_factor` of that times `random` / 2^64. On overflow returns max_backoff_ms; a negative
 * argument or a NaN counts as 0. Contract: S93. */
static inline int64_t wardi_backoff_delay_ms(uint32_t restarts, int64_t min_backoff_ms,
					     int64_t max_backoff_ms, double random_factor,
					     uint64_t random)
{
	/* 2^-64, and the smallest power of 2 beyond int64_t. */
	static const double two_to_minus_64 = 0x1p-64, too_large = 0x1p63;
	int64_t min_ms = min_backoff_ms > 0 ? min_backoff_ms : 0;
	int64_t max_ms = max_backoff_ms > 0 ? max_backoff_ms : 0;
	int64_t base_ms = wardi_backoff_doubled_ms(restarts, min_ms, max_ms);
	/* The upper 53 bits fit a double exactly, so the result is never rounded up to 1. */
	double part = (double)(random >> 11 << 11) * two_to_minus_64;
	/* Multiplied in this order the result stays below base_ms * random_factor. */
	double more_ms = (double)base_ms * random_factor * part;

	if (!(random_factor > 0)) /* a NaN counts as 0 */
		return base_ms;
	/* Not added as doubles: the base may have more digits than a double. 0 times infinity is a
	 * NaN. */
	if (!(more_ms < too_large) || (int64_t)more_ms > INT64_MAX - base_ms)
		return max_ms;
	return base_ms + (int64_t)more_ms;
}

#endif
