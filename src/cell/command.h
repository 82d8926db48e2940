/* SPDX-License-Identifier: MIT
 *
 * command.h - what a parent orders its child: suspend, resume, restart, stop; and what the child
 * reports. Orders that the child has not carried out yet add up in its one slot.
 */
#ifndef WARDI_COMMAND_H
#define WARDI_COMMAND_H

#include "cell/cell.h"

struct ward_self;

/* By the parent's holder. `self` is the worker's, or NULL on a thread outside. */
void wardi_command_suspend(struct ward_self *self, struct wardi_cell *child, uint32_t times);
/* `clear`: it answers the child's own failure (S29). */
void wardi_command_resume(struct ward_self *self, struct wardi_cell *child, uint32_t times,
			  bool clear);
/* Shares the cause. `times`: how many suspensions it lifts. */
void wardi_command_restart(struct ward_self *self, struct wardi_cell *child,
			   struct wardi_failure cause, uint32_t times);
/* The same, but it takes the cause. */
void wardi_command_restart_for(struct ward_self *self, struct wardi_cell *child,
			       struct wardi_failure cause, uint32_t times);
/* Marks the child as dying. */
void wardi_command_stop_child(struct ward_self *self, struct wardi_cell *parent,
			      struct wardi_cell *child);
void wardi_command_stop_children(struct ward_self *self, struct wardi_cell *parent);

/* Any thread: stops that life of the cell, if it goes on. */
void wardi_command_stop(struct ward_self *self, struct wardi_cell *cell, uint32_t gen);

/* By the child's holder: reports a failure to the parent, which finds it as the child's last one.
 */
void wardi_command_report(struct ward_self *self, struct wardi_cell *child);
/* By the parent's holder: takes what was reported; returns how many failures there were. */
uint32_t wardi_command_take_reports(struct wardi_cell *child);
/* By the parent's holder, while it drains: these have to wait. */
void wardi_command_put_reports_back(struct ward_self *self, struct wardi_cell *child,
				    uint32_t reports);

/* By the child's holder: carries the slot out. Takes only what the gate lets through. */
void wardi_command_execute(struct ward_self *self, struct wardi_cell *cell);
/* By the child's holder, at the end of a life, which has closed open_gen. */
void wardi_command_close(struct wardi_cell *cell);

#endif
