/* SPDX-License-Identifier: MIT
 *
 * cell.c - the life of an actor: its states and moves, its counters, its children.
 *
 *	                       retry, children gone
 *	          +------------------ RETRYING <-----------+
 *	          v                                        | restart, resume
 *	FREE -> STARTING -- failed --------------> START_FAILED
 *	          |
 *	          | init, pre_start done
 *	          v        failed                resume
 *	       RUNNING ------------> FAILED -----------------> RUNNING
 *	        |    ^                  |
 *	        |    | done             | restart
 *	        |    |                  v
 *	        +--> RESTARTING <-------+---- restart ---- RESTART_FAILED
 *	     a sibling's or    |                                  ^
 *	     a parent's        +---- init, post_restart failed ---+
 *
 *	any of these -- stop --> STOPPING -- no child left --> STOPPED -- parent knows --> FREE
 *
 * Stop wins: nothing leads from STOPPING back. Restart-in-waiting (RESTARTING, RETRYING) and
 * stop-in-waiting (STOPPING) are states; suspension is not a state but a counter.
 *
 * Threads: the holder moves the cell; others only read the atomic fields.
 */
#include "cell/cell.h"

#include <string.h>

#include "base/assert.h"
#include "cell/table.h"

#define BIT(state) (UINT32_C(1) << (state))

const uint16_t wardi_moves[] = {
	[WARDI_FREE] = BIT(WARDI_STARTING),
	[WARDI_STARTING] = BIT(WARDI_RUNNING) | BIT(WARDI_START_FAILED) | BIT(WARDI_STOPPING),
	[WARDI_START_FAILED] = BIT(WARDI_RETRYING) | BIT(WARDI_STOPPING),
	[WARDI_RETRYING] = BIT(WARDI_STARTING) | BIT(WARDI_STOPPING),
	[WARDI_RUNNING] = BIT(WARDI_FAILED) | BIT(WARDI_RESTARTING) | BIT(WARDI_STOPPING),
	[WARDI_FAILED] = BIT(WARDI_RUNNING) | BIT(WARDI_RESTARTING) | BIT(WARDI_STOPPING),
	[WARDI_RESTARTING] = BIT(WARDI_RUNNING) | BIT(WARDI_RESTART_FAILED) | BIT(WARDI_STOPPING),
	[WARDI_RESTART_FAILED] = BIT(WARDI_RESTARTING) | BIT(WARDI_STOPPING),
	[WARDI_STOPPING] = BIT(WARDI_STOPPED),
	[WARDI_STOPPED] = BIT(WARDI_FREE),
};
_Static_assert(sizeof wardi_moves / sizeof wardi_moves[0] == WARDI_STATES,
	       "one row for each state");

const struct wardi_rare wardi_no_rare;

static const char *const names[] = {
	[WARDI_FREE] = "free",
	[WARDI_STARTING] = "starting",
	[WARDI_START_FAILED] = "start-failed",
	[WARDI_RETRYING] = "retrying",
	[WARDI_RUNNING] = "running",
	[WARDI_FAILED] = "failed",
	[WARDI_RESTARTING] = "restarting",
	[WARDI_RESTART_FAILED] = "restart-failed",
	[WARDI_STOPPING] = "stopping",
	[WARDI_STOPPED] = "stopped",
};
_Static_assert(sizeof names / sizeof names[0] == WARDI_STATES, "one name for each state");

const char *wardi_state_name(enum wardi_state state)
{
	wardi_assert(state < WARDI_STATES);
	return names[state];
}

void wardi_cell_bad_move(enum wardi_state from, enum wardi_state to)
{
	wardi_fatal("ward: broken invariant: a cell cannot go from %s to %s", names[from],
		    names[to]);
}

void wardi_cell_judge(struct wardi_cell *cell)
{
	uint8_t turn_flags =
		atomic_load_explicit(&cell->turn_flags, memory_order_relaxed) &
		(WARDI_UNSTASHED_FIRST | WARDI_CLOSED | WARDI_ONCE_CLOSED | WARDI_REPRESENTS);

	if (!wardi_cell_runs_mail(cell) || cell->rare->extra_needs_general_turn || cell->blocks ||
	    wardi_cell_system(cell)->seam != NULL)
		turn_flags |= WARDI_GENERAL_TURN;
	if (wardi_mailbox_is_bounded(&cell->mailbox))
		turn_flags |= WARDI_WITH_BOUNDED;
	atomic_store_explicit(&cell->turn_flags, turn_flags, memory_order_relaxed);
}

ward_ref wardi_cell_ref(const struct wardi_cell *cell)
{
	return wardi_ref_make(cell->uid, wardi_cell_system(cell)->place);
}

void wardi_cell_suspend(struct wardi_cell *cell, uint32_t times)
{
	if (times == 0)
		return;
	/* Relaxed: the holder writes it, and is the only thread that obeys it. */
	atomic_store_explicit(&cell->suspended, wardi_cell_suspended(cell) + times,
			      memory_order_relaxed);
	wardi_cell_require_general_turn(cell);
}

void wardi_cell_resume(struct wardi_cell *cell, uint32_t times)
{
	uint32_t count = wardi_cell_suspended(cell);

	/* Relaxed: as above. */
	atomic_store_explicit(&cell->suspended, count > times ? count - times : 0,
			      memory_order_relaxed);
	if (wardi_cell_state(cell) == WARDI_RUNNING) /* else it still needs a general turn */
		wardi_cell_judge(cell);
}

bool wardi_cell_has_failed(const struct wardi_cell *cell)
{
	enum wardi_state state = wardi_cell_state(cell);

	return state == WARDI_FAILED || state == WARDI_START_FAILED ||
	       state == WARDI_RESTART_FAILED || state == WARDI_STOPPING || state == WARDI_STOPPED;
}

struct wardi_failure wardi_cell_last_failure(struct wardi_cell *cell)
{
	struct wardi_spin *lock = wardi_path_lock(wardi_cell_system(cell), wardi_cell_slot(cell));
	struct wardi_failure cause;

	wardi_spin_take(lock, WARDI_LOCK_PATH);
	cause = wardi_failure_ref(cell->last_failure);
	wardi_spin_drop(lock);
	return cause;
}

void wardi_cell_add_pending(struct wardi_cell *child, bool answered)
{
	bool alone = child->pending_times == 0;

	child->parent->rare->children->pending += alone;
	child->pending_answered = answered && (alone || child->pending_answered);
	wardi_assert(child->pending_times < WARDI_PENDING_MAX);
	child->pending_times++;
}

uint32_t wardi_cell_take_pending(struct wardi_cell *child)
{
	uint32_t times = child->pending_times;

	if (times > 0)
		child->parent->rare->children->pending--;
	child->pending_times = 0;
	return times;
}

struct wardi_cell *wardi_last_child(const struct wardi_cell *cell)
{
	return wardi_container_of(cell->rare->children->list.prev, struct wardi_cell, sibling);
}

struct wardi_segment *wardi_cell_segment(const struct wardi_cell *cell)
{
	return wardi_segment_of(cell);
}
