/* SPDX-License-Identifier: MIT
 *
 * poller.h - the watched descriptors, as the rest of the scheduler sees them.
 */
#ifndef WARDI_POLLER_H
#define WARDI_POLLER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

#include "base/lock.h"
#include "sched/watches.h"

struct wardi_sched;
struct wardi_worker;

struct wardi_poller {
	/* frozen */
	int wake_fd;                  /* an eventfd in the epoll */
	struct wardi_watches watches; /* with the epoll */
	/* atomic */
	_Atomic bool serving; /* a thread looks, and delivers */
	_Atomic bool blind;   /* the kernel refused the last query for ready descriptors */
	/* Of the looks of busy workers (polling.c): when the next is due, how long after the last
	 * one, and what one costs. */
	_Atomic int64_t next_ns, period_ns, cost_ns;
	/* under mu */
	struct wardi_mutex mu;
	pthread_cond_t woken_cond;
	bool woken; /* since wardi_poller_rest() */
	bool deaf;  /* wake_fd has failed */
};

ward_err wardi_poller_init(struct wardi_poller *poller);
void wardi_poller_finish(struct wardi_sched *sched);

/* Whether the kernel may report a descriptor. Stale at once, unless no other thread watches; exact
 * in a simulation. */
bool wardi_poller_busy(struct wardi_poller *poller);

enum wardi_look {
	WARDI_LOOK,        /* takes what is ready */
	WARDI_LOOK_ROUSED, /* the same, after a sleep that a descriptor has ended */
	WARDI_LOOK_WAIT    /* waits until something is ready */
};

/* Calls fd_ready() for ready descriptors; simulated: in the order of their numbers. Returns how
 * many; -1: another thread looks. */
int wardi_poller_serve(struct wardi_worker *worker, enum wardi_look look);

/* Sleeps until a descriptor is ready, wardi_poller_wake() was called, or timeout_ns has passed;
 * negative: no limit. May return sooner. False: neither of the first two ended the sleep. One
 * thread at a time. Not `watching`: ready descriptors do not end the sleep, since a busy worker
 * looks at them. */
bool wardi_poller_sleep(struct wardi_sched *sched, int64_t timeout_ns, bool watching);
/* Ends that sleep, or the next one, until wardi_poller_rest(). */
void wardi_poller_wake(struct wardi_poller *poller);
void wardi_poller_rest(struct wardi_poller *poller);
/* The same, if somebody has called wardi_poller_wake(). Returns whether. */
bool wardi_poller_rest_if_woken(struct wardi_poller *poller);

/* ---- watches of the actors: as in watches.h ---------------------------------------------- */

ward_err wardi_poller_watch(struct wardi_sched *sched, const struct wardi_watch_request *request,
			    void **ret_token);
bool wardi_poller_rearm(struct wardi_sched *sched, const struct wardi_watch_request *request);
void *wardi_poller_unwatch(struct wardi_sched *sched, int fd, uint64_t owner);
bool wardi_poller_unwatch_any(struct wardi_sched *sched, struct wardi_watch_list *list,
			      void **ret_token);
bool wardi_poller_handled(struct wardi_sched *sched, int fd, uint32_t id, uint64_t owner);
uint32_t wardi_poller_watched(struct wardi_sched *sched);

#endif
