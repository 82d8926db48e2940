/* SPDX-License-Identifier: MIT
 *
 * object_manager.h - the supervisor of active objects.
 */
#ifndef WARDI_OBJECT_MANAGER_H
#define WARDI_OBJECT_MANAGER_H

#include <ward/supervise.h>
#include <ward/types.h>

/* For a thread that waits for the start: a failed start is its answer. */
extern const ward_behavior wardi_objects_awaited;

ward_directive wardi_objects_decide(ward_self *self, ward_ref child, const ward_failure *failure);

/* Asks the supervisor whether all objects have started; the answer has a code and its detail. */
extern const ward_type wardi_type_objects_start;

extern const ward_type wardi_type_objects_started;

#endif
