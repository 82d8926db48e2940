/* SPDX-License-Identifier: MIT
 *
 * limit.c - the numbers of a restart limit, and the fixed window.
 *
 * A fixed window opens with the first failure, so up to twice the maximum can happen around its
 * end. The restart that opens a new window is the first in it; a denied restart is charged, too.
 * Both comparisons include their bound (S71, S72). The sliding window is in budget.c.
 *
 * Threads: runs only on the parent's worker.
 */
#include "supervise/limit.h"

#include <inttypes.h>
#include <stdio.h>

/* An intensity without numbers is OTP's: 1 in 5 seconds (S74). */
static bool is_bare_intensity(const ward_strategy *strategy)
{
	return strategy->limit == WARD_LIMIT_INTENSITY && strategy->restarts_max == 0;
}

uint32_t wardi_limit_max(const ward_strategy *strategy)
{
	if (is_bare_intensity(strategy))
		return 1;
	return strategy->restarts_max > 0 ? (uint32_t)strategy->restarts_max : 0;
}

static int64_t window_of(const ward_strategy *strategy)
{
	return is_bare_intensity(strategy) ? 5 * WARD_SECOND : strategy->window_ms;
}

bool wardi_limit_within(const ward_strategy *strategy, int64_t age_ns)
{
	int64_t window_ms = window_of(strategy);

	/* Divided, not multiplied: a long window in nanoseconds may not fit. */
	return age_ns / WARD_NS_PER_MS < window_ms ||
	       (age_ns / WARD_NS_PER_MS == window_ms && age_ns % WARD_NS_PER_MS == 0);
}

bool wardi_limit_charge(const ward_strategy *strategy, uint32_t *count, int64_t *window_start_ns,
			int64_t now_ns)
{
	if (strategy->restarts_max == WARD_RESTARTS_NONE)
		return false;
	if (strategy->restarts_max == 0)
		return true;
	if (now_ns == 0)
		now_ns = 1; /* 0 says that no window is open */

	if (strategy->window_ms > 0) {
		if (*window_start_ns == 0)
			*window_start_ns = now_ns;
		if (!wardi_limit_within(strategy, now_ns - *window_start_ns)) {
			*window_start_ns = now_ns;
			*count = 0;
		}
	}
	if (*count < UINT32_MAX)
		++*count;
	return *count <= wardi_limit_max(strategy);
}

void wardi_limit_text(const ward_strategy *strategy, char text[WARDI_LIMIT_TEXT])
{
	uint32_t max = wardi_limit_max(strategy);
	int64_t window_ms = window_of(strategy);
	bool seconds = window_ms % WARD_SECOND == 0;
	int length =
		snprintf(text, WARDI_LIMIT_TEXT, "%" PRIu32 " restart%s", max, max == 1 ? "" : "s");

	if (window_ms > 0 && window_ms != WARD_FOREVER)
		snprintf(text + length, (size_t)(WARDI_LIMIT_TEXT - length), " in %" PRId64 " %s",
			 seconds ? window_ms / WARD_SECOND : window_ms, seconds ? "s" : "ms");
}

int32_t wardi_limit_left(const ward_strategy *strategy, uint32_t count)
{
	uint32_t max = wardi_limit_max(strategy);

	if (max == 0 && strategy->restarts_max == 0)
		return -1;
	return count < max ? (int32_t)(max - count) : 0;
}
