/* SPDX-License-Identifier: MIT
 *
 * start.h - starting an actor, and making a fresh instance of it. Holder of the cell named.
 */
#ifndef WARDI_START_H
#define WARDI_START_H

#include "cell/self.h"

/* Runs the first start, or a retry of it: init and pre_start. */
void wardi_start(struct ward_self *self);

/* Makes a fresh instance in zeroed memory: runs init and the hook that `then` names. False: one of
 * them failed, and the failure is in self->noted. */
enum wardi_then { WARDI_THEN_PRE_START, WARDI_THEN_POST_RESTART };
bool wardi_instantiate(struct ward_self *self, enum wardi_then then, const ward_failure *why);

#endif
