/* SPDX-License-Identifier: MIT
 *
 * shrink.h - fewer and fewer faults, as long as a run still fails.
 */
#ifndef WARDI_TESTKIT_SHRINK_H
#define WARDI_TESTKIT_SHRINK_H

#include "testkit/simulate/plan.h"

/* Whether a run with that plan still fails. It may take faults out of the plan that did not
 * strike. */
typedef bool wardi_shrink_try(void *arg, struct wardi_plan *plan);

/* Takes faults out of a plan with which the run fails, until each one that is left is needed, and
 * makes their times as short as they can be. Returns the number of tries. */
unsigned wardi_shrink(struct wardi_plan *plan, wardi_shrink_try *fails, void *arg);

#endif
