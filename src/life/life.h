/* SPDX-License-Identifier: MIT
 *
 * life.h - ending an actor. Holder of the cell named.
 */
#ifndef WARDI_LIFE_H
#define WARDI_LIFE_H

#include "cell/self.h"

/* Stops the children, waits for them, then ends the actor (S45). False: the cell is gone. */
bool wardi_stop(struct ward_self *self);
/* A child of a stopping cell is gone: stops the next child, or ends. False: the cell is gone. */
bool wardi_stop_goes_on(struct ward_self *self);
/* Ends a stopping cell that has no children left (S46). The cell is gone afterwards. */
void wardi_finish(struct ward_self *self);

/* Ends what the incarnation must not have while the hook runs: timers, questions, descriptors. */
void wardi_quiesce(struct ward_self *self);
/* Releases what the incarnation owns (deferred calls, bodies, memory) and the failed message.
 * cause: of the restart; an end has none. */
void wardi_release_incarnation(struct ward_self *self, struct wardi_failure cause);
/* Reports an error in a hook, which has no other effect (S33, S46). Takes the cause. */
void wardi_hook_failed(struct ward_self *self, const char *hook, struct wardi_failure cause);
/* Releases the message that failed, if it is still kept. */
void wardi_release_failed_msg(struct ward_self *self);

/* The actions at the end of the whole tree; filled in by outside/outside.c. */
struct wardi_tree_end {
	/* The root guardian is gone: called by its holder, last. */
	void (*down)(ward_system *system);
};
extern const struct wardi_tree_end wardi_tree_end;

#endif
