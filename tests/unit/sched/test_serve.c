/* SPDX-License-Identifier: MIT
 *
 * test_serve.c - timers and descriptors are served, whoever is idle or busy.
 *
 * Method: see bench.h
 */
#include <sys/prctl.h>
#include <unistd.h>

#include <ward/fd.h>

#include "base/clock.h"
#include "base/list.h"
#include "sched/poller.h"
#include "sched/sched.h"
#include "sched/state.h"
#include "sched/timers.h"
#include "unit/sched/bench.h"

#define MS INT64_C(1000000)

static int64_t now(struct bench *bench)
{
	return wardi_clock_now(&bench->clock);
}

/* ---- timers ------------------------------------------------------------------------------ */

WARD_TEST(threads_earlier_timer_wakes_an_idle_system)
{
	struct bench *bench = bench_start(2, NULL);
	struct cell cell;
	struct timer late = {.cell = &cell}, soon = {.cell = &cell};

	cell_init(&cell, bench, NULL, receive_done, NULL);
	ward_assert(arm(bench, &late, now(bench) + 3600000 * MS));
	for (uint64_t i = 1; i <= 300; i++) {
		int64_t deadline = now(bench) + (int64_t)(i % 3) * MS;
		ward_assert(arm(bench, &soon, deadline));
		await(bench, i);
		ward_assert(now(bench) >= deadline);
	}
	ward_assert_eq(wardi_timer_count(bench->sched), 1);
	wardi_timer_disarm(bench->sched, &late.node);
	ward_assert_eq(wardi_timer_count(bench->sched), 0);
	bench_finish(bench);
}

/* Whether a worker sleeps in the seat. */
static bool is_asleep(struct wardi_dispatcher *dispatcher)
{
	wardi_mutex_lock(&dispatcher->mu);
	bool asleep = dispatcher->park.seat_until_ns != INT64_MIN;
	wardi_mutex_unlock(&dispatcher->mu);
	return asleep;
}

static uint64_t done_so_far(struct bench *bench)
{
	pthread_mutex_lock(&bench->mu);
	uint64_t count = bench->done;
	pthread_mutex_unlock(&bench->mu);
	return count;
}

/* From now on, a worker that looks around before it sleeps does so for an hour. */
static void make_patient(struct bench *bench)
{
	struct wardi_dispatcher *own = wardi_dispatcher_default(bench->sched);

	wardi_mutex_lock(&own->mu);
	bench->sched->patience_ns = 3600000 * MS;
	wardi_mutex_unlock(&own->mu);
}

/* Returns whether the worker sleeps again before so many timers more have fired. */
static bool sleeps_within(struct bench *bench, uint64_t count)
{
	uint64_t until = done_so_far(bench) + count;

	while (done_so_far(bench) < until) {
		if (is_asleep(wardi_dispatcher_default(bench->sched)))
			return true;
		sched_yield();
	}
	return false;
}

/* It would serve the timers while it looks around, and never sleep. */
static void timer_lets_workers_sleep(bool exact)
{
	struct bench *bench = bench_start(1, NULL);
	struct cell cell;
	struct timer timer = {.cell = &cell, .period_ns = 2 * MS, .node.exact = exact};

	cell_init(&cell, bench, NULL, receive_done, NULL);
	ward_assert(arm(bench, &timer, now(bench) + MS));
	await(bench, 2);
	/* It sleeps until the next tick, which alone can wake it. */
	ward_assert(sleeps_within(bench, 1000));
	make_patient(bench);
	for (uint64_t i = 0; i < 20; i++) {
		await(bench, done_so_far(bench) + 1);
		ward_assert(sleeps_within(bench, 200));
	}
	wardi_timer_disarm(bench->sched, &timer.node);
	until_handled(&cell);
	bench_finish(bench);
}

WARD_TEST(threads_worker_that_only_a_timer_woke_sleeps_again_at_once)
{
	timer_lets_workers_sleep(false);
	timer_lets_workers_sleep(true);
}

static void receive_slack(struct cell *cell, struct wardi_worker *worker)
{
	(void)worker;
	*(_Atomic int *)cell->arg = prctl(PR_GET_TIMERSLACK);
	done(cell->bench);
}

/* Else the kernel may let it sleep 50 us longer. */
WARD_TEST(threads_worker_wakes_up_at_the_nanosecond)
{
	struct bench *bench = bench_start(1, NULL);
	_Atomic int slack_ns = 0;
	struct cell cell;

	cell_init(&cell, bench, NULL, receive_slack, &slack_ns);
	tell(&cell, NULL);
	await(bench, 1);
	ward_assert_eq(slack_ns, 1);
	until_handled(&cell);
	bench_finish(bench);
}

/* ---- what can wait ----------------------------------------------------------------------- */

