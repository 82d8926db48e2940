/* SPDX-License-Identifier: MIT
 *
 * object_manager.h - the supervisor of active objects.
 */
#ifndef WARDI_OBJECT_MANAGER_H
#define WARDI_OBJECT_MANAGER_H

#include <ward/supervise.h>
#include <ward/types.h>

/* A thread waits for the start, and its failure is the answer. */
extern const ward_behavior wardi_objects_awaited;

ward_directive wardi_objects_decide(ward_self *self, ward_ref child, const ward_failure *failure);

/* Asks the supervisor whether all are there; the answer is a code, and its detail. */
extern const ward_type wardi_type_objects_start;

extern const ward_type wardi_type_objects_started;

#endif
