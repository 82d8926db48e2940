/* SPDX-License-Identifier: MIT
 *
 * backoff_delay.c - how long it is until the next start (S93).
 *
 * The random part comes after the cap: so those that have come to the maximum are spread as well.
 *
 * A function of its arguments.
 */
#include "patterns/backoff/backoff_delay.h"

/* 2^-64, and the first number that an int64_t does not hold. */
static const double two_to_minus_64 = 0x1p-64;
static const double too_large = 0x1p63;

static int64_t at_least_0(int64_t ms)
{
	return ms > 0 ? ms : 0;
}

static int64_t doubled(uint32_t times, int64_t min_ms, int64_t max_ms)
{
	if (times >= 63 || min_ms > max_ms >> times)
		return max_ms;
	return min_ms << times;
}

int64_t wardi_backoff_delay_ms(uint32_t restarts, int64_t min_backoff_ms, int64_t max_backoff_ms,
			       double random_factor, uint64_t random)
{
	int64_t max_ms = at_least_0(max_backoff_ms);
	int64_t base_ms = doubled(restarts, at_least_0(min_backoff_ms), max_ms);
	/* The upper 53 bits, all that a double holds: never rounded up to 1. */
	double part = (double)(random >> 11 << 11) * two_to_minus_64;
	/* In this order, which keeps it below the whole. */
	double more_ms = (double)base_ms * random_factor * part;

	if (!(random_factor > 0)) /* no number is none of it, too */
		return base_ms;
	/* Not added as doubles: the base may have more digits than these. 0 times infinity is no
	 * number. */
	if (!(more_ms < too_large) || (int64_t)more_ms > INT64_MAX - base_ms)
		return max_ms;
	return base_ms + (int64_t)more_ms;
}
