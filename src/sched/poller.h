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

struct wardi_sched;
struct wardi_worker;

struct wardi_poller {
	/* frozen */
	int epoll_fd;
	int wake_fd; /* an eventfd in the epoll */
	/* atomic, written under mu */
	_Atomic uint32_t armed; /* descriptors with a notice to come */
	/* atomic, written by the worker that serves */
	_Atomic bool blind; /* the kernel refused the last query for ready descriptors */
	/* under mu */
	struct wardi_mutex mu;
	pthread_cond_t woken_cond;
	bool woken; /* since wardi_poller_rest() */
	bool deaf;  /* wake_fd has failed */
	struct wardi_fd_watch {
		uint64_t key;
		uint32_t generation; /* tells an old notice of this number from a new one */
		uint32_t events;     /* events waited for; 0: none, the place is free */
		/* The last watch of this number whose descriptor was closed before it was
		 * unwatched. */
		uint32_t stale_generation;
		uint64_t stale_owner; /* 0: none, or it was reported */
	} * watches;                  /* by descriptor */
	size_t capacity;
};

ward_err wardi_poller_init(struct wardi_poller *poller);
void wardi_poller_finish(struct wardi_sched *sched);

/* Whether any descriptor is watched. Stale at once, unless no other thread watches. */
bool wardi_poller_busy(struct wardi_poller *poller);
/* Calls fd_ready() for ready descriptors, in the order of their numbers. With `wait`, waits for the
 * first. */
void wardi_poller_serve(struct wardi_worker *worker, bool wait);

/* Sleeps until a descriptor is ready, wardi_poller_wake() was called, or timeout_ns has passed;
 * negative: no limit. May return sooner. False: neither of the first two ended the sleep. One
 * thread at a time. */
bool wardi_poller_sleep(struct wardi_sched *sched, int64_t timeout_ns);
/* Ends that sleep, or the next one, until wardi_poller_rest(). */
void wardi_poller_wake(struct wardi_poller *poller);
void wardi_poller_rest(struct wardi_poller *poller);
/* The same, unless nobody has called wardi_poller_wake(). */
void wardi_poller_rest_if_woken(struct wardi_poller *poller);

/* Removes the watch, if the descriptor is still watched under this key. fd_ready() may still be
 * called once, from a thread under way. If the descriptor was closed before, fd_stale() may be
 * called once with this owner, which is not 0. */
void wardi_poller_unwatch(struct wardi_sched *sched, int fd, uint64_t key, uint64_t owner);

/* Arms one-shot interest, or changes it for the same key. Errors: WARD_EEXIST (watched under
 * another key), WARD_EINVAL (a regular file), WARD_ESYS, WARD_ENOMEM. */
ward_err wardi_poller_watch(struct wardi_sched *sched, int fd, uint32_t events, uint64_t key);

#endif
