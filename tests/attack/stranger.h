/* SPDX-License-Identifier: MIT
 *
 * stranger.h - failure classes in a header, and so once in each source and shared object that
 * includes it; and an actor of another shared object, which fails with its own of them.
 */
#ifndef TESTS_ATTACK_STRANGER_H
#define TESTS_ATTACK_STRANGER_H

#include <ward/ward.h>

static const ward_failure_class stranger_killed = {.name = "killed", .parent = &ward_exception};
static const ward_failure_class stranger_shot = {.name = "shot", .parent = &ward_killed};

/** Fails by stranger_killed; with `shot`, by stranger_shot. */
struct stranger_end {
	bool shot;
};
WARD_MESSAGE_FLAT(stranger_end);

extern const ward_behavior stranger;

/** Whether the class that it fails by is another object in memory than the caller's. */
bool stranger_is_copy(const ward_failure_class *killed);

#endif