/* Some find that it is time already, some find that it is not yet. */
static void leave_untidy(struct cell *cell, struct wardi_worker *worker)
{
	int64_t in_ms = atomic_fetch_add(&cell->handled, 1) % 3;

	(void)worker;
	atomic_store(&cell->bench->untidy_ns, now(cell->bench) + in_ms * MS);
}

/* Nothing else happens then: whoever sleeps without a limit must be woken for it. */
static void tidy_again_and_again(const char *dispatcher_name)
{
	const ward_dispatcher pools[] = {{.name = "pool", .threads = 2}, {0}};
	struct bench *bench = bench_start(3, pools);
	struct cell cell;

	cell_init(&cell, bench, dispatcher_name, leave_untidy, NULL);
	for (uint64_t i = 1; i <= 200; i++) {
		tell(&cell, NULL);
		await(bench, i);
	}
	bench_finish(bench);
}

WARD_TEST(threads_what_a_worker_leaves_is_tidied_by_who_is_idle)
{
	tidy_again_and_again(NULL);
}

WARD_TEST(threads_what_a_pool_leaves_is_tidied_by_who_is_idle)
{
	tidy_again_and_again("pool");
}

/* ---- the busy ---------------------------------------------------------------------------- */

struct busy {
	struct cell cell; /* sends to itself until told to stop */
	_Atomic bool begun;
	_Atomic bool stop;
};

static void receive_again(struct cell *cell, struct wardi_worker *worker)
{
	struct busy *busy = cell->arg;

	if (!atomic_exchange(&busy->begun, true))
		done(cell->bench);
	if (!atomic_load(&busy->stop))
		tell(cell, worker);
}

WARD_TEST(threads_busy_worker_serves_timers_and_descriptors_and_outsiders)
{
	struct bench *bench = bench_start(1, NULL);
	struct cell cell;
	struct timer timer = {.cell = &cell, .period_ns = MS};
	struct busy busy = {.stop = false};
	int ends[2];

	ward_assert_eq(pipe(ends), 0);
	cell_init(&busy.cell, bench, NULL, receive_again, &busy);
	cell_init(&cell, bench, NULL, receive_done, NULL);
	tell(&busy.cell, NULL);
	await(bench, 1);
	tell(&cell, NULL);
	await(bench, 2);
	ward_assert_eq(watch(bench, ends[0], &cell), WARD_OK);
	ward_assert_eq(write(ends[1], "x", 1), 1);
	await(bench, 3);
	ward_assert(arm(bench, &timer, now(bench)));
	await(bench, 7);
	wardi_timer_disarm(bench->sched, &timer.node);
	atomic_store(&busy.stop, true);
	until_handled(&busy.cell);
	until_handled(&cell);
	close(ends[0]);
	close(ends[1]);
	bench_finish(bench);
}

struct cancel {
	struct wardi_timer_node node;
	struct bench *bench;
	uint64_t fired; /* under the timers' lock */
};

static void fire_cancel(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct cancel *cancel = wardi_container_of(node, struct cancel, node);

	cancel->fired++;
	wardi_timer_rearm(worker->sched, node, now_ns + 1);
}

WARD_TEST(threads_disarmed_timer_does_not_fire)
{
	struct bench *bench = bench_create(2, NULL);
	struct cancel cancel = {.node.fire = fire_cancel, .bench = bench};

	ward_assert_eq(wardi_sched_start(bench->sched), WARD_OK);
	for (int i = 0; i < 300; i++) {
		ward_assert(wardi_timer_arm(bench->sched, &cancel.node, 0));
		uint64_t fired = 0;
		while (fired == 0) {
			wardi_timers_lock(bench->sched, &cancel.node);
			fired = cancel.fired;
			wardi_timers_unlock(bench->sched, &cancel.node);
		}
		wardi_timer_disarm(bench->sched, &cancel.node);
		/* Not under the lock: were fire() still running, TSan would say so, or this. */
		cancel.fired = 0;
		ward_assert(!cancel.node.armed);
		ward_assert_eq(wardi_timer_count(bench->sched), 0);
	}
	ward_assert_eq(cancel.fired, 0);
	bench_finish(bench);
}

/* ---- descriptors ------------------------------------------------------------------------- */

WARD_TEST(threads_descriptor_wakes_an_idle_system_once_for_each_watch)
{
	struct bench *bench = bench_start(2, NULL);
	struct cell cell;
	int ends[2];
	char byte;

	ward_assert_eq(pipe(ends), 0);
	cell_init(&cell, bench, NULL, receive_done, NULL);
	for (uint64_t i = 1; i <= 500; i++) {
		ward_assert_eq(watch(bench, ends[0], &cell), WARD_OK);
		ward_assert_eq(write(ends[1], "x", 1), 1);
		await(bench, i);
		ward_assert_eq(bench->done, i);
		ward_assert_eq(read(ends[0], &byte, 1), 1);
	}
	close(ends[0]);
	close(ends[1]);
	bench_finish(bench);
}

WARD_TEST_MAIN
