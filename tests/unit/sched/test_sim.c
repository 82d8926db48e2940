/* SPDX-License-Identifier: MIT
 *
 * test_sim.c - the simulated scheduler: what is ready runs once, in an order that the seed alone
 * decides; time goes from timer to timer; descriptors are reported by number.
 *
 * Method: runnables that note their number when they run, timers that note theirs, and pipes.
 */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/random.h"
#include "sched/dispatcher.h"
#include "sched/poller.h"
#include "sched/sched.h"
#include "sched/sim.h"
#include "sched/timers.h"
#include "unit/sched/stepped.h"

WARD_TEST(sim_same_seed_gives_same_order_another_seed_another)
{
	static struct noter noters[100];
	struct sim *a = sim_start(7, NULL);
	struct sim *b = sim_start(7, NULL);
	struct sim *c = sim_start(8, NULL);

	run_all(a, noters, 100, 2);
	run_all(b, noters, 100, 2);
	run_all(c, noters, 100, 2);
	ward_assert_eq(a->count, 300);
	ward_assert_eq(b->count, 300);
	ward_assert_eq(c->count, 300);
	ward_assert(memcmp(a->notes, b->notes, sizeof(a->notes)) == 0);
	ward_assert(memcmp(a->notes, c->notes, sizeof(a->notes)) != 0);
	sim_finish(a);
	sim_finish(b);
	sim_finish(c);
}

WARD_TEST(sim_each_order_of_three_comes_up)
{
	bool seen[27] = {false};

	for (uint64_t seed = 0; seed < 200; seed++) {
		struct noter noters[3];
		struct sim *sim = sim_start(seed, NULL);
		run_all(sim, noters, 3, 0);
		seen[sim->notes[0] * 9 + sim->notes[1] * 3 + sim->notes[2]] = true;
		sim_finish(sim);
	}
	int orders = 0;
	for (int i = 0; i < 27; i++)
		orders += seen[i];
	ward_assert_eq(orders, 6);
}

/* Returns memory until `left` is used up. */
static void *scarce_alloc(void *arg, size_t size)
{
	int *left = arg;
	return (*left)-- > 0 ? malloc(size) : NULL;
}

static void scarce_free(void *arg, void *block, size_t size)
{
	(void)arg;
	(void)size;
	free(block);
}

WARD_TEST(sim_without_memory_for_the_bag_everything_runs_once)
{
	for (int grants = 0; grants < 4; grants++) {
		static struct noter noters[1000];
		bool seen[1000] = {false};
		int left = 100;
		struct ward_allocator hooks = {scarce_alloc, scarce_free, &left};
		struct sim *sim = sim_start(1, &hooks);

		left = grants;
		run_all(sim, noters, 1000, 0);
		ward_assert_eq(sim->count, 1000);
		for (int i = 0; i < 1000; i++) {
			ward_assert(!seen[sim->notes[i]]);
			seen[sim->notes[i]] = true;
		}
		sim_finish(sim);
	}
}

WARD_TEST(sim_create_without_memory_leaves_nothing)
{
	int grants = 0;

	for (;; grants++) {
		int left = grants;
		struct ward_allocator hooks = {scarce_alloc, scarce_free, &left};
		struct sim sim = {0};
		struct wardi_sched_options options = {.alloc = &sim.alloc,
						      .clock = &sim.clock,
						      .shards = sim.shards,
						      .hooks = {HOOKS, .fd_ready = fd_ready},
						      .arg = &sim,
						      .simulated = true};
		wardi_alloc_init(&sim.alloc, &hooks, false);
		wardi_clock_init(&sim.clock, true);
		ward_err err = wardi_sched_create(&options, &sim.sched);
		if (err == WARD_OK) {
			wardi_sched_destroy(sim.sched);
			ward_assert_eq(sim.ended, 1);
			ward_assert_eq(sim.alloc.blocks, 0);
			break;
		}
		ward_assert_eq(err, WARD_ENOMEM);
		ward_assert_eq(sim.alloc.blocks, 0);
	}
	ward_assert(grants >= 3);
}

