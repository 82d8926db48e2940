/* SPDX-License-Identifier: MIT
 *
 * sched.h - threads that run runnables; the one interface between scheduler and actors.
 *
 * The scheduler knows no message and no actor. It is given runnables and calls hooks.run() for
 * each, once for each time it was made ready, never twice at the same time. Whoever calls
 * wardi_sched_ready() guarantees that the runnable is not queued already (for a cell, the
 * scheduling bit in its mailbox does).
 *
 * A dispatcher is a set of threads with queues. The default one has a queue for each worker and
 * steals; a pool has one shared queue; a pinned one has one thread for one runnable. A simulated
 * scheduler has no threads: wardi_sched_step() runs one runnable, drawn by the seed, on the
 * caller's thread, whatever its dispatcher is.
 */
#ifndef WARDI_SCHED_H
#define WARDI_SCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/random.h"

struct wardi_sched;
struct wardi_dispatcher;

struct wardi_runnable {
	struct wardi_runnable *next;         /* the queue that holds it */
	struct wardi_dispatcher *dispatcher; /* frozen while it can be made ready */
};

/* What a thread of the scheduler is, for the hooks. Scheduler's own fields are in worker.h. */
struct wardi_worker {
	struct wardi_sched *sched;           /* frozen */
	struct wardi_dispatcher *dispatcher; /* frozen; NULL: the one worker of a simulation */
	struct wardi_dispatcher *own; /* frozen: the same, if it has a queue of its own; or NULL */
	void *context;                /* the hooks' own; set by worker_begin */
	uint32_t index;               /* frozen; unique in the scheduler */
	struct wardi_random random;   /* this worker's */
	/* Written by the worker, read by anybody: its last look at the clock. */
	_Atomic int64_t clock_ns;
	_Atomic uint64_t passed;   /* the period that it has seen (grace.c); 0: it is away */
	struct wardi_list at_work; /* under the mu of grace */
};

struct wardi_timer_node {
	int64_t deadline_ns;
	size_t place;   /* in the heap, 1-based; 0: not armed */
	uint64_t owner; /* whose it is; the caller's to set. Timers of one owner keep their order */
	uint64_t tie;   /* simulated: among owners that are due together, drawn from the seed */
	uint64_t order; /* first armed, first fired */
	uint8_t kind;   /* the caller's, for fire() */
};

/* Something that a simulation does at a time. Needs no memory but its own. */
struct wardi_put_off {
	struct wardi_list link;
	int64_t at_ns;
	void (*due)(struct wardi_worker *worker, struct wardi_put_off *off); /* may free it */
};

enum { WARDI_TOUCHES = 2 };

struct wardi_sched_hooks {
	/* On the thread that becomes a worker (simulated: in create), before anything runs there.
	 * Sets worker->context. False: no memory; the thread ends, and create or the spawn that
	 * needed the thread answers WARD_ENOMEM. */
	bool (*worker_begin)(struct wardi_worker *worker);
	void (*worker_end)(struct wardi_worker *worker);
	/* Runs it until it has nothing to do or has had its share; makes it ready again itself. */
	void (*run)(struct wardi_worker *worker, struct wardi_runnable *runnable);
	/* What run() will touch first, beside the runnable itself, which the caller has made ready:
	 * for a thread that may have to fetch it from another processor. Places that it does not
	 * set stay NULL. NULL: nobody can tell. */
	void (*touches)(const struct wardi_runnable *runnable,
			const void *ret_places[WARDI_TOUCHES]);
	/* On a thread of the default dispatcher: runs what wardi_worker_next() (worker.h) gives,
	 * until that is NULL. Spares a call for each run. NULL: run() is called. */
	void (*serve)(struct wardi_worker *worker);
	/* A timer is due. Called under the timers' lock, so that a cancel is exact: must only push
	 * a message, or arm the same node again. The node is not armed any more. */
	void (*fire)(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns);
	/* A descriptor is ready (WARD_FD_... bits). `key` is what it was watched with. Called
	 * without a lock: the watch may be gone by now. */
	void (*fd_ready)(struct wardi_worker *worker, uint64_t key, uint32_t events);
	/* Simulated only: which of those who are ready runs next, below count. NULL: drawn. */
	size_t (*choose)(struct wardi_worker *worker, size_t count);
	/* This worker has taken so many runnables from another one. May be NULL. */
	void (*stole)(struct wardi_worker *worker, size_t count);
	/* This worker is about to sleep. Gives when there is something for tidy(); INT64_MAX: there
	 * is nothing. Called under its dispatcher's lock, or none. May be NULL. */
	int64_t (*rest)(struct wardi_worker *worker);
	/* Does a little of what can wait, for some microseconds. Gives when it is to be called
	 * again: not after now_ns, there is more to do; INT64_MAX: after other work, some time.
	 * Called without a lock. May be NULL. */
	int64_t (*tidy)(struct wardi_worker *worker, int64_t now_ns);
	/* Not simulated: calls work(worker), which runs one runnable after the other until the end.
	 * So a run may leave by a jump: to here, where work is called again. NULL: it is just
	 * called. */
	void (*attend)(struct wardi_worker *worker, void (*work)(struct wardi_worker *worker));
};

