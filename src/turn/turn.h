/* SPDX-License-Identifier: MIT
 *
 * turn.h - the turns of cells: the general way (turn.c), and what it shares with the plain way
 * (plain_turn.c).
 */
#ifndef WARDI_TURN_H
#define WARDI_TURN_H

#include "base/assert.h"
#include "cell/self.h"

/* Runs `work`, the loop of a worker, under one save point for all turns. */
void wardi_self_attend(struct wardi_worker *worker, void (*work)(struct wardi_worker *worker));
/* Runs a cell until it has nothing to do, is gone, or has used up its batch. */
void wardi_cell_turns(struct wardi_worker *worker, struct wardi_runnable *runnable);
/* Returns the memory that a turn will touch first: the last message, which mostly is the only one,
 * and the answer in it. Called by the thread that made the cell ready and still has it, or by its
 * last holder. */
void wardi_cell_touches(const struct wardi_runnable *runnable,
			const void *ret_places[WARDI_TOUCHES]);

/* Runs a whole turn of the cell that self has taken, on a thread of a dispatcher without limits of
 * its own. */
void wardi_turn(struct ward_self *self);
/* The same on any thread, with the limits of its dispatcher. */
void wardi_limited_turn(struct ward_self *self);
/* Continues the turn, for at most self->left messages. */
void wardi_turn_goes_on(struct ward_self *self);
/* Deals with all that receive left behind, after it returned or jumped. */
void wardi_settle(struct ward_self *self, ward_result result);

/* A load and a store: only this worker writes it. Release: see count_turns() in inspect.c. */
static inline void wardi_self_count_turn(struct ward_self *self, uint64_t turns)
{
	atomic_store_explicit(&self->turns, turns, memory_order_release);
}

/* After receive has returned from this message of the lane: whether there is nothing to settle.
 * That is so if it left nothing behind and `more` is 0: its result, the drop of the message's type,
 * and what else must be 0. One test, since nearly all messages pass it. */
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
