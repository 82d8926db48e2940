/* SPDX-License-Identifier: MIT
 *
 * limit.h - how often a child may be restarted (S70-S74).
 */
#ifndef WARDI_LIMIT_H
#define WARDI_LIMIT_H

#include <ward/supervise.h>

/* The numbers of a strategy, where it has a limit: how many, and whether what happened that long
 * ago counts still. Both bounds are included. */
uint32_t wardi_limit_max(const ward_strategy *strategy);
bool wardi_limit_within(const ward_strategy *strategy, int64_t age_ns);

/* Charges one restart at now_ns, in a window that does not slide; says whether it may happen. */
bool wardi_limit_charge(const ward_strategy *strategy, uint32_t *count, int64_t *window_start_ns,
			int64_t now_ns);

/* How many restarts are left after `count` were charged; -1: no limit. */
int32_t wardi_limit_left(const ward_strategy *strategy, uint32_t count);

#endif
