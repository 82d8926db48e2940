/* SPDX-License-Identifier: MIT
 *
 * priority.c - the order: control, then by priority, then by arrival.
 *
 *	         control -> c1 -> c2                         first in, first out
 *	heap, ranks < 0     (-5) (-1) (-1)                   by rank, then by arrival
 *	         plain   -> m1 -> tick -> m2 -> pill         rank 0: first in, first out
 *	heap, ranks > 0     (3) (7)                          by rank, then by arrival
 *
 * One heap has both halves: the sign of its top tells whether it goes before the plain line. A
 * mailbox without priorities never has a heap. Auto-received messages stand in the plain line among
 * those of priority 0, and need no extra memory. While the mailbox is closed those that pass it
 * stand in a line of their own; when it is opened, what is left of that is put in front.
 *
 * Threads: under the lock of the mailbox.
 */
#include "mail/priority.h"

#include <string.h>

#include "base/assert.h"
#include "mail/auto_received.h"

enum { ROOM_FIRST = 16, ROOM_KEPT = 256 /* capacity of an empty heap */ };

static struct ward_msg *next_of(const struct ward_msg *msg)
{
	/* Relaxed: all under the lock of the mailbox. */
	return atomic_load_explicit(&msg->next, memory_order_relaxed);
}

/* ---- lines ------------------------------------------------------------------------------- */

void wardi_line_append(struct wardi_line *line, struct ward_msg *msg)
{
	atomic_store_explicit(&msg->next, NULL, memory_order_relaxed);
	if (line->last == NULL)
		line->first = msg;
	else
		atomic_store_explicit(&line->last->next, msg, memory_order_relaxed);
	line->last = msg;
}

static struct ward_msg *take_first(struct wardi_line *line)
{
	struct ward_msg *msg = line->first;

	if (msg == NULL)
		return NULL;
	line->first = next_of(msg);
	if (line->first == NULL)
		line->last = NULL;
	return msg;
}

/* Takes the oldest message that is not auto-received; there must be one. */
static struct ward_msg *take_ordinary(struct wardi_line *line)
{
	struct ward_msg *before = NULL;
	struct ward_msg *msg = line->first;

	while (wardi_msg_is_auto_received(msg)) {
		before = msg;
		msg = next_of(msg);
	}
	if (before == NULL)
		return take_first(line);
	atomic_store_explicit(&before->next, next_of(msg), memory_order_relaxed);
	if (line->last == msg)
		line->last = before;
	return msg;
}

static bool has_ordinary(const struct wardi_line *line)
{
	const struct ward_msg *msg = line->first;

	while (msg != NULL && wardi_msg_is_auto_received(msg))
		msg = next_of(msg);
	return msg != NULL;
}

/* ---- the heap ---------------------------------------------------------------------------- */

static bool goes_before(const struct wardi_ranked *a, const struct wardi_ranked *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->arrival < b->arrival;
}

static void swap(struct wardi_ranked *heap, uint32_t a, uint32_t b)
{
	struct wardi_ranked kept = heap[a];

	heap[a] = heap[b];
	heap[b] = kept;
}

static void sift_up(struct wardi_ranked *heap, uint32_t at)
{
	while (at > 0 && goes_before(&heap[at], &heap[(at - 1) / 2])) {
		swap(heap, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct wardi_ranked *heap, uint32_t count, uint32_t at)
{
	for (;;) {
		uint32_t left = 2 * at + 1;
		uint32_t first = at;

		if (left < count && goes_before(&heap[left], &heap[first]))
			first = left;
		if (left + 1 < count && goes_before(&heap[left + 1], &heap[first]))
			first = left + 1;
		if (first == at)
			return;
		swap(heap, at, first);
		at = first;
	}
}

static struct ward_msg *take_out(struct wardi_priority_queue *order, uint32_t at)
{
	struct ward_msg *msg = order->heap[at].msg;

	order->heap[at] = order->heap[--order->ranked];
	if (at < order->ranked) {
		sift_up(order->heap, at);
		sift_down(order->heap, order->ranked, at);
	}
	return msg;
}

/* Finds the oldest message of the highest rank. The heap is not empty. */
static uint32_t find_least(const struct wardi_priority_queue *order)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < order->ranked; i++) {
		const struct wardi_ranked *other = &order->heap[i];
		const struct wardi_ranked *found = &order->heap[least];

		if (other->rank > found->rank ||
		    (other->rank == found->rank && other->arrival < found->arrival))
			least = i;
	}
	return least;
}

