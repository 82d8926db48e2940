/* SPDX-License-Identifier: MIT
 *
 * represent.h - an actor that stands in for another one: what its life tells, and awaits. Holder
 * only.
 */
#ifndef WARDI_REPRESENT_H
#define WARDI_REPRESENT_H

#include "cell/self.h"

struct wardi_watch;

/* Of an actor that represents another one, or that another one represents, in its extra record;
 * until the end of the life. */
struct wardi_represents {
	ward_ref name; /* of the one that represents it, in that system; or nobody */
	ward_ref to, until;
	struct wardi_watch *watch; /* on `until`; NULL: it has ended, or is nobody */
	uint64_t number;           /* of what was told last */
	/* Made ahead; for an actor of another place, in an outgoing message. */
	struct ward_msg *change; /* for the next change; NULL: not made */
	struct ward_msg *end;    /* for the stop; NULL: sent */
	bool told_suspended;
	bool answered; /* the failure of this receive: by a restart */
	bool goes_on;  /* its last failure was answered so */
	bool stops;    /* waits for the end of `until` */
	bool over;     /* no longer, and has not gone on yet */
};

/* The actor was suspended, resumed or restarted, and has a turn flag WARDI_REPRESENTS: tells it if
 * that is a change. */
void wardi_represent_changed(struct ward_self *self);
/* Its receive has returned; `fails`: it is about to be suspended for its failure. */
void wardi_represent_handled(struct ward_self *self, bool fails);
/* It fails. Returns whether a restart has answered the failure. */
bool wardi_represent_fails(struct wardi_cell *cell);
/* Suspensions were lifted: whether its last failure, so answered, needs no other end. */
bool wardi_represent_goes_on(const struct wardi_cell *cell);
/* Whether the running actor represents another one. */
static inline bool wardi_represents(const struct wardi_cell *cell)
{
	return (wardi_cell_turn_flags(cell) & WARDI_REPRESENTS) != 0;
}
/* Returns that name; the actor has an extra record. */
ward_ref wardi_represent_name(const struct wardi_cell *cell);
/* It is about to stop. Returns whether it waits for the end of another actor. */
bool wardi_represent_stops(struct ward_self *self);
/* A stopping actor without children: whether it waits for the end of another actor. */
bool wardi_represent_waits(const struct wardi_cell *cell);
/* Whether exit signals are for the actor that it represents: that one is there. */
bool wardi_represent_takes_exits(const struct wardi_cell *cell);
/* Whether `from` is the one that gets its changes: its signal says that the other has ended. */
bool wardi_represent_is_told(const struct wardi_cell *cell, ward_ref from);
/* It is suspended: passes a signal of `from` on, which is in the message. Takes the message. False:
 * no memory. */
bool wardi_represent_pass_exit(struct ward_self *self, ward_ref from, struct ward_msg *msg);
/* `until` has ended. */
void wardi_represent_gone(struct ward_self *self);
/* Whether the stop of an actor that represents another one has waited for that, and may go on now.
 * Once. */
bool wardi_represent_over(struct wardi_cell *cell);
/* The life is over. */
void wardi_represent_finish(struct ward_self *self);

#endif
