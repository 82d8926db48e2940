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
#include "base/lock.h"
#include "sched/sched.h"

/* Runnables in a row. Under the lock of whatever holds it. All zero is empty. */
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

/* NULL: it is empty. */
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
	char apart[64]; /* the owner's line: what lies before it may be written by others */
	struct wardi_biased_lock lock;
	/* under the lock */
	struct wardi_runnable *first, *last; /* last: of no meaning where first is NULL */
	/* atomic, written under the lock: what ever came and went; the difference is the length */
	_Atomic uint64_t pushed;
	_Atomic uint64_t popped;
	char apart_too[64];
};

/* By anybody, stale at once. What was pushed when popped was still less has waited since. Relaxed,
 * here and below: estimates; the runnables themselves are handed over by the lock. */
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

/* Under the lock: `count` of them, linked. */
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

/* The two below, where the lock is not to be had at once; out of line. */
__attribute__((noinline)) void wardi_runqueue_push_slowly(struct wardi_runqueue *queue,
							  struct wardi_runnable *runnable);
__attribute__((noinline)) struct wardi_runnable *
wardi_runqueue_pop_slowly(struct wardi_runqueue *queue);

/* By the owner. */
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

/* Under the lock. NULL: it is empty. */
static inline struct wardi_runnable *wardi_runqueue_unlink(struct wardi_runqueue *queue)
{
	struct wardi_runnable *runnable = queue->first;

	if (runnable == NULL)
		return NULL;
	queue->first = runnable->next;
	wardi_runqueue_count(&queue->popped, 1);
	return runnable;
}

/* By the owner. NULL: it is empty. */
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

/* By the owner, who alone pushes: so it stays empty while the owner looks at it, and no lock is
 * needed to see that. */
static inline bool wardi_runqueue_empty(const struct wardi_runqueue *queue)
{
	return wardi_runqueue_popped(queue) == wardi_runqueue_pushed(queue);
}

/* By others: takes the oldest, at most `max`, into an empty batch. Nothing, if another is at it. */
void wardi_runqueue_steal(struct wardi_runqueue *queue, uint64_t max, struct wardi_fifo *batch);

#endif
