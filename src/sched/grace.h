/* SPDX-License-Identifier: MIT
 *
 * grace.h - whether everybody who may have looked at something has gone by.
 */
#ifndef WARDI_GRACE_H
#define WARDI_GRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/lock.h"
#include "sched/sched.h"

struct wardi_sched;

struct wardi_grace {
	/* atomic */
	_Atomic uint64_t period;      /* the number of the last one that began; from 1 on */
	_Atomic uint32_t side;        /* where visitors are counted at present */
	_Atomic uint64_t visitors[2]; /* by side: how many there are */
	struct wardi_mutex mu;
	/* under mu */
	struct wardi_list workers; /* that run */
	/* by who waits, one at a time */
	uint64_t awaited; /* the period */
	uint32_t emptied; /* sides that were seen empty in it */
};

enum { WARDI_GRACE_AWAY = 0 /* a worker that looks at nothing */ };

void wardi_grace_init(struct wardi_grace *grace);
void wardi_grace_finish(struct wardi_grace *grace);
/* The worker runs from now on; and does not any more. It is away before and after that. */
void wardi_grace_join(struct wardi_grace *grace, struct wardi_worker *worker);
void wardi_grace_part(struct wardi_grace *grace, struct wardi_worker *worker);

/* By a worker that is away: it looks at things from now on. */
static inline void wardi_grace_enter(struct wardi_grace *grace, struct wardi_worker *worker)
{
	uint64_t period = atomic_load_explicit(&grace->period, memory_order_acquire);

	(void)atomic_exchange_explicit(&worker->passed, period, memory_order_acq_rel); /* [G2] */
}

/* By a worker that has nothing in hand: it is away. */
static inline void wardi_grace_leave(struct wardi_worker *worker)
{
	atomic_store_explicit(&worker->passed, WARDI_GRACE_AWAY, memory_order_release); /* [G2] */
}

/* By a worker that has nothing in hand, and goes on. */
static inline void wardi_grace_pass(struct wardi_grace *grace, struct wardi_worker *worker)
{
	uint64_t period = atomic_load_explicit(&grace->period, memory_order_acquire); /* [G1] */

	/* Relaxed: its own. */
	if (atomic_load_explicit(&worker->passed, memory_order_relaxed) != period)
		atomic_store_explicit(&worker->passed, period, memory_order_release); /* [G2] */
}

/* What nobody finds any more may be in the hands of somebody who has found it before: a period
 * begins, and is over when nobody has it. One caller at a time. */
void wardi_grace_begin(struct wardi_sched *sched);

bool wardi_grace_over(struct wardi_sched *sched);

void wardi_run_comes_back(struct wardi_worker *worker);

/* A run may take long: meanwhile its worker looks at nothing. And it is over. */
void wardi_run_goes_out(struct wardi_worker *worker);

/* It is to look at something all the same: it comes back, until it goes out again. False: it has
 * come back already. */
bool wardi_run_looks_in(struct wardi_worker *worker);

/* Around a look at what may be taken away. By any thread; needed by all but a worker in a run.
 * Returns what the end is to be called with. */
uint32_t wardi_visit_begin(struct wardi_sched *sched);

void wardi_visit_end(struct wardi_sched *sched, uint32_t visit);

#endif
