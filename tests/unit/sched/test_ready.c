/* SPDX-License-Identifier: MIT
 *
 * test_ready.c - everything made ready runs, once, never twice at the same time; whoever has to be
 * woken for it is.
 *
 * Method: see crowd.h and bench.h
 */
#include "base/spin.h"
#include "sched/dispatcher.h"
#include "unit/sched/crowd.h"

/* ---- nothing lost, nothing twice --------------------------------------------------------- */

WARD_TEST(threads_one_worker_runs_everything_once)
{
	run_crowd(1, 20000, 200000, false);
}

WARD_TEST(threads_two_workers_run_everything_once)
{
	run_crowd(2, 20000, 400000, false);
}

WARD_TEST(threads_more_workers_than_processors_run_everything_once)
{
	run_crowd(5, 10000, 200000, false);
}

WARD_TEST(threads_all_kinds_of_dispatchers_run_everything_once)
{
	run_crowd(2, 5000, 50000, true);
}

/* ---- waking ------------------------------------------------------------------------------ */

enum { SEARCH_NS = 50000 }; /* how long a worker looks for work before it goes to sleep */

/* Keeps the thread busy for a random time: the window of a race is somewhere in it. */
static void dawdle(struct bench *bench, struct wardi_random *random, int64_t min_ns, int64_t max_ns)
{
	int64_t until = wardi_clock_now(&bench->clock) + min_ns +
			(int64_t)wardi_random_below(random, (uint64_t)(max_ns - min_ns));

	while (wardi_clock_now(&bench->clock) < until)
		;
}

/* One message at a time, each sent when the worker that handled the one before is about to go to
 * sleep, or has just done so. */
WARD_TEST(threads_message_to_an_idle_system_is_handled)
{
	struct wardi_random random;

	wardi_random_init(&random, ward_test_seed());
	for (uint32_t workers = 1; workers <= 3; workers++) {
		struct bench *bench = bench_start(workers, NULL);
		struct cell cell;

		cell_init(&cell, bench, NULL, receive_done, NULL);
		for (uint64_t i = 1; i <= 3000; i++) {
			tell(&cell, NULL);
			await(bench, i);
			dawdle(bench, &random, SEARCH_NS - 15000, SEARCH_NS + 15000);
		}
		bench_finish(bench);
	}
}

/* Sends to a friend and returns when it has run: on another worker. */
static void receive_until_friend(struct cell *cell, struct wardi_worker *worker)
{
	struct cell *friend = cell->arg;

	dawdle(cell->bench, &worker->random, 0, 3 * SEARCH_NS);
	tell(friend, worker);
	until_handled(friend);
	done(cell->bench);
}

WARD_TEST(threads_lone_runnable_behind_a_long_handler_is_taken_over)
{
	for (uint32_t workers = 2; workers <= 4; workers++) {
		struct bench *bench = bench_start(workers, NULL);
		struct cell friend, cell;

		cell_init(&friend, bench, NULL, receive_done, NULL);
		cell_init(&cell, bench, NULL, receive_until_friend, &friend);
		for (uint64_t i = 1; i <= 1000; i++) {
			tell(&cell, NULL);
			await(bench, 2 * i);
		}
		bench_finish(bench);
	}
}

/* Is at work for some microseconds more when it says that it has handled the message. */
static void receive_counted(struct cell *cell, struct wardi_worker *worker)
{
	receive_done(cell, worker);
	atomic_fetch_add(&cell->handled, 1);
	dawdle(cell->bench, &worker->random, 3000, 5000);
}

/* As before, but a second worker was woken, too, and finds nothing: the message came when the first
 * one was about to look for the next, and so had it. Only of a system at rest, where nobody is
 * alert before that; a rest is longer than the longest nap. */
WARD_TEST(threads_lone_runnable_is_taken_over_when_the_helper_searched_in_vain)
{
	for (uint32_t workers = 3; workers <= 4; workers++) {
		struct bench *bench = bench_start(workers, NULL);
		struct cell friend, cell, first;
		struct wardi_random random;

		wardi_random_init(&random, ward_test_seed());
		cell_init(&friend, bench, NULL, receive_done, NULL);
		cell_init(&cell, bench, NULL, receive_until_friend, &friend);
		cell_init(&first, bench, NULL, receive_counted, NULL);
		for (uint32_t i = 1; i <= 300; i++) {
			dawdle(bench, &random, 1200000, 1500000);
			tell(&first, NULL);
			/* Spinning: a wait on a condition variable would end too late. */
			while (atomic_load(&first.handled) < i)
				wardi_pause();
			tell(&cell, NULL);
			await(bench, 3 * i);
		}
		bench_finish(bench);
	}
}

/* Is at work for so long that nobody watches over it any more, then sends to a friend: who dozes
 * is called, and does not find it by chance when it looks the next time. */
