/* SPDX-License-Identifier: MIT
 *
 * sched.h - threads that run runnables; the one interface between scheduler and actors.
 *
 * The scheduler knows no message and no actor. It gets runnables and calls hooks.run() for each,
 * once for each time it was made ready, never twice at the same time. The caller of
 * wardi_sched_ready() guarantees that the runnable is not queued already (for a cell, the
 * scheduling bit in its mailbox does).
 *
 * A dispatcher is a set of threads with queues. The default dispatcher has a queue for each worker,
 * and workers steal; a pool has one shared queue; a pinned dispatcher has one thread for one
 * runnable. A simulated scheduler has no threads: wardi_sched_step() runs one runnable, drawn by
 * the seed, on the caller's thread, whatever its dispatcher is.
 */
#ifndef WARDI_SCHED_H
#define WARDI_SCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/dispatcher.h>
#include <ward/types.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/pool.h"
#include "base/random.h"

struct wardi_sched;
struct wardi_dispatcher;
struct wardi_notice;

struct wardi_runnable {
	struct wardi_runnable *next;         /* the queue that holds it */
	struct wardi_dispatcher *dispatcher; /* frozen while it can be made ready */
};

/* A thread of the scheduler as the hooks see it. The scheduler's own fields are in worker.h. */
struct wardi_worker {
	struct wardi_sched *sched;           /* frozen */
	struct wardi_dispatcher *dispatcher; /* frozen; NULL: the one worker of a simulation */
	struct wardi_dispatcher
		*own;   /* frozen: the same, if it has a queue for each worker; or NULL */
	void *context;  /* the hooks' own; set by worker_begin */
	uint32_t index; /* frozen; unique in the scheduler */
	struct wardi_random random; /* this worker's */
	int64_t wheels_at_ns;       /* this worker's: when to look at the wheels of timers again */
	/* Written by the worker, read by any thread: its last look at the clock. */
	_Atomic int64_t clock_ns;
	_Atomic uint64_t passed;   /* the last period that it has seen (grace.c); 0: away */
	struct wardi_list at_work; /* under the mu of grace */
};

struct wardi_timer_node {
	int64_t deadline_ns;
	/* its queue's; see timers.h */
	union {
		struct wardi_list link; /* in a wheel */
		struct {
			size_t place;   /* in the heap */
			uint64_t order; /* in the heap: first armed, first fired */
		};
	};
	uint64_t owner; /* set by the caller. Timers of one owner keep their order */
	/* Called when the timer is due, under the lock of its queue, so that a cancel is exact:
	 * must only push a message, or arm the same node again. The node is no longer armed. */
	void (*fire)(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns);
	uint16_t queue;      /* the holder's: where it was armed last; 0: nowhere, or in the heap */
	uint8_t level, slot; /* of a wheel */
	bool armed;          /* under the lock of its queue */
	bool in_wheel;       /* the same: where it was armed last */
	/* set by the caller, before it is armed */
	bool exact : 1; /* due to the nanosecond */
	bool stays : 1; /* in the queue where it was armed last, or that the caller has set */
	uint8_t flags;  /* the caller's own */
};

/* An action that a simulation does at a given time. Needs no other memory. */
struct wardi_put_off {
	struct wardi_list link;
	int64_t at_ns;
	void (*due)(struct wardi_worker *worker, struct wardi_put_off *off); /* may free it */
};

enum { WARDI_TOUCHES = 2 };

