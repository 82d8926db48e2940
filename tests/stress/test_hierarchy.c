/* SPDX-License-Identifier: MIT
 *
 * test_hierarchy.c - the tree of tests/sim/, in which everything fails, on real threads.
 *
 * Method: threads outside act on it at random; what an instance can know by itself its callbacks
 * check. Then calm. The tree must come to rest: all run, nobody is suspended, each ping had one
 * fate, everybody answers. Taken down, no ref that was ever handed out is alive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hierarchy.h"
#include "support/stress.h"

enum { DRIVERS = 2, ROWS_MAX = 64 * 1024 };

static ward_kit *kit;
static struct hierarchy *tree;
static _Atomic uint64_t acts;
static uint64_t acts_max;

static void hear(void *arg, const ward_event *event)
{
	(void)arg;
	hierarchy_log(tree, event);
}

static void *drive(void *arg)
{
	uint64_t dice = (uintptr_t)arg;

	while (stress_add(&acts, 1) < acts_max) {
		hierarchy_act(tree, ward_kit_system(kit), hierarchy_draw(&dice));
		if (dice % 8 == 0) /* let it come to something */
			ward_kit_advance(kit, 1);
	}
	return NULL;
}

/* ---- at rest ----------------------------------------------------------------------------- */

struct census {
	size_t count, restless;
	ward_ref refs[ROWS_MAX];
	char first[300]; /* that is restless */
};
static struct census census;

static void count_row(void *arg, const ward_actor_info *info)
{
	(void)arg;
	ward_assert(census.count < ROWS_MAX);
	census.refs[census.count++] = info->ref;
	if (strcmp(info->state, "running") == 0 && info->suspended == 0)
		return;
	if (census.restless++ == 0)
		snprintf(census.first, sizeof census.first, "%s: %s, suspended %u times",
			 info->path, info->state, info->suspended);
}

static bool at_rest(void)
{
	census.count = census.restless = 0;
	(void)ward_system_actors(ward_kit_system(kit), count_row, NULL);
	return census.restless == 0 &&
	       stress_get(&tree->handled) + stress_get(&tree->dead) == stress_get(&tree->pings);
}

static void come_to_rest(void)
{
	int64_t until_ns = stress_now_ns() + stress_patience_ns() / 2;

	while (!at_rest()) {
		if (stress_now_ns() > until_ns)
			ward_test_fail(__FILE__, __LINE__,
				       "%zu of %zu are restless, one is %s; of %llu pings %llu "
				       "were handled, %llu are dead letters",
				       census.restless, census.count, census.first,
				       (unsigned long long)stress_get(&tree->pings),
				       (unsigned long long)stress_get(&tree->handled),
				       (unsigned long long)stress_get(&tree->dead));
		ward_kit_advance(kit, 1);
	}
}

static bool is_node(ward_ref ref)
{
	for (size_t i = 0; i < tree->refs_count && i < HIERARCHY_REFS_MAX; i++)
		if (ward_ref_equal(tree->refs[i], ref))
			return true;
	return false;
}

/* False: one was gone by then, so that was no rest yet. No answer from a living one fails. */
static bool all_answer(void)
{
	for (size_t i = 0; i < census.count; i++) {
		struct hail answer;
		ward_err err;

		if (!is_node(census.refs[i]))
			continue; /* a guardian */
		err = ward_system_ask(ward_kit_system(kit), census.refs[i], 10 * WARD_SECOND,
				      &answer, hail, .value = i);
		if (err == WARD_EDEAD &&
		    !ward_system_is_alive(ward_kit_system(kit), census.refs[i]))
			return false;
		ward_assert_ok(err);
		ward_assert_eq(answer.value, i);
	}
	return true;
}

static void take_down(void)
{
	ward_system_stop(ward_kit_system(kit), tree->gardener);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), tree->gardener, WARD_MINUTE));
	STRESS_UNTIL(kit, ward_kit_stats(kit).actors == 3);
	for (size_t i = 0; i < tree->refs_count && i < HIERARCHY_REFS_MAX; i++)
		ward_assert(!ward_system_is_alive(ward_kit_system(kit), tree->refs[i]));
}

/* ---- the cases --------------------------------------------------------------------------- */

static void hierarchy(uint32_t workers)
{
	pthread_t threads[DRIVERS];

	acts_max = stress_size(6000, 600000);
	tree = hierarchy_create();
	kit = stress_start(&(ward_kit_options){.system.workers = workers, .log = hear});
	ward_props props = hierarchy_props(tree);
	(void)ward_kit_spawn_props(kit, &props);
	STRESS_UNTIL(kit, hierarchy_is_planted(tree));
	atomic_store_explicit(&tree->calm, false, memory_order_relaxed);
	for (uintptr_t i = 0; i < DRIVERS; i++)
		threads[i] = stress_thread(drive, (void *)i);
	for (int i = 0; i < DRIVERS; i++)
		stress_join(threads[i]);
	atomic_store_explicit(&tree->calm, true, memory_order_relaxed);
	do
		come_to_rest();
	while (!all_answer());
	printf("%llu pings, %llu dead; %llu failures, %llu restarts, %zu lives\n",
	       (unsigned long long)stress_get(&tree->pings),
	       (unsigned long long)stress_get(&tree->dead),
	       (unsigned long long)ward_kit_stats(kit).failures,
	       (unsigned long long)ward_kit_stats(kit).restarts, tree->refs_count);
	take_down();
	ward_kit_finish(kit);
	hierarchy_destroy(tree);
}

STRESS_WORKERS(hierarchy, "S4", "S8", "S9", "S34", "S43", "S46", "S48", "S49")

WARD_TEST_MAIN