static void receive_quietly(struct cell *cell, struct wardi_worker *worker)
{
	struct cell *friend = cell->arg;

	while (!atomic_load(&worker->dispatcher->park.call))
		wardi_pause();
	tell(friend, worker);
	until_handled(friend);
	done(cell->bench);
}

WARD_TEST(threads_push_after_a_long_silence_calls_who_dozes)
{
	enum { ROUNDS = 50 };
	struct bench *bench = bench_start(2, NULL);
	struct wardi_dispatcher *workers = dispatcher(bench, NULL);
	struct cell friend, cell;

	cell_init(&friend, bench, NULL, receive_done, NULL);
	cell_init(&cell, bench, NULL, receive_quietly, &friend);
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		tell(&cell, NULL);
		await(bench, 2 * i);
	}
	/* Now and then it wakes up by itself at that very moment. */
	wardi_mutex_lock(&workers->mu);
	ward_assert(workers->park.calls > ROUNDS / 2);
	wardi_mutex_unlock(&workers->mu);
	bench_finish(bench);
}

struct blocked {
	struct cell sender; /* as above */
	struct cell friend;
	struct cell other;
	_Atomic bool friend_ran;
};

static void receive_friend(struct cell *cell, struct wardi_worker *worker)
{
	struct blocked *blocked = cell->arg;

	atomic_store(&blocked->friend_ran, true);
	receive_done(cell, worker);
}

static void receive_until_friend_ran(struct cell *cell, struct wardi_worker *worker)
{
	struct blocked *blocked = cell->arg;

	(void)worker;
	while (!atomic_load(&blocked->friend_ran))
		sched_yield();
	done(cell->bench);
}

/* As before, but the one that comes first to help is kept busy by something else. */
WARD_TEST(threads_lone_runnable_is_taken_over_when_the_helper_is_called_away)
{
	for (uint32_t workers = 3; workers <= 4; workers++) {
		struct bench *bench = bench_start(workers, NULL);
		struct blocked blocked;
		struct wardi_random random;

		wardi_random_init(&random, ward_test_seed());
		cell_init(&blocked.friend, bench, NULL, receive_friend, &blocked);
		cell_init(&blocked.sender, bench, NULL, receive_until_friend, &blocked.friend);
		cell_init(&blocked.other, bench, NULL, receive_until_friend_ran, &blocked);
		for (uint64_t i = 1; i <= 1000; i++) {
			atomic_store(&blocked.friend_ran, false);
			tell(&blocked.sender, NULL);
			dawdle(bench, &random, 0, 3 * SEARCH_NS);
			tell(&blocked.other, NULL);
			await(bench, 3 * i);
		}
		bench_finish(bench);
	}
}

/* Returns when another, sent from outside at the same time, has run. */
static void receive_until_other(struct cell *cell, struct wardi_worker *worker)
{
	(void)worker;
	until_handled(cell->arg);
	done(cell->bench);
}

WARD_TEST(threads_two_messages_from_outside_are_handled_side_by_side)
{
	for (uint32_t workers = 2; workers <= 3; workers++) {
		struct bench *bench = bench_start(workers, NULL);
		struct cell other, cell;
		struct wardi_random random;

		wardi_random_init(&random, ward_test_seed());
		cell_init(&other, bench, NULL, receive_done, NULL);
		cell_init(&cell, bench, NULL, receive_until_other, &other);
		for (uint64_t i = 1; i <= 1000; i++) {
			/* In one go: `other` may not have run before `cell` begins to wait. */
			atomic_store(&other.pending, 1);
			tell(&cell, NULL);
			wardi_sched_ready(bench->sched, NULL, &other.runnable);
			await(bench, 2 * i);
			dawdle(bench, &random, 0, 3 * SEARCH_NS);
		}
		bench_finish(bench);
	}
}

struct chain {
	struct cell cells[3];
	pthread_barrier_t together;
};

static void receive_together(struct cell *cell, struct wardi_worker *worker)
{
	struct chain *chain = cell->arg;

	if (cell == &chain->cells[0]) {
		tell(&chain->cells[1], worker);
		tell(&chain->cells[2], worker);
	}
	pthread_barrier_wait(&chain->together);
	done(cell->bench);
}

/* One worker makes work for two others and waits for them, one of three steals both or each one. */
WARD_TEST(threads_work_for_all_workers_reaches_all)
{
	struct bench *bench = bench_start(3, NULL);
	struct chain chain;

	pthread_barrier_init(&chain.together, NULL, 3);
	for (int i = 0; i < 3; i++)
		cell_init(&chain.cells[i], bench, NULL, receive_together, &chain);
	for (uint64_t i = 1; i <= 200; i++) {
		tell(&chain.cells[0], NULL);
		await(bench, 3 * i);
	}
	pthread_barrier_destroy(&chain.together);
	bench_finish(bench);
}

WARD_TEST_MAIN
