/* SPDX-License-Identifier: MIT
 *
 * test_steal.c - when a thief takes from a queue, how much, and that it takes the oldest.
 *
 * Method: the workers of a scheduler that is never started; their queues are filled by hand, and
 * the thief is told what time it is.
 */
#include <stdlib.h>

#include <ward/system.h>
#include <ward/testkit.h>

#include "base/list.h"
#include "sched/dispatcher.h"
#include "sched/sched.h"
#include "sched/worker.h"

#define US INT64_C(1000)

enum { NUMBERED = 2000 };

struct numbered {
	struct wardi_runnable runnable;
	uint64_t number;
};

struct pair {
	struct wardi_alloc alloc;
	struct wardi_clock clock;
	struct wardi_shard shards[WARDI_SHARDS];
	struct wardi_sched *sched;
	struct wardi_thread *thief, *victim;
	struct numbered numbered[NUMBERED];
	uint64_t pushed; /* the next to be */
};

static struct pair *pair_create(void)
{
	struct pair *pair = calloc(1, sizeof(*pair));
	struct wardi_sched_options options = {
		.alloc = &pair->alloc, .clock = &pair->clock, .shards = pair->shards, .workers = 2};

	wardi_alloc_init(&pair->alloc, NULL, false);
	wardi_clock_init(&pair->clock, false);
	ward_assert_eq(wardi_sched_create(&options, &pair->sched), WARD_OK);
	pair->thief = wardi_dispatcher_default(pair->sched)->threads[0];
	pair->victim = wardi_dispatcher_default(pair->sched)->threads[1];
	wardi_steal_forget(pair->thief);
	return pair;
}

static void pair_finish(struct pair *pair)
{
	wardi_sched_destroy(pair->sched);
	ward_assert_eq(pair->alloc.blocks, 0);
	free(pair);
}

static void push(struct pair *pair, uint64_t count)
{
	for (; count > 0; count--) {
		struct numbered *numbered = &pair->numbered[pair->pushed];
		numbered->number = pair->pushed++;
		wardi_runqueue_push(&pair->victim->queue, &numbered->runnable);
	}
}

static uint64_t number_of(struct wardi_runnable *runnable)
{
	return wardi_container_of(runnable, struct numbered, runnable)->number;
}

/* Takes one from the front, as its owner does. */
static void pop_expecting(struct wardi_thread *thread, uint64_t number)
{
	struct wardi_runnable *runnable = wardi_runqueue_pop(&thread->queue);

	ward_assert(runnable != NULL);
	ward_assert_eq(number_of(runnable), number);
}

/* The thief looks at this time; gives how many it took, from `first` on in order. */
static uint64_t look(struct pair *pair, int64_t now_ns, uint64_t first)
{
	struct wardi_runnable *runnable = wardi_steal(pair->thief, now_ns);
	uint64_t count = 0;

	for (; runnable != NULL; runnable = wardi_runqueue_pop(&pair->thief->queue)) {
		ward_assert_eq(number_of(runnable), first + count);
		count++;
	}
	return count;
}

WARD_TEST(steal_lone_runnable_when_it_was_there_ten_microseconds_ago)
{
	struct pair *pair = pair_create();

	ward_assert_eq(look(pair, 100 * US, 0), 0);
	push(pair, 1);
	ward_assert_eq(look(pair, 105 * US, 0), 0);
	ward_assert_eq(look(pair, 112 * US, 0),
		       0); /* seen for the first time, for all the thief knows */
	ward_assert_eq(look(pair, 119 * US, 0), 0);
	ward_assert_eq(look(pair, 123 * US, 0), 1);
	ward_assert_eq(look(pair, 200 * US, 1), 0);
	ward_assert(wardi_runqueue_pop(&pair->victim->queue) == NULL);
	pair_finish(pair);
}

WARD_TEST(steal_nothing_from_a_queue_that_moves)
{
	struct pair *pair = pair_create();

	push(pair, 1);
	for (uint64_t i = 0; i < 500; i++) {
		ward_assert_eq(look(pair, (int64_t)(100 + 10 * i) * US, i), 0);
		push(pair, 1);
		pop_expecting(pair->victim, i);
	}
	pair_finish(pair);
}

