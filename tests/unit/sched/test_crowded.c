/* SPDX-License-Identifier: MIT
 *
 * test_crowded.c - idle workers while other threads wait for each processor.
 *
 * Method: each yield takes so long that another thread must have run.
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

static _Atomic int yields;

/* Instead of the C library's. */
int sched_yield(void)
{
	int64_t until_ns = real_ns() + 10 * 1000;

	atomic_fetch_add(&yields, 1);
	while (real_ns() < until_ns)
		;
	return (int)syscall(SYS_sched_yield);
}

struct blocker {
	struct cell cell, *behind;
	_Atomic bool released;
};

/* Keeps its worker, with another cell behind it in the queue. */
static void receive_and_stay(struct cell *cell, struct wardi_worker *worker)
{
	struct blocker *blocker = cell->arg;

	tell(blocker->behind, worker);
	while (!atomic_load(&blocker->released))
		;
}

WARD_TEST(crowded_worker_takes_what_has_waited_for_long)
{
	struct bench *bench = bench_start(2, NULL);
	struct cell behind;
	struct blocker blocker = {.behind = &behind};

	cell_init(&behind, bench, NULL, receive_done, NULL);
	cell_init(&blocker.cell, bench, NULL, receive_and_stay, &blocker);
	for (uint64_t i = 1; i <= 20; i++) {
		atomic_store(&blocker.released, false);
		tell(&blocker.cell, NULL);
		await(bench, i);
		atomic_store(&blocker.released, true);
		until_handled(&blocker.cell);
	}
	ward_assert(atomic_load(&yields) > 0);
	bench_finish(bench);
}

WARD_TEST(crowded_workers_serve_descriptors_and_outsiders)
{
	struct bench *bench = bench_start(2, NULL);
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
	close(ends[0]);
	close(ends[1]);
	bench_finish(bench);
}

WARD_TEST_MAIN
