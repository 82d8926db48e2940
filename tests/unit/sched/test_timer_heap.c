/* SPDX-License-Identifier: MIT
 *
 * test_timer_heap.c - the heap of exact timers: all come in order, and none is moved when it grows.
 */
#include <stdlib.h>

#include <ward/testkit.h>

#include "base/random.h"
#include "sched/timer_heap.h"

enum { TIMERS = 20000, PROMISED = 3 };

struct rig {
	struct wardi_alloc alloc;
	struct wardi_timer_heap heap;
	struct wardi_timer_node nodes[TIMERS];
	bool out[TIMERS];
};

/* What the heap has asked for, and returned. */
static size_t taken, given;
static bool out_of_memory;

static void *take(void *arg, size_t size)
{
	(void)arg;
	taken++;
	return out_of_memory ? NULL : malloc(size);
}

static void give(void *arg, void *block, size_t size)
{
	(void)arg;
	(void)size;
	given++;
	free(block);
}

static struct rig *rig_make(void)
{
	static const struct ward_allocator hooks = {take, give, NULL};
	struct rig *rig = calloc(1, sizeof(*rig));

	ward_assert(rig != NULL);
	taken = given = 0;
	out_of_memory = false;
	wardi_alloc_init(&rig->alloc, &hooks, false);
	return rig;
}

static void rig_free(struct rig *rig)
{
	wardi_timer_heap_finish(&rig->heap, &rig->alloc);
	ward_assert_eq(rig->alloc.bytes, 0);
	free(rig);
}

/* Arms all, some of them for the same time. */
static void arm_all(struct rig *rig)
{
	struct wardi_random random;

	wardi_random_init(&random, 5);
	for (int i = 0; i < TIMERS; i++) {
		rig->nodes[i].deadline_ns = (int64_t)wardi_random_below(&random, TIMERS / 2);
		ward_assert(wardi_timer_heap_reserve(&rig->heap, &rig->alloc, 1));
		wardi_timer_heap_insert(&rig->heap, &rig->nodes[i]);
	}
}

static void drain(struct rig *rig, int expected)
{
	int64_t before_ns = 0;
	uint64_t before_order = 0;
	int count = 0;
	struct wardi_timer_node *node;

	for (; (node = wardi_timer_heap_pop(&rig->heap, INT64_MAX)) != NULL; count++) {
		ward_assert(node->deadline_ns >= before_ns);
		ward_assert(node->deadline_ns > before_ns || count == 0 ||
			    node->order > before_order);
		ward_assert(!rig->out[node - rig->nodes]);
		rig->out[node - rig->nodes] = true;
		before_ns = node->deadline_ns;
		before_order = node->order;
	}
	ward_assert_eq(count, expected);
	ward_assert_eq(wardi_timer_heap_next(&rig->heap), INT64_MAX);
}

WARD_TEST(heap_grows_without_a_copy_and_keeps_the_order)
{
	struct rig *rig = rig_make();

	arm_all(rig);
	/* What is copied is returned. */
	ward_assert_eq(given, 0);
	ward_assert(taken > 1);
	drain(rig, TIMERS);
	rig_free(rig);
}

WARD_TEST(heap_removes_from_every_place)
{
	struct rig *rig = rig_make();

	arm_all(rig);
	for (int i = 0; i < TIMERS; i += 3) {
		wardi_timer_heap_remove(&rig->heap, &rig->nodes[i]);
		rig->out[i] = true;
	}
	drain(rig, TIMERS - (TIMERS + 2) / 3);
	rig_free(rig);
}

WARD_TEST(heap_without_memory_keeps_room_for_what_is_promised)
{
	struct rig *rig = rig_make();
	int armed = 0;

	for (int i = 0; i < PROMISED; i++) {
		rig->heap.promised++;
		ward_assert(wardi_timer_heap_reserve(&rig->heap, &rig->alloc, 1));
	}
	out_of_memory = true;
	for (; wardi_timer_heap_reserve(&rig->heap, &rig->alloc, 1); armed++)
		wardi_timer_heap_insert(&rig->heap, &rig->nodes[armed]);
	ward_assert(armed > 0);
	for (int i = 0; i < PROMISED; i++)
		wardi_timer_heap_insert(&rig->heap, &rig->nodes[armed + i]);
	drain(rig, armed + PROMISED);
	rig_free(rig);
}

WARD_TEST_MAIN