struct wardi_pool_options {
	const char *name;
	uint32_t threads;
};

struct wardi_sched_options {
	struct wardi_alloc *alloc;
	struct wardi_clock *clock;
	struct wardi_sched_hooks hooks;
	void *arg;                              /* wardi_sched_arg() */
	const char *name;                       /* of the system, for names of threads */
	uint32_t workers;                       /* 0: as many as the process may use */
	uint32_t blocking;                      /* 0: 16 */
	const struct wardi_pool_options *pools; /* ended by a NULL name; NULL: none */
	uint64_t seed;
	bool simulated;
	/* Told to wardi_fatal on each of its threads. */
	void (*fatal)(void *arg, const char *text);
	void *fatal_arg;
};

/* Prepares everything, starts no thread. Errors: WARD_ENOMEM, WARD_ESYS, WARD_EINVAL, WARD_EEXIST
 * (two pools of one name, or a reserved "ward." name). */
ward_err wardi_sched_create(const struct wardi_sched_options *options,
			    struct wardi_sched **ret_sched);
/* Starts the threads of the workers; pools start theirs at the first need. On an error nothing
 * runs, and destroy is still due. */
ward_err wardi_sched_start(struct wardi_sched *sched);
/* Ends and joins all threads, when nothing is ready or running any more, or ever will be. */
void wardi_sched_stop(struct wardi_sched *sched);
/* After stop, or after a failed or no start. Takes NULL. */
void wardi_sched_destroy(struct wardi_sched *sched);
void *wardi_sched_arg(const struct wardi_sched *sched);
/* How long, in ns, a thread that waits for another one looks for what it waits for before it goes
 * to sleep: about what it takes to wake it. 0: there is one processor, or a simulation. */
int64_t wardi_sched_patience(const struct wardi_sched *sched);

/* The worker that runs on this thread, or NULL. Of any scheduler: compare worker->sched. */
struct wardi_worker *wardi_worker_current(void);

/* By name: NULL is the default one, "ward.blocking", "ward.pinned" (a new one, with a thread of its
 * own that is started now), or a pool. On success a pinned one is the caller's, to be released.
 * Errors: WARD_ENOENT, WARD_ENOMEM, WARD_ESYS. */
ward_err wardi_dispatcher_acquire(struct wardi_sched *sched, const char *name,
				  struct wardi_dispatcher **ret_dispatcher);
/* When its last runnable is gone: ends a pinned one's thread, later, by itself; else nothing. May
 * be called on that very thread, inside run(). */
void wardi_dispatcher_release(struct wardi_dispatcher *dispatcher);
/* Whether threads of it may block: run() may then look at the clock for each message. */
bool wardi_dispatcher_blocks(const struct wardi_dispatcher *dispatcher);

/* Makes it run, soon. `worker` is wardi_worker_current() or NULL: spares the look-up. It goes to
 * that worker's own queue when the dispatcher is the worker's, else to its dispatcher's. */
void wardi_sched_ready(struct wardi_sched *sched, struct wardi_worker *worker,
		       struct wardi_runnable *runnable);

/* ---- what others may have in hand (grace.c) ---------------------------------------------- */

/* Around a look at what may be taken away. By any thread; needed by all but a worker in a run.
 * Gives what the end is to be called with. */
