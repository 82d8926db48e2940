/* SPDX-License-Identifier: MIT
 *
 * rare.h - the records of what few actors need, made at the first use, so that other actors stay
 * small.
 *
 * The rare record (cell.h) is a set of pointers, 80 bytes; the extra one is where a stash, stacked
 * receives, a receive timeout, a closed mailbox, questions, selections, a status and signals
 * begin.
 *
 * Each member belongs to one concept: only the file of that concept looks into it. Each concept has
 * a function for the end of an incarnation, and one for the end of a life.
 *
 * Holder only.
 */
#ifndef WARDI_RARE_H
#define WARDI_RARE_H

#include "actor/become.h"
#include "actor/closed_mailbox.h"
#include "actor/receive_timeout.h"
#include "actor/stash.h"
#include "actor/status.h"
#include "cell/self.h"

struct wardi_status;

struct wardi_asks;
struct wardi_signal_watch;

struct wardi_children_few;
struct wardi_association;

struct wardi_represents;
struct wardi_selecting;

struct wardi_extra {
	struct wardi_selecting *selecting; /* selecting.h; NULL: no path waited or goes on here */
	struct wardi_list tasks;        /* of a shutdown (task.c); not linked: it joined none yet */
	struct wardi_asks *asks;        /* ask.c */
	struct wardi_status *status;    /* status.c; NULL: it shows nothing */
	struct wardi_children_few *few; /* children_few.c; NULL: it has never waited */
	struct wardi_signal_watch *signals;    /* signal_watch.c */
	struct wardi_association *association; /* watch/association.c; NULL: it is none */
	struct wardi_represents *represents;   /* represent.c; NULL: it stands in for nobody */
	struct wardi_become become;
	struct wardi_stash stash;
	struct wardi_receive_timeout receive_timeout;
	struct wardi_closed_mailbox *closed; /* closed_mailbox.c; NULL: it never was */
};

/* Returns the record for writing, for the holder; or for the parent, before the start. NULL: no
 * memory. */
struct wardi_rare *wardi_rare_for(struct wardi_cell *cell, struct wardi_source from);
/* The same for the running actor. */
static inline struct wardi_rare *wardi_rare_of(struct ward_self *self)
{
	return wardi_rare_for(self->cell, self->from);
}
struct wardi_extra *wardi_extra_of(struct ward_self *self);
/* The same for questions, a status, signals and notices of few children, for which the cell needs
 * no general turns: the messages that end questions, and the notices, are auto-received anyway, and
 * a status is for observers. */
struct wardi_extra *wardi_extra_for_asks(struct ward_self *self);
/* The life is over: frees both records and the arguments. Nothing else is left in them. */
void wardi_rare_free(struct wardi_cell *cell, struct wardi_source from);

#endif
