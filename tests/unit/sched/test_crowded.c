/* SPDX-License-Identifier: MIT
 *
 * test_crowded.c - idle workers while other threads wait for each processor.
 *
 * Method: each yield takes so long that another thread must have run; and a descriptor is watched,
 * since a system without any never asks.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "unit/sched/bench.h"

static int64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static _Atomic int yields; /* of workers */

/* Instead of the C library's. */
int sched_yield(void)
{
	int64_t until_ns = real_ns() + 10 * 1000;

	if (wardi_worker_current() != NULL)
		atomic_fetch_add(&yields, 1);
	while (real_ns() < until_ns)
		;
	return (int)syscall(SYS_sched_yield);
}

/* A descriptor that is watched, and never ready. */
struct silent {
	struct cell cell;
	int ends[2];
};

static struct bench *start(struct silent *silent)
{
	struct bench *bench = bench_start(2, NULL);

	ward_assert_eq(pipe(silent->ends), 0);
	cell_init(&silent->cell, bench, NULL, receive_done, NULL);
	ward_assert_eq(watch(bench, silent->ends[0], &silent->cell), WARD_OK);
	return bench;
}

static void finish(struct bench *bench, struct silent *silent)
{
	bench_finish(bench);
	close(silent->ends[0]);
	close(silent->ends[1]);
}

/* A cell that keeps its worker, with another cell behind it in the queue. */
struct blocker {
	struct cell cell, behind;
	_Atomic bool released;
};

static void receive_and_stay(struct cell *cell, struct wardi_worker *worker)
{
	struct blocker *blocker = cell->arg;

	tell(&blocker->behind, worker);
	while (!atomic_load(&blocker->released))
		;
}

static void receive_nothing(struct cell *cell, struct wardi_worker *worker)
{
	(void)cell;
	(void)worker;
}

static void blocker_init(struct blocker *blocker, struct bench *bench,
			 void (*behind)(struct cell *cell, struct wardi_worker *worker))
{
	*blocker = (struct blocker){0};
	cell_init(&blocker->cell, bench, NULL, receive_and_stay, blocker);
	cell_init(&blocker->behind, bench, NULL, behind, NULL);
}

/* Keeps a worker. Returns when the other one naps, outside the seat, after it has taken what is
 * behind. */
static void block(struct blocker *blocker)
{
	struct wardi_dispatcher *workers = blocker->cell.runnable.dispatcher;
	bool naps = false;

	atomic_store(&blocker->released, false);
	tell(&blocker->cell, NULL);
	while (!naps) {
		wardi_mutex_lock(&workers->mu);
		naps = workers->park.napping == 1 && workers->park.seated == NULL;
		wardi_mutex_unlock(&workers->mu);
	}
}

static void release(struct blocker *blocker)
{
	atomic_store(&blocker->released, true);
	until_handled(&blocker->cell);
}

WARD_TEST(crowded_worker_takes_what_has_waited_for_long)
{
	struct silent silent;
	struct bench *bench = start(&silent);
	struct blocker blocker;

	blocker_init(&blocker, bench, receive_done);
	for (uint64_t i = 1; i <= 20; i++) {
		atomic_store(&blocker.released, false);
		tell(&blocker.cell, NULL);
		await(bench, i);
		release(&blocker);
	}
	ward_assert(atomic_load(&yields) > 0);
	finish(bench, &silent);
}

WARD_TEST(crowded_worker_serves_all_for_one_that_is_stuck)
{
	struct silent silent;
	struct bench *bench = start(&silent);
	struct blocker blocker;
	struct cell cell, other;
	struct timer timer = {.cell = &other};
	int ends[2];

	ward_assert_eq(pipe(ends), 0);
	blocker_init(&blocker, bench, receive_nothing);
	cell_init(&cell, bench, NULL, receive_done, NULL);
	cell_init(&other, bench, NULL, receive_done, NULL);
	ward_assert_eq(write(ends[1], "x", 1), 1);
	for (uint64_t i = 0; i < 20; i++) {
		block(&blocker);
		ward_assert_eq(watch(bench, ends[0], &cell), WARD_OK);
		await(bench, 3 * i + 1);
		tell(&other, NULL);
		await(bench, 3 * i + 2);
		ward_assert(arm(bench, &timer, wardi_clock_now(&bench->clock) + 1000));
		await(bench, 3 * i + 3);
		release(&blocker);
	}
	finish(bench, &silent);
	close(ends[0]);
	close(ends[1]);
}

static uint64_t calls(struct wardi_dispatcher *workers)
{
	wardi_mutex_lock(&workers->mu);
	uint64_t count = workers->park.calls;
	wardi_mutex_unlock(&workers->mu);
	return count;
}

