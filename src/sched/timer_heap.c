/* SPDX-License-Identifier: MIT
 *
 * timer_heap.c - timers in the order of their deadlines: a 4-ary heap.
 *
 * A node knows its place in the heap, so that disarming is logarithmic and leaves nothing behind.
 * Ties go by the order of arming: a simulation must not depend on the heap's shape. There the order
 * among different owners is drawn from the seed, again for each time: a program must not depend on
 * which owner armed first.
 */
#include "sched/timer_heap.h"

#include "base/assert.h"
#include "base/hash.h"

enum { ARITY = 4, FIRST_PLACES = 64, LARGE = 128 * 1024 };

/* ---- places ------------------------------------------------------------------------------ */

static size_t places_in(unsigned segment)
{
	return (size_t)FIRST_PLACES << segment;
}

/* Returns how many places there are in so many segments; place 0 is not used. */
static size_t places_up_to(unsigned segments)
{
	return places_in(segments) - FIRST_PLACES;
}

static struct wardi_timer_node **at(const struct wardi_timer_heap *heap, size_t place)
{
	unsigned segment = 63 - (unsigned)__builtin_clzll(place / FIRST_PLACES + 1);

	return &heap->segments[segment][place - places_up_to(segment)];
}

/* ---- order ------------------------------------------------------------------------------- */

/* Draws one tie for all timers of an owner that are due at the same time. */
static uint64_t draw_tie(const struct wardi_timer_heap *heap, const struct wardi_timer_node *node)
{
	uint64_t of_time = wardi_hash_u64(heap->seed, (uint64_t)node->deadline_ns);

	return wardi_hash_u64(of_time, node->owner);
}

static bool due_before(const struct wardi_timer_heap *heap, const struct wardi_timer_node *a,
		       const struct wardi_timer_node *b)
{
	if (a->deadline_ns != b->deadline_ns)
		return a->deadline_ns < b->deadline_ns;
	if (heap->draws_ties && a->owner != b->owner) {
		uint64_t tie_a = draw_tie(heap, a), tie_b = draw_tie(heap, b);
		if (tie_a != tie_b)
			return tie_a < tie_b;
	}
	return a->order < b->order;
}

static void put(struct wardi_timer_heap *heap, size_t place, struct wardi_timer_node *node)
{
	*at(heap, place) = node;
	node->place = place;
}

static void sift_up(struct wardi_timer_heap *heap, struct wardi_timer_node *node, size_t place)
{
	while (place > 1) {
		size_t parent = (place - 2) / ARITY + 1;
		if (!due_before(heap, node, *at(heap, parent)))
			break;
		put(heap, place, *at(heap, parent));
		place = parent;
	}
	put(heap, place, node);
}

static void sift_down(struct wardi_timer_heap *heap, struct wardi_timer_node *node, size_t place)
{
	for (;;) {
		size_t first = (place - 1) * ARITY + 2;
		size_t best = first;

		if (first > heap->count)
			break;
		for (size_t child = first + 1; child < first + ARITY && child <= heap->count;
		     child++) {
			if (due_before(heap, *at(heap, child), *at(heap, best)))
				best = child;
		}
		if (!due_before(heap, *at(heap, best), node))
			break;
		put(heap, place, *at(heap, best));
		place = best;
	}
	put(heap, place, node);
}

/* ---- segments ---------------------------------------------------------------------------- */

static size_t bytes_in(unsigned segment)
{
	return places_in(segment) * sizeof(struct wardi_timer_node *);
}

/* malloc() may put a large one on huge pages, which are touched as a whole. */
static void *make_segment(struct wardi_alloc *alloc, unsigned number)
{
	const size_t size = bytes_in(number);

	return size < LARGE ? wardi_alloc(alloc, size) : wardi_alloc_small_pages(alloc, size);
}

static void free_segment(struct wardi_alloc *alloc, void *segment, unsigned number)
{
	const size_t size = bytes_in(number);

	if (size < LARGE)
		wardi_free(alloc, segment, size);
	else
		wardi_free_pages(alloc, segment, size);
}

/* ---- for its owner ----------------------------------------------------------------------- */

void wardi_timer_heap_finish(struct wardi_timer_heap *heap, struct wardi_alloc *alloc)
{
	for (unsigned i = 0; i < heap->segments_count; i++)
		free_segment(alloc, heap->segments[i], i);
	heap->segments_count = 0;
}

bool wardi_timer_heap_reserve(struct wardi_timer_heap *heap, struct wardi_alloc *alloc, size_t more)
{
	size_t needed = heap->count + heap->promised + more + 1;

	while (needed > places_up_to(heap->segments_count)) {
		unsigned number = heap->segments_count;

		if (number == WARDI_HEAP_SEGMENTS)
			return false;
		heap->segments[number] = make_segment(alloc, number);
		if (heap->segments[number] == NULL)
			return false;
		heap->segments_count++;
	}
	return true;
}

void wardi_timer_heap_insert(struct wardi_timer_heap *heap, struct wardi_timer_node *node)
{
	wardi_assert(heap->count + 1 < places_up_to(heap->segments_count));
	node->order = heap->next_order++;
	sift_up(heap, node, ++heap->count);
}

void wardi_timer_heap_remove(struct wardi_timer_heap *heap, struct wardi_timer_node *node)
{
	size_t place = node->place;

	wardi_assert(place >= 1 && place <= heap->count && *at(heap, place) == node);
	struct wardi_timer_node *last = *at(heap, heap->count--);
	if (last == node)
		return;
	/* The last node fills the hole; it may belong above or below. */
	sift_up(heap, last, place);
	sift_down(heap, last, last->place);
}

struct wardi_timer_node *wardi_timer_heap_pop(struct wardi_timer_heap *heap, int64_t now_ns)
{
	struct wardi_timer_node *node = heap->count > 0 ? *at(heap, 1) : NULL;

	if (node == NULL || node->deadline_ns > now_ns)
		return NULL;
	wardi_timer_heap_remove(heap, node);
	return node;
}

int64_t wardi_timer_heap_next(const struct wardi_timer_heap *heap)
{
	return heap->count > 0 ? (*at(heap, 1))->deadline_ns : INT64_MAX;
}
