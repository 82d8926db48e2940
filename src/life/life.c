/* SPDX-License-Identifier: MIT
 *
 * life.c - the end of an actor.
 *
 *	stop:    unwatch all; timers and descriptors; stop the children; wait for them (S45).
 *	         Those of /system stop one after the other (S77).
 *	finish:  post_stop; release what the incarnation owns; close the mailbox; stashed messages
 *	         and the rest of the mail become dead letters; notify the parent, then the
 *	         watchers (S46) and the linked actors (S117).
 *
 * Threads: runs only on the holder's worker. The notice to the parent gives the cell away:
 * nothing touches it after that.
 */
#include "life/life.h"

#include <stdio.h>
#include <string.h>

#include "actor/arena.h"
#include "actor/ask.h"
#include "actor/children_few.h"
#include "actor/closed_mailbox.h"
#include "actor/fd.h"
#include "actor/rare.h"
#include "actor/represent.h"
#include "actor/selecting.h"
#include "actor/selection.h"
#include "actor/signal_watch.h"
#include "actor/status.h"
#include "actor/timer.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/text.h"
#include "cell/bounded_pool.h"
#include "cell/child_index.h"
#include "cell/command.h"
#include "cell/ending.h"
#include "cell/points.h"
#include "cell/props.h"
#include "cell/supervision_table.h"
#include "life/hooks.h"
#include "life/late_mail.h"
#include "life/move_state.h"
#include "send/backpressure.h"
#include "send/dead_letter.h"
#include "send/event.h"
#include "send/waiter.h"
#include "shutdown/task.h"

/* ---- what an incarnation owns ------------------------------------------------------------ */

/* Whether the actor may have anything that the functions below look for one by one. Most actors do
 * not. */
static inline bool has_rare(const struct wardi_cell *cell)
{
	return __builtin_expect(cell->rare != WARDI_NO_RARE, 0);
}

/* Returns the failure that the actor ends with, and its class; NULL: it does not end with one. */
static const ward_failure *end_failure(const struct wardi_cell *cell, struct ward_failure *bare,
				       const ward_failure_class **ret_class)
{
	const ward_failure *failure;

	if (cell->end != WARDI_END_FAILED)
		return NULL;
	failure = wardi_failure_view(cell->last_failure, bare);
	*ret_class = failure->failure_class;
	return failure;
}

static __attribute__((noinline)) void quiesce_extra(struct ward_self *self)
{
	wardi_asks_end_all(self, self->cell);
	wardi_signals_put_aside(self->cell);
}

/* Most actors have nearly none of this, so the questions are asked here, not in each callee. */
void wardi_quiesce(struct ward_self *self)
{
	const struct wardi_rare *rare = self->cell->rare;

	if (rare->timers.word != 0)
		wardi_timers_cancel_all(self, self->cell);
	if (rare->extra != NULL)
		quiesce_extra(self);
	if (!wardi_watch_list_empty(&rare->fds))
		wardi_fds_unwatch_all(self, self->cell);
}

void wardi_release_failed_msg(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (cell->failed_msg == NULL)
		return;
	wardi_self_hold_msg(self, cell->failed_msg, cell->failed_owns_block);
	cell->failed_msg = NULL;
	wardi_self_release_msg(self);
}

/* Deferred calls and the drop of arguments have no self, and may ask why (ward_stop_reason()). A
 * restart comes with its cause. */
static void say_why(struct ward_self *self, struct wardi_failure cause, struct ward_failure *bare)
{
	struct wardi_cell *cell = self->cell;
	const ward_failure_class *failure_class = NULL;

	if (wardi_cell_state(cell) == WARDI_STOPPING) {
		self->stop_failure = end_failure(cell, bare, &failure_class);
		self->stop_reason = wardi_end_shown((enum wardi_end)cell->end, &failure_class);
	} else {
		self->stop_failure = wardi_failure_view(cause, bare);
		self->stop_reason = WARD_END_RESTARTED;
	}
}

static void said_why(struct ward_self *self)
{
	self->stop_reason = WARD_END_UNKNOWN;
	self->stop_failure = NULL;
}

