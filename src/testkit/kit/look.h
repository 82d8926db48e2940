/* SPDX-License-Identifier: MIT
 *
 * look.h - looking at the system of a kit: one actor, counters, the clock.
 */
#ifndef WARDI_TESTKIT_LOOK_H
#define WARDI_TESTKIT_LOOK_H

#include <stdint.h>

#include <ward/testkit/kit.h>

/* Returns the system's time in `ms` milliseconds, at most INT64_MAX. */
int64_t wardi_kit_deadline_ns(const ward_kit *kit, int64_t ms);

#endif
