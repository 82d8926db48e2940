/* SPDX-License-Identifier: MIT
 *
 * dispatcher.h - sets of threads with queues, as the rest of the scheduler sees them.
 */
#ifndef WARDI_DISPATCHER_H
#define WARDI_DISPATCHER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/line.h"
#include "base/list.h"
#include "base/lock.h"
#include "sched/dispatcher_row.h"
#include "sched/park.h"
#include "sched/runqueue.h"
#include "sched/sched.h"

struct wardi_sched;

struct wardi_thread;

struct wardi_dispatcher {
	/* frozen */
	struct wardi_sched *sched;
	struct wardi_list link; /* in sched->dispatchers; pinned: under opening_mu */
	enum wardi_dispatcher_kind kind;
	uint32_t workers;              /* the default dispatcher, not simulated */
	struct wardi_thread **threads; /* the threads of the workers */
	char apart[WARDI_LINE];        /* keeps the fields below off the line above */
	struct wardi_mutex mu;
	/* under mu */
	struct wardi_fifo inject; /* runnables made ready by other threads than the workers */
	bool closing;
	struct wardi_crew {
		struct wardi_list asleep; /* idle threads, the last that went to sleep first */
		uint32_t threads;         /* idle, looking, starting or at work */
		uint32_t idle;
		uint32_t starting;
		uint64_t started; /* so far */
		/* why a thread could not be started; "": they all could */
		char refusal[WARDI_SETTINGS_TEXT];
		bool told;              /* the program is notified */
		uint32_t refused_below; /* indexes below it started before the refusal */
		char apart[WARDI_LINE];
		_Atomic(struct wardi_runnable *) hand;        /* NULL: no thread looks */
		_Atomic(const void *) touched[WARDI_TOUCHES]; /* by the run of the runnable in it */
		char apart_too[WARDI_LINE];
	} crew;                 /* pools and pinned dispatchers; see blocking.c */
	struct wardi_park park; /* the default dispatcher; see park.c */
	/* frozen */
	struct wardi_dispatcher_settings settings;
	char name[];
};

_Static_assert(WARDI_APART(struct wardi_dispatcher, threads, mu),
	       "what all read is in no line that is written");
_Static_assert(WARDI_APART(struct wardi_dispatcher, crew.refused_below, crew.hand) &&
		       WARDI_APART(struct wardi_dispatcher, crew.touched, park),
	       "the hand has a line of its own, with what its taker wants to know");

/* Makes all dispatchers except pinned ones, without threads. Errors: WARD_ENOMEM, WARD_EINVAL,
 * WARD_EEXIST; then the caller finishes those in sched->dispatchers. */
ward_err wardi_dispatchers_init(struct wardi_sched *sched,
				const struct wardi_sched_options *options);
/* Tries what their threads shall be like, on a thread for each. Error: WARD_ESYS. */
ward_err wardi_dispatchers_try(struct wardi_sched *sched);
/* Tells all their threads to end. */
void wardi_dispatchers_close(struct wardi_sched *sched);
void wardi_dispatchers_finish(struct wardi_sched *sched);
/* Returns how many threads run something, or did so when they last looked for more. */
uint32_t wardi_dispatchers_busy(struct wardi_sched *sched);
/* Calls `each` for each dispatcher, and once for all pinned ones. Returns how often. */
size_t wardi_dispatchers_each(struct wardi_sched *sched,
			      void (*each)(void *arg, const ward_dispatcher_info *info), void *arg);
/* Frees a dispatcher whose threads are gone. */
void wardi_dispatcher_destroy(struct wardi_dispatcher *dispatcher);
/* Under mu: call when inject has changed. */
void wardi_dispatcher_injected(struct wardi_dispatcher *dispatcher);
/* Whether inject holds a runnable: without mu a hint. */
static inline bool wardi_dispatcher_has_injected(const struct wardi_dispatcher *dispatcher)
{
	/* Relaxed: a thread looks again under mu before it sleeps. */
	return atomic_load_explicit(&dispatcher->park.injected, memory_order_relaxed) > 0;
}
/* Under mu: takes one worker's share; returns the first, the others go to its queue. NULL: none. */
struct wardi_runnable *wardi_dispatcher_take_injected(struct wardi_thread *thread);
/* How many workers of the default dispatcher are busy: without mu a hint. */
static inline uint32_t wardi_dispatcher_busy(const struct wardi_dispatcher *dispatcher)
{
	return dispatcher->workers -
	       atomic_load_explicit(&dispatcher->park.idle, memory_order_relaxed);
}
/* Returns the default dispatcher, whose workers steal. */
struct wardi_dispatcher *wardi_dispatcher_default(struct wardi_sched *sched);

/* Finds a dispatcher by name: NULL is the default dispatcher; "ward.pinned" is a new
 * dispatcher, whose own thread is started now), or a pool. The caller must release a pinned
 * dispatcher. Errors: WARD_ENOENT, WARD_ENOMEM, WARD_ESYS. */
ward_err wardi_dispatcher_acquire(struct wardi_sched *sched, const char *name,
				  struct wardi_dispatcher **ret_dispatcher);

/* Whether its threads may block: run() may then look at the clock for each message. */
bool wardi_dispatcher_blocks(const struct wardi_dispatcher *dispatcher);

/* Call when the last runnable of a pinned dispatcher is gone: its thread ends later by itself. Does
 * nothing for others. May be called on that very thread, inside run(). */
void wardi_dispatcher_release(struct wardi_dispatcher *dispatcher);

#endif