WARD_TEST(sim_advance_goes_from_timer_to_timer_ties_by_arming)
{
	struct sim *sim = sim_start(1, NULL);
	struct timer timers[5] = {
		{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}, {.number = 4}};
	static const int64_t deadlines[5] = {50, 20, 90, 20, 20};

	for (int i = 0; i < 5; i++)
		ward_assert(arm(sim, &timers[i], deadlines[i]));
	ward_assert(arm(sim, &timers[1], 20)); /* again: now the last of its time */
	wardi_timer_disarm(sim->sched, &timers[0].node);
	wardi_timer_disarm(sim->sched, &timers[0].node);
	ward_assert_eq(wardi_timer_count(sim->sched), 4);

	ward_assert(!wardi_sched_advance(sim->sched, 19));
	ward_assert_eq(wardi_clock_now(&sim->clock), 19);
	ward_assert(wardi_sched_advance(sim->sched, 1000));
	ward_assert_eq(wardi_clock_now(&sim->clock), 20);
	ward_assert_eq(sim->count, 3);
	ward_assert_eq(sim->notes[0], 3);
	ward_assert_eq(sim->notes[1], 4);
	ward_assert_eq(sim->notes[2], 1);
	ward_assert(wardi_sched_advance(sim->sched, INT64_MAX));
	ward_assert_eq(sim->notes[3], 2);
	ward_assert(!wardi_sched_advance(sim->sched, INT64_MAX));
	ward_assert_eq(wardi_clock_now(&sim->clock), 90);
	ward_assert(!wardi_sched_advance(sim->sched, 100));
	ward_assert_eq(wardi_clock_now(&sim->clock), 100);
	ward_assert_eq(wardi_clock_wall(&sim->clock), 100);
	sim_finish(sim);
}

WARD_TEST(sim_timer_armed_again_inside_fire_needs_no_memory)
{
	int left = 100;
	struct ward_allocator hooks = {scarce_alloc, scarce_free, &left};
	struct sim *sim = sim_start(1, &hooks);
	struct timer timer = {.number = 9};

	sim->every_ns = 10;
	ward_assert(arm(sim, &timer, 10));
	left = 0;
	for (int i = 1; i <= 100; i++) {
		ward_assert(wardi_sched_advance(sim->sched, INT64_MAX));
		ward_assert_eq(wardi_clock_now(&sim->clock), i * 10);
	}
	ward_assert_eq(sim->count, 100);
	wardi_timer_disarm(sim->sched, &timer.node);
	ward_assert(!wardi_sched_advance(sim->sched, INT64_MAX));
	sim_finish(sim);
}

/* Against a plain array: the earliest of those armed, the first armed among equals. */
WARD_TEST(timers_random_arming_and_disarming_fires_in_order)
{
	enum { TIMERS = 300, ROUNDS = 3000 };
	static struct timer timers[TIMERS];
	struct sim *sim = sim_start(1, NULL);
	struct wardi_random random;

	memset(timers, 0, sizeof(timers));
	wardi_random_init(&random, 42);
	for (int round = 0; round < ROUNDS; round++) {
		size_t i = wardi_random_below(&random, TIMERS);
		timers[i].number = i;
		if (wardi_random_below(&random, 4) == 0)
			wardi_timer_disarm(sim->sched, &timers[i].node);
		else
			ward_assert(arm(sim, &timers[i], (int64_t)wardi_random_below(&random, 50)));
	}
	uint64_t armed = wardi_timer_count(sim->sched);
	int64_t deadline = -1;
	uint64_t order = 0;
	ward_assert(armed > TIMERS / 2);
	while (wardi_sched_advance(sim->sched, INT64_MAX))
		;
	ward_assert_eq(sim->count, armed);
	for (size_t i = 0; i < sim->count; i++) {
		const struct wardi_timer_node *node = &timers[sim->notes[i]].node;
		ward_assert(node->deadline_ns > deadline ||
			    (node->deadline_ns == deadline && node->order > order));
		deadline = node->deadline_ns;
		order = node->order;
	}
	sim_finish(sim);
}

