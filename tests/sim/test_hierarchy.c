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

enum { STORMS = 3, ACTS = 60, STEPS_BETWEEN = 12, STEPS_MAX = 200 * 1000 };

struct run {
	ward_system *system;
	struct hierarchy hierarchy;
	uint64_t dice, seed, steps;
};

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void rejected(void *arg, const char *text)
{
	const struct run *run = arg;

	ward_test_fail(__FILE__, __LINE__, "seed %" PRIu64 ", step %" PRIu64 ": %s", run->seed,
		       run->steps, text);
}

static size_t choose(void *arg, ward_system *system, size_t count)
{
	struct run *run = arg;
	size_t index = (size_t)(draw(&run->dice) % count);

	model_turn(run->hierarchy.model, ward_simulation_ready(system, index),
		   ward_simulation_now_ns(system));
	return index;
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
	while (step(run))
		;
	model_idle(run->hierarchy.model);
	(void)ward_system_actors(run->system, look, run->hierarchy.model);
	ward_assert_eq(run->hierarchy.handled + run->hierarchy.dead, run->hierarchy.pings);
}

static void storm(struct run *run)
{
	for (int i = 0; i < ACTS; i++) {
		hierarchy_act(&run->hierarchy, run->system, draw(&run->dice));
		for (uint64_t steps = draw(&run->dice) % STEPS_BETWEEN; steps > 0; steps--)
			(void)step(run);
		if (draw(&run->dice) % 8 == 0)
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
	run->hierarchy.depth = 2 + (uint32_t)(draw(&run->dice) % 4);
	run->hierarchy.width = 2 + (uint32_t)(draw(&run->dice) % 4);
	run->hierarchy.odds = 10 + (uint32_t)(draw(&run->dice) % 40);
	ward_assert_eq(pthread_mutex_init(&run->hierarchy.mu, NULL), 0);
	ward_assert_ok(ward_system_create(&(ward_options){.name = "sim",
							  .simulation = simulation,
							  .seed = seed,
							  .log = hierarchy_log,
							  .log_arg = &run->hierarchy,
							  .log_kinds = WARD_EVENT_ALL},
					  &run->system));
}

static uint64_t one_run(uint64_t seed)
{
	static struct run run;
	const ward_simulation simulation = {.choose = choose, .arg = &run};

	start(&run, seed, &simulation);
	ward_props props = hierarchy_props(&run.hierarchy);
	ward_assert_ok(ward_system_spawn(run.system, &props, NULL));
	settle(&run);
	for (int i = 0; i < STORMS; i++) {
		storm(&run);
		atomic_store_explicit(&run.hierarchy.calm, true, memory_order_relaxed);
		settle(&run);
		all_alive_as_told(&run, model_alive(run.hierarchy.model));
		atomic_store_explicit(&run.hierarchy.calm, false, memory_order_relaxed);
	}
	model_stop(run.hierarchy.model, ward_nobody(), run.hierarchy.gardener);
	ward_system_stop(run.system, run.hierarchy.gardener);
	settle(&run);
	all_alive_as_told(&run, 0);
	ward_assert_ok(ward_system_destroy(run.system, WARD_MINUTE));
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
}

WARD_TEST_MAIN
