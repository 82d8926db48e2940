/* SPDX-License-Identifier: MIT
 *
 * test_timer_wheel.c - the wheel: each timer comes out once, in its slot, in the order of arming.
 *
 * Method: time is a number. drain() steps it from one next() to the following, as a worker does
 * that sleeps in between, and checks each timer against the slot in which it must come.
 */
#include <stdlib.h>

#include <ward/testkit.h>

#include "base/random.h"
#include "sched/timer_wheel.h"

#define MS INT64_C(1000000)

enum { TIMERS = 1000 };

struct timer {
	struct wardi_timer_node node;
	uint64_t order; /* of arming */
	bool armed;
};

struct rig {
	struct wardi_wheel wheel;
	struct timer timers[TIMERS];
	uint64_t orders, armed;
	int64_t now_ns;
	/* the last timer that came */
	int64_t due_ns;
	uint64_t order;
};

static struct rig *rig_at(int64_t now_ns)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	ward_assert(rig != NULL);
	rig->now_ns = now_ns;
	wardi_wheel_init(&rig->wheel, now_ns);
	return rig;
}

static int64_t due_of(const struct timer *timer)
{
	return (int64_t)wardi_wheel_slot_of(timer->node.deadline_ns) * MS;
}

static void arm(struct rig *rig, struct timer *timer, int64_t deadline_ns)
{
	ward_assert(!timer->armed);
	timer->node.deadline_ns = deadline_ns;
	timer->order = ++rig->orders;
	timer->armed = true;
	rig->armed++;
	int64_t due_ns = wardi_wheel_insert(&rig->wheel, &timer->node);
	ward_assert(due_ns >= deadline_ns);
	if (deadline_ns >= rig->now_ns + MS)
		ward_assert_eq(due_ns, due_of(timer));
}

static void disarm(struct rig *rig, struct timer *timer)
{
	ward_assert(timer->armed);
	wardi_wheel_remove(&rig->wheel, &timer->node);
	timer->armed = false;
	rig->armed--;
}

/* Takes what is due now, `moves` moves at a time. */
static void pop_due(struct rig *rig, unsigned moves)
{
	for (;;) {
		unsigned left = moves;
		struct wardi_timer_node *node = wardi_wheel_pop(&rig->wheel, rig->now_ns, &left);
		if (node == NULL && left > 0)
			break;
		if (node == NULL)
			continue;
		struct timer *timer = wardi_container_of(node, struct timer, node);
		ward_assert(timer->armed);
		ward_assert(due_of(timer) <= rig->now_ns);
		/* In the order of their slots, and of arming in each. */
		ward_assert(due_of(timer) >= rig->due_ns);
		if (due_of(timer) == rig->due_ns)
			ward_assert(timer->order > rig->order);
		rig->due_ns = due_of(timer);
		rig->order = timer->order;
		timer->armed = false;
		rig->armed--;
	}
}

/* Steps to each next(), until all timers have come. `whole`: none was disarmed. */
static void drain(struct rig *rig, unsigned moves, bool whole)
{
	int64_t next_ns;

	while ((next_ns = wardi_wheel_next(&rig->wheel)) != INT64_MAX) {
		uint64_t armed = rig->armed;
		bool all = true;

		for (int i = 0; i < TIMERS; i++)
			all = all && (!rig->timers[i].armed || due_of(&rig->timers[i]) >= next_ns);
		ward_assert(all); /* it is not late */
		ward_assert(next_ns > rig->now_ns);
		rig->now_ns = next_ns;
		pop_due(rig, moves);
		ward_assert(rig->armed < armed || !whole); /* it is not in vain */
	}
	ward_assert_eq(rig->armed, 0);
}

WARD_TEST(wheel_timer_of_each_level_comes_in_its_slot)
{
	static const int64_t starts_ms[] = {0, 1, 255, 256, 65535, 16777215, INT64_C(1) << 40};

	for (size_t s = 0; s < sizeof(starts_ms) / sizeof(starts_ms[0]); s++) {
		struct rig *rig = rig_at(starts_ms[s] * MS);
		int used = 0;

		/* A timer on each side of each border between levels. */
		for (int level = 0; level < WARDI_WHEEL_LEVELS; level++) {
			int64_t far_ms = INT64_C(1) << (8 * level);
			for (int64_t by = -1; by <= 1; by++) {
				int64_t ms = starts_ms[s] + far_ms + by;
				if (ms > 0 && ms < INT64_MAX / MS && ms > starts_ms[s])
					arm(rig, &rig->timers[used++], ms * MS);
			}
		}
		ward_assert(used > 10);
		drain(rig, UINT32_MAX, true);
		free(rig);
	}
}

WARD_TEST(wheel_deadline_is_rounded_up_to_its_slot)
{
	struct rig *rig = rig_at(0);

	arm(rig, &rig->timers[0], 5 * MS);
	arm(rig, &rig->timers[1], 5 * MS + 1);
	arm(rig, &rig->timers[2], 6 * MS - 1);
	rig->now_ns = 5 * MS - 1;
	pop_due(rig, 1);
	ward_assert_eq(rig->armed, 3);
	rig->now_ns = 5 * MS;
	pop_due(rig, 1);
	ward_assert_eq(rig->armed, 2);
	rig->now_ns = 6 * MS - 1;
	pop_due(rig, 1);
	ward_assert_eq(rig->armed, 2);
	rig->now_ns = 6 * MS;
	pop_due(rig, 1);
	ward_assert_eq(rig->armed, 0);
	free(rig);
}

