/* SPDX-License-Identifier: MIT
 *
 * test_select_many.c - a pattern that matches many: in portions, in order, while they come and go.
 *
 * Method: a boss with hundreds of workers; numbers are sent to all of them by path. Steps are
 * single, so that the test can act between two portions: when the first worker has something and
 * the last one has nothing yet.
 */
#include <stdio.h>
#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum {
	PORTION = 128, /* as in selection.c */
	WORKERS = 500,
	WORKERS_SHORT = PORTION + 12, /* for each of their allocations all begins again */
	NUMBERS_MAX = 8
};

static int workers; /* so many */

struct number {
	int number;
};
WARD_MESSAGE(number);
struct more {
	int first, count;
};
WARD_MESSAGE(more);
WARD_SIGNAL(fall);

static struct {
	ward_kit *kit;
	ward_ref boss, workers[2 * WORKERS];
	int got[2 * WORKERS][NUMBERS_MAX], counts[2 * WORKERS];
	int total;
} world;

struct worker_args {
	int index;
};
WARD_MESSAGE(worker_args);

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct number *number = ward_match(msg, number);
	int index = ((const struct worker_args *)ward_args(self))->index;

	(void)state;
	if (number == NULL)
		return WARD_UNHANDLED;
	ward_assert(world.counts[index] < NUMBERS_MAX);
	world.got[index][world.counts[index]++] = number->number;
	world.total++;
	return WARD_DONE;
}

static const ward_behavior worker = {
	.name = "worker", .args = &ward_type_worker_args, .receive = worker_receive};

static ward_result keep_children(ward_self *self, void *state, const ward_failure *why,
				 const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)why;
	(void)msg;
	return WARD_DONE;
}

static const ward_failure_class fell = {.name = "fell", .parent = &ward_exception};

static ward_result boss_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct more *more = ward_match(msg, more);
	const struct number *number = ward_match(msg, number);
	char name[16];

	(void)state;
	if (ward_match(msg, fall) != NULL)
		return ward_failed(self, &fell, "down");
	if (number != NULL) {
		ward_select_tell(self, "*", number, .number = number->number);
		return WARD_DONE;
	}
	if (more == NULL)
		return WARD_UNHANDLED;
	for (int i = more->first; i < more->first + more->count; i++) {
		snprintf(name, sizeof(name), "w%d", i);
		ward_assert_ok(ward_try_spawn(
			self, WARD_PROPS(&worker, .name = name, .args = WARD_ARGS(worker_args, i)),
			&world.workers[i]));
	}
	return WARD_DONE;
}

static const ward_behavior boss = {
	.name = "boss", .receive = boss_receive, .pre_restart = keep_children};

static void start_with(ward_kit_options options)
{
	memset(&world, 0, sizeof(world));
	workers = ward_test_shortage() ? WORKERS_SHORT : WORKERS;
	world.kit = ward_kit_start(&options);
	world.boss = ward_kit_spawn(world.kit, &boss, .name = "boss");
	ward_kit_tell(world.kit, world.boss, more, .first = 0, .count = workers);
	ward_kit_run(world.kit);
}

static void start(void)
{
	start_with((ward_kit_options){.seed = ward_test_seed()});
}

static void select_number(int number)
{
	ward_system_select_tell(ward_kit_system(world.kit), "/user/boss/*", number,
				.number = number);
}

static bool has_some(int index)
{
	ward_actor_info info;

	return world.counts[index] > 0 ||
	       (ward_kit_info(world.kit, world.workers[index], &info) && info.has_mail);
}

/* Until the first worker has got it. True: the last one has not, a portion was served. */
static bool step_to_portion(void)
{
	while (!has_some(0))
		ward_assert(ward_kit_step(world.kit));
	return !has_some(workers - 1);
}

static void check_all_got(int first, int last, int numbers)
{
	for (int i = first; i < last; i++) {
		ward_assert_eq(world.counts[i], numbers);
		for (int n = 0; n < numbers; n++)
			ward_assert_eq(world.got[i][n], n + 1);
	}
}

WARD_TEST(many_are_served_in_portions_and_others_run_meanwhile, "S58")
{
	start();
	select_number(1);
	ward_assert(step_to_portion());
	ward_assert(!has_some(PORTION));
	ward_kit_run(world.kit);
	check_all_got(0, workers, 1);
	ward_assert_eq(world.total, workers);
	ward_kit_finish(world.kit);
}

WARD_TEST(selections_along_the_same_path_keep_their_order, "S58", "S4")
{
	WARD_TEST_SEEDS(20)
	{
		start();
		for (int number = 1; number <= 3; number++) {
			select_number(number);
			for (int i = 0; i < number; i++)
				ward_kit_step(world.kit);
		}
		ward_kit_run(world.kit);
		check_all_got(0, workers, 3);
		ward_kit_finish(world.kit);
	}
}

