/* SPDX-License-Identifier: MIT
 *
 * timer_heap.c - the timers of a system: one 4-ary heap under one lock.
 *
 * A node knows its place in the heap, so that disarming is logarithmic and leaves nothing behind.
 * Ties go by the order of arming: a simulation must not depend on the heap's shape. There the order
 * among different owners is drawn from the seed, again for each time: a program must not depend on
 * which owner armed first.
 *
 * fire() is called under the lock. So after a disarm it is neither running nor ever will be, and
 * the slot that it just left is still free when it arms its node again.
 *
 * Threads: heap and order under mu; count and next_ns are written under mu, and read by any thread,
 * relaxed: wardi_park_timer() notifies the worker that must not miss a change.
 */
#include "sched/timer_heap.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "sched/dispatcher.h"
#include "sched/state.h"

enum {
	ARITY = 4,
	FIRST_CAPACITY = 64,
	FIRE_BATCH = 64 /* fired at most before the lock is released once */
};

/* ---- the heap; all under mu -------------------------------------------------------------- */

static bool due_before(const struct wardi_timer_node *a, const struct wardi_timer_node *b)
{
	if (a->deadline_ns != b->deadline_ns)
		return a->deadline_ns < b->deadline_ns;
	if (a->tie != b->tie)
		return a->tie < b->tie;
	return a->order < b->order;
}

static void put(struct wardi_timers *timers, size_t place, struct wardi_timer_node *node)
{
	timers->heap[place] = node;
	node->place = place;
}

static void sift_up(struct wardi_timers *timers, struct wardi_timer_node *node, size_t place)
{
	while (place > 1) {
		size_t parent = (place - 2) / ARITY + 1;
		if (!due_before(node, timers->heap[parent]))
			break;
		put(timers, place, timers->heap[parent]);
		place = parent;
	}
	put(timers, place, node);
}

static void sift_down(struct wardi_timers *timers, struct wardi_timer_node *node, size_t place,
		      size_t count)
{
	for (;;) {
		size_t first = (place - 1) * ARITY + 2;
		size_t best = first;

		if (first > count)
			break;
		for (size_t child = first + 1; child < first + ARITY && child <= count; child++) {
			if (due_before(timers->heap[child], timers->heap[best]))
				best = child;
		}
		if (!due_before(timers->heap[best], node))
			break;
		put(timers, place, timers->heap[best]);
		place = best;
	}
	put(timers, place, node);
}

static size_t count_of(struct wardi_timers *timers)
{
	return atomic_load_explicit(&timers->count, memory_order_relaxed); /* written under mu */
}

static void set_count(struct wardi_timers *timers, size_t count)
{
	int64_t next_ns = count > 0 ? timers->heap[1]->deadline_ns : INT64_MAX;

	/* Relaxed: hints for readers without the lock; see the top. */
	atomic_store_explicit(&timers->count, count, memory_order_relaxed);
	atomic_store_explicit(&timers->next_ns, next_ns, memory_order_relaxed);
}

static void heap_insert(struct wardi_timers *timers, struct wardi_timer_node *node)
{
	size_t count = count_of(timers) + 1;

	wardi_assert(count < timers->capacity);
	node->order = timers->next_order++;
	sift_up(timers, node, count);
	set_count(timers, count);
}

static void heap_remove(struct wardi_timers *timers, struct wardi_timer_node *node)
{
	size_t count = count_of(timers);
	size_t place = node->place;

	wardi_assert(place >= 1 && place <= count && timers->heap[place] == node);
	struct wardi_timer_node *last = timers->heap[count--];
	node->place = 0;
	if (last != node) {
		/* The last node fills the hole; it may belong above or below. */
		sift_up(timers, last, place);
		sift_down(timers, last, last->place, count);
	}
	set_count(timers, count);
}

/* Call after its time has changed. */
static void heap_move(struct wardi_timers *timers, struct wardi_timer_node *node)
{
	size_t count = count_of(timers);

	wardi_assert(timers->heap[node->place] == node);
	node->order = timers->next_order++;
	sift_up(timers, node, node->place);
	sift_down(timers, node, node->place, count);
	set_count(timers, count);
}

/* Makes room for one more node. False: no memory. */
static bool reserve(struct wardi_sched *sched, struct wardi_timers *timers)
{
	size_t needed = count_of(timers) + timers->promised + 2;
	size_t capacity = timers->capacity > 0 ? timers->capacity * 2 : FIRST_CAPACITY;

	if (needed <= timers->capacity)
		return true;
	struct wardi_timer_node **heap = wardi_alloc(sched->alloc, capacity * sizeof(*heap));
	if (heap == NULL)
		return false;
	if (timers->heap != NULL)
		memcpy(heap, timers->heap, timers->capacity * sizeof(*heap));
	wardi_free(sched->alloc, timers->heap, timers->capacity * sizeof(*heap));
	timers->heap = heap;
	timers->capacity = capacity;
	return true;
}

/* ---- for the rest of the scheduler ------------------------------------------------------- */

void wardi_timers_init(struct wardi_timers *timers)
{
	*timers = (struct wardi_timers){.firing_ns = INT64_MIN};
	atomic_init(&timers->next_ns, INT64_MAX);
	wardi_mutex_init(&timers->mu, WARDI_LOCK_TIMERS);
}

