/* SPDX-License-Identifier: MIT
 *
 * backoff_decide.h - what a back-off supervisor decides about its child.
 */
#ifndef WARDI_BACKOFF_DECIDE_H
#define WARDI_BACKOFF_DECIDE_H

#include <ward/supervise.h>
#include <ward/types.h>

struct wardi_backoff;

extern const ward_strategy wardi_backoff_failure_strategy;

/* Says that the limit ends the supervisor: its child "has ended", or "failed". */
void wardi_backoff_give_up(const struct wardi_backoff *me, ward_self *self, const char *what);

/* Whether one more restart is within the limit. */
bool wardi_backoff_may_retry(const struct wardi_backoff *me);

/* What each kind decides about its child; the second ones make no event of it. */
extern const ward_strategy wardi_backoff_stop_strategy;

#endif
