/* SPDX-License-Identifier: MIT
 *
 * restart.c - the restart machine (S28-S44).
 *
 *	restart -> pre_restart on the old instance -> un-stash -> wait for dying children -> release
 *	what the old incarnation owned -> lift the suspension -> init, post_restart -> restart
 *	survivors
 *
 *	an actor whose restart failed   no instance is left: no pre_restart (S38); children of the
 *	                                failed try are stopped, survivors stay
 *	an actor that never started     tries again: children stopped, init, pre_start (S42)
 *	an actor that faulted           none of its code runs again: the default pre_restart
 *	                                without post_stop (S16)
 *	a stopping actor                stops anyway; only the count is kept right (S41)
 *
 * Threads: runs only on the worker that holds the actor.
 */
#include "supervise/restart.h"

#include <stdio.h>

#include "actor/receive_timeout.h"
#include "actor/represent.h"
#include "actor/signal_watch.h"
#include "actor/stash.h"
#include "cell/command.h"
#include "cell/path.h"
#include "cell/props.h"
#include "life/child_strategy.h"
#include "life/hooks.h"
#include "life/life.h"
#include "life/move_state.h"
#include "life/start.h"
#include "send/event.h"
#include "supervise/budget.h"
#include "supervise/fail.h"
#include "watch/link.h"
#include "watch/watch.h"

/* ---- the fresh instance ------------------------------------------------------------------ */

/* Returns the failure of a failed restart: class ward_post_restart, caused by the error, caused by
 * the failure that led to the restart. Takes both. */
static struct wardi_failure failed_restart(struct ward_self *self, struct wardi_failure error,
					   struct wardi_failure original)
{
	ward_ref ref = wardi_own_ref(self);
	char path[WARD_EVENT_PATH];
	struct ward_failure bare;
	const ward_failure *why = wardi_failure_view(error, &bare);
	struct wardi_failure chain;

	wardi_path_tail(self->system, ref, path, sizeof path);
	chain = wardi_failure_chain(error, original);
	return wardi_failure_text(self->system, ref, &ward_post_restart, chain, "%s: %s", path,
				  why->text);
}

static void restart_survivors(struct ward_self *self, struct wardi_failure cause, uint32_t times)
{
	wardi_for_each_child (child, self->cell) {
		if (!child->survivor)
			continue; /* made by the new instance (S36) */
		child->survivor = false;
		/* This also answers a failure that the old instance has postponed. */
		wardi_command_restart(self, child, cause, times + wardi_cell_take_pending(child));
	}
}

/* The restart lifted `times` suspensions, and its failure adds one: the surviving children, which
 * stay suspended, get the difference in one order each. */
static void hold_survivors(struct ward_self *self, uint32_t times)
{
	wardi_for_each_child (child, self->cell) {
		if (!child->survivor)
			continue; /* suspended by the failure itself */
		if (times == 0)
			wardi_command_suspend(self, child, 1);
		else if (times > 1)
			wardi_command_resume(self, child, times - 1, false);
	}
}

/* Releases what the old incarnation owns. The next one begins with the behaviour's receive,
 * whatever this one has become. */
static void release_old(struct ward_self *self, struct wardi_failure cause)
{
	wardi_release_incarnation(self, cause);
	self->cell->receive = wardi_receive_of(wardi_behavior(self));
}