struct wardi_sched_hooks {
	/* Called on the thread that becomes a worker (simulated: in create), before anything runs
	 * there. Sets worker->context. False: no memory; the thread ends, and create or the spawn
	 * that needed the thread returns WARD_ENOMEM. */
	bool (*worker_begin)(struct wardi_worker *worker);
	void (*worker_end)(struct wardi_worker *worker);
	/* Runs a runnable until it has nothing to do or has had its share; makes it ready again
	 * itself. */
	void (*run)(struct wardi_worker *worker, struct wardi_runnable *runnable);
	/* Names the memory that run() will touch first, apart from the runnable, which the caller
	 * has made ready: a thread may have to fetch it from another processor. Places that it does
	 * not set stay NULL. NULL: unknown. */
	void (*touches)(const struct wardi_runnable *runnable,
			const void *ret_places[WARDI_TOUCHES]);
	/* On a thread of the default dispatcher: runs what wardi_worker_next() (worker.h) returns,
	 * until that is NULL. Saves a call for each run. NULL: run() is called. */
	void (*serve)(struct wardi_worker *worker);
	/* A descriptor is ready. The notice has the token of its watch (watches.h), which is the
	 * hook's now. Called without a lock: the watch may be gone by now. False: no memory; the
	 * watch goes on, with its token, and the next look finds it again. */
	bool (*fd_ready)(struct wardi_worker *worker, const struct wardi_notice *notice);
	/* A descriptor that this owner had closed before it was unwatched is ready: a duplicate of
	 * it is open. Called without a lock. May be NULL. */
	void (*fd_stale)(struct wardi_worker *worker, uint64_t owner, int fd);
	/* Simulated only: returns which ready runnable runs next, below count. NULL: drawn. */
	size_t (*choose)(struct wardi_worker *worker, size_t count);
	/* This worker has stolen `count` runnables from another. May be NULL. */
	void (*stole)(struct wardi_worker *worker, size_t count);
	/* The operating system refuses something that the scheduler can do without, for a while or
	 * permanently: a line for the program's log. On a thread of the default dispatcher, without
	 * a lock. May be NULL. */
	void (*note)(struct wardi_worker *worker, const char *text);
	/* This worker is about to sleep. Returns when there is something for tidy(); INT64_MAX:
	 * there is nothing. Called under its dispatcher's lock, or none. May be NULL. */
	int64_t (*rest)(struct wardi_worker *worker);
	/* Does a little deferred work, for some microseconds. Returns when to call it again: not
	 * after now_ns: there is more to do; INT64_MAX: some time after other work. Called without
	 * a lock. May be NULL. */
	int64_t (*tidy)(struct wardi_worker *worker, int64_t now_ns);
	/* Not simulated: calls work(worker), which runs one runnable after the other until the end.
	 * So a run may leave by a jump to this hook, which calls work again. NULL: work is just
	 * called. */
	void (*attend)(struct wardi_worker *worker, void (*work)(struct wardi_worker *worker));
};

struct wardi_sched_options {
	struct wardi_alloc *alloc;
	struct wardi_clock *clock;
	struct wardi_shard *shards; /* WARDI_SHARDS, of threads outside */
	struct wardi_sched_hooks hooks;
	void *arg;                          /* wardi_sched_arg() */
	const char *name;                   /* of the system, for names of threads */
	uint32_t workers;                   /* 0: as many as the process may use */
	uint32_t blocking;                  /* 0: 16 */
	const ward_dispatcher *dispatchers; /* as in the options of a system; NULL: none */
	uint64_t seed;
	bool simulated;
	bool driven; /* see driven.h; the workers are one then */
	/* The hook of wardi_fatal() on each of its threads. */
	void (*fatal)(void *arg, const char *text);
	void *fatal_arg;
};

/* Prepares everything, starts no thread. Errors: WARD_ENOMEM, WARD_ESYS, WARD_EINVAL, WARD_EEXIST
 * (two pools of one name, or a reserved "ward." name). */
ward_err wardi_sched_create(const struct wardi_sched_options *options,
			    struct wardi_sched **ret_sched);
/* Starts the threads of the workers; pools start theirs when first needed. On an error nothing
 * runs, and destroy must still be called. */
ward_err wardi_sched_start(struct wardi_sched *sched);
/* Ends and joins all threads. Nothing may be ready or running, or become so. */
void wardi_sched_stop(struct wardi_sched *sched);
/* Frees it after stop, or after a start that failed or was not called. Takes NULL. */
void wardi_sched_destroy(struct wardi_sched *sched);
void *wardi_sched_arg(const struct wardi_sched *sched);
/* Returns for how many ns a thread that waits for another spins before it sleeps: about the time
 * that waking it takes. 0: one processor, or a simulation. */
int64_t wardi_sched_patience(const struct wardi_sched *sched);

/* Returns how many threads run something, or did so when they last looked for more. 0: each run
 * that had begun before is over, with all that it made ready. */
uint32_t wardi_sched_busy(struct wardi_sched *sched);

/* Calls `each` for the dispatchers as ward_system_dispatchers() does. */
size_t wardi_sched_dispatchers(struct wardi_sched *sched,
			       void (*each)(void *arg, const ward_dispatcher_info *info),
			       void *arg);

/* Makes the runnable ready. `worker` is wardi_worker_current() or NULL: saves the look-up. The
 * runnable goes to that worker's own queue if both have the same dispatcher, else to the queue of
 * its dispatcher. */
void wardi_sched_ready(struct wardi_sched *sched, struct wardi_worker *worker,
		       struct wardi_runnable *runnable);

#endif
