/* SPDX-License-Identifier: MIT
 *
 * command.c - orders from a parent to its child, and reports from a child to its parent.
 *
 * Orders that are not yet executed add up: suspensions and resumptions cancel each other, restarts
 * merge into one with the last cause (which lifts the suspensions of all), stop is a message of its
 * own and absorbs all. So an order never needs memory.
 *
 * The child executes the sums in this order: suspend, restart, resume. Each only adds to or takes
 * from a counter, so the order among them does not matter to the balance; see "The command slot" in
 * docs/internals/supervision.md.
 *
 * Threads: the slot under its spin lock; the node belongs to the thread that set `queued`. A slot
 * is open as long as the life takes mail (open_gen); later orders have no effect. At the end
 * open_gen is cleared before the lock is taken once more, so that a thread that finds it set under
 * the lock has linked its message before the lane is closed.
 *
 * Pairs  [S2] open_gen: release at the opening (spawn.c) - acquire here
 */
#include "cell/command.h"

#include "base/assert.h"
#include "cell/ready.h"
#include "cell/self.h"
#include "cell/supervision_table.h"
#include "mail/ref.h"

/* Under the spin lock: whether the slot is open. */
static bool is_open(const struct wardi_cell *cell, uint32_t gen)
{
	return atomic_load_explicit(&cell->open_gen, memory_order_acquire) == gen; /* [S2] */
}

/* Under the spin lock of an open slot: links the node. True: the caller wakes the cell. */
static bool link_node(struct wardi_cell *cell, struct wardi_sysmsg *node)
{
	enum wardi_linked link = wardi_mailbox_link_system(&cell->mailbox, node);

	if (link == WARDI_LINK_REFUSED)
		wardi_fatal("ward: broken invariant: an open cell has a closed system lane");
	return link == WARDI_LINK_FIRST;
}

/* Adds one order. Takes the cause. */
static void order(struct ward_self *self, struct wardi_cell *child, uint32_t suspends,
		  uint32_t resumes, bool clear, uint32_t restarts, struct wardi_failure cause)
{
	struct wardi_commands *slot = &child->commands;
	struct wardi_failure old = WARDI_NO_FAILURE;
	bool wake = false;

	wardi_spin_take(&slot->spin, WARDI_LOCK_COMMANDS);
	if (!is_open(child, wardi_uid_gen(child->uid))) {
		old = cause; /* closed: no actor is left to obey */
	} else {
		uint32_t cancel = resumes < slot->suspends ? resumes : slot->suspends;

		slot->suspends = slot->suspends - cancel + suspends;
		slot->resumes += resumes - cancel;
		slot->clear = slot->clear || clear;
		slot->restarts += restarts;
		if (!wardi_failure_is_none(cause)) {
			old = slot->cause;
			slot->cause = cause;
			slot->unanswered = false;
		}
		if (!slot->queued) {
			slot->queued = true;
			wake = link_node(child, &child->command_node);
		}
	}
	wardi_spin_drop(&slot->spin);
	wardi_failure_unref(old);
	if (wake)
		wardi_cell_wake(self, child);
}

void wardi_command_suspend(struct ward_self *self, struct wardi_cell *child, uint32_t times)
{
	order(self, child, times, 0, false, 0, WARDI_NO_FAILURE);
}

void wardi_command_resume(struct ward_self *self, struct wardi_cell *child, uint32_t times,
			  bool clear)
{
	order(self, child, 0, times, clear, 0, WARDI_NO_FAILURE);
}

void wardi_command_restart(struct ward_self *self, struct wardi_cell *child,
			   struct wardi_failure cause, uint32_t times)
{
	order(self, child, 0, 0, false, times, wardi_failure_ref(cause));
}

void wardi_command_restart_for(struct ward_self *self, struct wardi_cell *child,
			       struct wardi_failure cause, uint32_t times)
{
	order(self, child, 0, 0, false, times, cause);
}

void wardi_command_stop(struct ward_self *self, struct wardi_cell *cell, uint32_t gen)
{
	struct wardi_commands *slot = &cell->commands;
	bool sent = false, wake = false;

	wardi_spin_take(&slot->spin, WARDI_LOCK_COMMANDS);
	if (is_open(cell, gen) && !slot->stop_sent) {
		slot->stop_sent = true;
		sent = true;
		wake = link_node(cell, &cell->end_node);
	}
	wardi_spin_drop(&slot->spin);
	/* The holder looks at its lane before it gives the cell up. */
	if (sent && self != NULL && self->cell == cell)
		cell->end = WARDI_END_OWN;
	else if (wake)
		wardi_cell_wake(self, cell);
}

void wardi_command_stop_child(struct ward_self *self, struct wardi_cell *parent,
			      struct wardi_cell *child)
{
	if (!child->dying) {
		child->dying = true;
		parent->rare->children->dying++;
	}
	wardi_command_stop(self, child, wardi_uid_gen(child->uid));
}

void wardi_command_stop_children(struct ward_self *self, struct wardi_cell *parent)
{
	wardi_for_each_child (child, parent)
		wardi_command_stop_child(self, parent, child);
}

