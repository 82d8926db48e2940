/* SPDX-License-Identifier: MIT
 *
 * timers.h - the timers of a system: who arms them, and who fires them.
 *
 * On threads each worker has a wheel of its own, and threads that are no workers of the default
 * dispatcher share one: so arming and disarming meet no other worker. A timer there fires at most
 * one slot (WARDI_SLOT_NS) late, and never early. Timers that ask for exact deadlines, and all
 * timers of a simulation, are in one heap.
 */
#ifndef WARDI_TIMERS_H
#define WARDI_TIMERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/lock.h"
#include "sched/sched.h"
#include "sched/timer_heap.h"
#include "sched/timer_wheel.h"

struct wardi_timer_queue {
	/* frozen; one of both */
	struct wardi_wheel *wheel;
	struct wardi_timer_heap *heap;
	char apart[64]; /* keeps the fields below off the line of another worker's */
	struct wardi_mutex mu;
	int64_t firing_ns; /* under mu: the time passed to fire(); INT64_MIN: it is not running */
	_Atomic uint64_t count; /* atomic, written under mu */
	/* Atomic, written under mu: nothing is due earlier. It is too early when the first timer
	 * was disarmed, and `stale` is set. INT64_MAX: there are none. */
	_Atomic int64_t next_ns;
	_Atomic bool stale;
	char apart_too[64];
};

struct wardi_timers {
	struct wardi_timer_heap heap; /* under the mu of the first queue */
	/* frozen: the first has the heap; then those of the workers by index; then that of other
	 * threads. In a simulation there is only the first. */
	struct wardi_timer_queue *queues;
	uint32_t count;
};

/* Call when the dispatchers are made. False: no memory; finish it then, too. */
bool wardi_timers_init(struct wardi_sched *sched);
void wardi_timers_finish(struct wardi_sched *sched);

/* Returns when the next timer is due, or an earlier time; INT64_MAX: none. Stale at once, unless no
 * other thread arms. */
int64_t wardi_timers_next(const struct wardi_timers *timers);
/* Worker that is about to sleep, without a lock: corrects what disarmed timers have left too early,
 * so that no worker wakes up for them. */
void wardi_timers_correct(struct wardi_sched *sched);
/* Calls fire() for all due timers, on this worker. */
void wardi_timers_fire(struct wardi_worker *worker, int64_t now_ns);
/* The same; costs little when none are. */
static inline void wardi_timers_look(struct wardi_timers *timers, struct wardi_worker *worker,
				     int64_t now_ns)
{
	/* Relaxed: a hint; the first queue is that of exact timers. */
	if (now_ns >= worker->wheels_at_ns ||
	    now_ns >= atomic_load_explicit(&timers->queues->next_ns, memory_order_relaxed))
		wardi_timers_fire(worker, now_ns);
}

/* ---- for the holder of a timer ----------------------------------------------------------- */

/* Arms or re-arms. False: no memory, which only exact timers and simulations need. Not from inside
 * fire(): see wardi_timer_rearm. */
bool wardi_timer_arm(struct wardi_sched *sched, struct wardi_timer_node *node, int64_t deadline_ns);

/* Disarms, for wardi_timer_arm_locked(). */
#define WARDI_TIMER_NEVER INT64_MAX

/* The same between wardi_timers_lock() and wardi_timers_unlock(). */
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

/* Inside fire(): the time from which a delay to the next tick counts. In a wheel that is the begin
 * of the slot, else each tick would be later by the part of a slot. */
static inline int64_t wardi_timer_base(const struct wardi_timer_node *node, int64_t now_ns)
{
	return node->in_wheel ? now_ns - now_ns % WARDI_SLOT_NS : now_ns;
}

/* For state that fire() shares with the holder of a timer. Not recursive, not inside fire(). */
void wardi_timers_lock(struct wardi_sched *sched, struct wardi_timer_node *node);

void wardi_timers_unlock(struct wardi_sched *sched, struct wardi_timer_node *node);

#endif
