/* SPDX-License-Identifier: MIT
 *
 * selection.h - a message on its way along a path.
 */
#ifndef WARDI_SELECTION_H
#define WARDI_SELECTION_H

#include "cell/self.h"

struct wardi_selection;

/* In the record of what few actors need: the fan-out that is not finished. Holder only. */
struct wardi_selecting {
	const struct wardi_selection *away;   /* comes back for the next portion; NULL: none */
	struct wardi_cell *next;              /* the child it goes on with; NULL: none is left */
	struct wardi_selection *first, *last; /* these came later, and wait for it */
};

/* On its way from nowhere yet, and without a message. `by`: who sends it, in whatever name; nobody:
 * a thread outside. NULL: no memory. The path is one. */
struct wardi_selection *wardi_selection_make(ward_system *system, ward_ref by, const char *path);
/* One without a message; NULL is fine. */
void wardi_selection_free(struct wardi_selection *it);
/* Takes the message. */
void wardi_selection_load(struct wardi_selection *it, struct ward_msg *msg, ward_ref sender);
/* Sends it off from the root. Takes it. self: NULL outside. */
void wardi_selection_start(struct ward_self *self, struct wardi_selection *it);
/* From self's cell, behind those that came before. Takes it. */
void wardi_selection_enter(struct ward_self *self, struct wardi_selection *it);

/* A system message has brought one to self's cell. */
void wardi_select_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
/* It has reached a cell whose life is over, or was over before. */
void wardi_select_missed(struct ward_self *self, struct wardi_sysmsg *msg);
/* The parent's holder: the child leaves the list. */
void wardi_select_child_gone(struct wardi_cell *parent, const struct wardi_cell *child);
/* The end of a life: those that wait have missed. */
void wardi_select_end(struct ward_self *self, struct wardi_cell *cell);

#endif
