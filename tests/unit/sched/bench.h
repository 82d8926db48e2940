/* SPDX-License-Identifier: MIT
 *
 * bench.h - a scheduler with threads and cells to run, for the tests of this folder.
 *
 * Cells are to the scheduler what actors are: a count of messages, of which the first makes the
 * cell ready. No test waits for a time to pass: each waits for the thing to happen, and a thing
 * that does not happen meets the runner's time limit.
 */
#ifndef BENCH_H
#define BENCH_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <ward/system.h>
#include <ward/testkit.h>

#include "base/list.h"
#include "sched/dispatcher.h"
#include "sched/sched.h"
#include "sched/timers.h"
#include "sched/worker.h"
#include "unit/sched/watch.h"

struct bench {
	struct wardi_alloc alloc;
	struct wardi_clock clock;
	struct wardi_shard shards[WARDI_SHARDS];
	struct wardi_sched *sched;
	_Atomic int begun, ended;
	_Atomic int begins_left; /* so many more workers find memory */
	_Atomic bool begins_wait;
	/* as a depot has it: when there is something to tidy; INT64_MAX: nothing */
	_Atomic int64_t untidy_ns;
	/* what is waited for */
	pthread_mutex_t mu;
	pthread_cond_t changed;
	uint64_t done;
	struct wardi_watch_list watches;
};

struct cell {
	struct wardi_runnable runnable;
	struct bench *bench;
	void (*receive)(struct cell *cell, struct wardi_worker *worker);
	void *arg;
	_Atomic uint32_t pending;
	_Atomic uint32_t handled; /* by receive functions that count */
	_Atomic bool running;
};

struct timer {
	struct wardi_timer_node node;
	struct cell *cell;
	int64_t period_ns;
};

/* ---- the bench --------------------------------------------------------------------------- */

static inline void done(struct bench *bench)
{
	pthread_mutex_lock(&bench->mu);
	bench->done++;
	pthread_cond_broadcast(&bench->changed);
	pthread_mutex_unlock(&bench->mu);
}

static inline void await(struct bench *bench, uint64_t count)
{
	pthread_mutex_lock(&bench->mu);
	while (bench->done < count)
		pthread_cond_wait(&bench->changed, &bench->mu);
	pthread_mutex_unlock(&bench->mu);
}

static inline bool begin(struct wardi_worker *worker)
{
	struct bench *bench = wardi_sched_arg(worker->sched);

	ward_assert(wardi_worker_current() == worker);
	while (atomic_load(&bench->begins_wait))
		sched_yield();
	if (bench->begins_left-- <= 0) {
		bench->begins_left = 0;
		return false;
	}
	worker->context = bench;
	bench->begun++;
	return true;
}

static inline void end(struct wardi_worker *worker)
{
	((struct bench *)worker->context)->ended++;
}

static inline void tell(struct cell *cell, struct wardi_worker *worker)
{
	/* As in a mailbox: the first message has the right to make ready. */
	if (atomic_fetch_add(&cell->pending, 1) == 0)
		wardi_sched_ready(cell->bench->sched, worker, &cell->runnable);
}

static inline void run(struct wardi_worker *worker, struct wardi_runnable *runnable)
{
	struct cell *cell = wardi_container_of(runnable, struct cell, runnable);
	uint32_t count = atomic_load(&cell->pending);

	ward_assert(wardi_worker_current() == worker);
	ward_assert(!atomic_exchange(&cell->running, true));
	ward_assert(count > 0);
	if (count > 16)
		count = 16;
	for (uint32_t i = 0; i < count; i++)
		cell->receive(cell, worker);
	ward_assert(atomic_exchange(&cell->running, false));
	if (atomic_fetch_sub(&cell->pending, count) > count)
		wardi_sched_ready(worker->sched, worker, runnable);
}

static inline void fire(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct timer *timer = wardi_container_of(node, struct timer, node);

	ward_assert(now_ns >= node->deadline_ns);
	if (timer->period_ns > 0)
		wardi_timer_rearm(worker->sched, node, now_ns + timer->period_ns);
	tell(timer->cell, worker);
}

