/* SPDX-License-Identifier: MIT
 *
 * runqueue.c - the queue of a worker: first in, first out; its owner pushes and pops, others steal.
 *
 * The last push gets no special slot: one order, so nothing starves.
 *
 * The counters are read without the lock, by thieves that estimate how long a runnable has waited.
 * A thief that reads an old value steals later, or finds less than expected.
 *
 * Threads: first and last under the lock, which leans to the owner; pushed and popped are written
 * under it, and read by any thread.
 */
#include "sched/runqueue.h"

void wardi_runqueue_push_slowly(struct wardi_runqueue *queue, struct wardi_runnable *runnable)
{
	wardi_lock_take(&queue->lock, WARDI_LOCK_RUNQUEUE, WARDI_LOCK_PLACE);
	wardi_biased_lock_enter(&queue->lock);
	wardi_runqueue_link(queue, runnable, runnable, 1);
	wardi_lock_drop(&queue->lock, WARDI_LOCK_PLACE);
	wardi_biased_lock_leave(&queue->lock);
}

struct wardi_runnable *wardi_runqueue_pop_slowly(struct wardi_runqueue *queue)
{
	struct wardi_runnable *runnable;

	wardi_lock_take(&queue->lock, WARDI_LOCK_RUNQUEUE, WARDI_LOCK_PLACE);
	wardi_biased_lock_enter(&queue->lock);
	runnable = wardi_runqueue_unlink(queue);
	wardi_lock_drop(&queue->lock, WARDI_LOCK_PLACE);
	wardi_biased_lock_leave(&queue->lock);
	return runnable;
}

void wardi_runqueue_push_all(struct wardi_runqueue *queue, struct wardi_fifo *batch)
{
	if (batch->count == 0)
		return;
	wardi_lock_take(&queue->lock, WARDI_LOCK_RUNQUEUE, WARDI_LOCK_PLACE);
	wardi_biased_lock_enter(&queue->lock);
	wardi_runqueue_link(queue, batch->first, batch->last, batch->count);
	wardi_lock_drop(&queue->lock, WARDI_LOCK_PLACE);
	wardi_biased_lock_leave(&queue->lock);
	*batch = (struct wardi_fifo){0};
}

/* Under the lock: cuts off the oldest, at most `max`. */
static void cut(struct wardi_runqueue *queue, uint64_t max, struct wardi_fifo *batch)
{
	uint64_t length = wardi_runqueue_pushed(queue) - wardi_runqueue_popped(queue);
	uint64_t taken = max < length ? max : length;
	struct wardi_runnable *last = queue->first;

	if (taken == 0)
		return;
	for (uint64_t i = 1; i < taken; i++)
		last = last->next;
	*batch = (struct wardi_fifo){queue->first, last, (size_t)taken};
	queue->first = last->next;
	last->next = NULL;
	wardi_runqueue_count(&queue->popped, taken);
}

void wardi_runqueue_steal(struct wardi_runqueue *queue, uint64_t max, struct wardi_fifo *batch)
{
	wardi_lock_take(&queue->lock, WARDI_LOCK_RUNQUEUE, WARDI_LOCK_PLACE);
	if (!wardi_biased_lock_visit(&queue->lock)) {
		wardi_lock_drop(&queue->lock, WARDI_LOCK_PLACE);
		return; /* another thief has it */
	}
	cut(queue, max, batch);
	wardi_lock_drop(&queue->lock, WARDI_LOCK_PLACE);
	wardi_biased_lock_depart(&queue->lock);
}
