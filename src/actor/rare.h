/* SPDX-License-Identifier: MIT
 *
 * rare.h - what few actors need, so that those without it stay small: made with the first use.
 *
 * The rare record (cell.h) is a set of pointers, 80 bytes; the extra one is where a stash, stacked
 * receives, a receive timeout, questions, selections and a status begin.
 *
 * A member is a concept's own: only the file of that concept looks into it. Each of them has a
 * function that says what becomes of it at the end of an incarnation, and one at the end of a life.
 *
 * Holder only.
 */
#ifndef WARDI_RARE_H
#define WARDI_RARE_H

#include "actor/become.h"
#include "actor/receive_timeout.h"
#include "actor/selection.h"
#include "actor/stash.h"
#include "actor/status.h"
#include "cell/self.h"

struct wardi_status;

struct wardi_asks;

struct wardi_extra {
	struct wardi_selecting selecting; /* selection.c */
	struct wardi_list tasks;     /* of a shutdown (task.c); not linked: it joined none yet */
	struct wardi_asks *asks;     /* ask.c */
	struct wardi_status *status; /* status.c; NULL: it shows nothing */
	struct wardi_become become;
	struct wardi_stash stash;
	struct wardi_receive_timeout receive_timeout;
};

/* To write to, by its holder; or by its parent, before it starts. NULL: no memory. */
struct wardi_rare *wardi_rare_for(struct wardi_cell *cell, struct wardi_source from);
/* The same, of the running actor. */
static inline struct wardi_rare *wardi_rare_of(struct ward_self *self)
{
	return wardi_rare_for(self->cell, self->from);
}
struct wardi_extra *wardi_extra_of(struct ward_self *self);
/* The same for questions and a status, which do not make its cell need general turns: what ends the
 * ones is auto-received anyhow, and the other is for who looks. */
struct wardi_extra *wardi_extra_for_asks(struct ward_self *self);
/* The cell's life is over: both records go, and the arguments. What else they held is gone. */
void wardi_rare_free(struct wardi_cell *cell, struct wardi_source from);

#endif
