/* SPDX-License-Identifier: MIT
 *
 * command.h - orders of a parent to its child: suspend, resume, restart, stop; and the child's
 * reports. Orders that the child has not executed yet add up in its one slot.
 */
#ifndef WARDI_COMMAND_H
#define WARDI_COMMAND_H

#include "cell/cell.h"

struct ward_self;

/* The parent's holder: suspends the child. `self` is the worker's, or NULL on a thread outside. */
void wardi_command_suspend(struct ward_self *self, struct wardi_cell *child, uint32_t times);
/* `clear`: it answers the child's own failure (S29). */
void wardi_command_resume(struct ward_self *self, struct wardi_cell *child, uint32_t times,
			  bool clear);
/* Adds a reference to the cause. `times`: the suspensions that it lifts. */
void wardi_command_restart(struct ward_self *self, struct wardi_cell *child,
			   struct wardi_failure cause, uint32_t times);
/* The same, but takes the cause. */
void wardi_command_restart_for(struct ward_self *self, struct wardi_cell *child,
			       struct wardi_failure cause, uint32_t times);
/* Marks the child as dying. */
void wardi_command_stop_child(struct ward_self *self, struct wardi_cell *parent,
			      struct wardi_cell *child);
void wardi_command_stop_children(struct ward_self *self, struct wardi_cell *parent);

/* Any thread: stops that life of the cell, if it still runs. */
void wardi_command_stop(struct ward_self *self, struct wardi_cell *cell, uint32_t gen);

/* The child's holder: reports a failure to the parent, which finds it as the child's last
 * failure. */
void wardi_command_report(struct ward_self *self, struct wardi_cell *child);
/* The same for a failure that a restart has answered already. */
void wardi_command_report_answered(struct ward_self *self, struct wardi_cell *child);
/* Failures of a child that its parent has not handled. All are of incarnations that a restart has
 * replaced, or is ordered to replace, except perhaps the last one. */
struct wardi_reports {
	uint32_t count;
	bool unanswered; /* the last one is of an incarnation that is to go on */
};

/* The parent's holder. */
struct wardi_reports wardi_command_take_reports(struct wardi_cell *child);
/* The parent's holder, while it drains: puts reports back that have to wait. */
void wardi_command_put_reports_back(struct ward_self *self, struct wardi_cell *child,
				    struct wardi_reports reports);

/* The child's holder: executes the orders in the slot that the gate lets through. */
void wardi_command_execute(struct ward_self *self, struct wardi_cell *cell);
/* The child's holder, at the end of a life, after it has cleared open_gen. */
void wardi_command_close(struct wardi_cell *cell);

#endif