/* Who arms the timer calls the sleeper, unless that is up by then. */
WARD_TEST(timer_armed_during_a_nap_calls_the_sleeper)
{
	struct silent silent;
	struct bench *bench = start(&silent);
	struct blocker blocker;
	struct cell cell;
	struct timer timer = {.cell = &cell, .node.exact = true};
	bool called = false;

	blocker_init(&blocker, bench, receive_nothing);
	cell_init(&cell, bench, NULL, receive_done, NULL);
	for (uint64_t i = 1; !called; i++) {
		struct wardi_dispatcher *workers = blocker.cell.runnable.dispatcher;

		block(&blocker);
		uint64_t before = calls(workers);
		ward_assert(arm(bench, &timer, wardi_clock_now(&bench->clock) + 50 * 1000));
		called = calls(workers) > before;
		await(bench, i);
		release(&blocker);
	}
	finish(bench, &silent);
}

/* A sleeper that was called counts as one that naps until it runs. */
WARD_TEST(timer_armed_after_the_sleeper_was_called_calls_nobody)
{
	struct silent silent;
	struct bench *bench = start(&silent);
	struct blocker blocker;
	struct cell cell, other;
	struct timer timer = {.cell = &other, .node.exact = true};

	blocker_init(&blocker, bench, receive_nothing);
	cell_init(&cell, bench, NULL, receive_done, NULL);
	cell_init(&other, bench, NULL, receive_done, NULL);
	for (uint64_t i = 1; i <= 50; i++) {
		block(&blocker);
		tell(&cell, NULL);
		ward_assert(arm(bench, &timer, wardi_clock_now(&bench->clock) + 50 * 1000));
		await(bench, 2 * i);
		release(&blocker);
	}
	finish(bench, &silent);
}

static void receive_and_count(struct cell *cell, struct wardi_worker *worker)
{
	(void)worker;
	atomic_fetch_add(&cell->handled, 1);
}

/* Ten ticks are one nap. They are for an actor of a pool: a worker that ran them would look at
 * descriptors. */
WARD_TEST(naps_that_timers_cut_short_count_as_one)
{
	struct silent silent;
	struct bench *bench = start(&silent);
	struct blocker blocker;
	struct cell cell, ticking;
	struct timer timer = {.cell = &ticking, .period_ns = 200 * 1000, .node.exact = true};
	int ends[2];

	ward_assert_eq(pipe(ends), 0);
	blocker_init(&blocker, bench, receive_nothing);
	cell_init(&cell, bench, NULL, receive_done, NULL);
	cell_init(&ticking, bench, "ward.blocking", receive_and_count, NULL);
	ward_assert_eq(write(ends[1], "x", 1), 1);
	block(&blocker);
	ward_assert(arm(bench, &timer, wardi_clock_now(&bench->clock) + timer.period_ns));
	ward_assert_eq(watch(bench, ends[0], &cell), WARD_OK);
	await(bench, 1);
	ward_assert(atomic_load(&ticking.handled) < 50);
	release(&blocker);
	wardi_timer_disarm(bench->sched, &timer.node);
	until_handled(&ticking);
	wardi_dispatcher_release(ticking.runnable.dispatcher);
	finish(bench, &silent);
	close(ends[0]);
	close(ends[1]);
}

/* Else what is ready waits for the end of a nap, though a worker has nothing to do. */
WARD_TEST(worker_sits_while_a_crowded_one_naps)
{
	struct silent silent;
	struct bench *bench = start(&silent);
	struct blocker blocker;
	bool sits = false;

	blocker_init(&blocker, bench, receive_nothing);
	while (!sits) {
		struct wardi_dispatcher *workers = blocker.cell.runnable.dispatcher;
		bool naps = true;

		block(&blocker);
		release(&blocker);
		while (naps && !sits) {
			wardi_mutex_lock(&workers->mu);
			naps = workers->park.napping == 1;
			sits = naps && workers->park.seated != NULL &&
			       workers->park.seat_until_ns != INT64_MIN;
			wardi_mutex_unlock(&workers->mu);
		}
	}
	finish(bench, &silent);
}

WARD_TEST(crowded_workers_serve_descriptors_and_outsiders)
{
	struct silent silent;
	struct bench *bench = start(&silent);
	struct cell cell, other;
	int ends[2];
	char byte;

	ward_assert_eq(pipe(ends), 0);
	cell_init(&cell, bench, NULL, receive_done, NULL);
	cell_init(&other, bench, NULL, receive_done, NULL);
	for (uint64_t i = 1; i <= 200; i++) {
		ward_assert_eq(watch(bench, ends[0], &cell), WARD_OK);
		ward_assert_eq(write(ends[1], "x", 1), 1);
		tell(&other, NULL);
		await(bench, 2 * i);
		ward_assert_eq(read(ends[0], &byte, 1), 1);
	}
	until_handled(&cell);
	until_handled(&other);
	finish(bench, &silent);
	close(ends[0]);
	close(ends[1]);
}

WARD_TEST_MAIN
