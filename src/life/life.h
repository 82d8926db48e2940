/* SPDX-License-Identifier: MIT
 *
 * life.h - making an actor, starting it, and ending it. Holder of the cell named.
 */
#ifndef WARDI_LIFE_H
#define WARDI_LIFE_H

#include "cell/self.h"

/* The first start, or a retry of it: init and pre_start. */
void wardi_start(struct ward_self *self);

/* A fresh instance in zeroed memory: init and what `then` says. False: it failed, and the failure
 * is in self->noted. */
enum wardi_then { WARDI_THEN_PRE_START, WARDI_THEN_POST_RESTART };
bool wardi_instantiate(struct ward_self *self, enum wardi_then then, const ward_failure *why);

/* Stops children, waits for them, ends (S45). False: the cell is gone. */
bool wardi_stop(struct ward_self *self);
/* A child of a stopping cell is gone: the next one's turn, or the end. False: the cell is gone. */
bool wardi_stop_goes_on(struct ward_self *self);
/* No child is left of a stopping cell (S46). The cell is gone afterwards. */
void wardi_finish(struct ward_self *self);

/* What belongs to the incarnation and ends before the hook runs: timers, questions, descriptors.
 */
void wardi_quiesce(struct ward_self *self);
/* What an incarnation owns: deferred calls, bodies, memory; and the failed message. */
void wardi_release_incarnation(struct ward_self *self);
/* An error in a hook that is only reported (S33, S46). Takes the cause. */
void wardi_hook_failed(struct ward_self *self, const char *hook, struct wardi_failure cause);
/* The message that failed, if it is still kept. */
void wardi_release_failed_msg(struct ward_self *self);

#endif
