/* SPDX-License-Identifier: MIT
 *
 * test_grace.c - a grace period waits for each thread outside that was looking something up when it
 * began, whichever shard it uses, and for none that came later.
 *
 * Method: a scheduler without threads; the test enters the shards itself, past the order of locks.
 */
#include <ward/testkit.h>

#include "base/shard.h"
#include "sched/state.h"

static struct wardi_alloc alloc;
static struct wardi_clock time_now;
static struct wardi_shard shards[WARDI_SHARDS];

static struct wardi_sched *create(void)
{
	struct wardi_sched_options options = {
		.alloc = &alloc, .clock = &time_now, .shards = shards, .workers = 1};
	struct wardi_sched *sched;

	wardi_alloc_init(&alloc, NULL, false);
	wardi_clock_init(&time_now, false);
	ward_assert_eq(wardi_sched_create(&options, &sched), WARD_OK);
	return sched;
}

WARD_TEST(grace_nobody_looks)
{
	struct wardi_sched *sched = create();

	wardi_grace_begin(sched);
	ward_assert(wardi_grace_over(sched));
	wardi_sched_destroy(sched);
}

WARD_TEST(grace_waits_for_who_is_inside_a_shard)
{
	struct wardi_sched *sched = create();

	for (int i = 0; i < WARDI_SHARDS; i++) {
		wardi_shard_enter_(&shards[i]);
		wardi_grace_begin(sched);
		ward_assert(!wardi_grace_over(sched));
		ward_assert(!wardi_grace_over(sched));
		wardi_shard_leave_(&shards[i]);
		wardi_shard_enter_(&shards[i]); /* somebody who came later */
		ward_assert(wardi_grace_over(sched));
		wardi_shard_leave_(&shards[i]);
	}
	wardi_sched_destroy(sched);
}

WARD_TEST(grace_waits_for_visitors_of_each_shard_and_side)
{
	struct wardi_sched *sched = create();

	for (int i = 0; i < WARDI_SHARDS; i++) {
		for (uint32_t side = 0; side < 2; side++) {
			atomic_fetch_add(&shards[i].visitors[side], 1);
			wardi_grace_begin(sched);
			ward_assert(!wardi_grace_over(sched));
			ward_assert(!wardi_grace_over(sched));
			atomic_fetch_sub(&shards[i].visitors[side], 1);
			ward_assert(wardi_grace_over(sched));
		}
	}
	wardi_sched_destroy(sched);
}

WARD_TEST(grace_visitors_who_come_later_are_not_waited_for)
{
	struct wardi_sched *sched = create();
	uint32_t first = wardi_visit_begin(sched);

	wardi_grace_begin(sched);
	ward_assert(!wardi_grace_over(sched)); /* new ones are sent to the other side now */
	uint32_t later = wardi_visit_begin(sched);
	ward_assert(later != first);
	wardi_visit_end(sched, first);
	ward_assert(wardi_grace_over(sched));
	wardi_visit_end(sched, later);
	wardi_sched_destroy(sched);
}

WARD_TEST_MAIN