static inline bool arm(struct bench *bench, struct timer *timer, int64_t deadline_ns)
{
	timer->node.fire = fire;
	return wardi_timer_arm(bench->sched, &timer->node, deadline_ns);
}

static inline bool fd_ready(struct wardi_worker *worker, const struct wardi_notice *notice)
{
	ward_assert(notice->events != 0);
	tell(notice->token, worker);
	return true;
}

/* One notice, for that cell. */
static inline ward_err watch(struct bench *bench, int fd, struct cell *cell)
{
	return watch_as(bench->sched, fd, WARD_FD_READ, (uintptr_t)cell,
			(struct watch_options){.list = &bench->watches});
}

static inline int64_t rest(struct wardi_worker *worker)
{
	struct bench *bench = wardi_sched_arg(worker->sched);

	return atomic_load(&bench->untidy_ns);
}

/* What is due is tidied by whoever comes first. */
static inline int64_t tidy(struct wardi_worker *worker, int64_t now_ns)
{
	struct bench *bench = wardi_sched_arg(worker->sched);
	int64_t due_ns = atomic_load(&bench->untidy_ns);

	if (due_ns > now_ns)
		return due_ns;
	if (atomic_compare_exchange_strong(&bench->untidy_ns, &due_ns, INT64_MAX))
		done(bench);
	return INT64_MAX;
}

static inline struct bench *bench_create(uint32_t workers, const ward_dispatcher *pools)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct wardi_sched_options options = {
		.alloc = &bench->alloc,
		.clock = &bench->clock,
		.hooks = {.worker_begin = begin,
			  .worker_end = end,
			  .run = run,
			  .fd_ready = fd_ready,
			  .rest = rest,
			  .tidy = tidy},
		.arg = bench,
		.name = "bench",
		.shards = bench->shards,
		.workers = workers,
		.dispatchers = pools,
		.seed = 1,
	};

	wardi_alloc_init(&bench->alloc, NULL, false);
	wardi_clock_init(&bench->clock, false);
	pthread_mutex_init(&bench->mu, NULL);
	pthread_cond_init(&bench->changed, NULL);
	bench->begins_left = 1000000;
	bench->untidy_ns = INT64_MAX;
	ward_assert_eq(wardi_sched_create(&options, &bench->sched), WARD_OK);
	return bench;
}

static inline struct bench *bench_start(uint32_t workers, const ward_dispatcher *pools)
{
	struct bench *bench = bench_create(workers, pools);

	ward_assert_eq(wardi_sched_start(bench->sched), WARD_OK);
	return bench;
}

static inline void bench_finish(struct bench *bench)
{
	wardi_sched_stop(bench->sched);
	wardi_sched_destroy(bench->sched);
	ward_assert_eq(bench->begun, bench->ended);
	ward_assert_eq(bench->alloc.bytes, 0);
	ward_assert_eq(bench->alloc.blocks, 0);
	pthread_cond_destroy(&bench->changed);
	pthread_mutex_destroy(&bench->mu);
	free(bench);
}

static inline struct wardi_dispatcher *dispatcher(struct bench *bench, const char *name)
{
	struct wardi_dispatcher *found;

	ward_assert_eq(wardi_dispatcher_acquire(bench->sched, name, &found), WARD_OK);
	return found;
}

/* Waits until it has nothing to do; its last word to the cell is said then. */
static inline void until_handled(struct cell *cell)
{
	while (atomic_load(&cell->pending) > 0)
		sched_yield();
}

static inline void cell_init(struct cell *cell, struct bench *bench, const char *name,
			     void (*receive)(struct cell *cell, struct wardi_worker *worker),
			     void *arg)
{
	*cell = (struct cell){.bench = bench, .receive = receive, .arg = arg};
	cell->runnable.dispatcher = dispatcher(bench, name);
}

static inline void receive_done(struct cell *cell, struct wardi_worker *worker)
{
	(void)worker;
	done(cell->bench);
}

#endif
