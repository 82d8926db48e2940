/* SPDX-License-Identifier: MIT
 *
 * driven.h - a scheduler without threads of its own: the thread that made it is the one worker of
 * the default dispatcher, for as long as it calls wardi_driven_poll().
 */
#ifndef WARDI_DRIVEN_H
#define WARDI_DRIVEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

struct wardi_sched;

enum { WARDI_POLL_NS = 1000 * 1000 /* about as long runs a poll */ };

struct wardi_driven {
	/* frozen */
	int fd;           /* an epoll, with timer_fd and that of the poller */
	int timer_fd;     /* readable from armed_ns on */
	pthread_t thread; /* the one that made it */
	/* of that thread */
	int64_t armed_ns;   /* INT64_MAX: the timer is off */
	int64_t until_ns;   /* the end of the present poll */
	int64_t tidy_at_ns; /* when to do deferred work; INT64_MAX: there is none */
	uint64_t runs;
	uint64_t look_run;   /* before this one it looks at the clock */
	uint64_t clock_runs; /* from one look to the next */
	int64_t looked_ns;
	bool begun; /* worker_begin was called, worker_end not yet */
};

/* Makes the descriptors. Error: WARD_ESYS. */
ward_err wardi_driven_init(struct wardi_sched *sched);
void wardi_driven_finish(struct wardi_sched *sched);

/* The calling thread becomes the worker. Error: WARD_ENOMEM. */
ward_err wardi_driven_begin(struct wardi_sched *sched);
/* Calls worker_end, at most once. */
void wardi_driven_end(struct wardi_sched *sched);

/* Returns the descriptor that is readable when a poll has something to do; -1: it is not driven. */
int wardi_driven_fd(const struct wardi_sched *sched);

/* Whether it is driven, and by the calling thread. */
bool wardi_driven_here(const struct wardi_sched *sched);

/* That thread, outside a run: serves timers and descriptors that are due, then runs what is ready,
 * until nothing is or some time has passed. False: something is still ready. */
bool wardi_driven_poll(struct wardi_sched *sched);
/* That thread: sleeps until a poll has something to do, wardi_driven_wake() was called, or
 * until_ns. False: the kernel refuses to let it sleep, errno says why. */
bool wardi_driven_sleep(struct wardi_sched *sched, int64_t until_ns);
/* Any thread: ends that sleep, or the next one. */
void wardi_driven_wake(struct wardi_sched *sched);

#endif