/* This and release_args() are not inline: the room for a failure would cost all actors, of which
 * few have an arena or arguments. */
static __attribute__((noinline)) void release_arena(struct ward_self *self,
						    struct wardi_failure cause)
{
	struct ward_failure bare;

	say_why(self, cause, &bare);
	wardi_arena_release(self, self->cell);
	said_why(self);
}

static __attribute__((noinline)) void release_args(struct ward_self *self)
{
	struct wardi_args *args = self->cell->rare->args;
	struct ward_failure bare;

	say_why(self, WARDI_NO_FAILURE, &bare);
	self->cell->rare->args = NULL;
	wardi_args_free(self->from, args);
	said_why(self);
}

void wardi_release_incarnation(struct ward_self *self, struct wardi_failure cause)
{
	struct wardi_cell *cell = self->cell;

	if (has_rare(cell))
		wardi_quiesce(self);
	if (cell->failed_msg != NULL)
		wardi_release_failed_msg(self);
	if (has_rare(cell) && cell->rare->arena != NULL)
		release_arena(self, cause);
	if (has_rare(cell) && cell->rare->extra != NULL) {
		wardi_tasks_incarnation_ended(self);
		wardi_become_reset(self);
		wardi_status_reset(self);
		wardi_children_few_cancel(self);
		if (cell->rare->extra->association != NULL)
			wardi_supervision.association_over(self);
		if (cell->rare->extra->closed != NULL)
			wardi_closed_reset(self);
	}
	cell->faulted = cell->traps_exits = false;
}

/* Ends its watches, also those of signals, stashed notices of them, and a receive timeout. */
static void stop_hearing(struct ward_self *self)
{
	const struct wardi_rare *rare = self->cell->rare;

	if (rare->watching != NULL || rare->extra != NULL)
		wardi_supervision.unwatch_all(self);
	if (rare->extra != NULL) {
		wardi_receive_timeout_cancel(self);
		wardi_signals_unwatch_all(self);
	}
}

/* ---- the end ----------------------------------------------------------------------------- */

/* /system stops its services one after the other, the youngest first: what was started first, such
 * as a logger, serves those that came after it to their end (S77). */
static bool stops_in_order(const struct wardi_cell *cell)
{
	return cell == wardi_cell_system(cell)->system_cell;
}

static void stop_youngest(struct ward_self *self, struct wardi_cell *cell)
{
	wardi_command_stop_child(self, cell, wardi_last_child(cell));
}

bool wardi_stop_goes_on(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (!wardi_has_children(cell)) {
		if (wardi_represent_waits(cell))
			return true;
		wardi_finish(self);
		return false;
	}
	if (stops_in_order(cell))
		stop_youngest(self, cell);
	return true;
}

/* For an actor that is not running. Returns whether it is stopping already; if not, it may be
 * stopped for its failure. */
static bool stops_already(struct wardi_cell *cell)
{
	if (wardi_cell_state(cell) == WARDI_STOPPING)
		return true;
	if (wardi_cell_has_failed(cell))
		cell->end = WARDI_END_FAILED;
	return false;
}

/* If the program ends with this actor, the deadline of its end counts from here. */
static void say_top_stops(ward_system *system, const struct wardi_cell *cell)
{
	if (!system->ends_with_top || cell->parent != system->user_cell)
		return;
	atomic_store_explicit(&system->top_stops, true, memory_order_relaxed);
	wardi_waiters_begun(system, WARDI_WAIT_TOP_STOP);
}

/* An actor without children that stands in for another one, and waits for that one's end. Apart
 * from wardi_stop(), so that other actors need no look. */
static __attribute__((noinline, cold)) bool stop_waits(struct ward_self *self)
{
	wardi_cell_move(self, self->cell, WARDI_STOPPING);
	say_top_stops(self->system, self->cell);
	wardi_cell_suspend(self->cell, 1); /* as one that waits for its children */
	return true;
}

