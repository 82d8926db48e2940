/* SPDX-License-Identifier: MIT
 *
 * worker.h - a thread of the scheduler: a worker, with what the hooks need not know.
 */
#ifndef WARDI_WORKER_H
#define WARDI_WORKER_H

#include <pthread.h>

#include "sched/dispatcher.h"
#include "sched/park.h"
#include "sched/runqueue.h"
#include "sched/sched.h"
#include "sched/steal.h"

struct wardi_life_number;
struct wardi_sched;

enum { WARDI_LOOK_UP_RUNS = 64 /* of a busy worker, between two looks at the clock */ };

/* What a parked thread is woken for. */
enum wardi_park_order {
	WARDI_ORDER_NONE,
	WARDI_ORDER_LOOK, /* in the seat: around, there is news */
	WARDI_ORDER_WORK, /* search */
	WARDI_ORDER_SEAT  /* asleep: the seat is yours */
};

struct wardi_thread {
	struct wardi_worker worker; /* first: the hooks have a pointer to it */
	/* frozen */
	pthread_t id;
	char name[16];
	/* under sched->threads.mu */
	struct wardi_thread *next;       /* ended, too */
	struct wardi_life_number *birth; /* who waits for its begin, or NULL */

	/* Below: only of the default dispatcher. */
	/* own lock */
	struct wardi_runqueue queue;
	/* this thread's */
	int64_t polled_ns;
	bool stirred; /* it was ready when the poller let it go, and has not been asked since */
	int64_t tidy_at_ns;
	bool stole; /* what it found last */
	/* under the dispatcher's mu */
	pthread_cond_t wake;
	enum wardi_park_order order;
	struct wardi_thread *below; /* asleep, too */
	/* this thread's */
	struct wardi_sample samples[]; /* of each worker's queue */
};

/* The thread of a worker that is not simulated. */
static inline struct wardi_thread *wardi_thread_of(struct wardi_worker *worker)
{
	return (struct wardi_thread *)(void *)worker;
}

/* By a worker: makes ready what belongs to its own queue. False: it belongs elsewhere; nothing was
 * done. */
static inline bool wardi_worker_push(struct wardi_worker *worker, struct wardi_runnable *runnable)
{
	struct wardi_dispatcher *own = worker->own;

	if (__builtin_expect(runnable->dispatcher != own, 0))
		return false;
	wardi_runqueue_push(&wardi_thread_of(worker)->queue, runnable);
	if (__builtin_expect(wardi_park_is_called(&own->park), 0))
		wardi_park_call(own);
	return true;
}

/* By a busy worker, before its run of that number: serves what is due, takes its share of what was
 * injected. */
void wardi_worker_look_up(struct wardi_thread *thread, uint64_t run);

/* What a thread of the default dispatcher is to run next, as its run of that number. NULL: nothing
 * any more, it is the end. */
static inline struct wardi_runnable *wardi_worker_next(struct wardi_thread *thread, uint64_t run)
{
	struct wardi_runnable *runnable;

	if (__builtin_expect(run % WARDI_LOOK_UP_RUNS == 0 ||
				     wardi_dispatcher_has_injected(thread->worker.dispatcher),
			     0))
		wardi_worker_look_up(thread, run);
	runnable = wardi_runqueue_pop(&thread->queue);
	return __builtin_expect(runnable != NULL, 1) ? runnable : wardi_park_find(thread);
}

/* Runs that, until the end: where hooks.serve does not. */
void wardi_worker_loop(struct wardi_thread *thread);
/* Serves what is due: the clock, timers, descriptors when they were not looked at for so long. */
int64_t wardi_worker_serve(struct wardi_thread *thread, int64_t poll_after_ns);

/* The worker that runs on this thread, or NULL. Of any scheduler: compare worker->sched. */
struct wardi_worker *wardi_worker_current(void);

/* Makes `worker` the one of this thread, with its fatal hook; NULL: none. Returns the one before.
 */
struct wardi_worker *wardi_worker_enter(struct wardi_worker *worker);

/* Everything of a worker that does not differ between kinds. */
void wardi_worker_init(struct wardi_worker *worker, struct wardi_sched *sched,
		       struct wardi_dispatcher *dispatcher, uint32_t index);

/* Looks at the clock, and lets everybody see what it said. */
int64_t wardi_worker_look(struct wardi_worker *worker);

/* The hooks of these names, where there are any. */
int64_t wardi_worker_rest(struct wardi_worker *worker);

int64_t wardi_worker_tidy(struct wardi_worker *worker, int64_t now_ns);

#endif