WARD_TEST(boss_selects_behind_what_is_under_way_and_in_order, "S58")
{
	start();
	ward_kit_tell(world.kit, world.boss, number, .number = 1);
	ward_kit_tell(world.kit, world.boss, number, .number = 2);
	ward_assert(step_to_portion());
	ward_kit_tell(world.kit, world.boss, number, .number = 3);
	ward_kit_run(world.kit);
	check_all_got(0, workers, 3);
	ward_kit_finish(world.kit);
}

WARD_TEST(order_holds_while_receivers_end, "S58")
{
	size_t between = 0;
	WARD_TEST_SEEDS(20)
	{
		start();
		select_number(1);
		between += step_to_portion();
		select_number(2);
		/* those at the head end: the second one must not get past the first */
		for (int i = 0; i < workers; i += 2)
			ward_system_stop(ward_kit_system(world.kit), world.workers[i]);
		ward_kit_run(world.kit);
		for (int i = 1; i < workers; i += 2)
			check_all_got(i, i + 1, 2);
		for (int i = 0; i < workers; i += 2) {
			ward_assert(world.counts[i] == 0 || world.got[i][0] == 1);
			ward_assert(world.counts[i] < 2 || world.got[i][1] == 2);
		}
		ward_kit_finish(world.kit);
	}
	ward_assert(between == 20 || ward_test_seed_fixed());
}

WARD_TEST(portion_goes_on_behind_a_child_that_has_ended, "S58")
{
	/* all of the second portion's end between the first and the second */
	start();
	int some_left = ward_test_shortage() ? workers - 4 : 300;
	select_number(1);
	ward_assert(step_to_portion());
	for (int i = 100; i < some_left; i++)
		ward_system_stop(ward_kit_system(world.kit), world.workers[i]);
	ward_kit_run(world.kit);
	check_all_got(some_left, workers, 1);
	ward_kit_finish(world.kit);
}

WARD_TEST(all_that_are_left_of_a_portion_may_end, "S58")
{
	start();
	select_number(1);
	ward_assert(step_to_portion());
	for (int i = 1; i < workers; i++)
		ward_system_stop(ward_kit_system(world.kit), world.workers[i]);
	ward_kit_run(world.kit);
	ward_assert_eq(world.counts[0], 1);
	select_number(2);
	ward_kit_run(world.kit);
	check_all_got(0, 1, 2);
	ward_kit_finish(world.kit);
}

WARD_TEST(child_that_is_born_meanwhile_is_none_of_that_moment, "S58")
{
	size_t meanwhile = 0;
	WARD_TEST_SEEDS(20)
	{
		start();
		select_number(1);
		ward_assert(step_to_portion());
		ward_kit_tell(world.kit, world.boss, more, .first = workers, .count = 1);
		while (ward_ref_is_nobody(world.workers[workers]))
			ward_assert(ward_kit_step(world.kit));
		meanwhile += !has_some(workers - 1);
		ward_kit_run(world.kit);
		check_all_got(0, workers, 1);
		ward_assert_eq(world.counts[workers], 0);
		ward_kit_finish(world.kit);
	}
	ward_assert_seen(meanwhile);
}

WARD_TEST(boss_that_restarts_or_waits_goes_on_with_it, "S58", "S5")
{
	static const ward_strategy restart = {.otherwise = WARD_RESTART};
	start_with((ward_kit_options){.seed = ward_test_seed(), .system.user_strategy = &restart});
	select_number(1);
	ward_assert(step_to_portion());
	ward_kit_tell(world.kit, world.boss, fall);
	select_number(2);
	ward_kit_run(world.kit);
	ward_assert_eq(ward_kit_stats(world.kit).restarts,
		       1 + workers); /* they survived, restarted */
	check_all_got(0, workers, 2);
	ward_kit_finish(world.kit);
}

WARD_TEST(boss_that_ends_leaves_nothing_of_what_was_under_way, "S58")
{
	WARD_TEST_SEEDS(30)
	{
		start_with((ward_kit_options){.seed = ward_test_seed(), .may_leave_mail = true});
		for (int number = 1; number <= 4; number++)
			select_number(number);
		ward_assert(step_to_portion());
		for (uint64_t i = 0; i < ward_test_seed() % 4; i++)
			ward_kit_step(world.kit);
		ward_system_stop(ward_kit_system(world.kit), world.boss);
		if (ward_test_seed() % 2 == 0)
			ward_kit_run(world.kit);
		ward_kit_finish(world.kit); /* no memory is left */
	}
}

