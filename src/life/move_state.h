/* SPDX-License-Identifier: MIT
 *
 * move_state.h - the one place where the state of a cell changes.
 */
#ifndef WARDI_MOVE_STATE_H
#define WARDI_MOVE_STATE_H

#include "base/assert.h"
#include "cell/self.h"
#include "send/event.h"

/* Asserts what must hold in a state; called at each move. */
static inline void wardi_cell_check(const struct wardi_cell *cell, enum wardi_state to)
{
	if (to == WARDI_FAILED || to == WARDI_START_FAILED || to == WARDI_RESTART_FAILED) {
		wardi_assert(wardi_cell_suspended(cell) > 0);
	} else if (to == WARDI_STOPPED || to == WARDI_FREE) {
		wardi_assert(!wardi_has_children(cell));
		wardi_assert(!cell->owes_post_stop);
	}
}

/* The one place where the state changes: checks the move, and emits the event. Inline, since the
 * caller knows the new state at compile time, and most of this falls away. self: NULL before the
 * threads run. */
static inline __attribute__((always_inline)) void
wardi_cell_move(struct ward_self *self, struct wardi_cell *cell, enum wardi_state to)
{
	enum wardi_state from = wardi_cell_state(cell);
	const ward_system *system = self != NULL ? self->system : wardi_cell_system(cell);

	if (__builtin_expect(!wardi_state_may_follow(from, to), 0))
		wardi_cell_bad_move(from, to);
	wardi_cell_check(cell, to);
	/* Relaxed: other threads read it only for pictures of the tree. */
	atomic_store_explicit(&cell->state, (uint8_t)to, memory_order_relaxed);
	if (to == WARDI_RUNNING)
		wardi_cell_judge(cell);
	else
		wardi_cell_require_general_turn(cell);
	if (to != WARDI_FREE &&
	    __builtin_expect(wardi_event_wanted(system, WARD_EVENT_LIFECYCLE), 0))
		wardi_cell_tell_move(self, cell, from, to);
}

#endif
