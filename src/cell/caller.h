/* SPDX-License-Identifier: MIT
 *
 * caller.h - whether a thread outside may call, and whether it may wait.
 */
#ifndef WARDI_CALLER_H
#define WARDI_CALLER_H

#include <ward/types.h>

/* Returns WARD_OK if the calling thread may use the system from outside; else a code with a
 * detail. */
ward_err wardi_outside_check(const ward_system *system);

/* The same, for a call that waits: refused where the thread would wait for itself. */
ward_err wardi_outside_may_wait(const ward_system *system);

#endif
