/* SPDX-License-Identifier: MIT
 *
 * restart.h - a fresh instance behind the same ref; and going on with the old one. The running
 * actor carries out its parent's order.
 */
#ifndef WARDI_RESTART_H
#define WARDI_RESTART_H

#include "cell/self.h"

/* Takes the cause. `times`: how many suspensions it lifts. */
void wardi_restart(struct ward_self *self, struct wardi_failure cause, uint32_t times);
/* `clear`: it answers the actor's own failure. */
void wardi_resume(struct ward_self *self, uint32_t times, bool clear);
/* The last child that a restart or a retry waited for is gone. */
void wardi_restart_children_gone(struct ward_self *self);

#endif
