/* SPDX-License-Identifier: MIT
 *
 * schedule_exhaustive.h - all orders of a small program, one after the other, depth first.
 */
#ifndef WARDI_TESTKIT_SCHEDULE_EXHAUSTIVE_H
#define WARDI_TESTKIT_SCHEDULE_EXHAUSTIVE_H

#include "testkit/simulate/schedule.h"

struct wardi_schedule;

/* Whether all orders were gone through, now that there is no next path. */
bool wardi_schedule_exhausted(const struct wardi_schedule *order);

extern const struct wardi_schedule_way wardi_schedule_exhaustive;

/* Goes on to the next path. False: there is none left, or the order is not an exhaustive one. */
bool wardi_schedule_next(struct wardi_schedule *order);

#endif
