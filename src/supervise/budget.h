/* SPDX-License-Identifier: MIT
 *
 * budget.h - what a restart limit keeps: taken at a spawn, so that no decision can fail for memory.
 *
 * A budget belongs to a child, or to all children of a supervisor (intensity).
 * By the parent's holder.
 */
#ifndef WARDI_BUDGET_H
#define WARDI_BUDGET_H

#include <ward/types.h>

#include "cell/self.h"

struct wardi_budget;

/* For a child; or, `of_all`, for the children together. NULL in *ret_budget: the policy keeps
 * nothing there. False: no memory. */
bool wardi_budget_take(struct wardi_source from, const ward_strategy *strategy, bool of_all,
		       struct wardi_budget **ret_budget);
/* NULL is fine. */
void wardi_budget_give(struct wardi_source from, struct wardi_budget *budget);

/* Charges one restart at now_ns; says whether it may happen. NULL: nothing is counted. */
bool wardi_budget_charge(struct wardi_budget *budget, const ward_strategy *strategy,
			 int64_t now_ns);
/* How many were charged; in a window that slides, up to one more than the limit, those that are in
 * it still. NULL: none. */
uint32_t wardi_budget_count(struct wardi_budget *budget, const ward_strategy *strategy,
			    int64_t now_ns);
/* Nothing was charged. NULL is fine. */
void wardi_budget_reset(struct wardi_budget *budget);
/* The message to be sent when the limit stops the child, zeroed; NULL: it was sent, or there is
 * none. The caller's from here on. */
struct ward_msg *wardi_budget_notice(struct wardi_budget *budget);

#endif
