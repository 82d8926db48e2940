/* SPDX-License-Identifier: MIT
 *
 * shrink.h - removes faults from a plan as long as the run still fails.
 */
#ifndef WARDI_TESTKIT_SHRINK_H
#define WARDI_TESTKIT_SHRINK_H

#include "testkit/simulate/plan.h"

/* Returns whether a run with the plan still fails. May remove faults that did not strike. */
typedef bool wardi_shrink_try(void *arg, struct wardi_plan *plan);

/* Removes faults from a plan with which the run fails, until each one left is needed, then shortens
 * their times as far as possible. Returns the number of tries. */
unsigned wardi_shrink(struct wardi_plan *plan, wardi_shrink_try *fails, void *arg);

#endif
