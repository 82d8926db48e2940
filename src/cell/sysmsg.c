/* SPDX-License-Identifier: MIT
 *
 * sysmsg.c - system messages: what each kind does, and the gate that defers some (S1-S7).
 *
 *	gate			when				defers
 *	OPEN			-				nothing
 *	SUSPENDED		the suspend count is above 0	failed
 *	WAITING			a restart waits for children	failed, command
 *
 * When the gate falls, what was deferred comes first, in its order, and is looked at again. At the
 * end of a life it is discarded, but for those whose sender waits for an answer.
 *
 * single-threaded: runs only on the holder's worker.
 */
#include "cell/sysmsg.h"

#include "actor/selection.h"
#include "base/assert.h"
#include "cell/command.h"
#include "cell/self.h"
#include "cell/supervision.h"
#include "life/life.h"
#include "send/backpressure.h"
#include "send/deliver.h"
#include "shutdown/shutdown.h"
#include "watch/exit.h"
#include "watch/link.h"

typedef bool sys_action(struct ward_self *self, struct wardi_sysmsg *msg); /* false: cell gone */

static bool on_command(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_cell *cell = self->cell;

	(void)msg;
	wardi_command_execute(self, cell);
	return true;
}

static bool on_stop(struct ward_self *self, struct wardi_sysmsg *msg)
{
	(void)msg;
	return wardi_stop(self);
}

static bool on_failed(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_cell *child = wardi_container_of(msg, struct wardi_cell, failed_node);

	if (!wardi_cell_is_known(child)) /* it is gone meanwhile; only its report held the cell */
		wardi_slot_give(self->system, child);
	else
		self->system->supervision->child_failed(self, child);
	return true;
}

static bool on_gone(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_cell *cell = self->cell;

	wardi_child_gone(self, wardi_container_of(msg, struct wardi_cell, end_node));
	if (wardi_cell_state(cell) == WARDI_STOPPING)
		return wardi_stop_goes_on(self);
	if (wardi_cell_gate(cell) == WARDI_GATE_WAITING && cell->gear->children->dying == 0)
		self->system->supervision->children_gone(self);
	return true;
}

static bool on_watch(struct ward_self *self, struct wardi_sysmsg *msg)
{
	self->system->supervision->watch_arrived(self, msg);
	return true;
}

static bool on_unwatch(struct ward_self *self, struct wardi_sysmsg *msg)
{
	self->system->supervision->unwatch_arrived(self, msg);
	return true;
}

static bool on_notice(struct ward_self *self, struct wardi_sysmsg *msg)
{
	self->system->supervision->notice_arrived(self, msg);
	return true;
}

static bool on_released(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_hold_over(self, msg);
	return true;
}

static bool on_spawn(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_spawn_requested(self, msg);
	return true;
}

static bool on_select(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_select_arrived(self, msg);
	return true;
}

static bool on_shutdown(struct ward_self *self, struct wardi_sysmsg *msg)
{
	(void)msg;
	return wardi_shutdown_step(self);
}

static const struct {
	sys_action *action;
	enum wardi_gate passes; /* the highest gate that lets it through */
	bool addressed;         /* it is a struct wardi_addressed */
} kinds[] = {
	[WARDI_SYS_COMMAND] = {on_command, WARDI_GATE_SUSPENDED, false},
	[WARDI_SYS_STOP] = {on_stop, WARDI_GATE_WAITING, false},
	[WARDI_SYS_FAILED] = {on_failed, WARDI_GATE_OPEN, false},
	[WARDI_SYS_GONE] = {on_gone, WARDI_GATE_WAITING, false},
	[WARDI_SYS_WATCH] = {on_watch, WARDI_GATE_WAITING, true},
	[WARDI_SYS_UNWATCH] = {on_unwatch, WARDI_GATE_WAITING, true},
	[WARDI_SYS_NOTICE] = {on_notice, WARDI_GATE_WAITING, true},
	[WARDI_SYS_LINK] = {wardi_link_arrived, WARDI_GATE_WAITING, true},
	[WARDI_SYS_LINK_OVER] = {wardi_link_over, WARDI_GATE_WAITING, true},
	[WARDI_SYS_EXIT] = {wardi_exit_arrived, WARDI_GATE_WAITING, true},
	[WARDI_SYS_RELEASED] = {on_released, WARDI_GATE_WAITING, false},
	[WARDI_SYS_SPAWN] = {on_spawn, WARDI_GATE_WAITING, true},
	[WARDI_SYS_SELECT] = {on_select, WARDI_GATE_WAITING, true},
	[WARDI_SYS_SHUTDOWN] = {on_shutdown, WARDI_GATE_WAITING, true},
};
_Static_assert(sizeof kinds / sizeof kinds[0] == WARDI_SYS_KINDS, "one row for each kind");

