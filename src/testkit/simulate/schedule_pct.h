/* SPDX-License-Identifier: MIT
 *
 * schedule_pct.h - probabilistic concurrency testing: by random priorities that change now and
 */
#ifndef WARDI_TESTKIT_SCHEDULE_PCT_H
#define WARDI_TESTKIT_SCHEDULE_PCT_H

#include "testkit/simulate/schedule.h"

extern const struct wardi_schedule_way wardi_schedule_pct;

#endif