static void free_heap(struct wardi_priority_queue *order, struct wardi_alloc *alloc)
{
	wardi_free(alloc, order->heap, order->room * sizeof *order->heap);
	order->heap = NULL;
	order->room = 0;
}

bool wardi_priority_reserve(struct wardi_priority_queue *order, struct wardi_alloc *alloc,
			    int64_t rank)
{
	struct wardi_ranked *heap;
	uint32_t room;

	if (rank == 0 || rank <= WARDI_RANK_PASSING || order->ranked < order->room)
		return true;
	if (order->room > UINT32_MAX / 2)
		return false;
	room = order->room == 0 ? ROOM_FIRST : order->room * 2;
	heap = wardi_alloc(alloc, room * sizeof *heap);
	if (heap == NULL)
		return false;
	if (order->ranked > 0)
		memcpy(heap, order->heap, order->ranked * sizeof *heap);
	free_heap(order, alloc);
	order->heap = heap;
	order->room = room;
	return true;
}

/* ---- the whole queue --------------------------------------------------------------------- */

void wardi_priority_push(struct wardi_priority_queue *order, struct ward_msg *msg, int64_t rank)
{
	if (rank == WARDI_RANK_CONTROL) {
		wardi_line_append(&order->control, msg);
		return;
	}
	if (rank == 0) {
		wardi_line_append(&order->plain, msg);
		return;
	}
	if (rank == WARDI_RANK_PASSING) {
		wardi_line_append(&order->passing, msg);
		return;
	}
	wardi_assert(order->ranked < order->room);
	order->heap[order->ranked] = (struct wardi_ranked){msg, order->arrivals++, (int32_t)rank};
	sift_up(order->heap, order->ranked++);
}

struct ward_msg *wardi_priority_pop(struct wardi_priority_queue *order, struct wardi_alloc *alloc)
{
	struct ward_msg *msg;

	if (order->control.first != NULL)
		return take_first(&order->control);
	if (order->ranked == 0 || (order->heap[0].rank > 0 && order->plain.first != NULL))
		return take_first(&order->plain);
	msg = take_out(order, 0);
	/* Frees the memory of a burst. */
	if (order->ranked == 0 && order->room > ROOM_KEPT)
		free_heap(order, alloc);
	return msg;
}

void wardi_priority_part(struct wardi_priority_queue *order)
{
	struct wardi_line rest = order->plain;
	struct ward_msg *msg;

	if (!order->mixed)
		return;
	order->mixed = false;
	order->plain = (struct wardi_line){NULL, NULL};
	while ((msg = take_first(&rest)) != NULL)
		wardi_line_append(wardi_msg_passes(msg) ? &order->passing : &order->plain, msg);
}

void wardi_priority_join(struct wardi_priority_queue *order)
{
	if (order->passing.first == NULL)
		return;
	atomic_store_explicit(&order->passing.last->next, order->control.first,
			      memory_order_relaxed);
	if (order->control.first == NULL)
		order->control.last = order->passing.last;
	order->control.first = order->passing.first;
	order->passing = (struct wardi_line){NULL, NULL};
}

struct ward_msg *wardi_priority_pop_passing(struct wardi_priority_queue *order)
{
	return take_first(&order->passing);
}

void wardi_priority_finish(struct wardi_priority_queue *order, struct wardi_alloc *alloc)
{
	wardi_assert(wardi_priority_empty(order));
	if (order->heap != NULL)
		free_heap(order, alloc);
}

/* Returns the highest rank of all waiting messages that are not auto-received. */
static int64_t least_rank(const struct wardi_priority_queue *order)
{
	int64_t in_heap =
		order->ranked == 0 ? WARDI_RANK_CONTROL : order->heap[find_least(order)].rank;

	return in_heap < 0 && has_ordinary(&order->plain) ? 0 : in_heap;
}

struct ward_msg *wardi_priority_make_room(struct wardi_priority_queue *order, int64_t rank)
{
	int64_t least = least_rank(order);

	if (least < rank)
		return NULL;
	if (least == WARDI_RANK_CONTROL)
		return take_ordinary(&order->control);
	if (least == 0)
		return take_ordinary(&order->plain);
	return take_out(order, find_least(order));
}
