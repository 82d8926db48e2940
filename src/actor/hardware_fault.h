/* SPDX-License-Identifier: MIT
 *
 * hardware_fault.h - hardware faults in callbacks, contained where options.faults asks for it.
 */
#ifndef WARDI_HARDWARE_FAULT_H
#define WARDI_HARDWARE_FAULT_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ward/system.h>

struct ward_self;
struct wardi_arena;

/* For checked options. Installs the handlers of the process with the first system that wants them.
 * WARD_EINVAL, WARD_ENOMEM, WARD_ELIMIT: nothing was done. */
ward_err wardi_hardware_faults_create(ward_system *system, const ward_options *options);
/* The last system removes the handlers. A system without them is fine. */
void wardi_hardware_faults_destroy(ward_system *system);
void wardi_hardware_faults_stats(const ward_system *system, ward_stats *ret_stats);

/* The calling thread begins to run actors; it ends. False: no memory, or no stack for signals. */
bool wardi_fault_seat_take(struct ward_self *self);
void wardi_fault_seat_leave(struct ward_self *self);

/* After a jump to a save point. If it was a fault: notes the failure, and marks the incarnation. */
void wardi_hardware_fault_landed(struct ward_self *self);
/* Leaves what an incarnation owned that faulted as it is, forever. */
void wardi_hardware_fault_quarantine(struct ward_self *self, struct wardi_arena *arena);

#endif
