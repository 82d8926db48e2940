/* SPDX-License-Identifier: MIT
 *
 * test_hierarchy.c - a tree in which everything fails, turn by turn against a model of the contract.
 *
 * Method: a storm of random acts from outside, a few turns between two of them; then calm. Each
 * turn is followed by the model (tests/sim/model.h), which knows from the contract what has to
 * happen in it. Whenever nobody has anything to do, nobody may be suspended, and every ping must
 * have a fate.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/testkit/runner.h>

#include "sim/hierarchy.h"

enum { STORMS = 3, ACTS = 120, STEPS_BETWEEN = 16, STEPS_MAX = 200 * 1000 };

struct run {
	ward_system *system;
	struct hierarchy hierarchy;
	ward_allocator allocator;
	uint64_t dice, seed, steps;
};

static void rejected(void *arg, const char *text)
{
	const struct run *run = arg;

	fprintf(stderr, "%s\n", text);
	ward_test_fail(__FILE__, __LINE__,
		       "the model rejects it, at seed %" PRIu64 ", step %" PRIu64, run->seed,
		       run->steps);
}

static void look(void *arg, const ward_actor_info *info)
{
	model_look(arg, info);
}

static bool step(struct run *run)
{
	bool moved = ward_simulation_step(run->system);

	model_turn_over(run->hierarchy.model);
	run->steps += moved;
	ward_assert(run->steps < STEPS_MAX);
	if (run->steps % 64 == 0)
		(void)ward_system_actors(run->system, look, run->hierarchy.model);
	return moved;
}

/* Nobody has anything to do: everybody is well, and there is no trace of trouble. */
static void settle(struct run *run)
{
	while (step(run) || ward_simulation_advance(run->system, INT64_MAX))
		;
	model_idle(run->hierarchy.model);
	(void)ward_system_actors(run->system, look, run->hierarchy.model);
	ward_assert_eq(run->hierarchy.handled + run->hierarchy.dead, run->hierarchy.pings);
}

static void storm(struct run *run)
{
	for (int i = 0; i < ACTS; i++) {
		hierarchy_act(&run->hierarchy, run->system, hierarchy_draw(&run->dice));
		for (uint64_t steps = hierarchy_draw(&run->dice) % STEPS_BETWEEN; steps > 0;
		     steps--)
			(void)step(run);
		if (hierarchy_draw(&run->dice) % 8 == 0)
			(void)ward_simulation_advance(
				run->system, ward_simulation_now_ns(run->system) + 3 * 1000000);
	}
}

static void all_alive_as_told(struct run *run, size_t alive)
{
	size_t count = 0;

	for (size_t i = 0; i < run->hierarchy.refs_count; i++) {
		ward_ref ref = run->hierarchy.refs[i];
		bool is_alive = ward_is_alive(run->system, ref);

		ward_assert_eq(is_alive, model_is_alive(run->hierarchy.model, ref));
		count += is_alive;
	}
	ward_assert_eq(count, alive);
}

static void start(struct run *run, uint64_t seed, const ward_simulation *simulation)
{
	memset(run, 0, sizeof *run);
	run->seed = run->dice = seed;
	run->hierarchy.model = model_create(rejected, run);
	run->hierarchy.depth = 3 + (uint32_t)(hierarchy_draw(&run->dice) % 3);
	run->hierarchy.width = 3 + (uint32_t)(hierarchy_draw(&run->dice) % 3);
	run->hierarchy.odds = 10 + (uint32_t)(hierarchy_draw(&run->dice) % 40);
	atomic_store_explicit(&run->hierarchy.calm, true, memory_order_relaxed);
	run->hierarchy.dice = hierarchy_draw(&run->dice);
	run->hierarchy.fails_after = WARD_POINTS;
	if (seed % 4 != 0) /* every fourth run is without: those are the clearest */
		run->hierarchy.fault_odds = 50 + (uint32_t)(hierarchy_draw(&run->dice) % 200);
	if (seed % 4 == 1)
		run->hierarchy.memory_odds = 50 + (uint32_t)(hierarchy_draw(&run->dice) % 200);
	ward_assert_eq(pthread_mutex_init(&run->hierarchy.mu, NULL), 0);
	const ward_allocator allocator = {hierarchy_alloc, hierarchy_free, &run->hierarchy};
	run->allocator = allocator;
	ward_assert_ok(ward_system_create(&(ward_options){.name = "sim",
							  .allocator = &run->allocator,
							  .separate_allocations = seed % 2 == 0,
							  .simulation = simulation,
							  .seed = seed,
							  .log = hierarchy_log,
							  .log_arg = &run->hierarchy,
							  .log_kinds = WARD_EVENT_ALL},
					  &run->system));
}

static uint64_t seen[SEEN_COUNT];
static uint64_t lives, crowd;

static uint64_t one_run(uint64_t seed)
{
	static struct run run;
	const ward_simulation simulation = {.fault = hierarchy_fault, .arg = &run.hierarchy};

	start(&run, seed, &simulation);
	ward_props props = hierarchy_props(&run.hierarchy);
	ward_assert_ok(ward_system_spawn(run.system, &props, NULL));
	settle(&run);
	for (int i = 0; i < STORMS; i++) {
		atomic_store_explicit(&run.hierarchy.calm, false, memory_order_relaxed);
		storm(&run);
		atomic_store_explicit(&run.hierarchy.calm, true, memory_order_relaxed);
		settle(&run);
		all_alive_as_told(&run, model_alive(run.hierarchy.model));
		crowd += model_alive(run.hierarchy.model);
	}
	model_stop(run.hierarchy.model, ward_nobody(), run.hierarchy.gardener);
	ward_system_stop(run.system, run.hierarchy.gardener);
	settle(&run);
	all_alive_as_told(&run, 0);
	ward_assert_ok(ward_system_destroy(run.system, WARD_MINUTE));
	ward_assert_eq(run.hierarchy.blocks, 0);
	lives += run.hierarchy.refs_count;
	for (int i = 0; i < SEEN_COUNT; i++)
		seen[i] += model_seen(run.hierarchy.model, i);
	model_destroy(run.hierarchy.model);
	pthread_mutex_destroy(&run.hierarchy.mu);
	return run.steps;
}

WARD_TEST(hierarchy_follows_the_contract, "S1", "S8", "S9", "S24", "S28", "S29", "S34", "S43")
{
	const char *wanted = getenv("WARD_SEEDS");
	uint64_t steps = 0, seeds = wanted != NULL ? strtoull(wanted, NULL, 10) : 100;

	WARD_TEST_SEEDS(seeds)
	steps += one_run(ward_test_seed());
	printf("# sim hierarchy: %" PRIu64 " seeds, %" PRIu64 " steps, 0 violations\n", seeds,
	       steps);
	printf("# %" PRIu64 " lives, %" PRIu64 " at rest\n", lives, crowd / STORMS);
	for (int i = 0; i < SEEN_COUNT; i++) {
		printf("# %s: %" PRIu64 "\n", model_seen_text(i), seen[i]);
		ward_assert_seen(seen[i]);
	}
}

WARD_TEST_MAIN
