/* SPDX-License-Identifier: MIT
 *
 * timer_heap.h - the heap of timers, as the rest of the scheduler sees it.
 */
#ifndef WARDI_TIMER_HEAP_H
#define WARDI_TIMER_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"

struct wardi_sched;
struct wardi_timer_node;
struct wardi_worker;

struct wardi_timers {
	struct wardi_mutex mu;
	/* under mu */
	struct wardi_timer_node **heap; /* 1-based: heap[1] is due first */
	size_t capacity;                /* places, including place 0 */
	size_t promised;                /* places reserved for wardi_timer_arm_promised() */
	uint64_t next_order;
	int64_t firing_ns; /* the time passed to fire(); INT64_MIN: it is not running */
	/* atomic, written under mu */
	_Atomic size_t count;
	_Atomic int64_t next_ns; /* deadline of heap[1]; INT64_MAX: none */
};

void wardi_timers_init(struct wardi_timers *timers);
void wardi_timers_finish(struct wardi_sched *sched);

/* Returns when the next timer is due; INT64_MAX: none. Stale at once, unless no other thread
 * arms. */
int64_t wardi_timers_next(struct wardi_timers *timers);
/* Calls fire() for all due timers, on this worker. */
void wardi_timers_fire(struct wardi_worker *worker, int64_t now_ns);

/* Arms or re-arms. False: no memory. Not from inside fire(): see wardi_timer_rearm. */
bool wardi_timer_arm(struct wardi_sched *sched, struct wardi_timer_node *node, int64_t deadline_ns);

bool wardi_timer_arm_locked(struct wardi_sched *sched, struct wardi_timer_node *node,
			    int64_t deadline_ns);

/* Arms an unarmed node in a reserved place: cannot fail. */
void wardi_timer_arm_promised(struct wardi_sched *sched, struct wardi_timer_node *node,
			      int64_t deadline_ns);

uint64_t wardi_timer_count(struct wardi_sched *sched);

/* When it returns fire() neither runs nor will run for the node. An unarmed node is fine. */
void wardi_timer_disarm(struct wardi_sched *sched, struct wardi_timer_node *node);

/* Reserves a place permanently. False: no memory. */
bool wardi_timer_promise(struct wardi_sched *sched);

/* Only from inside fire(), for the node that fired, to a time after its now_ns: needs no memory,
 * cannot fail. */
void wardi_timer_rearm(struct wardi_sched *sched, struct wardi_timer_node *node,
		       int64_t deadline_ns);

/* For state that fire() shares with the holder of a timer. Not recursive, not inside fire(). */
void wardi_timers_lock(struct wardi_sched *sched);

void wardi_timers_unlock(struct wardi_sched *sched);

#endif