/* It has no turn as long as anybody else has something to do. */
static bool root_waits, boss_waits;

static size_t choose(void *arg, ward_system *system, size_t count)
{
	char path[64];

	(void)arg;
	for (size_t i = 0; (root_waits || boss_waits) && i < count; i++) {
		ward_system_path(system, ward_simulation_ready(system, i), path, sizeof(path));
		if (strcmp(path, root_waits ? "sim/" : "sim/user/boss") != 0)
			return i;
	}
	return 0;
}

WARD_TEST(boss_that_is_gone_when_the_root_sends_it_back_is_a_silent_miss, "S58")
{
	static const ward_simulation chosen = {.choose = choose};
	root_waits = false;
	start_with((ward_kit_options){.simulation = &chosen});
	select_number(1);
	ward_assert(step_to_portion());
	root_waits = true;
	ward_system_stop(ward_kit_system(world.kit), world.boss);
	while (ward_kit_is_alive(world.kit, world.boss))
		ward_assert(ward_kit_step(world.kit));
	ward_assert_eq(world.counts[workers - 1], 0);
	ward_kit_run(world.kit);
	ward_kit_finish(world.kit); /* no memory is left */
}

WARD_TEST(queue_of_an_ended_boss_becomes_dead_letters, "S58", "S49")
{
	/* what waits behind the one under way has not matched anybody yet */
	size_t misses = 0;
	WARD_TEST_SEEDS(30)
	{
		start();
		select_number(1);
		ward_assert(step_to_portion());
		ward_system_select_tell(ward_kit_system(world.kit), "/user/boss/*", number,
					.number = 2);
		ward_system_stop(ward_kit_system(world.kit), world.boss);
		ward_kit_run(world.kit);
		for (size_t i = 0; i < ward_kit_count(world.kit, WARD_EVENT_DEAD_LETTER, "*"); i++)
			misses +=
				ward_kit_event(world.kit, WARD_EVENT_DEAD_LETTER, "*", i)->reason ==
				WARD_REASON_NO_MATCH;
		ward_kit_finish(world.kit);
	}
	ward_assert_seen(misses);
}

WARD_TEST(without_memory_for_portions_all_are_served_at_once, "S58")
{
	start();
	uint64_t before = ward_kit_allocations(world.kit);
	select_number(1);
	ward_assert(step_to_portion());
	/* the record of the boss is the last thing that the first portion takes */
	uint64_t nth = ward_kit_allocations(world.kit) - before;
	ward_kit_finish(world.kit);
	start();
	ward_kit_fail_allocation(world.kit, nth);
	select_number(1);
	ward_assert(!step_to_portion());
	ward_kit_fail_allocation(world.kit, 0);
	ward_kit_run(world.kit);
	check_all_got(0, workers, 1);
	ward_kit_finish(world.kit);
}

WARD_TEST(poison_pill_to_many_ends_them_all, "S58", "S50")
{
	start();
	ward_system_select_tell(ward_kit_system(world.kit), "/user/boss/w*", ward_poison_pill);
	ward_kit_run(world.kit);
	ward_assert_eq(ward_kit_stats(world.kit).actors, 3 + 1);
	ward_kit_finish(world.kit);
}

WARD_TEST(selections_that_wait_for_a_portion_miss_when_the_boss_ends, "S58")
{
	const ward_simulation driver = {.choose = choose};
	ward_system *system;

	root_waits = boss_waits = false;
	start_with((ward_kit_options){.simulation = &driver});
	system = ward_kit_system(world.kit);
	boss_waits = true;
	for (int number = 1; number <= 3; number++)
		select_number(number);
	while (ward_simulation_count(system) > 1 ||
	       !ward_ref_equal(ward_simulation_ready(system, 0), world.boss))
		ward_assert(ward_kit_step(world.kit));
	/* All three have come to the boss: one is served in part, two wait for it. */
	boss_waits = false;
	root_waits = true;
	ward_assert(ward_kit_step(world.kit));
	ward_kit_forget_events(world.kit);
	ward_system_stop(system, world.boss);
	ward_kit_run(world.kit);
	ward_assert(!ward_system_is_alive(system, world.boss));
	ward_assert_eq(world.counts[WORKERS - 1], 0);
	size_t misses = 0, count = ward_kit_count(world.kit, WARD_EVENT_DEAD_LETTER, "*");
	for (size_t i = 0; i < count; i++)
		misses += ward_kit_event(world.kit, WARD_EVENT_DEAD_LETTER, "*", i)->reason ==
			  WARD_REASON_NO_MATCH;
	ward_assert_eq(misses, 2); /* the first one was for some */
	ward_kit_finish(world.kit);
}

WARD_TEST_MAIN
