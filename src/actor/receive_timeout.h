/* SPDX-License-Identifier: MIT
 *
 * receive_timeout.h - the receive timeout.
 */
#ifndef WARDI_RECEIVE_TIMEOUT_H
#define WARDI_RECEIVE_TIMEOUT_H

#include "sched/sched.h"

struct ward_msg;
struct ward_self;
struct wardi_cell;

struct wardi_receive_timeout {
	struct wardi_timer_node node; /* in the heap as long as it is on */
	/* frozen, once it was started */
	struct wardi_cell *cell;
	/* holder only */
	bool on;
	/* written by the holder, read by fire() */
	_Atomic int64_t until_ns; /* no message before that: the timeout. INT64_MAX: it is off */
	/* under the timers' lock */
	int64_t timeout_ns;     /* the holder writes it, and reads it without the lock */
	bool in_flight;         /* a message is in the mailbox */
	struct ward_msg *ahead; /* made for the next time; NULL: no memory yet */
};

/* The rest: holder, for the running actor. */

/* A ward_receive_timeout has arrived: returns whether it is due. */
bool wardi_receive_timeout_due(struct ward_self *self);
/* A message of this type was handled, by an actor with an extra record. */
void wardi_receive_timeout_handled(struct ward_self *self, const ward_type *type);
/* A new incarnation begins: restarts the time. */
void wardi_receive_timeout_restarted(struct ward_self *self);
/* Switches it off: before a retry, or at the end. */
void wardi_receive_timeout_cancel(struct ward_self *self);
/* The life is over, and its mailbox closed. */
void wardi_receive_timeout_finish(struct ward_self *self);

#endif
