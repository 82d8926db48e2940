/* SPDX-License-Identifier: MIT
 *
 * runqueue.h - the queue of a worker: first in, first out; its owner pushes and pops, others steal.
 */
#ifndef WARDI_RUNQUEUE_H
#define WARDI_RUNQUEUE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spin.h"
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
	struct wardi_spin spin;
	/* under spin */
	struct wardi_fifo fifo;
	/* atomic, written under spin: what ever came and went; the difference is the length */
	_Atomic uint64_t pushed;
	_Atomic uint64_t popped;
	char apart_too[64];
};

/* By the owner. Gives the length after it. */
uint64_t wardi_runqueue_push(struct wardi_runqueue *queue, struct wardi_runnable *runnable);
void wardi_runqueue_push_all(struct wardi_runqueue *queue, struct wardi_fifo *batch);
/* By the owner. NULL: it is empty. */
struct wardi_runnable *wardi_runqueue_pop(struct wardi_runqueue *queue);

/* By others: takes the oldest, at most `max`, into an empty batch. */
void wardi_runqueue_steal(struct wardi_runqueue *queue, uint64_t max, struct wardi_fifo *batch);
/* By anybody, stale at once. What was pushed when popped was still less has waited since. */
uint64_t wardi_runqueue_pushed(struct wardi_runqueue *queue);
uint64_t wardi_runqueue_popped(struct wardi_runqueue *queue);

#endif
