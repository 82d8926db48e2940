/* SPDX-License-Identifier: MIT
 *
 * test_polling.c - when a busy worker looks at the clock and at the descriptors.
 *
 * Method: the worker has no thread; the test says which run is next, on a clock that is stepped.
 * The kernel's answer takes as long as the test wants.
 */
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/polling.h"
#include "sched/state.h"
#include "sched/thread.h"
#include "unit/sched/bench.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

static struct bench *bench;
static int looks, last_found;
static int64_t look_ns;

/* Instead of the C library's. */
int epoll_wait(int epoll_fd, struct epoll_event *events, int count, int timeout)
{
	looks++;
	wardi_clock_step_to(&bench->clock, wardi_clock_now(&bench->clock) + look_ns);
	last_found = (int)syscall(SYS_epoll_pwait, epoll_fd, events, count, timeout, NULL, 8);
	return last_found;
}

struct scene {
	struct wardi_thread *threads[2];
	uint64_t runs[2];
	struct cell cell;
	int ends[2];
};

static void start(struct scene *scene)
{
	bench = bench_create(2, NULL);
	wardi_clock_init(&bench->clock, true);
	wardi_clock_step_to(&bench->clock, MS);
	for (int i = 0; i < 2; i++) {
		scene->threads[i] = wardi_thread_create(dispatcher(bench, NULL), "busy");
		wardi_worker_init(&scene->threads[i]->worker, bench->sched, dispatcher(bench, NULL),
				  0);
		scene->runs[i] = 0;
	}
	cell_init(&scene->cell, bench, NULL, receive_done, NULL);
	ward_assert_eq(pipe(scene->ends), 0);
	ward_assert_eq(watch(bench, scene->ends[0], &scene->cell), WARD_OK);
	looks = 0;
	look_ns = 200;
}

static void finish(struct scene *scene)
{
	wardi_poller_unwatch(bench->sched, scene->ends[0], (uintptr_t)&scene->cell);
	close(scene->ends[0]);
	close(scene->ends[1]);
	for (int i = 0; i < 2; i++)
		wardi_thread_destroy(scene->threads[i]);
	bench_finish(bench);
}

/* One run of that length, as the worker's loop has it. */
static void run_one(struct scene *scene, int which, int64_t ns)
{
	struct wardi_thread *thread = scene->threads[which];
	struct wardi_worker *before = wardi_worker_enter(&thread->worker);

	if (++scene->runs[which] >= thread->look_up_run)
		wardi_worker_look_up(thread, scene->runs[which]);
	wardi_worker_enter(before);
	wardi_clock_step_to(&bench->clock, wardi_clock_now(&bench->clock) + ns);
}

/* Runs of that length for that time. Returns how often it looked at the descriptors. */
static int busy_for(struct scene *scene, int64_t for_ns, int64_t run_ns)
{
	int64_t until_ns = wardi_clock_now(&bench->clock) + for_ns;
	int before = looks;

	while (wardi_clock_now(&bench->clock) < until_ns)
		run_one(scene, 0, run_ns);
	return looks - before;
}

WARD_TEST(vain_looks_take_a_hundredth_of_the_time_whatever_one_costs)
{
	static const int64_t costs[] = {200, 500, 2000, 8000};

	for (int i = 0; i < 4; i++) {
		struct scene scene;

		start(&scene);
		look_ns = costs[i];
		busy_for(&scene, 10 * MS, 20); /* finds out */
		int64_t spent_ns = busy_for(&scene, 100 * MS, 20) * look_ns;
		ward_assert(spent_ns <= 100 * MS / 95);
		ward_assert(spent_ns >= 100 * MS / 130);
		finish(&scene);
	}
}

WARD_TEST(look_comes_after_a_millisecond_however_much_it_costs)
{
	struct scene scene;

	start(&scene);
	look_ns = 300 * US;
	busy_for(&scene, 10 * MS, 20);
	ward_assert(busy_for(&scene, 100 * MS, 20) >= 70);
	finish(&scene);
}

WARD_TEST(busy_workers_share_one_budget)
{
	struct scene scene;

	start(&scene);
	busy_for(&scene, 10 * MS, 20);
	int alone = busy_for(&scene, 10 * MS, 20);
	int before = looks;
	for (int64_t until_ns = wardi_clock_now(&bench->clock) + 10 * MS;
	     wardi_clock_now(&bench->clock) < until_ns;) {
		run_one(&scene, 0, 10);
		run_one(&scene, 1, 10);
	}
	ward_assert(looks - before <= alone + alone / 20);
	finish(&scene);
}

WARD_TEST(long_runs_are_followed_by_a_look_each)
{
	struct scene scene;

	start(&scene);
	busy_for(&scene, 10 * MS, 20);
	busy_for(&scene, 10 * MS, 5 * US);
	/* Three runs of five microseconds, at most, between two looks of twenty. */
	ward_assert(busy_for(&scene, 10 * MS, 5 * US) >= 250);
	busy_for(&scene, 10 * MS, 100 * US);
	ward_assert(busy_for(&scene, 10 * MS, 100 * US) >= 99);
	finish(&scene);
}

/* Runs until the next look. Returns the time. */
static int64_t until_look(struct scene *scene, int64_t run_ns)
{
	int64_t from_ns = wardi_clock_now(&bench->clock);
	int before = looks;

	while (looks == before)
		run_one(scene, 0, run_ns);
	return wardi_clock_now(&bench->clock) - from_ns;
}

