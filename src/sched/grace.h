/* SPDX-License-Identifier: MIT
 *
 * grace.h - grace periods: waits until no thread can still hold a pointer to a removed object.
 */
#ifndef WARDI_GRACE_H
#define WARDI_GRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/line.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/pool.h"
#include "sched/sched.h"

struct wardi_sched;

struct wardi_grace {
	char apart[WARDI_LINE]; /* keeps the next, which each worker reads, off what is before it */
	/* atomic */
	_Atomic uint64_t period;    /* number of the last period that began; from 1 */
	_Atomic uint32_t side;      /* the side where visitors are counted at present */
	struct wardi_shard *shards; /* frozen: WARDI_SHARDS, with the visitors */
	struct wardi_mutex mu;
	/* under mu */
	struct wardi_list workers; /* workers that run */
	/* the waiting caller's; one at a time */
	uint64_t awaited;             /* the period */
	uint32_t emptied;             /* sides seen empty in this period */
	uint32_t steps[WARDI_SHARDS]; /* of the shards, when it began */
};

enum { WARDI_GRACE_AWAY = 0 /* a worker without pointers */ };

void wardi_grace_init(struct wardi_grace *grace, struct wardi_shard *shards);
void wardi_grace_finish(struct wardi_grace *grace);
/* Adds a worker that begins to run; removes it. The worker is away before and after that. */
void wardi_grace_join(struct wardi_grace *grace, struct wardi_worker *worker);
void wardi_grace_part(struct wardi_grace *grace, struct wardi_worker *worker);

/* Worker that is away: it may look up objects from now on. */
static inline void wardi_grace_enter(struct wardi_grace *grace, struct wardi_worker *worker)
{
	uint64_t period = atomic_load_explicit(&grace->period, memory_order_acquire);

	(void)atomic_exchange_explicit(&worker->passed, period, memory_order_acq_rel); /* [G2] */
}

/* Worker that holds no pointer: it is away from now on. */
static inline void wardi_grace_leave(struct wardi_worker *worker)
{
	atomic_store_explicit(&worker->passed, WARDI_GRACE_AWAY, memory_order_release); /* [G2] */
}

/* Worker that holds no pointer, and goes on. */
static inline void wardi_grace_pass(struct wardi_grace *grace, struct wardi_worker *worker)
{
	uint64_t period = atomic_load_explicit(&grace->period, memory_order_acquire); /* [G1] */

	/* Relaxed: the worker's own. */
	if (atomic_load_explicit(&worker->passed, memory_order_relaxed) != period)
		atomic_store_explicit(&worker->passed, period, memory_order_release); /* [G2] */
}

/* Begins a period, after an object was removed; it is over when no thread still has a pointer that
 * it found before. One caller at a time. */
void wardi_grace_begin(struct wardi_sched *sched);

bool wardi_grace_over(struct wardi_sched *sched);

void wardi_run_comes_back(struct wardi_worker *worker);

/* Before a run that may take long, in which the worker looks up nothing; and after it. */
void wardi_run_goes_out(struct wardi_worker *worker);

/* The worker comes back for a look-up, until it goes out again. False: it was back already. */
bool wardi_run_looks_in(struct wardi_worker *worker);

/* Any thread: encloses a look-up of objects that may be removed; a worker in a run needs none.
 * Returns the argument for the end. */
uint32_t wardi_visit_begin(struct wardi_sched *sched);

void wardi_visit_end(struct wardi_sched *sched, uint32_t visit);

#endif