WARD_TEST(wheel_deadline_that_has_passed_is_due_in_the_next_slot)
{
	struct rig *rig = rig_at(0);

	rig->now_ns = 1000 * MS;
	pop_due(rig, 1);
	rig->timers[0].node.deadline_ns = 5 * MS;
	ward_assert_eq(wardi_wheel_insert(&rig->wheel, &rig->timers[0].node), 1001 * MS);
	ward_assert_eq(wardi_wheel_next(&rig->wheel), 1001 * MS);
	unsigned left = 1;
	ward_assert(wardi_wheel_pop(&rig->wheel, 1000 * MS, &left) == NULL);
	ward_assert(wardi_wheel_pop(&rig->wheel, 1001 * MS, &left) == &rig->timers[0].node);
	free(rig);
}

WARD_TEST(wheel_latest_deadline_has_a_slot)
{
	struct rig *rig = rig_at(7 * MS);

	rig->timers[0].node.deadline_ns = INT64_MAX - 1;
	(void)wardi_wheel_insert(&rig->wheel, &rig->timers[0].node);
	ward_assert(wardi_wheel_next(&rig->wheel) > INT64_MAX / 2);
	wardi_wheel_remove(&rig->wheel, &rig->timers[0].node);
	ward_assert_eq(wardi_wheel_next(&rig->wheel), INT64_MAX);
	free(rig);
}

WARD_TEST(wheel_timer_armed_while_its_block_moves_comes_last_of_its_slot)
{
	struct rig *rig = rig_at(0);
	unsigned left = 3;

	/* All in one slot of level 1, and one a slot later. */
	for (int i = 0; i < 10; i++)
		arm(rig, &rig->timers[i], 300 * MS);
	arm(rig, &rig->timers[10], 301 * MS);
	rig->now_ns = 299 * MS;
	ward_assert(wardi_wheel_pop(&rig->wheel, rig->now_ns, &left) == NULL);
	ward_assert_eq(left, 0); /* some have moved */
	ward_assert(wardi_wheel_next(&rig->wheel) <= rig->now_ns);
	arm(rig, &rig->timers[11], 300 * MS);
	/* Disarmed in each of the three states: moved, moving, queued up behind. */
	disarm(rig, &rig->timers[1]);
	disarm(rig, &rig->timers[7]);
	disarm(rig, &rig->timers[11]);
	arm(rig, &rig->timers[12], 300 * MS);
	rig->now_ns = 300 * MS;
	pop_due(rig, 2);
	ward_assert_eq(rig->armed, 1);
	ward_assert_eq(rig->order, rig->timers[12].order);
	drain(rig, 1, false);
	free(rig);
}

WARD_TEST(wheel_move_ends_when_all_that_moves_is_disarmed)
{
	struct rig *rig = rig_at(0);
	unsigned left = 1;

	arm(rig, &rig->timers[0], 300 * MS);
	arm(rig, &rig->timers[1], 300 * MS);
	arm(rig, &rig->timers[2], 70000 * MS);
	ward_assert(wardi_wheel_pop(&rig->wheel, 299 * MS, &left) == NULL);
	disarm(rig, &rig->timers[0]);
	disarm(rig, &rig->timers[1]);
	ward_assert_eq(wardi_wheel_next(&rig->wheel), 70000 * MS);
	rig->now_ns = 299 * MS;
	drain(rig, 1, false);
	free(rig);
}

/* Arms, disarms and lets time pass in any order, mostly near borders of blocks. */
static void churn(uint64_t seed, unsigned moves)
{
	struct wardi_random random;
	struct rig *rig = rig_at(0);

	wardi_random_init(&random, seed);
	for (int step = 0; step < 20000; step++) {
		struct timer *timer = &rig->timers[wardi_random_below(&random, TIMERS)];
		uint64_t far = UINT64_C(1) << wardi_random_below(&random, 26);

		if (timer->armed && wardi_random_below(&random, 3) == 0)
			disarm(rig, timer);
		else if (!timer->armed)
			arm(rig, timer,
			    rig->now_ns + 2 * MS +
				    (int64_t)wardi_random_below(&random, far * 1000000));
		if (wardi_random_below(&random, 100) == 0) {
			rig->now_ns += (int64_t)wardi_random_below(&random, far * 1000000);
			pop_due(rig, moves);
		} else if (wardi_random_below(&random, 20) == 0) {
			/* One step, which may end within a move. */
			unsigned left = 1;
			struct wardi_timer_node *node =
				wardi_wheel_pop(&rig->wheel, rig->now_ns, &left);
			ward_assert(node == NULL);
		}
	}
	pop_due(rig, moves);
	drain(rig, moves, false);
	free(rig);
}

WARD_TEST(wheel_many_timers_come_once_and_in_order)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		churn(seed, seed % 2 == 0 ? 1 : 1000);
}

WARD_TEST_MAIN
