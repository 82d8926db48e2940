/* SPDX-License-Identifier: MIT
 *
 * test_thread.c - the threads of a scheduler: how many there are, what they are like, and that they
 * end.
 *
 * Method: see bench.h
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "sched/dispatcher.h"
#include "sched/sched.h"
#include "unit/sched/bench.h"

static int thread_count(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = 0;

	ward_assert(tasks != NULL);
	while (readdir(tasks) != NULL)
		count++;
	closedir(tasks);
	return count - 2; /* "." and ".." */
}

/* ---- threads ----------------------------------------------------------------------------- */

static void receive_checks_thread(struct cell *cell, struct wardi_worker *worker)
{
	sigset_t mask;
	char name[16];
	int before;

	(void)worker;
	ward_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
	ward_assert_eq(sigismember(&mask, SIGINT), 1);
	ward_assert_eq(sigismember(&mask, SIGTERM), 1);
	ward_assert_eq(sigismember(&mask, SIGCHLD), 1);
	ward_assert_eq(sigismember(&mask, SIGPROF), 1);
	ward_assert_eq(sigismember(&mask, SIGSEGV), 0);
	ward_assert_eq(sigismember(&mask, SIGBUS), 0);
	ward_assert_eq(sigismember(&mask, SIGABRT), 0);
	ward_assert_eq(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before), 0);
	ward_assert_eq(before, PTHREAD_CANCEL_DISABLE);
	ward_assert_eq(pthread_getname_np(pthread_self(), name, sizeof(name)), 0);
	ward_assert_str(name, cell->arg);
	done(cell->bench);
}

WARD_TEST(threads_have_names_and_no_signals)
{
	struct bench *bench = bench_start(1, NULL);
	struct cell a, b, c;
	sigset_t before, after;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	cell_init(&a, bench, NULL, receive_checks_thread, "bench-0");
	cell_init(&b, bench, "ward.blocking", receive_checks_thread, "blocking-1");
	cell_init(&c, bench, "ward.pinned", receive_checks_thread, "pinned-2");
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	ward_assert_eq(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
	tell(&a, NULL);
	tell(&b, NULL);
	tell(&c, NULL);
	await(bench, 3);
	bench_finish(bench);
}

static void receive_barrier(struct cell *cell, struct wardi_worker *worker)
{
	(void)worker;
	pthread_barrier_wait(cell->arg);
	done(cell->bench);
}

WARD_TEST(threads_pool_has_as_many_threads_as_work_waits_up_to_its_maximum)
{
	static const ward_dispatcher pools[] = {{.name = "four", .threads = 4}, {0}};
	struct bench *bench = bench_start(1, pools);
	pthread_barrier_t barrier;
	struct cell cells[8];
	int before = thread_count();

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 8; i++)
		cell_init(&cells[i], bench, "four", receive_barrier, &barrier);
	ward_assert_eq(thread_count(), before + 1);
	for (int i = 0; i < 8; i++)
		tell(&cells[i], NULL);
	await(bench, 8);
	ward_assert_eq(thread_count(), before + 4);
	pthread_barrier_destroy(&barrier);
	bench_finish(bench);
}

/* Lets the test know that it runs, and returns at the barrier. */
static void receive_and_stay(struct cell *cell, struct wardi_worker *worker)
{
	done(cell->bench);
	receive_barrier(cell, worker);
}

WARD_TEST(threads_are_busy_until_what_they_run_has_returned)
{
	static const char *const names[] = {NULL, "ward.blocking", "ward.pinned"};
	struct bench *bench = bench_start(2, NULL);
	pthread_barrier_t barrier;
	struct cell cells[3];

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 3; i++)
		cell_init(&cells[i], bench, names[i], receive_and_stay, &barrier);
	for (uint32_t i = 0; i < 3; i++) {
		tell(&cells[i], NULL);
		await(bench, i + 1);
		/* A worker that was woken, too, and finds nothing, is busy for a moment. */
		while (wardi_sched_busy(bench->sched) > i + 1)
			sched_yield();
		ward_assert_eq(wardi_sched_busy(bench->sched), i + 1);
	}
	pthread_barrier_wait(&barrier);
	await(bench, 6);
	while (wardi_sched_busy(bench->sched) > 0)
		sched_yield();
	for (int i = 0; i < 3; i++)
		ward_assert_eq(atomic_load(&cells[i].pending), 0);
	pthread_barrier_destroy(&barrier);
	bench_finish(bench);
}

static void receive_until_flag(struct cell *cell, struct wardi_worker *worker)
{
	(void)worker;
	while (!atomic_load((_Atomic bool *)cell->arg))
		sched_yield();
	done(cell->bench);
}

/* One thread is on its way for the second message when the first thread takes that: then the third
 * needs no other. */
