/* SPDX-License-Identifier: MIT
 *
 * waiter.h - a thread outside that waits.
 */
#ifndef WARDI_WAITER_H
#define WARDI_WAITER_H

#include <ward/event.h>

#include "cell/self.h"

struct wardi_waiter {
	struct wardi_list link;
	uint64_t id;
	pthread_cond_t cond;
	_Atomic bool done;
	ward_err err;
	ward_reason reason;    /* of the dead letter that its question became; else none */
	ward_err at_the_end;   /* what it is told when the tree is down; WARD_ETIMEDOUT: nothing */
	bool until_end_begins; /* set before it begins: also the begin of the end completes it */
	struct ward_msg *answer;
	/* frozen: for those who look */
	ward_ref who;
	const char *what;       /* a constant */
	const ward_type *asked; /* of a question; NULL: none */
	int64_t since_ns;
};

/* waiter: who, what and asked are set, the rest is not. at_the_end: see there. */
void wardi_waiter_begin(ward_system *system, struct wardi_waiter *waiter, ward_err at_the_end);
/* Waits, and ends the waiter: nobody finds it any more. */
ward_err wardi_waiter_finish(ward_system *system, struct wardi_waiter *waiter, int64_t timeout_ms);

/* Under outside_mu. */
void wardi_waiter_complete(struct wardi_waiter *waiter, ward_err err);
/* The end of the system begins: a shutdown, or /user stops. The caller has noted it before. */
void wardi_waiters_end_begins(ward_system *system);
/* Under outside_mu: the tree is down. */
void wardi_waiters_end(ward_system *system);

/* An answer for a waiting thread, or to a task of a shutdown. Takes on true. */
bool wardi_waiter_answer(ward_system *system, ward_ref to, struct ward_msg *msg);
/* A number for a ref that stands for a waiter of another kind. */
uint64_t wardi_waiter_number(ward_system *system);
/* What a waiting thread asked became a dead letter. */
void wardi_waiter_dead(ward_system *system, ward_ref waiter, ward_reason reason);
/* What it waits for has come about: the actor is gone, or made. */
void wardi_waiter_gone(ward_system *system, uint64_t waiter_id);

#endif
