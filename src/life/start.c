/* SPDX-License-Identifier: MIT
 *
 * start.c - the start of an actor, and the fresh instance of a restart: zeroed state, init, and
 * then pre_start or post_restart. A failure of the start has the class ward_initialization (S42).
 *
 * Threads: runs only on the holder's worker.
 */
#include "life/start.h"

#include <string.h>

#include "cell/failure.h"
#include "cell/path.h"
#include "cell/points.h"
#include "cell/supervision_table.h"
#include "life/hooks.h"
#include "life/move_state.h"

/* Runs a hook of the start. False: it failed, and the failure is in self->noted. */
static inline bool run_hook(struct ward_self *self, enum wardi_hook_kind kind,
			    const ward_failure *why)
{
	struct wardi_call call;
	struct wardi_failure cause;

	if (!wardi_has_hook(wardi_behavior(self), kind))
		return true;
	call = (struct wardi_call){.kind = kind, .why = why};
	if (wardi_guarded(self, &call, &cause))
		return true;
	self->noted = cause;
	return false;
}

bool wardi_instantiate(struct ward_self *self, enum wardi_then then, const ward_failure *why)
{
	struct wardi_cell *cell = self->cell;

	if (cell->memory != NULL)
		memset(cell->memory, 0, cell->behavior->state_size);
	/* Relaxed: written by the holder; others only look. */
	atomic_store_explicit(&cell->incarnation,
			      atomic_load_explicit(&cell->incarnation, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	if (!run_hook(self, WARDI_HOOK_INIT, NULL))
		return false;
	cell->owes_post_stop = true;
	/* The default post_restart runs pre_start; only a simulation needs the hook itself. */
	if (cell->behavior->post_restart == NULL && !wardi_has_points(self->system))
		then = WARDI_THEN_PRE_START;
	return run_hook(
		self, then == WARDI_THEN_PRE_START ? WARDI_HOOK_PRE_START : WARDI_HOOK_POST_RESTART,
		why);
}

void wardi_start(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;
	char path[WARD_EVENT_PATH];
	struct wardi_failure inner;
	struct ward_failure bare;

	if (wardi_instantiate(self, WARDI_THEN_PRE_START, NULL)) {
		wardi_cell_move(self, cell, WARDI_RUNNING);
		return;
	}
	cell->owes_post_stop = false; /* it never was an actor (S42) */
	inner = self->noted;
	self->noted = WARDI_NO_FAILURE;
	wardi_path_tail(self->system, wardi_cell_ref(cell), path, sizeof path);
	wardi_supervision.fail(self,
			       wardi_failure_text(self->system, wardi_cell_ref(cell),
						  &ward_initialization, inner, "%s: %s", path,
						  wardi_failure_view(inner, &bare)->text),
			       NULL);
}
