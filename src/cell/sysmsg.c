/* SPDX-License-Identifier: MIT
 *
 * sysmsg.c - the lane of system messages, and the gate that defers some (S1-S7).
 *
 *	gate			when				defers
 *	OPEN			-				nothing
 *	SUSPENDED		the suspend count is above 0	failed
 *	WAITING			a restart waits for children	failed, command
 *
 * When the gate opens, deferred messages come first, in their order, and meet the gate again. At
 * the end of a life they are discarded, after an answer to senders that wait for one. Each kind has
 * a row in wardi_sys_kinds (turn/system_messages.c).
 *
 * Threads: runs only on the holder's worker.
 */
#include "cell/sysmsg.h"

#include "base/assert.h"
#include "cell/cell.h"
#include "cell/ready.h"
#include "cell/self.h"
#include "mail/ref.h"

static struct wardi_addressed *addressed(struct wardi_sysmsg *msg)
{
	return wardi_container_of(msg, struct wardi_addressed, node);
}

/* Whether the message is meant for an earlier life of the cell. */
static bool is_misaddressed(const struct wardi_cell *cell, struct wardi_sysmsg *msg)
{
	return wardi_sys_is_addressed(msg->kind) &&
	       addressed(msg)->target_gen != wardi_uid_gen(cell->uid);
}

bool wardi_sys_send(struct ward_self *self, struct wardi_cell *cell, uint32_t target_gen,
		    struct wardi_sysmsg *msg)
{
	enum wardi_linked link;

	if (wardi_sys_is_addressed(msg->kind))
		addressed(msg)->target_gen = target_gen;
	link = wardi_mailbox_link_system(&cell->mailbox, msg);
	if (link == WARDI_LINK_FIRST)
		wardi_cell_wake(self, cell);
	return link != WARDI_LINK_REFUSED;
}

/* Puts deferred messages, newest first, back in front of the batch, oldest first. */
static void replay(struct ward_self *self)
{
	struct wardi_children *children = self->cell->rare->children;

	while (children != NULL && children->deferred != NULL) {
		struct wardi_sysmsg *msg = children->deferred;

		children->deferred = wardi_sysmsg_next(msg);
		wardi_sysmsg_set_next(msg, self->batch);
		self->batch = msg;
	}
}

/* Only an actor with children has deferred messages: their reports, and orders that come while it
 * waits for them. */
static void defer(struct wardi_cell *cell, struct wardi_sysmsg *msg)
{
	wardi_assert(cell->rare->children != NULL);
	wardi_sysmsg_set_next(msg, cell->rare->children->deferred);
	cell->rare->children->deferred = msg;
}

static void misaddressed(struct ward_self *self, struct wardi_sysmsg *msg)
{
	if (wardi_sys_kinds[msg->kind].misaddressed != NULL)
		(void)wardi_sys_kinds[msg->kind].misaddressed(self, msg);
}

/* Executes the oldest message of the batch, or defers it. False: the cell is gone. */
static bool next(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;
	struct wardi_sysmsg *msg = self->batch;
	enum wardi_gate before = wardi_cell_gate(cell);

	self->batch = wardi_sysmsg_next(msg);
	if (is_misaddressed(cell, msg)) {
		misaddressed(self, msg);
		return true;
	}
	if (before > wardi_sys_kinds[msg->kind].passes) {
		defer(cell, msg);
		return true;
	}
	if (!wardi_sys_kinds[msg->kind].action(self, msg))
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

static __attribute__((noinline)) void discard(struct ward_self *self, struct wardi_cell *cell,
					      struct wardi_sysmsg *msg)
{
	while (msg != NULL) {
		struct wardi_sysmsg *after = wardi_sysmsg_next(msg);

		if (is_misaddressed(cell, msg))
			misaddressed(self, msg);
		else if (wardi_sys_kinds[msg->kind].discarded != NULL)
			(void)wardi_sys_kinds[msg->kind].discarded(self, msg);
		msg = after;
	}
}

/* Mostly the list is empty. */
static inline void discard_list(struct ward_self *self, struct wardi_cell *cell,
				struct wardi_sysmsg *msg)
{
	if (msg != NULL)
		discard(self, cell, msg);
}

void wardi_sys_discard(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_sysmsg *rest = wardi_mailbox_close_system(&cell->mailbox);

	discard_list(self, cell, self->batch);
	self->batch = NULL;
	if (cell->rare->children != NULL) {
		discard_list(self, cell, cell->rare->children->deferred);
		cell->rare->children->deferred = NULL;
	}
	discard_list(self, cell, rest);
}
