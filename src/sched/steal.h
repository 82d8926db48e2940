/* SPDX-License-Identifier: MIT
 *
 * steal.h - when an idle worker takes from a busy one, and how much.
 */
#ifndef WARDI_STEAL_H
#define WARDI_STEAL_H

#include <stdbool.h>
#include <stdint.h>

struct wardi_dispatcher;
struct wardi_runnable;
struct wardi_thread;

enum { WARDI_AGED_NS = 10 * 1000 };

/* A thief's last look at a queue. All zero: none yet. */
struct wardi_sample {
	uint64_t pushed;    /* at that look */
	uint64_t popped;    /* likewise */
	int64_t at_ns;      /* 0: not yet */
	int64_t crowded_ns; /* since when each look found two; 0: the last did not */
};

/* Forgets the samples from before the thief was busy. */
void wardi_steal_forget(struct wardi_thread *thief);
/* Before a nap: the age of what waits still counts, not how often there was much. */
void wardi_steal_calm(struct wardi_thread *thief);
/* Looks at all queues once. Returns a runnable; the others are in the thief's own queue. NULL:
 * nothing may be taken yet. */
struct wardi_runnable *wardi_steal(struct wardi_thread *thief, int64_t now_ns);
/* Returns the number of pushes to all queues so far. */
uint64_t wardi_steal_pushed(struct wardi_dispatcher *dispatcher);
/* Whether any queue holds a runnable; a hint. */
bool wardi_steal_anything(struct wardi_dispatcher *dispatcher);

#endif