uint32_t wardi_visit_begin(struct wardi_sched *sched);
void wardi_visit_end(struct wardi_sched *sched, uint32_t visit);
/* A run may take long: meanwhile its worker looks at nothing. And it is over. */
void wardi_run_goes_out(struct wardi_worker *worker);
void wardi_run_comes_back(struct wardi_worker *worker);
/* It is to look at something all the same: it comes back, until it goes out again. False: it has
 * come back already. */
bool wardi_run_looks_in(struct wardi_worker *worker);
/* What nobody finds any more may be in the hands of somebody who has found it before: a period
 * begins, and is over when nobody has it. One caller at a time. */
void wardi_grace_begin(struct wardi_sched *sched);
bool wardi_grace_over(struct wardi_sched *sched);

/* ---- timers (timer_heap.c): one heap for the system --------------------------------------- */

/* Arms or re-arms. False: no memory. Not from inside fire(): see wardi_timer_rearm. */
bool wardi_timer_arm(struct wardi_sched *sched, struct wardi_timer_node *node, int64_t deadline_ns);
/* The same between wardi_timers_lock() and wardi_timers_unlock(); at WARDI_TIMER_NEVER it is
 * disarmed. */
#define WARDI_TIMER_NEVER INT64_MAX
bool wardi_timer_arm_locked(struct wardi_sched *sched, struct wardi_timer_node *node,
			    int64_t deadline_ns);
/* Keeps a place for one more, for ever. False: no memory. */
bool wardi_timer_promise(struct wardi_sched *sched);
/* Arms an unarmed node in a place that was kept: cannot fail. */
void wardi_timer_arm_promised(struct wardi_sched *sched, struct wardi_timer_node *node,
			      int64_t deadline_ns);
/* Only from inside fire(), for the node that fired, to a time after the now_ns that it was given:
 * needs no memory, cannot fail. */
void wardi_timer_rearm(struct wardi_sched *sched, struct wardi_timer_node *node,
		       int64_t deadline_ns);
/* After it fire() is neither running nor will run for the node. An unarmed one is fine. */
void wardi_timer_disarm(struct wardi_sched *sched, struct wardi_timer_node *node);
uint64_t wardi_timer_count(struct wardi_sched *sched);
/* For state that fire() shares with the holder of a timer. Not recursive, not inside fire(). */
void wardi_timers_lock(struct wardi_sched *sched);
void wardi_timers_unlock(struct wardi_sched *sched);

/* ---- descriptors (poller.c) -------------------------------------------------------------- */

/* Arms one-shot interest, or changes that of the same key. Errors: WARD_EEXIST (watched under
 * another key), WARD_EINVAL (a regular file), WARD_ESYS, WARD_ENOMEM. */
ward_err wardi_poller_watch(struct wardi_sched *sched, int fd, uint32_t events, uint64_t key);
/* Forgets the descriptor, if it is watched under this key still. fd_ready() may yet be called once,
 * from a thread under way. */
void wardi_poller_unwatch(struct wardi_sched *sched, int fd, uint64_t key);

/* ---- simulated only ---------------------------------------------------------------------- */

/* Runs one ready runnable, chosen or drawn by the seed. False: none is ready (descriptors were
 * looked at). */
bool wardi_sched_step(struct wardi_sched *sched);
/* Moves the clock to what comes next, a timer or something put off, no further than `until_ns`, and
 * does all that is due. False: there was none until then (the clock is at until_ns, unless that is
 * INT64_MAX). */
bool wardi_sched_advance(struct wardi_sched *sched, int64_t until_ns);
/* Calls off->due() when the clock comes to `at_ns`: in order of time, then of these calls. Cost: in
 * the number of those put off that come later. */
void wardi_sched_put_off(struct wardi_sched *sched, struct wardi_put_off *off, int64_t at_ns,
			 void (*due)(struct wardi_worker *worker, struct wardi_put_off *off));
/* It will not be called any more. */
void wardi_sched_take_back(struct wardi_put_off *off);
/* Inside a step: the clock is so much further all at once, and what is due by now is late. */
void wardi_sched_jump(struct wardi_sched *sched, int64_t by_ns);
/* Those who are ready, and one of them. */
size_t wardi_sched_count(const struct wardi_sched *sched);
struct wardi_runnable *wardi_sched_peek(const struct wardi_sched *sched, size_t index);
/* Waits, really, until a watched descriptor is ready. False: none is watched. */
bool wardi_sched_poll(struct wardi_sched *sched);

#endif
