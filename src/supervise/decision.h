/* SPDX-License-Identifier: MIT
 *
 * decision.h - a parent handles a failure of its child as its strategy says.
 */
#ifndef WARDI_SUPERVISE_DECISION_H
#define WARDI_SUPERVISE_DECISION_H

#include "cell/self.h"

/* The running actor is the parent: decides each failure that the child has reported. */
void wardi_child_failed(struct ward_self *self, struct wardi_cell *child);

#endif
