/* SPDX-License-Identifier: MIT
 *
 * selection.h - a message on its way along a path.
 */
#ifndef WARDI_SELECTION_H
#define WARDI_SELECTION_H

#include "cell/self.h"

struct wardi_selection;

/* Makes a selection without a place and a message. `by`: the actor that sends it, in whatever name;
 * nobody: a thread outside. The path is valid. NULL: no memory. */
struct wardi_selection *wardi_selection_make(ward_system *system, ward_ref by, const char *path);
/* Frees a selection without a message; NULL is fine. */
void wardi_selection_free(struct wardi_selection *it);
/* Takes the message. */
void wardi_selection_load(struct wardi_selection *it, struct ward_msg *msg, ward_ref sender);
/* Sends it off from the root. Takes it. self: NULL for a thread outside. */
void wardi_selection_start(struct ward_self *self, struct wardi_selection *it);
/* Sends it off from an actor of this system. silent: a miss makes no dead letter. Takes it. */
void wardi_selection_start_at(struct ward_self *self, struct wardi_selection *it, ward_ref at,
			      bool silent);
/* Begins in self's cell, behind earlier selections. Takes it. */
void wardi_selection_enter(struct ward_self *self, struct wardi_selection *it);
/* Makes a dead letter about a path instead of an actor. Takes msg; NULL: there was no copy. */
void wardi_selection_lose(struct ward_self *self, const struct wardi_selection *it, ward_ref where,
			  struct ward_msg *msg, ward_reason reason);

/* A system message has brought a selection to self's cell. */
void wardi_select_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
/* A selection has reached a cell whose life is over. */
void wardi_select_missed(struct ward_self *self, struct wardi_sysmsg *msg);
/* Holder of the parent: the child leaves the list. */
void wardi_select_child_gone(struct wardi_cell *parent, const struct wardi_cell *child);
/* The end of a life: the selections that wait here have missed. */
void wardi_select_end(struct ward_self *self, struct wardi_cell *cell);

#endif
