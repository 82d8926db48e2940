/* SPDX-License-Identifier: MIT
 *
 * backoff_decide.h - the decisions of a back-off supervisor about its child.
 */
#ifndef WARDI_BACKOFF_DECIDE_H
#define WARDI_BACKOFF_DECIDE_H

#include <ward/supervise.h>
#include <ward/types.h>

struct wardi_backoff;

extern const ward_strategy wardi_backoff_failure_strategy;

/* Notes that the limit ends the supervisor. what: "has ended" or "failed", of its child. */
void wardi_backoff_give_up(const struct wardi_backoff *me, ward_self *self, const char *what);

/* Whether the limit allows another restart. */
bool wardi_backoff_may_retry(const struct wardi_backoff *me);

/* The strategies of the two kinds of supervisor. */
extern const ward_strategy wardi_backoff_stop_strategy;

#endif
