/* SPDX-License-Identifier: MIT
 *
 * limit.h - how often a child may be restarted (S70-S73).
 */
#ifndef WARDI_LIMIT_H
#define WARDI_LIMIT_H

#include <ward/supervise.h>

/* Charges one restart at now_ns; says whether it may happen. */
bool wardi_limit_charge(const ward_strategy *strategy, uint32_t *count, int64_t *window_start_ns,
			int64_t now_ns);

/* How many restarts are left after `count` were charged; -1: no limit. */
int32_t wardi_limit_left(const ward_strategy *strategy, uint32_t count);

#endif
