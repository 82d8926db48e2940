/* SPDX-License-Identifier: MIT
 *
 * waiter.h - a thread outside that waits.
 */
#ifndef WARDI_WAITER_H
#define WARDI_WAITER_H

#include <ward/event.h>

#include "cell/self.h"
#include "sched/driven.h"

/* What else than its answer completes a wait. */
enum wardi_wait_for {
	WARDI_WAIT_ANSWER = 0,
	WARDI_WAIT_END,      /* the end of the system begins: a shutdown, or /user stops */
	WARDI_WAIT_TOP_STOP, /* that, or the one actor of ward_run() begins to stop */
};

struct wardi_waiter {
	struct wardi_list link;
	uint64_t id;
	pthread_cond_t cond;
	_Atomic bool done;
	ward_err err;
	ward_reason reason;  /* of the dead letter that its question became; else none */
	ward_err at_the_end; /* its result when the tree is down; WARD_ETIMEDOUT: it waits on */
	struct wardi_sched *driver;    /* what its thread drives while it waits; NULL: nothing */
	enum wardi_wait_for waits_for; /* set before it waits */
	struct ward_msg *answer;
	/* frozen: for those who look */
	ward_ref who;
	const char *what;       /* a constant */
	const ward_type *asked; /* of a question; NULL: none */
	int64_t since_ns;
};

/* Enters a waiter, in which who, what and asked are set. at_the_end: see the field. */
void wardi_waiter_begin(ward_system *system, struct wardi_waiter *waiter, ward_err at_the_end);
/* Waits, then removes the waiter, so that nobody finds it. */
ward_err wardi_waiter_finish(ward_system *system, struct wardi_waiter *waiter, int64_t timeout_ms);

/* Under outside_mu: ends the wait with that result. */
void wardi_waiter_complete(struct wardi_waiter *waiter, ward_err err);
/* Completes those that wait for this, or for this and more. The caller has noted it before. */
void wardi_waiters_begun(ward_system *system, enum wardi_wait_for what);
/* Under outside_mu: the tree is down. */
void wardi_waiters_end(ward_system *system);

/* Delivers an answer to a waiting thread, or to a task of a shutdown. True: takes the message. */
bool wardi_waiter_answer(ward_system *system, ward_ref to, struct ward_msg *msg);
/* A number for a ref that stands for a waiter of another kind. */
uint64_t wardi_waiter_number(ward_system *system);
/* The question of a waiting thread became a dead letter. */
void wardi_waiter_dead(ward_system *system, ward_ref waiter, ward_reason reason);
/* The event that a thread waits for has happened: the actor is gone, or was made. */
void wardi_waiter_gone(ward_system *system, uint64_t waiter_id);
/* The connection to the place of the actor that it waits for is lost. */
void wardi_waiter_unreached(ward_system *system, uint64_t waiter_id);

/* For the detail of a wait that is over: nothing, or what a negative time means. */
static inline const char *wardi_waiter_advice(int64_t timeout_ms)
{
	return timeout_ms >= 0 ? ""
			       : ": a negative time does not wait; WARD_FOREVER is without a limit";
}

#endif
