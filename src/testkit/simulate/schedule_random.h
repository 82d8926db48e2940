/* SPDX-License-Identifier: MIT
 *
 * schedule_random.h - evenly among those who are ready.
 */
#ifndef WARDI_TESTKIT_SCHEDULE_RANDOM_H
#define WARDI_TESTKIT_SCHEDULE_RANDOM_H

#include "testkit/simulate/schedule.h"

extern const struct wardi_schedule_way wardi_schedule_random;

#endif
