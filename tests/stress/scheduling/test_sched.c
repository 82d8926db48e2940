/* SPDX-License-Identifier: MIT
 *
 * test_sched.c - the scheduler for longer: millions of runnables made ready, and an idle system
 * that does nothing at all.
 *
 * Method: see crowd.h and bench.h; for idleness the kernel's count of how often each thread waited.
 */
#include "unit/sched/crowd.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ward/fd.h>

#include "base/spin.h"
#include "sched/state.h"

#if defined(__SANITIZE_THREAD__)
#define SCALE 4
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SCALE 4
#endif
#endif
#ifndef SCALE
#define SCALE 20
#endif

WARD_TEST(stress_two_workers_lose_nothing)
{
	run_crowd(2, SCALE * UINT64_C(100000), SCALE * UINT64_C(500000), false);
}

WARD_TEST(stress_eight_workers_lose_nothing)
{
	run_crowd(8, SCALE * UINT64_C(50000), SCALE * UINT64_C(200000), false);
}

WARD_TEST(stress_mixed_dispatchers_lose_nothing)
{
	run_crowd(3, SCALE * UINT64_C(10000), SCALE * UINT64_C(50000), true);
}

struct rally {
	struct cell players[2];
	_Atomic int64_t left;
};

static void receive_ball(struct cell *cell, struct wardi_worker *worker)
{
	struct rally *rally = cell->arg;
	uint64_t pauses = wardi_random_below(&worker->random, 64);

	while (pauses-- > 0)
		wardi_pause();
	if (atomic_fetch_sub(&rally->left, 1) > 1)
		tell(&rally->players[cell == &rally->players[0]], worker);
	else
		done(cell->bench);
}

/* The look of each thread ends about when the ball comes. */
WARD_TEST(stress_pools_that_hardly_wait_lose_nothing)
{
	static const ward_dispatcher pools[] = {
		{.name = "here", .threads = 1}, {.name = "there", .threads = 1}, {0}};
	struct bench *bench = bench_create(1, pools);
	struct rally rally = {.left = SCALE * 10000};

	bench->sched->patience_ns = 1;
	ward_assert_eq(wardi_sched_start(bench->sched), WARD_OK);
	cell_init(&rally.players[0], bench, "here", receive_ball, &rally);
	cell_init(&rally.players[1], bench, "there", receive_ball, &rally);
	tell(&rally.players[0], NULL);
	await(bench, 1);
	bench_finish(bench);
}

enum { WATCHED_MAX = 16 };

struct watched {
	long threads[WATCHED_MAX];
	int count;
};

/* Reads a line of a thread's status; false: the thread has no such line. */
static bool read_status(long thread, const char *format, void *ret_value)
{
	char path[64], line[200];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/status", thread);
	FILE *status = fopen(path, "r");
	ward_assert(status != NULL);
	while (!found && fgets(line, sizeof(line), status) != NULL)
		found = sscanf(line, format, ret_value) == 1;
	fclose(status);
	return found;
}

/* The scheduler's threads: those with a name of their own. A sanitizer has threads, too. */
static struct watched watch_threads(void)
{
	struct watched watched = {.count = 0};
	char own[64], name[64];
	DIR *tasks = opendir("/proc/self/task");

	ward_assert(tasks != NULL);
	ward_assert(read_status(getpid(), "Name: %63s", own));
	for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
		long id = strtol(task->d_name, NULL, 10);
		if (id == 0 || !read_status(id, "Name: %63s", name) || strcmp(name, own) == 0)
			continue;
		ward_assert(watched.count < WATCHED_MAX);
		watched.threads[watched.count++] = id;
	}
	closedir(tasks);
	return watched;
}

/* How often they gave up the processor of themselves, together. */
static uint64_t waits(const struct watched *watched)
{
	uint64_t sum = 0;

	for (int i = 0; i < watched->count; i++) {
		unsigned long long count = 0;
		ward_assert(
			read_status(watched->threads[i], "voluntary_ctxt_switches: %llu", &count));
		ward_assert(count > 0);
		sum += count;
	}
	return sum;
}

/* Lets real time pass, by a timer of a system that is not the one under test. */
static void pass(struct bench *other, struct timer *timer, int64_t ns)
{
	uint64_t before = other->done;

	ward_assert(
		wardi_timer_arm(other->sched, &timer->node, wardi_clock_now(&other->clock) + ns));
	await(other, before + 1);
}

WARD_TEST(stress_idle_system_makes_no_wake_up)
{
	struct bench *bench = bench_start(4, NULL);
	struct cell cells[3], other_cell;
	struct timer timer = {.node.fire = fire, .cell = &cells[0]};
	struct timer other_timer = {.node.fire = fire, .cell = &other_cell};
	int64_t in_an_hour = wardi_clock_now(&bench->clock) + INT64_C(3600000000000);
	int ends[2];

	cell_init(&cells[0], bench, NULL, receive_done, NULL);
	cell_init(&cells[1], bench, "ward.blocking", receive_done, NULL);
	cell_init(&cells[2], bench, "ward.pinned", receive_done, NULL);
	ward_assert(wardi_timer_arm(bench->sched, &timer.node, in_an_hour));
	ward_assert_eq(pipe(ends), 0);
	ward_assert_eq(watch(bench, ends[0], &cells[0]), WARD_OK);
	for (int i = 0; i < 3; i++)
		tell(&cells[i], NULL);
	await(bench, 3);
	struct watched watched = watch_threads();
	ward_assert_eq(watched.count, 6);

	/* It comes to rest in some milliseconds; how many depends on the machine's load. A system
	 * that never rests stays in this loop, up to the runner's time limit. */
	struct bench *other = bench_start(1, NULL);
	uint64_t before, after = 0;
	cell_init(&other_cell, other, NULL, receive_done, NULL);
	do {
		before = after;
		pass(other, &other_timer, INT64_C(300000000));
		after = waits(&watched);
	} while (after != before);
	/* And stays at rest. */
	pass(other, &other_timer, INT64_C(1000000000));
	ward_assert_eq(waits(&watched), before);
	/* It was asleep, not dead. */
	ward_assert_eq(write(ends[1], "x", 1), 1);
	await(bench, 4);
	close(ends[0]);
	close(ends[1]);
	wardi_timer_disarm(bench->sched, &timer.node);
	bench_finish(other);
	bench_finish(bench);
}

WARD_TEST_MAIN
