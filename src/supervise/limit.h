/* SPDX-License-Identifier: MIT
 *
 * limit.h - how often a child may be restarted (S70-S74).
 */
#ifndef WARDI_LIMIT_H
#define WARDI_LIMIT_H

#include <ward/supervise.h>

/* For a strategy with a limit: how many restarts it allows, and whether a restart of that age still
 * counts. Both bounds are inclusive. */
uint32_t wardi_limit_max(const ward_strategy *strategy);
bool wardi_limit_within(const ward_strategy *strategy, int64_t age_ns);

/* Charges one restart at now_ns in a fixed window; returns whether it may happen. */
bool wardi_limit_charge(const ward_strategy *strategy, uint32_t *count, int64_t *window_start_ns,
			int64_t now_ns);

/* Writes the limit for a report: "2 restarts in 30 s"; without a window "2 restarts". */
enum { WARDI_LIMIT_TEXT = 64 };
void wardi_limit_text(const ward_strategy *strategy, char text[WARDI_LIMIT_TEXT]);

/* Returns how many restarts are left after `count` were charged; -1: no limit. */
int32_t wardi_limit_left(const ward_strategy *strategy, uint32_t count);

#endif
