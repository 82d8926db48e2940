/* SPDX-License-Identifier: MIT
 *
 * inspect.h - an actor's state as observers see it.
 */
#ifndef WARDI_INSPECT_H
#define WARDI_INSPECT_H

#include "cell/system.h"

/* Any thread: fills in what is known of the actor in a slot, except the path, which costs a step
 * for each level. False: no actor lives there. */
bool wardi_inspect(ward_system *system, uint32_t slot, ward_actor_info *info);

#endif
