/* SPDX-License-Identifier: MIT
 *
 * limit.c - the restart limit of one child.
 *
 * A window opens with the first failure and does not slide: so up to twice the maximum can happen
 * around its end. The restart that opens a new window is the first of it; one that is denied is
 * charged all the same. Both comparisons include their bound (S71, S72).
 *
 * single-threaded: runs only on the parent's worker.
 */
#include "supervise/limit.h"

enum { NS_PER_MS = 1000000 };

bool wardi_limit_charge(const ward_strategy *strategy, uint32_t *count, int64_t *window_start_ns,
			int64_t now_ns)
{
	uint32_t max;

	if (strategy->restarts_max == WARD_RESTARTS_NONE)
		return false;
	if (strategy->restarts_max == 0)
		return true;
	max = (uint32_t)strategy->restarts_max;
	if (now_ns == 0)
		now_ns = 1; /* 0 says that no window is open */

	if (strategy->window_ms > 0) {
		if (*window_start_ns == 0)
			*window_start_ns = now_ns;
		if ((now_ns - *window_start_ns) / NS_PER_MS > strategy->window_ms ||
		    ((now_ns - *window_start_ns) / NS_PER_MS == strategy->window_ms &&
		     (now_ns - *window_start_ns) % NS_PER_MS != 0)) {
			*window_start_ns = now_ns;
			*count = 0;
		}
	}
	if (*count < UINT32_MAX)
		++*count;
	return *count <= max;
}

int32_t wardi_limit_left(const ward_strategy *strategy, uint32_t count)
{
	if (strategy->restarts_max == WARD_RESTARTS_NONE)
		return 0;
	if (strategy->restarts_max == 0)
		return -1;
	return count < (uint32_t)strategy->restarts_max ? strategy->restarts_max - (int32_t)count
							: 0;
}
