/* SPDX-License-Identifier: MIT
 *
 * move.h - moving a simulated system; waiting for one on threads.
 */
#ifndef WARDI_TESTKIT_MOVE_H
#define WARDI_TESTKIT_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include <ward/testkit/kit.h>

/* Moves until no actor has anything to do. False: one still has, after the kit's patience. */
bool wardi_kit_comes_to_rest(ward_kit *kit);
/* The same, or fails the test. */
void wardi_kit_run(ward_kit *kit);
/* Fails the test since it does not come to rest. */
WARD_NORETURN void wardi_kit_fail_restless(const ward_kit *kit);

bool wardi_kit_run_until(ward_kit *kit, int64_t timeout_ms, bool (*holds)(void *arg), void *arg);

/* Moves until no actor is ready, not even an actor that a simulation has stalled. */
void wardi_kit_settle(ward_kit *kit);

#endif
