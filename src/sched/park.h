/* SPDX-License-Identifier: MIT
 *
 * park.h - what the workers of the default dispatcher do when they have nothing to run.
 */
#ifndef WARDI_PARK_H
#define WARDI_PARK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct wardi_dispatcher;
struct wardi_runnable;
struct wardi_thread;

/* Under the dispatcher's mu, but for the atomics. */
struct wardi_park {
	_Atomic uint32_t idle;       /* workers that are not busy */
	uint32_t searching;          /* of them, those on their way out of sleep included */
	uint32_t sleeping;           /* of them, outside the seat */
	struct wardi_thread *asleep; /* they, last first */
	struct wardi_thread *seated; /* the one in the seat, or NULL */
	int64_t seat_until_ns;       /* it sleeps until then; INT64_MIN: it is awake */
	bool seat_alert;             /* it is awake, or in a nap */
	bool untidy;                 /* left by somebody while the seat was awake */
	bool plenty;                 /* what an idle worker found last was stolen */
	uint64_t calls;              /* how often it was woken by somebody, so far */
	_Atomic bool call;           /* a push to a worker's own queue wakes it */
};

/* Before its workers run. */
void wardi_park_init(struct wardi_dispatcher *dispatcher);

/* By a worker with nothing to run: waits for something. NULL: the end. */
struct wardi_runnable *wardi_park_find(struct wardi_thread *thread);
/* By a busy worker: takes its share of what was injected into its own queue. */
void wardi_park_take_share(struct wardi_thread *thread);

/* By anybody but the dispatcher's workers: makes ready. */
void wardi_park_inject(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable);
/* Whether a push to a worker's own queue is to be followed by the next. */
static inline bool wardi_park_is_called(const struct wardi_park *park)
{
	/* Relaxed: see the top of park.c. */
	return atomic_load_explicit(&park->call, memory_order_relaxed);
}
/* By a worker that has pushed: the seat is made alert. */
void wardi_park_call(struct wardi_dispatcher *dispatcher);
/* The earliest timer is now that of deadline_ns; or so is something else that the seat sees to.
 * What says so was written before. */
void wardi_park_timer(struct wardi_dispatcher *dispatcher, int64_t deadline_ns);
/* By a thread of another dispatcher that goes to sleep: there is something to tidy then. */
void wardi_park_untidy(struct wardi_dispatcher *dispatcher, int64_t due_ns);
/* Ends all waiting: find() answers NULL from now on. */
void wardi_park_close(struct wardi_dispatcher *dispatcher);

#endif