WARD_TEST(threads_pool_counts_on_a_thread_that_is_starting)
{
	static const ward_dispatcher pools[] = {{.name = "four", .threads = 4}, {0}};
	struct bench *bench = bench_start(1, pools);
	_Atomic bool flags[2] = {false, false};
	struct cell cells[3];

	for (int i = 0; i < 3; i++)
		cell_init(&cells[i], bench, "four", i < 2 ? receive_until_flag : receive_done,
			  &flags[i % 2]);
	int before = thread_count();
	atomic_store(&bench->begins_wait, true);
	tell(&cells[0], NULL);
	while (!atomic_load(&cells[0].running))
		sched_yield();
	tell(&cells[1], NULL);
	ward_assert_eq(thread_count(), before + 1);
	atomic_store(&flags[0], true);
	while (!atomic_load(&cells[1].running))
		sched_yield();
	tell(&cells[2], NULL);
	ward_assert_eq(thread_count(), before + 1);
	atomic_store(&bench->begins_wait, false);
	await(bench, 2);
	atomic_store(&flags[1], true);
	await(bench, 3);
	bench_finish(bench);
}

WARD_TEST(threads_pool_goes_on_with_one_thread_when_no_more_can_be_had)
{
	static const ward_dispatcher pools[] = {{.name = "four", .threads = 4}, {0}};
	struct bench *bench = bench_start(1, pools);
	struct cell cells[50];

	bench->begins_left = 1;
	for (int i = 0; i < 50; i++)
		cell_init(&cells[i], bench, "four", receive_done, NULL);
	for (int round = 1; round <= 20; round++) {
		for (int i = 0; i < 50; i++)
			tell(&cells[i], NULL);
		await(bench, (uint64_t)(50 * round));
	}
	bench_finish(bench);
}

WARD_TEST(threads_without_memory_for_a_worker_nothing_starts)
{
	struct wardi_dispatcher *found = NULL;

	for (int begins = 0; begins < 3; begins++) {
		struct bench *bench = bench_create(3, NULL);
		bench->begins_left = begins;
		ward_assert_eq(wardi_sched_start(bench->sched), WARD_ENOMEM);
		ward_assert_eq(bench->begun, begins);
		ward_assert_eq(bench->ended, begins);
		bench_finish(bench);
	}
	struct bench *bench = bench_start(1, NULL);
	bench->begins_left = 0;
	ward_assert_eq(wardi_dispatcher_acquire(bench->sched, "ward.pinned", &found), WARD_ENOMEM);
	ward_assert_eq(wardi_dispatcher_acquire(bench->sched, "ward.blocking", &found),
		       WARD_ENOMEM);
	ward_assert(found == NULL);
	bench->begins_left = 1;
	ward_assert_eq(wardi_dispatcher_acquire(bench->sched, "ward.blocking", &found), WARD_OK);
	bench_finish(bench);
}

static void receive_releases(struct cell *cell, struct wardi_worker *worker)
{
	(void)worker;
	wardi_dispatcher_release(cell->runnable.dispatcher);
	done(cell->bench);
}

WARD_TEST(threads_released_pinned_ones_end_by_themselves)
{
	struct bench *bench = bench_start(1, NULL);
	int before = thread_count();
	uint64_t blocks_before = wardi_alloc_sum(&bench->alloc).blocks;

	for (uint64_t i = 1; i <= 300; i++) {
		struct cell *cell = calloc(1, sizeof(*cell));
		cell_init(cell, bench, "ward.pinned", receive_releases, NULL);
		tell(cell, NULL);
		await(bench, i);
		until_handled(cell);
		wardi_dispatcher_release(dispatcher(bench, "ward.pinned"));
		free(cell);
	}
	/* All but the last have been joined and freed: what is left of them is bounded. */
	while (thread_count() > before + 2 ||
	       wardi_alloc_sum(&bench->alloc).blocks > blocks_before + 6)
		sched_yield();
	dispatcher(bench, "ward.pinned"); /* never released */
	bench_finish(bench);
}

WARD_TEST(threads_create_without_memory_leaves_nothing)
{
	struct bench *bench = bench_create(4, NULL);
	bench_finish(bench);

	struct wardi_alloc alloc;
	struct wardi_clock clock;
	static struct wardi_shard shards[WARDI_SHARDS];
	struct wardi_sched *sched;
	struct wardi_sched_options options = {.alloc = &alloc,
					      .clock = &clock,
					      .shards = shards,
					      .hooks = {.worker_begin = begin,
							.worker_end = end,
							.run = run,
							.fd_ready = fd_ready},
					      .workers = 5000};
	wardi_alloc_init(&alloc, NULL, false);
	wardi_clock_init(&clock, false);
	ward_assert_eq(wardi_sched_create(&options, &sched), WARD_EINVAL);
	ward_assert_eq(alloc.blocks, 0);
}

WARD_TEST_MAIN