static struct wardi_addressed *addressed(struct wardi_sysmsg *msg)
{
	return wardi_container_of(msg, struct wardi_addressed, node);
}

/* Meant for an earlier life of the cell. */
static bool is_stray(const struct wardi_cell *cell, struct wardi_sysmsg *msg)
{
	return kinds[msg->kind].addressed && addressed(msg)->target_gen != wardi_uid_gen(cell->uid);
}

bool wardi_sys_send(struct ward_self *self, struct wardi_cell *cell, uint32_t target_gen,
		    struct wardi_sysmsg *msg)
{
	if (kinds[msg->kind].addressed)
		addressed(msg)->target_gen = target_gen;
	if (!wardi_mailbox_link_system(&cell->mailbox, msg))
		return false;
	wardi_cell_wake(self, cell);
	return true;
}

/* Deferred ones are kept newest first: back in front of the batch, oldest first. */
static void replay(struct ward_self *self)
{
	struct wardi_children *children = self->cell->gear->children;

	while (children != NULL && children->deferred != NULL) {
		struct wardi_sysmsg *msg = children->deferred;

		children->deferred = wardi_sysmsg_next(msg);
		wardi_sysmsg_set_next(msg, self->batch);
		self->batch = msg;
	}
}

/* Only an actor with children has what waits: reports of theirs, and orders that come while it
 * waits for them. */
static void defer(struct wardi_cell *cell, struct wardi_sysmsg *msg)
{
	wardi_assert(cell->gear->children != NULL);
	wardi_sysmsg_set_next(msg, cell->gear->children->deferred);
	cell->gear->children->deferred = msg;
}

/* Stop and command are sent under the slot's lock, reports and notices of children, and releases,
 * only to the living: so what is stray can only be about watches or links, an exit signal, a spawn,
 * a selection on its way back, or a shutdown that nobody leads any more. */
static void stray(struct ward_self *self, struct wardi_sysmsg *msg)
{
	if (msg->kind == WARDI_SYS_SPAWN)
		wardi_spawn_refused(self->system, msg);
	else if (msg->kind == WARDI_SYS_SELECT)
		wardi_select_missed(self, msg);
	else if (msg->kind == WARDI_SYS_LINK || msg->kind == WARDI_SYS_LINK_OVER)
		wardi_link_stray(self, msg);
	else if (msg->kind == WARDI_SYS_EXIT)
		wardi_exit_stray(self, msg);
	else if (msg->kind != WARDI_SYS_SHUTDOWN)
		self->system->supervision->answer_dead(self, msg);
}

/* Carries out the oldest of the batch, or defers it. False: the cell is gone. */
static bool next(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;
	struct wardi_sysmsg *msg = self->batch;
	enum wardi_gate before = wardi_cell_gate(cell);

	self->batch = wardi_sysmsg_next(msg);
	if (is_stray(cell, msg)) {
		stray(self, msg);
		return true;
	}
	if (before > kinds[msg->kind].passes) {
		defer(cell, msg);
		return true;
	}
	if (!kinds[msg->kind].action(self, msg))
		return false;
	if (before > WARDI_GATE_OPEN && wardi_cell_gate(cell) < before)
		replay(self);
	return true;
}

bool wardi_sys_drain(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	while (wardi_mailbox_has_system(&cell->mailbox)) {
		self->batch = wardi_mailbox_take_system(&cell->mailbox);
		while (self->batch != NULL)
			if (!next(self))
				return false;
	}
	return true;
}

static void discard_list(struct ward_self *self, struct wardi_cell *cell, struct wardi_sysmsg *msg)
{
	while (msg != NULL) {
		struct wardi_sysmsg *after = wardi_sysmsg_next(msg);

		if (is_stray(cell, msg))
			stray(self, msg);
		else if (msg->kind == WARDI_SYS_WATCH || msg->kind == WARDI_SYS_UNWATCH ||
			 msg->kind == WARDI_SYS_NOTICE || msg->kind == WARDI_SYS_LINK ||
			 msg->kind == WARDI_SYS_LINK_OVER || msg->kind == WARDI_SYS_EXIT ||
			 msg->kind == WARDI_SYS_FAILED || msg->kind == WARDI_SYS_RELEASED)
			kinds[msg->kind].action(self, msg);
		else if (msg->kind == WARDI_SYS_SPAWN)
			wardi_spawn_refused(self->system, msg);
		else if (msg->kind == WARDI_SYS_SELECT)
			wardi_select_missed(self, msg);
		msg = after;
	}
}

void wardi_sys_discard(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_sysmsg *rest = wardi_mailbox_close_system(&cell->mailbox);

	discard_list(self, cell, self->batch);
	self->batch = NULL;
	if (cell->gear->children != NULL) {
		discard_list(self, cell, cell->gear->children->deferred);
		cell->gear->children->deferred = NULL;
	}
	discard_list(self, cell, rest);
}
