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

/* What a thief saw of a queue. All zero: nothing yet. */
struct wardi_sample {
	uint64_t pushed;    /* when it looked */
	uint64_t popped;    /* too */
	int64_t at_ns;      /* 0: not yet */
	int64_t crowded_ns; /* since when there were two at each look; 0: there were not */
};

/* Forgets what it saw before it was busy. */
void wardi_steal_forget(struct wardi_thread *thief);
/* Looks at all queues once. On success gives one to run, the others are in the thief's own queue.
 * NULL: nothing may be taken yet. */
struct wardi_runnable *wardi_steal(struct wardi_thread *thief, int64_t now_ns);
/* How often anything was ever pushed to a queue. */
uint64_t wardi_steal_pushed(struct wardi_dispatcher *dispatcher);
/* Whether any queue holds something, at a look. */
bool wardi_steal_anything(struct wardi_dispatcher *dispatcher);

#endif
