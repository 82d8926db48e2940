/* SPDX-License-Identifier: MIT
 *
 * extra.h - what few actors need, so that those without it stay small: made with the first use.
 *
 * A member is a concept's own: only the file of that concept looks into it. Each of them has a
 * function that says what becomes of it at the end of an incarnation, and one at the end of a life.
 *
 * Holder only.
 */
#ifndef WARDI_EXTRA_H
#define WARDI_EXTRA_H

#include "core/become.h"
#include "core/idle.h"
#include "core/selection.h"
#include "core/self.h"
#include "core/stash.h"

struct wardi_asks;

struct wardi_extra {
	struct wardi_selecting selecting; /* selection.c */
	struct wardi_list tasks; /* of a shutdown (task.c); not linked: it joined none yet */
	struct wardi_asks *asks; /* ask.c */
	struct wardi_become become;
	struct wardi_stash stash;
	struct wardi_idle idle;
};

/* Of the running actor; NULL: no memory. */
struct wardi_extra *wardi_extra_of(struct ward_self *self);
/* The cell's life is over: the record goes. What it held is gone already. */
void wardi_extra_free(struct wardi_cell *cell);

#endif
