/* SPDX-License-Identifier: MIT
 *
 * turn.h - the turns of cells: the general way (turn.c), and what it shares with the plain way
 * (plain_turn.c).
 */
#ifndef WARDI_TURN_H
#define WARDI_TURN_H

#include "base/assert.h"
#include "cell/self.h"

/* Runs what a worker does, under a save point for all turns. */
void wardi_self_attend(struct wardi_worker *worker, void (*work)(struct wardi_worker *worker));
/* Runs a cell until it has nothing to do, is gone, or has had its share. */
void wardi_cell_turns(struct wardi_worker *worker, struct wardi_runnable *runnable);
/* What that will touch first: the last message, which mostly is the only one, and the answer in it.
 * By who has made the cell ready, or was its holder, and has not given it away yet. */
void wardi_cell_touches(const struct wardi_runnable *runnable,
			const void *ret_places[WARDI_TOUCHES]);

/* A whole turn of the cell that self has taken. */
void wardi_turn(struct ward_self *self);
/* The turn goes on, with self->left messages to go. */
void wardi_turn_goes_on(struct ward_self *self);
/* Receive returned, or was jumped out of, and left something behind: deals with that. */
void wardi_settle(struct ward_self *self, ward_result result);

/* A load and a store: nobody else writes it. Release: see count_turns() in inspect.c. */
static inline void wardi_self_count_turn(struct ward_self *self, uint64_t turns)
{
	atomic_store_explicit(&self->turns, turns, memory_order_release);
}

/* Receive returned, having had this message of the lane. Whether there is nothing to settle: it
 * left nothing behind, and `more` is 0: what it gave, the message's drop, and whatever else has to
 * be 0 for that. One test, since it is so for nearly all messages. */
static inline bool wardi_leaves_nothing(const struct ward_self *self, const struct ward_msg *msg,
					uintptr_t more)
{
	if (((uintptr_t)self->has_leftovers | more) != 0)
		return false;
	wardi_assert_slow(wardi_failure_is_none(self->noted) && !self->scratched);
	wardi_assert_slow(wardi_failure_is_none(self->escalated) && self->perpetrator == NULL);
	wardi_assert_slow(self->msg == msg || self->msg == NULL /* passed on */);
	wardi_assert_slow(self->stashed == NULL && !self->owns_block);
	(void)msg;
	return true;
}

#endif
