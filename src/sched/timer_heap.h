/* SPDX-License-Identifier: MIT
 *
 * timer_heap.h - the heap of timers, as the rest of the scheduler sees it.
 */
#ifndef WARDI_TIMER_HEAP_H
#define WARDI_TIMER_HEAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct wardi_sched;
struct wardi_timer_node;
struct wardi_worker;

struct wardi_timers {
	pthread_mutex_t mu;
	/* under mu */
	struct wardi_timer_node **heap; /* 1-based: heap[1] is due first */
	size_t capacity;                /* that many fit, place 0 included */
	size_t promised;                /* places kept free for wardi_timer_arm_promised() */
	uint64_t next_order;
	int64_t firing_ns; /* the time fire() was told; INT64_MIN: it is not running */
	/* atomic, written under mu */
	_Atomic size_t count;
	_Atomic int64_t next_ns; /* deadline of heap[1]; INT64_MAX: none */
};

void wardi_timers_init(struct wardi_timers *timers);
void wardi_timers_finish(struct wardi_sched *sched);

/* When the next one is due; INT64_MAX: none. Stale at once, unless no other thread arms. */
int64_t wardi_timers_next(struct wardi_timers *timers);
/* Calls fire() for all that are due, on this worker. */
void wardi_timers_fire(struct wardi_worker *worker, int64_t now_ns);

#endif