WARD_TEST(steal_the_aged_but_at_most_half)
{
	struct pair *pair = pair_create();

	push(pair, 10);
	ward_assert_eq(look(pair, 100 * US, 0), 0);
	push(pair, 20);
	ward_assert_eq(look(pair, 110 * US, 0), 10);  /* ten are aged, of thirty */
	ward_assert_eq(look(pair, 120 * US, 10), 10); /* all twenty are: half */
	pop_expecting(pair->victim, 20);
	push(pair, 1);
	pop_expecting(pair->victim, 21);
	pair_finish(pair);
}

/* The victim runs `count` of them, from `first` on. */
static void run_some(struct pair *pair, uint64_t first, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		pop_expecting(pair->victim, first + i);
}

WARD_TEST(steal_no_aged_ones_from_an_owner_that_runs_many_in_a_microsecond)
{
	struct pair *pair = pair_create();

	push(pair, 60);
	ward_assert_eq(look(pair, 100 * US, 0), 0);
	run_some(pair, 0, 20);
	ward_assert_eq(look(pair, 110 * US, 20), 0); /* 40 are left, for 20 us */
	run_some(pair, 20, 10);
	ward_assert_eq(look(pair, 120 * US, 30), 15); /* one in a microsecond is not many */
	pair_finish(pair);
}

WARD_TEST(steal_aged_ones_from_a_quick_owner_whose_queue_is_long)
{
	struct pair *pair = pair_create();

	push(pair, 300);
	ward_assert_eq(look(pair, 100 * US, 0), 0);
	run_some(pair, 0, 20);
	ward_assert_eq(look(pair, 110 * US, 20), 140); /* the last one's turn is in 140 us */
	pair_finish(pair);
}

/* Four pairs that talk: one runs, three wait. Two workers get two each. */
WARD_TEST(steal_half_counts_the_one_that_runs)
{
	struct pair *pair = pair_create();

	push(pair, 3);
	ward_assert_eq(look(pair, 100 * US, 0), 0);
	ward_assert_eq(look(pair, 110 * US, 0), 2);
	pair_finish(pair);
}

WARD_TEST(steal_at_most_256)
{
	struct pair *pair = pair_create();

	push(pair, 1000);
	ward_assert_eq(look(pair, 100 * US, 0), 0);
	ward_assert_eq(look(pair, 110 * US, 0), 256);
	pop_expecting(pair->victim, 256);
	pair_finish(pair);
}

WARD_TEST(steal_half_of_what_was_crowded_for_a_millisecond)
{
	struct pair *pair = pair_create();
	uint64_t popped = 0;
	int64_t now_ns = 100 * US;

	push(pair, 6);
	/* All six are gone at each look, and six others there: nothing is old. */
	for (; now_ns < 1100 * US; now_ns += 20 * US) {
		ward_assert_eq(look(pair, now_ns, popped), 0);
		push(pair, 6);
		for (int i = 0; i < 6; i++)
			pop_expecting(pair->victim, popped++);
	}
	ward_assert_eq(look(pair, now_ns, popped), 3);
	popped += 3;

	/* One look with less than two, and the millisecond begins again. */
	push(pair, 3);
	for (int i = 0; i < 6; i++)
		pop_expecting(pair->victim, popped++);
	ward_assert_eq(look(pair, now_ns + 500 * US, popped), 0);
	push(pair, 6);
	ward_assert_eq(look(pair, now_ns + 505 * US, popped), 0);
	push(pair, 6);
	for (int i = 0; i < 6; i++)
		pop_expecting(pair->victim, popped++);
	ward_assert_eq(look(pair, now_ns + 1200 * US, popped), 0);
	push(pair, 6);
	for (int i = 0; i < 6; i++)
		pop_expecting(pair->victim, popped++);
	ward_assert_eq(look(pair, now_ns + 1600 * US, popped), 3);
	pair_finish(pair);
}

WARD_TEST_MAIN
