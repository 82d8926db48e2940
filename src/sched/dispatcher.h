/* SPDX-License-Identifier: MIT
 *
 * dispatcher.h - sets of threads with queues, as the rest of the scheduler sees them.
 */
#ifndef WARDI_DISPATCHER_H
#define WARDI_DISPATCHER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/list.h"
#include "base/lock.h"
#include "sched/park.h"
#include "sched/runqueue.h"
#include "sched/sched.h"

struct wardi_sched;

struct wardi_thread;

enum wardi_dispatcher_kind {
	WARDI_DISPATCHER_DEFAULT,
	WARDI_DISPATCHER_POOL,
	WARDI_DISPATCHER_PINNED
};

struct wardi_dispatcher {
	/* frozen */
	struct wardi_sched *sched;
	struct wardi_list link; /* in sched->dispatchers; pinned ones: under opening_mu */
	enum wardi_dispatcher_kind kind;
	uint32_t threads_max;          /* pools and pinned ones */
	uint32_t workers;              /* the default one, not simulated */
	struct wardi_thread **threads; /* of that many workers */
	char apart[64];                /* of what others write, from what all read */
	struct wardi_mutex mu;
	/* under mu */
	struct wardi_fifo inject;  /* what others than the workers themselves made ready */
	_Atomic uint32_t injected; /* its length, for those without mu; only of the default one */
	bool closing;
	struct wardi_crew {
		pthread_cond_t wake;
		uint32_t threads; /* idle, looking, starting or at work */
		uint32_t idle;
		uint32_t starting;
		char refusal[96];       /* why a thread could not be started; "": they all could */
		bool told;              /* the program knows */
		uint32_t refused_below; /* threads of a lower index were started before that */
		char apart[64];
		_Atomic(struct wardi_runnable *) hand; /* of the one that looks; NULL: none does */
		_Atomic(const void *) touched[WARDI_TOUCHES]; /* by who runs what is in it */
		char apart_too[64];
	} crew;                 /* pools and pinned ones; see blocking.c */
	struct wardi_park park; /* the default one; see park.c */
	/* frozen */
	char name[]; /* "": the default one */
};

/* Makes all of them but the pinned ones; no thread. Errors: WARD_ENOMEM, WARD_EINVAL, WARD_EEXIST;
 * then what was made is in sched->dispatchers, to be finished. */
ward_err wardi_dispatchers_init(struct wardi_sched *sched,
				const struct wardi_sched_options *options);
/* Tells all their threads to end. */
void wardi_dispatchers_close(struct wardi_sched *sched);
void wardi_dispatchers_finish(struct wardi_sched *sched);
/* One whose threads are gone. */
void wardi_dispatcher_destroy(struct wardi_dispatcher *dispatcher);
/* Under mu, when inject has changed. */
void wardi_dispatcher_injected(struct wardi_dispatcher *dispatcher);
/* Whether there is anything in inject: without mu a hint. */
static inline bool wardi_dispatcher_has_injected(const struct wardi_dispatcher *dispatcher)
{
	/* Relaxed: whoever goes to sleep looks again under mu. */
	return atomic_load_explicit(&dispatcher->injected, memory_order_relaxed) > 0;
}
/* The one that steals. */
struct wardi_dispatcher *wardi_dispatcher_default(struct wardi_sched *sched);

/* By name: NULL is the default one, "ward.blocking", "ward.pinned" (a new one, with a thread of its
 * own that is started now), or a pool. On success a pinned one is the caller's, to be released.
 * Errors: WARD_ENOENT, WARD_ENOMEM, WARD_ESYS. */
ward_err wardi_dispatcher_acquire(struct wardi_sched *sched, const char *name,
				  struct wardi_dispatcher **ret_dispatcher);

/* Whether threads of it may block: run() may then look at the clock for each message. */
bool wardi_dispatcher_blocks(const struct wardi_dispatcher *dispatcher);

/* When its last runnable is gone: ends a pinned one's thread, later, by itself; else nothing. May
 * be called on that very thread, inside run(). */
void wardi_dispatcher_release(struct wardi_dispatcher *dispatcher);

#endif
