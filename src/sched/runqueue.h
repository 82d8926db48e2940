/* SPDX-License-Identifier: MIT
 *
 * runqueue.h - the queue of a worker: first in, first out; its owner pushes and pops, others steal.
 */
#ifndef WARDI_RUNQUEUE_H
#define WARDI_RUNQUEUE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/biased_lock.h"
#include "base/line.h"
#include "base/lock.h"
#include "sched/sched.h"

/* A list of runnables, under the lock of its container. All zero is empty. */
struct wardi_fifo {
	struct wardi_runnable *first, *last;
	size_t count;
};

static inline void wardi_fifo_append(struct wardi_fifo *fifo, struct wardi_runnable *runnable)
{
	runnable->next = NULL;
	if (fifo->first == NULL)
		fifo->first = runnable;
	else
		fifo->last->next = runnable;
	fifo->last = runnable;
	fifo->count++;
}

/* NULL: empty. */
static inline struct wardi_runnable *wardi_fifo_take(struct wardi_fifo *fifo)
{
	struct wardi_runnable *runnable = fifo->first;

	if (runnable == NULL)
		return NULL;
	fifo->first = runnable->next;
	fifo->count--;
	return runnable;
}

struct wardi_runqueue {
	char apart[WARDI_LINE]; /* the owner's line: others may write the fields before it */
	struct wardi_biased_lock lock;
	/* under the lock */
	struct wardi_runnable *first, *last; /* last: undefined if first is NULL */
	/* atomic, written under the lock: totals; their difference is the length */
	_Atomic uint64_t pushed;
	_Atomic uint64_t popped;
	char apart_too[WARDI_LINE];
};

_Static_assert(offsetof(struct wardi_runqueue, lock) >= WARDI_LINE &&
		       sizeof(struct wardi_runqueue) - offsetof(struct wardi_runqueue, apart_too) >=
			       WARDI_LINE,
	       "the owner's lines hold nothing else");

/* Any thread; stale at once. If `popped` is still below an older `pushed`, runnables have waited
 * since then. Relaxed, here and below: estimates; the lock hands over the runnables themselves. */
static inline uint64_t wardi_runqueue_pushed(const struct wardi_runqueue *queue)
{
	return atomic_load_explicit(&queue->pushed, memory_order_relaxed);
}

static inline uint64_t wardi_runqueue_popped(const struct wardi_runqueue *queue)
{
	return atomic_load_explicit(&queue->popped, memory_order_relaxed);
}

/* Under the lock. */
static inline void wardi_runqueue_count(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

/* Under the lock: appends `count` linked runnables. */
static inline void wardi_runqueue_link(struct wardi_runqueue *queue, struct wardi_runnable *first,
				       struct wardi_runnable *last, uint64_t count)
{
	if (queue->first == NULL)
		queue->first = first;
	else
		queue->last->next = first;
	queue->last = last;
	wardi_runqueue_count(&queue->pushed, count);
}

/* Slow paths of the two below, when the lock is not free at once; out of line. */
__attribute__((noinline)) void wardi_runqueue_push_slowly(struct wardi_runqueue *queue,
							  struct wardi_runnable *runnable);
__attribute__((noinline)) struct wardi_runnable *
wardi_runqueue_pop_slowly(struct wardi_runqueue *queue);

/* Owner: appends. */
static inline void wardi_runqueue_push(struct wardi_runqueue *queue,
				       struct wardi_runnable *runnable)
{
	runnable->next = NULL;
	if (!wardi_biased_lock_enter_at_once(&queue->lock)) {
		wardi_runqueue_push_slowly(queue, runnable);
		return;
	}
	wardi_lock_take(&queue->lock, WARDI_LOCK_RUNQUEUE, WARDI_LOCK_PLACE);
	wardi_runqueue_link(queue, runnable, runnable, 1);
	wardi_lock_drop(&queue->lock, WARDI_LOCK_PLACE);
	wardi_biased_lock_leave_at_once(&queue->lock);
}

void wardi_runqueue_push_all(struct wardi_runqueue *queue, struct wardi_fifo *batch);

/* Under the lock: takes the oldest. NULL: empty. */
static inline struct wardi_runnable *wardi_runqueue_unlink(struct wardi_runqueue *queue)
{
	struct wardi_runnable *runnable = queue->first;

	if (runnable == NULL)
		return NULL;
	queue->first = runnable->next;
	wardi_runqueue_count(&queue->popped, 1);
	return runnable;
}

/* Owner: takes the oldest. NULL: empty. */
static inline struct wardi_runnable *wardi_runqueue_pop(struct wardi_runqueue *queue)
{
	struct wardi_runnable *runnable;

	if (!wardi_biased_lock_enter_at_once(&queue->lock))
		return wardi_runqueue_pop_slowly(queue);
	wardi_lock_take(&queue->lock, WARDI_LOCK_RUNQUEUE, WARDI_LOCK_PLACE);
	runnable = wardi_runqueue_unlink(queue);
	wardi_lock_drop(&queue->lock, WARDI_LOCK_PLACE);
	wardi_biased_lock_leave_at_once(&queue->lock);
	return runnable;
}

/* Owner, which alone pushes: so an empty queue stays empty, and the check needs no lock. */
static inline bool wardi_runqueue_empty(const struct wardi_runqueue *queue)
{
	return wardi_runqueue_popped(queue) == wardi_runqueue_pushed(queue);
}

/* Other workers: takes the oldest, at most `max`, into an empty batch; nothing if another thief has
 * the lock. */
void wardi_runqueue_steal(struct wardi_runqueue *queue, uint64_t max, struct wardi_fifo *batch);

#endif
