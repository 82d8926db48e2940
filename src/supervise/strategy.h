/* SPDX-License-Identifier: MIT
 *
 * strategy.h - from a failure of a child to a directive.
 */
#ifndef WARDI_STRATEGY_H
#define WARDI_STRATEGY_H

#include "cell/self.h"

/* Returns WARD_OK, or a code with a detail that does not name the actor; NULL is fine. */
ward_err wardi_strategy_check(const ward_strategy *strategy);

/* Whether a directive can be carried out: resume, restart, stop, escalate. */
bool wardi_directive_is_final(ward_directive directive);

/* Asks the strategy, once. The answer is final, or WARD_LATER. When its decide function fails, the
 * answer is escalate and *cause is replaced by that failure (S19). */
ward_directive wardi_strategy_decide(struct ward_self *self, const ward_strategy *strategy,
				     struct wardi_cell *child, struct wardi_failure *cause);

#endif
