/* SPDX-License-Identifier: MIT
 *
 * worker.h - a thread of the scheduler: a worker, with what the hooks need not know.
 */
#ifndef WARDI_WORKER_H
#define WARDI_WORKER_H

#include <pthread.h>

#include "sched/crowd.h"
#include "sched/dispatcher.h"
#include "sched/park.h"
#include "sched/polling.h"
#include "sched/runqueue.h"
#include "sched/sched.h"
#include "sched/steal.h"

struct wardi_life_number;
struct wardi_sched;

/* Why a parked thread is woken. */
enum wardi_park_order {
	WARDI_ORDER_NONE,
	WARDI_ORDER_LOOK, /* in the seat: look around */
	WARDI_ORDER_WORK, /* search */
	WARDI_ORDER_SEAT  /* asleep: take the seat */
};

struct wardi_thread {
	struct wardi_worker worker; /* first: the hooks have a pointer to it */
	/* frozen */
	pthread_t id;
	char name[16];
	/* under sched->threads.mu */
	struct wardi_thread *next;       /* in the list of ended threads */
	struct wardi_life_number *birth; /* the caller of the start that waits, or NULL */
	/* under the dispatcher's mu */
	pthread_cond_t wake;
	struct wardi_list nap; /* in the list of sleepers */

	/* Below: default dispatcher only. */
	/* own lock */
	struct wardi_runqueue queue;
	/* this thread's */
	uint64_t look_up_run;  /* before this run it looks at the clock */
	uint64_t look_up_runs; /* from one look to the next */
	int64_t looked_up_ns;
	struct wardi_polling polling;
	int64_t polled_ns;
	bool stirred; /* the poller's sleep ended by a notice that was not taken yet */
	int64_t tidy_at_ns;
	bool stole;    /* its last find was stolen */
	bool by_timer; /* nothing but a timer ended its last sleep in the seat */
	struct wardi_crowd crowd;
	/* under the dispatcher's mu */
	enum wardi_park_order order;
	/* this thread's */
	struct wardi_sample samples[]; /* of each worker's queue */
};

/* The thread of a worker that is not simulated. */
static inline struct wardi_thread *wardi_thread_of(struct wardi_worker *worker)
{
	return (struct wardi_thread *)(void *)worker;
}

/* Worker: makes a runnable ready in its own queue. False: it belongs elsewhere; nothing was
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

/* Busy worker, before its run of that number: serves what is due, and takes its share of the
 * injected runnables. */
void wardi_worker_look_up(struct wardi_thread *thread, uint64_t run);

/* Returns the next runnable of a thread of the default dispatcher, as its run of that number. NULL:
 * the end. */
static inline struct wardi_runnable *wardi_worker_next(struct wardi_thread *thread, uint64_t run)
{
	struct wardi_runnable *runnable;

	if (__builtin_expect(run >= thread->look_up_run ||
				     wardi_dispatcher_has_injected(thread->worker.dispatcher),
			     0))
		wardi_worker_look_up(thread, run);
	runnable = wardi_runqueue_pop(&thread->queue);
	return __builtin_expect(runnable != NULL, 1) ? runnable : wardi_park_find(thread);
}

/* Runs them until the end, if hooks.serve does not. */
void wardi_worker_loop(struct wardi_thread *thread);
/* Serves what is due: the clock, timers, and descriptors, if the last look was poll_after_ns
 * ago. */
int64_t wardi_worker_serve(struct wardi_thread *thread, int64_t poll_after_ns);

/* Returns the worker of this thread, or NULL. It may belong to another scheduler: compare
 * worker->sched. */
struct wardi_worker *wardi_worker_current(void);

/* Makes `worker` the worker of this thread, with its fatal hook; NULL: none. Returns the previous
 * one. */
struct wardi_worker *wardi_worker_enter(struct wardi_worker *worker);

/* Initializes the parts common to all kinds of worker. */
void wardi_worker_init(struct wardi_worker *worker, struct wardi_sched *sched,
		       struct wardi_dispatcher *dispatcher, uint32_t index);

/* Reads the clock, and publishes the time. */
int64_t wardi_worker_look(struct wardi_worker *worker);

/* Call the hooks of these names, if set. */
int64_t wardi_worker_rest(struct wardi_worker *worker);

int64_t wardi_worker_tidy(struct wardi_worker *worker, int64_t now_ns);

#endif