bool wardi_stop(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (wardi_cell_state(cell) != WARDI_RUNNING && stops_already(cell))
		return true;
	if (has_rare(cell)) {
		stop_hearing(self);
		wardi_quiesce(self);
		if (wardi_represents(cell) && wardi_represent_stops(self) &&
		    !wardi_has_children(cell))
			return stop_waits(self);
	}
	wardi_cell_move(self, cell, WARDI_STOPPING);
	if (cell == self->system->user_cell) { /* relaxed: see going_down in system.h */
		atomic_store_explicit(&self->system->going_down, true, memory_order_relaxed);
		wardi_waiters_begun(self->system, WARDI_WAIT_END);
	}
	if (wardi_has_children(cell)) {
		say_top_stops(self->system, cell);
		wardi_cell_suspend(cell, 1);
		if (stops_in_order(cell))
			stop_youngest(self, cell);
		else
			wardi_command_stop_children(self, cell);
		return true;
	}
	wardi_finish(self);
	return false;
}

static void run_post_stop(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;
	const ward_failure_class *failure_class = NULL;
	const ward_failure *failure;
	struct ward_failure bare;
	struct wardi_failure cause;
	struct wardi_call call;
	ward_end why;

	if (!cell->owes_post_stop)
		return;
	cell->owes_post_stop = false;
	if (cell->faulted || !wardi_has_hook(cell->behavior, WARDI_HOOK_POST_STOP))
		return;
	failure = end_failure(cell, &bare, &failure_class);
	why = wardi_end_shown((enum wardi_end)cell->end, &failure_class);
	call = (struct wardi_call){.kind = WARDI_HOOK_POST_STOP};
	/* The message that it failed on is still in hand: post_stop may answer it (S17). */
	if (cell->failed_msg != NULL)
		wardi_self_hold_msg(self, cell->failed_msg, cell->failed_owns_block);
	cell->failed_msg = NULL;
	if (!wardi_guarded_end(self, &call, why, failure, &cause))
		wardi_hook_failed(self, "post_stop", cause);
	wardi_self_release_msg(self);
}

void wardi_hook_failed(struct ward_self *self, const char *hook, struct wardi_failure cause)
{
	ward_system *system = self->system;
	struct ward_failure bare;
	ward_event event;

	if (wardi_event_wanted(system, WARD_EVENT_HOOK_FAILURE)) {
		const ward_failure *failure = wardi_failure_view(cause, &bare);

		wardi_event_begin(system, &event, WARD_EVENT_HOOK_FAILURE, WARD_LEVEL_SEVERE,
				  wardi_own_ref(self));
		wardi_text_copy(event.failure_class, sizeof event.failure_class,
				failure->failure_class->name);
		wardi_class_chain(failure->failure_class, event.failure_classes,
				  sizeof event.failure_classes);
		ward_text_format(event.text, sizeof event.text, "in %s: %s", hook, failure->text);
		wardi_event_publish(system, self, &event);
	}
	wardi_failure_unref(cause);
}

/* Apart, so that an end without mail is no dearer for it. */
static __attribute__((noinline, cold)) void
lose(struct ward_self *self, const struct wardi_cell *cell, struct ward_msg *msg)
{
	wardi_dead_letter(self->system, self, wardi_ref_make(cell->uid, self->system->place), msg,
			  WARD_REASON_DEAD);
}

static void drain_to_dead_letters(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_bounded *bounded =
		atomic_load_explicit(&cell->mailbox.bounded, memory_order_relaxed);
	struct ward_msg *msg;

	while (wardi_cell_unstashed(cell)) {
		msg = wardi_unstashed_next(self);
		lose(self, cell, msg);
		wardi_msg_free(self->from, msg);
	}
	while (wardi_mailbox_pop(&cell->mailbox, self->from, &msg) == WARDI_POP_MESSAGE)
		lose(self, cell, msg);
	if (bounded == NULL)
		return;
	msg = wardi_bounded_close(bounded, self->from);
	wardi_backpressure_drained(self, bounded);
	while (msg != NULL) {
		struct ward_msg *next = atomic_load_explicit(&msg->next, memory_order_relaxed);

		lose(self, cell, msg);
		wardi_msg_free(self->from, msg);
		msg = next;
	}
	wardi_bounded_pool_give(self->system, bounded);
}