/* ---- reports, from child to parent ------------------------------------------------------- */

static inline __attribute__((always_inline)) void report(struct ward_self *self,
							 struct wardi_cell *child, bool answered)
{
	struct wardi_commands *slot = &child->commands;
	struct wardi_cell *parent = child->parent;
	enum wardi_linked link;
	bool first;

	wardi_spin_take(&slot->spin, WARDI_LOCK_COMMANDS);
	wardi_assert(slot->reports < UINT16_MAX);
	first = slot->reports++ == 0;
	/* An incarnation that is ordered to restart is answered before it reports. */
	slot->unanswered = !answered && wardi_failure_is_none(slot->cause);
	wardi_spin_drop(&slot->spin);
	if (!first)
		return; /* the node is on its way, or deferred there, already */
	/* A parent outlives its children, so its lane is open. */
	link = wardi_mailbox_link_system(&parent->mailbox, &child->failed_node);
	if (link == WARDI_LINK_REFUSED)
		wardi_fatal("ward: broken invariant: a failing child has no parent");
	if (link == WARDI_LINK_FIRST)
		wardi_cell_wake(self, parent);
}

void wardi_command_report(struct ward_self *self, struct wardi_cell *child)
{
	report(self, child, false);
}

void wardi_command_report_answered(struct ward_self *self, struct wardi_cell *child)
{
	report(self, child, true);
}

struct wardi_reports wardi_command_take_reports(struct wardi_cell *child)
{
	struct wardi_commands *slot = &child->commands;
	struct wardi_reports reports;

	wardi_spin_take(&slot->spin, WARDI_LOCK_COMMANDS);
	reports = (struct wardi_reports){slot->reports, slot->unanswered};
	slot->reports = 0;
	slot->unanswered = false;
	wardi_spin_drop(&slot->spin);
	return reports;
}

void wardi_command_put_reports_back(struct ward_self *self, struct wardi_cell *child,
				    struct wardi_reports reports)
{
	struct wardi_commands *slot = &child->commands;
	bool first;

	wardi_spin_take(&slot->spin, WARDI_LOCK_COMMANDS);
	first = slot->reports == 0;
	wardi_assert(slot->reports + reports.count <= UINT16_MAX);
	slot->reports += (uint16_t)reports.count;
	/* One that has come since is of the next incarnation: a restart has answered these. */
	if (first)
		slot->unanswered = reports.unanswered;
	wardi_spin_drop(&slot->spin);
	/* The holder looks at its lane before it gives the cell up. */
	if (first && wardi_mailbox_link_system(&self->cell->mailbox, &child->failed_node) ==
			     WARDI_LINK_REFUSED)
		wardi_fatal("ward: broken invariant: a parent decides with a closed system lane");
}

/* ---- execution, by the child ------------------------------------------------------------- */

void wardi_command_execute(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_commands *slot = &cell->commands;
	uint32_t suspends, restarts, resumes;
	struct wardi_failure cause;
	bool clear, stops;

	wardi_spin_take(&slot->spin, WARDI_LOCK_COMMANDS);
	suspends = slot->suspends;
	restarts = slot->restarts;
	resumes = slot->resumes;
	clear = slot->clear;
	cause = slot->cause;
	slot->suspends = slot->restarts = slot->resumes = 0;
	slot->clear = slot->queued = false;
	slot->cause = WARDI_NO_FAILURE;
	stops = slot->stop_sent || self->stops;
	wardi_spin_drop(&slot->spin);

	if (suspends > 0) {
		wardi_cell_suspend(cell, suspends);
		wardi_for_each_child (child, cell)
			wardi_command_suspend(self, child, suspends);
		if ((wardi_cell_turn_flags(cell) & WARDI_REPRESENTS) != 0)
			wardi_supervision.suspension_changed(self);
	}
	/* A stop wins, also over earlier orders (S25, S41). */
	if (stops || wardi_failure_is_none(cause)) {
		wardi_failure_unref(cause);
		resumes += restarts;
		if (resumes > 0 || clear) /* its failure no longer needs a decision if it stops */
			wardi_supervision.resume(self, resumes, clear && !stops);
		return;
	}
	/* A resume that accompanies a restart lifts suspensions only: the restart answers the
	 * failure. It is put back, and waits with the others if the restart has to wait (S41). */
	if (resumes > 0)
		order(self, cell, 0, resumes, false, 0, WARDI_NO_FAILURE);
	wardi_supervision.restart(self, cause, restarts);
}

void wardi_command_close(struct wardi_cell *cell)
{
	struct wardi_commands *slot = &cell->commands;
	struct wardi_failure cause;

	wardi_spin_take(&slot->spin, WARDI_LOCK_COMMANDS);
	cause = slot->cause;
	slot->cause = WARDI_NO_FAILURE;
	slot->suspends = slot->restarts = slot->resumes = 0;
	slot->queued = slot->stop_sent = slot->clear = false;
	wardi_spin_drop(&slot->spin);
	wardi_failure_unref(cause);
}