WARD_TEST(timers_arming_without_memory_is_refused_and_harmless)
{
	static struct timer timers[100];
	int left = 100;
	struct ward_allocator hooks = {scarce_alloc, scarce_free, &left};
	struct sim *sim = sim_start(1, &hooks);
	size_t armed = 0;

	memset(timers, 0, sizeof(timers));
	left = 1;
	while (armed < 100 && arm(sim, &timers[armed], 5))
		armed++;
	ward_assert(armed > 0 && armed < 100);
	ward_assert_eq(wardi_timer_count(sim->sched), armed);
	ward_assert(arm(sim, &timers[0], 6)); /* it has its place */
	while (wardi_sched_advance(sim->sched, INT64_MAX))
		;
	ward_assert_eq(sim->count, armed);
	sim_finish(sim);
}

WARD_TEST(sim_descriptors_are_reported_once_by_number_when_nothing_is_ready)
{
	struct sim *sim = sim_start(1, NULL);
	struct noter noter = {.number = 1};
	int pipes[3][2];

	for (int i = 0; i < 3; i++)
		ward_assert_eq(pipe(pipes[i]), 0);
	for (uint64_t i = 0; i < 3; i++)
		ward_assert_eq(watch(sim, pipes[2 - i][0], WARD_FD_READ, 12 - i), 0);
	ward_assert(!wardi_sched_step(sim->sched));
	ward_assert_eq(write(pipes[2][1], "x", 1), 1);
	ward_assert_eq(write(pipes[0][1], "x", 1), 1);
	ward_assert_eq(close(pipes[1][1]), 0);

	wardi_sched_ready(sim->sched, NULL, &noter.runnable);
	ward_assert(wardi_sched_step(sim->sched));
	ward_assert_eq(sim->count, 1);
	ward_assert(!wardi_sched_step(sim->sched));
	ward_assert_eq(sim->count, 4);
	ward_assert_eq(sim->notes[1], 10 << 8 | WARD_FD_READ);
	ward_assert_eq(sim->notes[2], 11 << 8 | WARD_FD_READ | WARD_FD_HANGUP);
	ward_assert_eq(sim->notes[3], 12 << 8 | WARD_FD_READ);
	ward_assert(!wardi_sched_step(sim->sched));
	ward_assert_eq(sim->count, 4);
	ward_assert(!wardi_sched_poll(sim->sched));

	for (int i = 0; i < 3; i++) {
		close(pipes[i][0]);
		if (i != 1)
			close(pipes[i][1]);
	}
	sim_finish(sim);
}

WARD_TEST(poller_watch_of_another_key_is_refused_until_notice_or_unwatch)
{
	struct sim *sim = sim_start(1, NULL);
	int ends[2];

	ward_assert_eq(pipe(ends), 0);
	ward_assert_eq(watch(sim, ends[1], WARD_FD_READ, 1), WARD_OK);
	ward_assert_eq(watch(sim, ends[1], WARD_FD_WRITE, 2), WARD_EEXIST);
	ward_assert(!wardi_sched_step(sim->sched));
	ward_assert_eq(sim->count, 0);
	ward_assert_eq(watch(sim, ends[1], WARD_FD_WRITE, 1), WARD_OK); /* changes */
	ward_assert(wardi_sched_poll(sim->sched));
	ward_assert_eq(sim->notes[0], 1 << 8 | WARD_FD_WRITE);

	ward_assert_eq(watch(sim, ends[1], WARD_FD_WRITE, 2), WARD_OK);
	wardi_poller_unwatch(sim->sched, ends[1], 2);
	wardi_poller_unwatch(sim->sched, ends[1], 2);
	ward_assert(!wardi_sched_step(sim->sched));
	ward_assert_eq(sim->count, 1);
	close(ends[0]);
	close(ends[1]);

	/* The same numbers, new descriptors. */
	ward_assert_eq(pipe(ends), 0);
	ward_assert_eq(watch(sim, ends[1], WARD_FD_WRITE, 3), WARD_OK);
	ward_assert(!wardi_sched_step(sim->sched));
	ward_assert_eq(sim->notes[1], 3 << 8 | WARD_FD_WRITE);
	close(ends[0]);
	close(ends[1]);
	sim_finish(sim);
}

/* Between the kernel's answer and the notice the watch is taken back, and the number belongs to
 * another descriptor, which is not ready. */
static int replaced_fd, replacing_fd;