static void find_something(struct scene *scene)
{
	uint64_t found = atomic_load(&scene->cell.pending);

	ward_assert_eq(write(scene->ends[1], "x", 1), 1);
	until_look(scene, 20);
	ward_assert_eq(atomic_load(&scene->cell.pending), found + 1);
}

/* What the look has found is run. */
static void run_found(struct scene *scene, int64_t ns)
{
	struct wardi_thread *thread = scene->threads[0];
	struct wardi_runnable *runnable = wardi_runqueue_pop(&thread->queue);
	char byte;

	ward_assert(runnable == &scene->cell.runnable);
	run_one(scene, 0, ns);
	ward_assert_eq(read(scene->ends[0], &byte, 1), 1);
	atomic_store(&scene->cell.pending, 0);
	ward_assert_eq(watch(bench, scene->ends[0], &scene->cell), WARD_OK);
}

WARD_TEST(look_that_found_something_is_followed_by_another_soon_then_less_and_less_often)
{
	struct scene scene;

	start(&scene);
	busy_for(&scene, 10 * MS, 20);
	find_something(&scene);
	run_found(&scene, 1 * US);
	int64_t first_ns = until_look(&scene, 20), second_ns = until_look(&scene, 20);
	ward_assert(first_ns < 6 * US);
	ward_assert(second_ns > first_ns && second_ns < 12 * US);
	finish(&scene);
}

/* A descriptor that is watched, and never ready: else nobody looks after a notice of the other. */
struct silent {
	struct cell cell;
	int ends[2];
};

static void start_beside(struct scene *scene, struct silent *silent)
{
	start(scene);
	cell_init(&silent->cell, bench, NULL, receive_done, NULL);
	ward_assert_eq(pipe(silent->ends), 0);
	ward_assert_eq(watch(bench, silent->ends[0], &silent->cell), WARD_OK);
	busy_for(scene, 10 * MS, 20);
}

static void finish_beside(struct scene *scene, struct silent *silent)
{
	wardi_poller_unwatch(bench->sched, silent->ends[0], (uintptr_t)&silent->cell);
	close(silent->ends[0]);
	close(silent->ends[1]);
	finish(scene);
}

/* As a worker without work. */
static void serve(struct scene *scene)
{
	struct wardi_worker *before = wardi_worker_enter(&scene->threads[0]->worker);

	wardi_worker_serve(scene->threads[0], 0);
	wardi_worker_enter(before);
}

static void find_without_work(struct scene *scene)
{
	ward_assert_eq(write(scene->ends[1], "x", 1), 1);
	serve(scene);
	ward_assert_eq(atomic_load(&scene->cell.pending), 1);
}

/* As the connections of clients that a server has stopped to read from. */
WARD_TEST(ready_descriptors_that_nobody_waits_for_do_not_fill_the_looks_of_a_busy_worker)
{
	enum { PAUSED = 200 };
	struct wardi_watch_list list = {NULL};
	struct scene scene;
	struct cell paused;
	int ends[PAUSED][2];

	start(&scene);
	cell_init(&paused, bench, NULL, receive_done, NULL);
	for (int i = 0; i < PAUSED; i++) {
		ward_assert_eq(pipe(ends[i]), 0);
		ward_assert_eq(write(ends[i][1], "x", 1), 1);
		ward_assert_eq(watch_as(bench->sched, ends[i][0], WARD_FD_READ, (uintptr_t)&paused,
					(struct watch_options){.list = &list, .standing = true}),
			       WARD_OK);
	}
	while (atomic_load(&paused.pending) < PAUSED) {
		run_one(&scene, 0, 20);
		(void)wardi_runqueue_pop(&scene.threads[0]->queue);
	}
	ward_assert(last_found > 0);
	busy_for(&scene, 100 * MS, 1 * US);
	ward_assert_eq(last_found, 0);
	for (int i = 0; i < PAUSED; i++) {
		wardi_poller_unwatch(bench->sched, ends[i][0], (uintptr_t)&paused);
		close(ends[i][0]);
		close(ends[i][1]);
	}
	finish(&scene);
}

WARD_TEST(what_an_idle_worker_has_found_has_its_turns_before_the_next_look)
{
	struct scene scene;
	struct silent silent;

	start_beside(&scene, &silent);
	find_without_work(&scene);
	ward_assert_eq(busy_for(&scene, 10 * MS, 5 * US), 0);
	run_found(&scene, 1 * US);
	ward_assert(busy_for(&scene, 10 * MS, 5 * US) > 0);
	finish_beside(&scene, &silent);
}

WARD_TEST(what_was_found_before_a_sleep_is_no_reason_not_to_look)
{
	struct scene scene;
	struct silent silent;

	start_beside(&scene, &silent);
	find_without_work(&scene);
	run_found(&scene, 1 * US);
	serve(&scene); /* nothing */
	wardi_clock_step_to(&bench->clock, wardi_clock_now(&bench->clock) + 3000 * MS);
	ward_assert(until_look(&scene, 20) < 2 * MS);
	finish_beside(&scene, &silent);
}

WARD_TEST(actors_beside_ready_descriptors_have_a_fifth_of_the_worker)
{
	struct scene scene;

	start(&scene);
	busy_for(&scene, 10 * MS, 20);
	find_something(&scene);
	run_found(&scene, 900 * US);
	int64_t others_ns = until_look(&scene, 20);
	ward_assert(others_ns >= 220 * US && others_ns <= 250 * US);
	finish(&scene);
}

WARD_TEST_MAIN
