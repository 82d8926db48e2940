/* SPDX-License-Identifier: MIT
 *
 * park.h - what the workers of the default dispatcher do when they have nothing to run.
 */
#ifndef WARDI_PARK_H
#define WARDI_PARK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/line.h"
#include "base/list.h"

struct wardi_dispatcher;
struct wardi_runnable;
struct wardi_thread;

struct wardi_park {
	/* Atomic, written under the dispatcher's mu, and only when it changes: busy workers read it
	 * for each run and each push. */
	_Atomic uint32_t injected; /* how many runnables are injected */
	_Atomic bool call;         /* a push to a worker's own queue wakes the seat */
	char apart[WARDI_LINE];    /* keeps what idle workers write off that line */
	/* under the dispatcher's mu, except the atomic */
	_Atomic uint32_t idle;       /* workers that are not busy */
	uint32_t searching;          /* of them, including those that are waking up */
	uint32_t sleeping;           /* of them, outside the seat */
	uint32_t napping;            /* of these, for a short time */
	int64_t nap_until_ns;        /* the last of their naps is over then */
	struct wardi_list asleep;    /* the sleepers, last first */
	struct wardi_thread *seated; /* the worker in the seat, or NULL */
	int64_t seat_until_ns;       /* end of its sleep; INT64_MIN: it is awake */
	bool seat_alert;             /* the seat is awake, or in a nap */
	bool untidy;                 /* something to tidy was left while the seat was awake */
	bool plenty;                 /* the last find of an idle worker was stolen */
	uint64_t calls;              /* how often others have woken a worker to sit */
};

_Static_assert(WARDI_APART(struct wardi_park, call, idle),
	       "a busy worker reads no line of idle ones");

/* Under mu. Relaxed: without it the value is a hint. */
static inline void wardi_park_add_idle(struct wardi_park *park, int more)
{
	uint32_t idle = atomic_load_explicit(&park->idle, memory_order_relaxed);

	atomic_store_explicit(&park->idle, idle + (uint32_t)more, memory_order_relaxed);
}

/* Call before its workers run. */
void wardi_park_init(struct wardi_dispatcher *dispatcher);

/* Worker with nothing to run: waits for a runnable. NULL: the end. */
struct wardi_runnable *wardi_park_find(struct wardi_thread *thread);
/* Busy worker: moves its share of the injected runnables into its own queue. */
void wardi_park_take_share(struct wardi_thread *thread);

/* Any thread except the dispatcher's workers: makes a runnable ready. */
void wardi_park_inject(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable);
/* Whether a push to a worker's own queue must be followed by wardi_park_call(). */
static inline bool wardi_park_is_called(const struct wardi_park *park)
{
	/* Relaxed: see the top of park.c. */
	return atomic_load_explicit(&park->call, memory_order_relaxed);
}
/* Worker that has pushed: makes the seat alert. */
void wardi_park_call(struct wardi_dispatcher *dispatcher);
/* The earliest timer, or other work of the seat, is now due at deadline_ns. The caller has stored
 * that time before. */
void wardi_park_timer(struct wardi_dispatcher *dispatcher, int64_t deadline_ns);
/* Thread of another dispatcher, before it sleeps: there is something to tidy at due_ns. */
void wardi_park_untidy(struct wardi_dispatcher *dispatcher, int64_t due_ns);
/* The worker of a driven scheduler takes the seat, asleep, until its time has come: at tidy_at_ns
 * at the latest. Returns that time; INT64_MIN: something is ready, so it is to get up at once. */
int64_t wardi_park_lie_down(struct wardi_thread *thread, int64_t tidy_at_ns);
/* It leaves the seat, and is busy. */
void wardi_park_get_up(struct wardi_thread *thread);
/* Ends all waiting: find() returns NULL from now on. */
void wardi_park_close(struct wardi_dispatcher *dispatcher);

#endif