static bool fd_ready_replaces(struct wardi_worker *worker, const struct wardi_notice *notice)
{
	(void)fd_ready(worker, notice);
	if (notice->owner != 1)
		return true;
	wardi_poller_unwatch(worker->sched, replaced_fd, 2);
	ward_assert_eq(dup2(replacing_fd, replaced_fd), replaced_fd);
	ward_assert_eq(watch(wardi_sched_arg(worker->sched), replaced_fd, WARD_FD_READ, 3),
		       WARD_OK);
	return true;
}

WARD_TEST(poller_late_notice_does_not_reach_the_next_watch_of_the_number)
{
	struct sim *sim = sim_create(1, NULL, fd_ready_replaces);
	int a[2], b[2], c[2];

	ward_assert_eq(pipe(a), 0);
	ward_assert_eq(pipe(b), 0);
	ward_assert_eq(pipe(c), 0);
	ward_assert(a[0] < b[0]);
	replaced_fd = b[0];
	replacing_fd = c[0];
	ward_assert_eq(write(a[1], "x", 1), 1);
	ward_assert_eq(write(b[1], "x", 1), 1);
	ward_assert_eq(watch(sim, a[0], WARD_FD_READ, 1), WARD_OK);
	ward_assert_eq(watch(sim, b[0], WARD_FD_READ, 2), WARD_OK);
	ward_assert(!wardi_sched_step(sim->sched));
	ward_assert_eq(sim->count, 1);
	ward_assert_eq(sim->notes[0], 1 << 8 | WARD_FD_READ);
	ward_assert_eq(write(c[1], "x", 1), 1);
	ward_assert(wardi_sched_poll(sim->sched));
	ward_assert_eq(sim->count, 2);
	ward_assert_eq(sim->notes[1], 3 << 8 | WARD_FD_READ);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
		close(c[i]);
	}
	sim_finish(sim);
}

WARD_TEST(poller_what_cannot_be_watched_is_refused)
{
	struct sim *sim = sim_start(1, NULL);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	ward_assert(file >= 0);
	ward_assert_eq(watch(sim, file, WARD_FD_READ, 1), WARD_EINVAL);
	ward_assert_eq(watch(sim, file, WARD_FD_HANGUP, 1), WARD_EINVAL);
	ward_assert_eq(watch(sim, -1, WARD_FD_READ, 1), WARD_ESYS);
	ward_assert_eq(watch(sim, 1 << 30, WARD_FD_READ, 1), WARD_ESYS);
	wardi_poller_unwatch(sim->sched, -1, 1);
	wardi_poller_unwatch(sim->sched, 1 << 30, 1);
	ward_assert(!wardi_sched_poll(sim->sched));
	close(file);
	sim_finish(sim);
}

WARD_TEST(sim_dispatchers_by_name)
{
	struct sim *sim = sim_start(1, NULL);
	struct wardi_dispatcher *found = NULL;

	ward_assert_eq(wardi_dispatcher_acquire(sim->sched, NULL, &found), WARD_OK);
	ward_assert(!wardi_dispatcher_blocks(found));
	ward_assert_eq(wardi_dispatcher_acquire(sim->sched, "ward.blocking", &found), WARD_OK);
	ward_assert(wardi_dispatcher_blocks(found));
	wardi_dispatcher_release(found);
	ward_assert_eq(wardi_dispatcher_acquire(sim->sched, "ward.pinned", &found), WARD_OK);
	ward_assert(wardi_dispatcher_blocks(found));
	wardi_dispatcher_release(found);
	found = NULL;
	ward_assert_eq(wardi_dispatcher_acquire(sim->sched, "nowhere", &found), WARD_ENOENT);
	ward_assert_eq(wardi_dispatcher_acquire(sim->sched, "", &found), WARD_ENOENT);
	ward_assert(found == NULL);
	sim_finish(sim);
}

/* Creates with these pools and gives what that answers. */
static ward_err create_with(const ward_dispatcher *pools)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	struct wardi_sched_options options = {.alloc = &sim->alloc,
					      .clock = &sim->clock,
					      .shards = sim->shards,
					      .hooks = {HOOKS, .fd_ready = fd_ready},
					      .arg = sim,
					      .dispatchers = pools,
					      .simulated = true};
	wardi_alloc_init(&sim->alloc, NULL, false);
	wardi_clock_init(&sim->clock, true);
	ward_err err = wardi_sched_create(&options, &sim->sched);
	if (err == WARD_OK)
		wardi_sched_destroy(sim->sched);
	ward_assert_eq(sim->alloc.blocks, 0);
	free(sim);
	return err;
}

