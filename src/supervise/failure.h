/* SPDX-License-Identifier: MIT
 *
 * failure.h - an actor fails; its parent hears of it and carries out what the strategy says.
 */
#ifndef WARDI_SUPERVISE_FAILURE_H
#define WARDI_SUPERVISE_FAILURE_H

#include "core/self.h"

/* The running actor failed. Takes the cause. `perpetrator`: the child it escalates for, or NULL. */
void wardi_fail(struct ward_self *self, struct wardi_cause cause, struct wardi_cell *perpetrator);

/* The running actor is the parent: decides each failure that the child has reported. */
void wardi_child_failed(struct ward_self *self, struct wardi_cell *child);

#endif
