/* SPDX-License-Identifier: MIT
 *
 * restart.h - restart: a fresh instance behind the same ref; and resume. Called by the actor
 * itself, on its parent's order.
 */
#ifndef WARDI_RESTART_H
#define WARDI_RESTART_H

#include "cell/self.h"

/* Restarts the actor. Takes the cause. `times`: how many suspensions the restart lifts. */
void wardi_restart(struct ward_self *self, struct wardi_failure cause, uint32_t times);
/* Lifts `times` suspensions. `clear`: this answers the actor's own failure. */
void wardi_resume(struct ward_self *self, uint32_t times, bool clear);
/* The last child that a restart or a retry waited for is gone. */
void wardi_restart_children_gone(struct ward_self *self);

#endif