WARD_TEST(dispatchers_wrong_pools_are_refused)
{
	ward_assert_eq(create_with((ward_dispatcher[]){
			       {.name = "a", .threads = 1}, {.name = "b", .threads = 2}, {0}}),
		       WARD_OK);
	ward_assert_eq(create_with((ward_dispatcher[]){
			       {.name = "a", .threads = 1}, {.name = "a", .threads = 2}, {0}}),
		       WARD_EEXIST);
	ward_assert_eq(create_with((ward_dispatcher[]){{.name = "ward.mine", .threads = 1}, {0}}),
		       WARD_EEXIST);
	ward_assert_eq(create_with((ward_dispatcher[]){{.name = "", .threads = 1}, {0}}),
		       WARD_EINVAL);
	ward_assert_eq(create_with((ward_dispatcher[]){{.name = "a", .threads = 0}, {0}}),
		       WARD_EINVAL);
}

/* ---- put off ----------------------------------------------------------------------------- */

struct off {
	struct wardi_put_off off;
	uint64_t number;
};

static void off_due(struct wardi_worker *worker, struct wardi_put_off *off)
{
	note(worker->context, wardi_container_of(off, struct off, off)->number);
}

WARD_TEST(sim_what_is_put_off_comes_by_time_then_by_order_of_arrival)
{
	static const int64_t at_ns[] = {30, 10, 20, 10, 30, 5};
	static const uint64_t wanted[] = {5, 1, 3, 2, 0, 4};
	struct sim *sim = sim_start(1, NULL);
	struct off offs[6];
	for (uint64_t i = 0; i < 6; i++) {
		offs[i].number = i;
		wardi_sched_put_off(sim->sched, &offs[i].off, at_ns[i], off_due);
	}
	ward_assert(wardi_sched_advance(sim->sched, INT64_MAX));
	ward_assert_eq(wardi_clock_now(&sim->clock), 5);
	while (wardi_sched_advance(sim->sched, 30))
		;
	for (size_t i = 0; i < 6; i++)
		ward_assert_eq(sim->notes[i], wanted[i]);
	sim_finish(sim);
}

WARD_TEST(sim_what_is_taken_back_never_comes)
{
	struct sim *sim = sim_start(1, NULL);
	struct off one = {.number = 1}, two = {.number = 2};
	wardi_sched_put_off(sim->sched, &one.off, 10, off_due);
	wardi_sched_put_off(sim->sched, &two.off, 20, off_due);
	wardi_sched_take_back(&one.off);
	ward_assert(wardi_sched_advance(sim->sched, INT64_MAX));
	ward_assert(!wardi_sched_advance(sim->sched, INT64_MAX));
	ward_assert_eq(sim->count, 1);
	ward_assert_eq(sim->notes[0], 2);
	sim_finish(sim);
}

WARD_TEST(sim_timers_of_two_owners_tie_by_seed_and_those_of_one_keep_their_order)
{
	bool seen[2] = {false, false};
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct sim *sim = sim_start(seed, NULL);
		struct timer timers[4];
		memset(timers, 0, sizeof timers);
		for (uint64_t i = 0; i < 4; i++) {
			timers[i].number = i;
			timers[i].node.owner = i % 2 + 1;
			ward_assert(arm(sim, &timers[i], 10));
		}
		ward_assert(wardi_sched_advance(sim->sched, 10));
		ward_assert_eq(sim->count, 4);
		uint64_t first = sim->notes[0];
		ward_assert(first < 2);
		seen[first] = true;
		ward_assert_eq(sim->notes[1], first + 2);
		ward_assert_eq(sim->notes[2], 1 - first);
		ward_assert_eq(sim->notes[3], 3 - first);
		sim_finish(sim);
	}
	ward_assert(seen[0] && seen[1]);
}

WARD_TEST_MAIN
