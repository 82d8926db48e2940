/* SPDX-License-Identifier: MIT
 *
 * budget.h - the record of a restart limit: made at a spawn, so that no decision needs memory.
 *
 * A budget belongs to a child, or to all children of a supervisor (intensity).
 * By the parent's holder.
 */
#ifndef WARDI_BUDGET_H
#define WARDI_BUDGET_H

#include <ward/types.h>

#include "cell/self.h"

struct wardi_budget;

/* Makes the record for a child or, with `of_all`, for all children together. *ret_budget is NULL
 * where the policy keeps no such record. False: no memory. */
bool wardi_budget_take(struct wardi_source from, const ward_strategy *strategy, bool of_all,
		       struct wardi_budget **ret_budget);
/* NULL is fine. */
void wardi_budget_give(struct wardi_source from, struct wardi_budget *budget);

/* Charges one restart at now_ns; returns whether it may happen. NULL: nothing is counted. */
bool wardi_budget_charge(struct wardi_budget *budget, const ward_strategy *strategy,
			 int64_t now_ns);
/* Returns how many restarts were charged; in a sliding window those still inside it, up to one more
 * than the limit. NULL: 0. */
uint32_t wardi_budget_count(struct wardi_budget *budget, const ward_strategy *strategy,
			    int64_t now_ns);
/* Forgets all charges. NULL is fine. */
void wardi_budget_reset(struct wardi_budget *budget);
/* Returns the zeroed message to send when the limit stops the child, which the caller owns from
 * here on. NULL: it was sent, or there is none. */
struct ward_msg *wardi_budget_notice(struct wardi_budget *budget);

#endif
