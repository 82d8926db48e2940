/* SPDX-License-Identifier: MIT
 *
 * fail.c - an actor fails.
 *
 *	suspend self -> suspend the children -> report to the parent                    (S12)
 *
 * The parent's side is in decision.c. Only the record of the failure is allocated; without memory
 * the class alone is the failure.
 *
 * Threads: runs only on the worker that holds the actor named.
 */
#include "supervise/fail.h"

#include "actor/represent.h"
#include "cell/command.h"
#include "life/move_state.h"
#include "mail/ref.h"
#include "send/event.h"

static enum wardi_state failed_state(enum wardi_state state)
{
	switch (state) {
	case WARDI_STARTING:
		return WARDI_START_FAILED;
	case WARDI_RESTARTING:
		return WARDI_RESTART_FAILED;
	default:
		return WARDI_FAILED;
	}
}

/* Takes the cause. */
static void remember(struct ward_self *self, struct wardi_failure cause)
{
	struct wardi_cell *cell = self->cell;
	struct wardi_spin *lock = wardi_path_lock(self->system, wardi_cell_slot(cell));
	struct wardi_failure old;

	wardi_spin_take(lock, WARDI_LOCK_PATH);
	old = cell->last_failure;
	cell->last_failure = cause;
	wardi_spin_drop(lock);
	wardi_failure_unref(old);
}

/* The root has no supervisor: the system goes down (S76). */
static void root_failed(struct ward_self *self)
{
	struct ward_failure bare;

	atomic_store_explicit(&self->system->gave_up, true, memory_order_relaxed);
	wardi_event_note(self->system, self, WARD_LEVEL_SEVERE, wardi_own_ref(self),
			 "the root guardian failed, shutting down: %s",
			 wardi_failure_view(self->cell->last_failure, &bare)->text);
	wardi_command_stop(self, self->cell, wardi_uid_gen(self->cell->uid));
}

static void suspend_children(struct ward_self *self, struct wardi_cell *cell,
			     const struct wardi_cell *perpetrator)
{
	cell->rare->children->perpetrator = perpetrator == NULL ? 0 : perpetrator->uid;
	wardi_for_each_child (child, cell)
		if (child != perpetrator && !child->survivor)
			wardi_command_suspend(self, child, 1);
}

void wardi_fail(struct ward_self *self, struct wardi_failure cause, struct wardi_cell *perpetrator)
{
	struct wardi_cell *cell = self->cell;

	if (wardi_cell_has_failed(cell)) { /* one at a time (S13) */
		wardi_failure_unref(cause);
		return;
	}
	wardi_life_counter_add(&self->life_counters.failures);
	wardi_failure_set_incarnation(
		cause, cell->uid, atomic_load_explicit(&cell->incarnation, memory_order_relaxed));
	wardi_cell_suspend(cell, 1);
	if (cell->rare->children != NULL)
		suspend_children(self, cell, perpetrator);
	remember(self, cause);
	wardi_cell_move(self, cell, failed_state(wardi_cell_state(cell)));
	if (cell->parent == NULL)
		root_failed(self);
	else if (__builtin_expect(wardi_represents(cell), 0) && wardi_represent_fails(cell))
		wardi_command_report_answered(self, cell);
	else
		wardi_command_report(self, cell);
}