/* Takes the cause. */
static void complete_restart(struct ward_self *self, struct wardi_failure cause, uint32_t times)
{
	struct wardi_cell *cell = self->cell;
	struct ward_failure bare;

	wardi_for_each_child (child, cell)
		child->survivor = true;
	release_old(self, cause);
	if (cell->rare->children != NULL) {
		/* an intensity is the incarnation's; a count is the child's */
		wardi_budget_reset(cell->rare->children->budget);
		cell->rare->children->perpetrator = 0;
	}
	cell->owes_post_stop = false;
	wardi_cell_resume(cell, times);
	wardi_child_strategy_forget(self);
	if (!wardi_instantiate(self, WARDI_THEN_POST_RESTART, wardi_failure_view(cause, &bare))) {
		struct wardi_failure error = self->noted;

		self->noted = WARDI_NO_FAILURE;
		hold_survivors(self, times);
		wardi_fail(self, failed_restart(self, error, cause), NULL);
		if (wardi_represents(cell))
			wardi_represent_changed(self);
		return;
	}
	if (cell->rare->extra != NULL) {
		wardi_receive_timeout_restarted(self);
		wardi_signals_restarted(self);
		if (wardi_represents(cell))
			wardi_represent_changed(self);
	}
	wardi_life_counter_add(&self->life_counters.restarts);
	/* Relaxed: written by the holder; others only look. */
	atomic_store_explicit(&cell->restarted,
			      atomic_load_explicit(&cell->restarted, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	wardi_cell_move(self, cell, WARDI_RUNNING);
	restart_survivors(self, cause, times);
	wardi_failure_unref(cause);
}

/* This actor no longer wants to be notified of the child's end. */
static void stop_hearing(struct ward_self *self, ward_ref child)
{
	wardi_watch_forget(self, child);
	wardi_unlink(self, child);
}

/* ---- a try that failed ------------------------------------------------------------------- */

/* Nobody knows the children that the failed try made, and their names must be free for the next
 * try: they are stopped, as by the default pre_restart, and no notices of them remain. */
static void stop_made(struct ward_self *self)
{
	wardi_for_each_child (child, self->cell) {
		if (child->survivor)
			continue; /* of an incarnation that worked */
		stop_hearing(self, wardi_cell_ref(child));
		wardi_command_stop_child(self, self->cell, child);
	}
}

/* ---- trying the first start again -------------------------------------------------------- */

static void complete_retry(struct ward_self *self, uint32_t times)
{
	struct wardi_cell *cell = self->cell;

	release_old(self, cell->last_failure);
	wardi_cell_resume(cell, times);
	wardi_cell_move(self, cell, WARDI_STARTING);
	wardi_child_strategy_forget(self);
	wardi_start(self);
	if (wardi_cell_state(cell) == WARDI_RUNNING)
		wardi_signals_restarted(self);
}

static void retry(struct ward_self *self, uint32_t times, const char *instead_of)
{
	struct wardi_cell *cell = self->cell;

	wardi_event_note(self->system, self, WARD_LEVEL_WARNING, wardi_cell_ref(cell),
			 "changing %s into Create: it never started, so it begins again with init "
			 "and pre_start",
			 instead_of);
	wardi_receive_timeout_cancel(self);
	wardi_quiesce(self);
	wardi_cell_move(self, cell, WARDI_RETRYING);
	stop_made(self);
	if (wardi_has_children(cell))
		cell->rare->children->restart_times = times;
	else
		complete_retry(self, times);
}

/* ---- orders of the parent ---------------------------------------------------------------- */

/* What the default pre_restart does before post_stop. */
static void end_children(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (cell->rare->extra != NULL)
		(void)wardi_unstash_all(self); /* before children and post_stop (S86) */
	wardi_for_each_child (child, cell) {
		stop_hearing(self, wardi_cell_ref(child));
		wardi_command_stop_child(self, cell, child);
	}
}

static void run_pre_restart(struct ward_self *self, struct wardi_failure cause)
{
	struct wardi_cell *cell = self->cell;
	struct ward_failure bare;
	struct wardi_call call;
	struct wardi_failure error;

	/* It runs no code of the program, so there is nothing to guard. */
	if (cell->behavior->pre_restart == NULL && cell->behavior->post_stop == NULL) {
		end_children(self);
		cell->owes_post_stop = false;
		wardi_release_failed_msg(self);
		return;
	}
	call = (struct wardi_call){
		.kind = WARDI_HOOK_PRE_RESTART,
		.why = wardi_failure_view(cause, &bare),
	};
	/* Only a failure of the actor itself has a message: a restart for a sibling's or a parent's
	 * failure has none (S31). */
	if (cell->failed_msg != NULL)
		wardi_self_hold_msg(self, cell->failed_msg, cell->failed_owns_block);
	cell->failed_msg = NULL;
	if (!wardi_guarded_end(self, &call, WARD_END_RESTARTED, call.why, &error))
		wardi_hook_failed(self, "pre_restart", error);
	wardi_self_release_msg(self);
}

void wardi_restart(struct ward_self *self, struct wardi_failure cause, uint32_t times)
{
	struct wardi_cell *cell = self->cell;

	switch (wardi_cell_state(cell)) {
	case WARDI_STOPPING:
		wardi_cell_resume(cell, times);
		wardi_failure_unref(cause);
		return;
	case WARDI_START_FAILED:
		wardi_failure_unref(cause);
		retry(self, times, "Restart");
		return;
	case WARDI_RESTART_FAILED:
		wardi_quiesce(self);
		stop_made(self);
		break;
	default:
		wardi_quiesce(self);
		if (cell->faulted)
			stop_made(self);
		else
			run_pre_restart(self, cause);
		if (cell->rare->extra != NULL)
			(void)wardi_unstash_all(self); /* what a hook has stashed (S86) */
		break;
	}
	wardi_cell_move(self, cell, WARDI_RESTARTING);
	if (cell->rare->children != NULL && cell->rare->children->dying > 0) {
		cell->rare->children->restart_cause = cause;
		cell->rare->children->restart_times = times;
	} else {
		complete_restart(self, cause, times);
	}
}

void wardi_resume(struct ward_self *self, uint32_t times, bool clear)
{
	struct wardi_cell *cell = self->cell;
	uint64_t perpetrator = cell->rare->children == NULL ? 0 : cell->rare->children->perpetrator;

	if (clear && wardi_cell_state(cell) == WARDI_START_FAILED) {
		retry(self, times, "Resume");
		return;
	}
	if (clear && wardi_cell_state(cell) == WARDI_RESTART_FAILED) {
		wardi_event_note(
			self->system, self, WARD_LEVEL_SEVERE, wardi_cell_ref(cell),
			"changing Resume into Restart: its last restart failed, so there is "
			"no state to go on with");
		wardi_restart(self, wardi_failure_ref(cell->last_failure), times);
		return;
	}
	if (clear && wardi_cell_state(cell) == WARDI_FAILED && cell->faulted) {
		wardi_event_note(
			self->system, self, WARD_LEVEL_SEVERE, wardi_cell_ref(cell),
			"changing Resume into Restart: a hardware fault was contained in it, so "
			"none of its code runs again");
		wardi_restart(self, wardi_failure_ref(cell->last_failure), times);
		return;
	}
	wardi_cell_resume(cell, times);
	if (wardi_represents(cell)) {
		wardi_represent_changed(self);
		clear = clear || wardi_represent_goes_on(cell);
	}
	if (clear && wardi_cell_state(cell) == WARDI_FAILED) {
		wardi_release_failed_msg(self);
		if (cell->rare->children != NULL)
			cell->rare->children->perpetrator = 0;
		wardi_cell_move(self, cell, WARDI_RUNNING);
	}
	wardi_for_each_child (child, cell) {
		bool answers = clear && child->uid == perpetrator;

		if (times > 0 || answers)
			wardi_command_resume(self, child, times, answers);
	}
}

void wardi_restart_children_gone(struct ward_self *self)
{
	struct wardi_children *children = self->cell->rare->children;
	struct wardi_failure cause = children->restart_cause;

	children->restart_cause = WARDI_NO_FAILURE;
	if (wardi_cell_state(self->cell) == WARDI_RETRYING)
		complete_retry(self, children->restart_times);
	else
		complete_restart(self, cause, children->restart_times);
}

/* ---- the default hooks ------------------------------------------------------------------- */

ward_result ward_default_pre_restart(ward_self *self)
{
	struct wardi_cell *cell;

	if (!wardi_self_usable(self))
		return WARD_DONE;
	cell = self->cell;
	end_children(self);
	if (!cell->owes_post_stop)
		return WARD_DONE;
	cell->owes_post_stop = false;
	return wardi_call_within(self, WARDI_HOOK_POST_STOP);
}

ward_result ward_default_post_restart(ward_self *self)
{
	return wardi_self_usable(self) ? wardi_call_within(self, WARDI_HOOK_PRE_START) : WARD_DONE;
}
