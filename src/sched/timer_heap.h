/* SPDX-License-Identifier: MIT
 *
 * timer_heap.h - timers in the order of their deadlines, to the nanosecond.
 *
 * All timers of a simulation, and on threads those that ask for it.
 *
 * Threads: under the lock of the heap's owner (timers.c).
 */
#ifndef WARDI_TIMER_HEAP_H
#define WARDI_TIMER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "sched/sched.h"

enum { WARDI_HEAP_SEGMENTS = 32 };

/* All zero, apart from the frozen fields: empty. */
struct wardi_timer_heap {
	/* frozen */
	uint64_t seed;
	bool draws_ties; /* between timers of different owners that are due together */

	/* The places, from 1 on; place 1 is due first. Each segment is twice as large as the one
	 * before it, so none is ever copied. */
	struct wardi_timer_node **segments[WARDI_HEAP_SEGMENTS];
	unsigned segments_count;
	size_t count;    /* of nodes */
	size_t promised; /* places that wardi_timer_heap_reserve() keeps free */
	uint64_t next_order;
};

void wardi_timer_heap_finish(struct wardi_timer_heap *heap, struct wardi_alloc *alloc);

/* Makes room for that many more nodes, and for those promised. False: no memory. */
bool wardi_timer_heap_reserve(struct wardi_timer_heap *heap, struct wardi_alloc *alloc,
			      size_t more);
/* There must be room. */
void wardi_timer_heap_insert(struct wardi_timer_heap *heap, struct wardi_timer_node *node);
void wardi_timer_heap_remove(struct wardi_timer_heap *heap, struct wardi_timer_node *node);
/* Removes and returns the first timer, if it is due at now_ns; else NULL. */
struct wardi_timer_node *wardi_timer_heap_pop(struct wardi_timer_heap *heap, int64_t now_ns);
/* Returns when the first timer is due; INT64_MAX: there are none. */
int64_t wardi_timer_heap_next(const struct wardi_timer_heap *heap);

#endif
