/* SPDX-License-Identifier: MIT
 *
 * child_strategy.h - the child strategy that an actor sets by itself.
 */
#ifndef WARDI_CHILD_STRATEGY_H
#define WARDI_CHILD_STRATEGY_H

#include "cell/self.h"

/* A new incarnation begins: a strategy that the last one has set ends, unless children were
 * kept. */
void wardi_child_strategy_forget(struct ward_self *self);

#endif
