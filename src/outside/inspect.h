/* SPDX-License-Identifier: MIT
 *
 * inspect.h - one actor as those outside see it.
 */
#ifndef WARDI_INSPECT_H
#define WARDI_INSPECT_H

#include "cell/system.h"

/* What is known of who lives in a slot, but for the path, which costs a step for each level. False:
 * nobody does. Any thread. */
bool wardi_inspect(ward_system *system, uint32_t slot, ward_actor_info *info);

#endif
