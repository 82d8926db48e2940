/* SPDX-License-Identifier: MIT
 *
 * runqueue.c - the queue of a worker: first in, first out; its owner pushes and pops, others steal.
 *
 * There is no place of honour for the last pushed: one order, so age is the same for all in it, and
 * nothing starves.
 *
 * The counters are read without the lock, by thieves that estimate how long something has waited. A
 * thief that reads an old value steals later, or finds less than it came for.
 *
 * Who touches what   fifo: under spin; pushed, popped: written under spin, read by anybody.
 * Lock rank          a queue's spin is a leaf; never two of them at once.
 */
#include "sched/runqueue.h"

/* Relaxed, here and below: estimates; the runnables themselves are handed over by the lock. */
static void count(_Atomic uint64_t *counter, uint64_t more)
{
	uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, before + more, memory_order_relaxed);
}

uint64_t wardi_runqueue_pushed(struct wardi_runqueue *queue)
{
	return atomic_load_explicit(&queue->pushed, memory_order_relaxed);
}

uint64_t wardi_runqueue_popped(struct wardi_runqueue *queue)
{
	return atomic_load_explicit(&queue->popped, memory_order_relaxed);
}

uint64_t wardi_runqueue_push(struct wardi_runqueue *queue, struct wardi_runnable *runnable)
{
	wardi_spin_take(&queue->spin);
	wardi_fifo_append(&queue->fifo, runnable);
	count(&queue->pushed, 1);
	uint64_t length = queue->fifo.count;
	wardi_spin_drop(&queue->spin);
	return length;
}

void wardi_runqueue_push_all(struct wardi_runqueue *queue, struct wardi_fifo *batch)
{
	if (batch->count == 0)
		return;
	wardi_spin_take(&queue->spin);
	if (queue->fifo.first == NULL)
		queue->fifo.first = batch->first;
	else
		queue->fifo.last->next = batch->first;
	queue->fifo.last = batch->last;
	queue->fifo.count += batch->count;
	count(&queue->pushed, batch->count);
	wardi_spin_drop(&queue->spin);
	*batch = (struct wardi_fifo){0};
}

struct wardi_runnable *wardi_runqueue_pop(struct wardi_runqueue *queue)
{
	/* Only the owner pushes, so an empty queue stays empty while the owner looks at it. */
	if (wardi_runqueue_popped(queue) == wardi_runqueue_pushed(queue))
		return NULL;
	wardi_spin_take(&queue->spin);
	struct wardi_runnable *runnable = wardi_fifo_take(&queue->fifo);
	if (runnable != NULL)
		count(&queue->popped, 1);
	wardi_spin_drop(&queue->spin);
	return runnable;
}

void wardi_runqueue_steal(struct wardi_runqueue *queue, uint64_t max, struct wardi_fifo *batch)
{
	wardi_spin_take(&queue->spin);
	struct wardi_fifo *fifo = &queue->fifo;
	uint64_t taken = max < fifo->count ? max : fifo->count;
	if (taken > 0) {
		struct wardi_runnable *last = fifo->first;
		for (uint64_t i = 1; i < taken; i++)
			last = last->next;
		*batch = (struct wardi_fifo){fifo->first, last, (size_t)taken};
		fifo->first = last->next;
		fifo->count -= (size_t)taken;
		last->next = NULL;
		count(&queue->popped, taken);
	}
	wardi_spin_drop(&queue->spin);
}