static void close_mailbox(struct ward_self *self, struct wardi_cell *cell)
{
	/* Relaxed: a sender that still sees it open finds its message dropped by the generation. */
	atomic_store_explicit(&cell->open_gen, 0, memory_order_relaxed);
	wardi_command_close(cell);
	wardi_sys_discard(self, cell);
	wardi_assert(wardi_cell_held(cell) == 0);
	if (cell->rare->extra != NULL)
		wardi_select_end(self, cell);
	drain_to_dead_letters(self, cell);
}

static void free_life(struct ward_self *self, struct wardi_cell *cell)
{
	ward_system *system = self->system;

	if (cell->memory != NULL)
		wardi_memory_put(self->from, cell->memory, cell->behavior->state_size);
	cell->memory = NULL;
	if (has_rare(cell) && cell->rare->children != NULL) {
		/* of a restart that the stop overtook */
		wardi_failure_unref(cell->rare->children->restart_cause);
		wardi_hash_finish(&cell->rare->children->names);
		wardi_child_index_finish(cell->rare->children, &system->alloc);
		wardi_supervision.budget_give(self->from, cell->rare->children->budget);
		wardi_free(&system->alloc, cell->rare->children, sizeof *cell->rare->children);
		cell->rare->children = NULL;
	}
	if (has_rare(cell) && cell->rare->args != NULL)
		release_args(self);
	if (has_rare(cell))
		wardi_rare_free(cell, self->from);
	if (cell->blocks)
		wardi_dispatcher_release(cell->runnable.dispatcher);
}

/* Releases what few actors have. post_stop may have watched, also signals, and set a receive
 * timeout. */
static void end_rare(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (has_rare(cell) && cell->rare->extra != NULL)
		(void)wardi_unstash_all(self); /* dead letters, before the mailbox's (S86) */
	if (has_rare(cell))
		stop_hearing(self);
	wardi_release_incarnation(self, WARDI_NO_FAILURE);
	if (cell->subscribed)
		wardi_event_unsubscribe_all(self->system, cell);
	if (wardi_cell_held(cell) > 0)
		wardi_backpressure_withdraw(self, cell);
	/* While it still takes mail: no new receive timeout follows. */
	if (cell->rare->extra != NULL)
		wardi_tasks_life_ended(self);
}

void wardi_finish(struct ward_self *self)
{
	ward_system *system = self->system;
	struct wardi_cell *cell = self->cell;
	struct wardi_cell *parent = cell->parent;
	struct wardi_watcher *watchers;
	struct wardi_ending ending;

	self->stops = false;
	run_post_stop(self);
	end_rare(self);
	close_mailbox(self, cell);
	if (cell->rare->extra != NULL) {
		wardi_receive_timeout_finish(self);
		wardi_children_few_finish(self);
		wardi_represent_finish(self);
		wardi_selecting_finish(self);
	}
	free_life(self, cell);
	wardi_cell_move(self, cell, WARDI_STOPPED);
	watchers = cell->watchers;
	cell->watchers = NULL;
	if (watchers != NULL)
		wardi_ending_fill(cell, &ending); /* before the cell is the parent's */

	/* From here on a late push may make it ready, on any worker. */
	cell->runnable.dispatcher = system->root_cell->runnable.dispatcher;
	if (!wardi_mailbox_give_up(&cell->mailbox, self->from))
		wardi_late_mail(self, cell);

	if (wardi_has_points(system) && parent != NULL)
		wardi_points.end_delays_of(self, cell->uid);
	else if (wardi_has_points(system))
		wardi_points.end_delays(self);
	/* From here on the parent owns the cell and may reuse it at any time. */
	wardi_self_take_cell(self, NULL);
	cell->end_node.kind = WARDI_SYS_GONE;
	if (parent != NULL &&
	    !wardi_sys_send(self, parent, wardi_uid_gen(parent->uid), &cell->end_node))
		wardi_fatal("ward: broken invariant: a dying child has no parent");
	if (watchers != NULL) {
		wardi_supervision.tell_watchers(self, watchers, &ending);
		wardi_failure_unref(ending.failure);
	}
	if (parent == NULL) {
		wardi_life_counter_add(&self->life_counters.ended);
		wardi_tree_end.down(system);
	}
}
