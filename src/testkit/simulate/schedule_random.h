/* SPDX-License-Identifier: MIT
 *
 * schedule_random.h - chooses evenly among the ready actors.
 */
#ifndef WARDI_TESTKIT_SCHEDULE_RANDOM_H
#define WARDI_TESTKIT_SCHEDULE_RANDOM_H

#include "testkit/simulate/schedule.h"

extern const struct wardi_schedule_way wardi_schedule_random;

#endif