void wardi_timers_finish(struct wardi_sched *sched)
{
	struct wardi_timers *timers = &sched->timers;

	wardi_free(sched->alloc, timers->heap,
		   timers->capacity * sizeof(struct wardi_timer_node *));
	wardi_mutex_destroy(&timers->mu);
}

int64_t wardi_timers_next(struct wardi_timers *timers)
{
	return atomic_load_explicit(&timers->next_ns, memory_order_relaxed); /* a hint */
}

/* Fires some of the due timers. False: no more are due. */
static bool fire_batch(struct wardi_sched *sched, struct wardi_worker *worker, int64_t now_ns)
{
	struct wardi_timers *timers = &sched->timers;
	int fired = 0;

	wardi_mutex_lock(&timers->mu);
	timers->firing_ns = now_ns;
	while (fired < FIRE_BATCH && wardi_timers_next(timers) <= now_ns) {
		struct wardi_timer_node *node = timers->heap[1];
		heap_remove(timers, node);
		node->fire(worker, node, now_ns);
		fired++;
	}
	timers->firing_ns = INT64_MIN;
	wardi_mutex_unlock(&timers->mu);
	return fired == FIRE_BATCH;
}

void wardi_timers_fire(struct wardi_worker *worker, int64_t now_ns)
{
	while (wardi_timers_next(&worker->sched->timers) <= now_ns &&
	       fire_batch(worker->sched, worker, now_ns))
		;
}

/* ---- for the actors ---------------------------------------------------------------------- */

/* Draws one tie for all timers of an owner that are due at the same time. */
static uint64_t draw_tie(const struct wardi_sched *sched, const struct wardi_timer_node *node)
{
	uint64_t of_time = wardi_hash_u64(sched->seed, (uint64_t)node->deadline_ns);

	return wardi_hash_u64(of_time, node->owner);
}

/* Under mu: inserts or moves the node, and wakes a worker that would sleep longer. */
static void start(struct wardi_sched *sched, struct wardi_timer_node *node, int64_t deadline_ns)
{
	struct wardi_timers *timers = &sched->timers;
	int64_t before_ns = wardi_timers_next(timers); /* no worker sleeps longer than this */

	node->deadline_ns = deadline_ns;
	node->tie = sched->simulated ? draw_tie(sched, node) : 0;
	if (node->place == 0)
		heap_insert(timers, node);
	else
		heap_move(timers, node);
	if (timers->heap[1] == node && deadline_ns < before_ns && !sched->simulated)
		wardi_park_timer(wardi_dispatcher_default(sched), deadline_ns);
}

bool wardi_timer_arm_locked(struct wardi_sched *sched, struct wardi_timer_node *node,
			    int64_t deadline_ns)
{
	struct wardi_timers *timers = &sched->timers;

	if (deadline_ns == WARDI_TIMER_NEVER) {
		if (node->place != 0)
			heap_remove(timers, node);
		return true;
	}
	if (node->place == 0 && !reserve(sched, timers))
		return false;
	start(sched, node, deadline_ns);
	return true;
}

bool wardi_timer_arm(struct wardi_sched *sched, struct wardi_timer_node *node, int64_t deadline_ns)
{
	wardi_mutex_lock(&sched->timers.mu);
	bool armed = wardi_timer_arm_locked(sched, node, deadline_ns);
	wardi_mutex_unlock(&sched->timers.mu);
	return armed;
}

bool wardi_timer_promise(struct wardi_sched *sched)
{
	struct wardi_timers *timers = &sched->timers;

	wardi_mutex_lock(&timers->mu);
	timers->promised++;
	bool kept = reserve(sched, timers);
	if (!kept)
		timers->promised--;
	wardi_mutex_unlock(&timers->mu);
	return kept;
}

void wardi_timer_arm_promised(struct wardi_sched *sched, struct wardi_timer_node *node,
			      int64_t deadline_ns)
{
	wardi_mutex_lock(&sched->timers.mu);
	wardi_assert(node->place == 0 && sched->timers.promised > 0);
	start(sched, node, deadline_ns);
	wardi_mutex_unlock(&sched->timers.mu);
}

void wardi_timer_rearm(struct wardi_sched *sched, struct wardi_timer_node *node,
		       int64_t deadline_ns)
{
	struct wardi_timers *timers = &sched->timers;

	/* If it were due already, firing would never end. */
	wardi_assert(timers->firing_ns != INT64_MIN && deadline_ns > timers->firing_ns);
	wardi_assert(node->place == 0);
	start(sched, node, deadline_ns);
}

void wardi_timer_disarm(struct wardi_sched *sched, struct wardi_timer_node *node)
{
	struct wardi_timers *timers = &sched->timers;

	wardi_mutex_lock(&timers->mu);
	if (node->place != 0)
		heap_remove(timers, node);
	wardi_mutex_unlock(&timers->mu);
}

uint64_t wardi_timer_count(struct wardi_sched *sched)
{
	return count_of(&sched->timers);
}

void wardi_timers_lock(struct wardi_sched *sched)
{
	wardi_mutex_lock(&sched->timers.mu);
}

void wardi_timers_unlock(struct wardi_sched *sched)
{
	wardi_mutex_unlock(&sched->timers.mu);
}
