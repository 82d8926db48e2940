/* SPDX-License-Identifier: MIT
 *
 * test_hierarchy.c - a tree in which everything fails, and a model of the contract that follows.
 *
 * Method: storms of random acts from outside, a few turns between two of them; after each, calm.
 * Each turn is followed by the model (tests/sim/model.h), which knows from the contract what has to
 * happen in it. Whenever nobody has anything to do, nobody may be suspended, and every ping must
 * have a fate. At the end the tree is taken down, and no ref that was ever handed out is alive.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <ward/testkit/simulate.h>

#include "sim/hierarchy.h"

enum { STORMS = 2, STEPS_BETWEEN = 16, STEPS_BETWEEN_LOOKS = 64 };

/* How large a run is. Small ones are over in a hundred steps: for a great many seeds. */
struct size {
	bool small;
	int acts;
	uint64_t runs_for_all; /* so many bring about all that there is to see */
};
static const struct size large = {.acts = 90, .runs_for_all = 500};
static const struct size small = {.small = true, .acts = 8, .runs_for_all = 50 * 1000};

/* Over all runs, whose processes share it. */
struct life_counters {
	const struct size *size; /* frozen */
	_Atomic uint64_t runs, lives, at_rest;
	_Atomic uint64_t seen[SEEN_COUNT];
};

static void add(_Atomic uint64_t *count, uint64_t more)
{
	atomic_fetch_add_explicit(count, more, memory_order_relaxed);
}

static void rejected(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s\n", text);
	ward_test_fail(__FILE__, __LINE__, "the contract says otherwise: %.*s",
		       (int)strcspn(text, "\n"), text);
}

static void look(void *arg, const ward_actor_info *info)
{
	model_look(arg, info);
}

static void look_at_all(ward_kit *kit, struct hierarchy *h)
{
	(void)ward_system_actors(ward_kit_system(kit), look, h->model);
	ward_kit_forget_events(kit);
}

/* Everybody is well, and there is no trace of trouble. */
static void settle(ward_kit *kit, struct hierarchy *h)
{
	ward_ref undecided;

	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	while (!ward_ref_is_nobody(undecided = model_undecided(h->model))) {
		hierarchy_ping(h, ward_kit_system(kit), undecided, WISH_DECIDE);
		ward_simulation_eventually_idle(kit, WARD_MINUTE);
	}
	model_idle(h->model);
	look_at_all(kit, h);
	ward_assert_eq(h->handled + h->dead, h->pings);
}

static void storm(ward_kit *kit, struct hierarchy *h, int acts)
{
	for (int i = 0; i < acts; i++) {
		hierarchy_act(h, ward_kit_system(kit), hierarchy_draw(&h->dice));
		for (uint64_t steps = hierarchy_draw(&h->dice) % STEPS_BETWEEN; steps > 0; steps--)
			(void)ward_kit_step(kit);
		if (i % (STEPS_BETWEEN_LOOKS / STEPS_BETWEEN) == 0)
			look_at_all(kit, h);
		if (hierarchy_draw(&h->dice) % 8 == 0)
			ward_kit_advance(kit, 3);
	}
}

static void all_alive_as_told(ward_kit *kit, const struct hierarchy *h, size_t alive)
{
	size_t count = 0;

	for (size_t i = 0; i < h->refs_count; i++) {
		bool is_alive = ward_system_is_alive(ward_kit_system(kit), h->refs[i]);

		ward_assert_eq(is_alive, model_is_alive(h->model, h->refs[i]));
		count += is_alive;
	}
	ward_assert_eq(count, alive);
}

static void take_down(ward_kit *kit, struct hierarchy *h)
{
	model_stop(h->model, ward_nobody(), h->gardener);
	ward_system_stop(ward_kit_system(kit), h->gardener);
	settle(kit, h);
	all_alive_as_told(kit, h, 0);
}

static struct hierarchy *followed; /* of the run under way */

static void hear(void *arg, const ward_event *event)
{
	(void)arg;
	if (followed != NULL)
		hierarchy_log(followed, event);
}

static void run(ward_kit *kit, void *arg)
{
	struct life_counters *life_counters = arg;
	struct hierarchy *h = followed = hierarchy_create();
	ward_simulation_observer observer = hierarchy_observer(h);
	ward_props props = hierarchy_props(h);

	h->small = life_counters->size->small;
	h->model = model_create(rejected, NULL);
	ward_simulation_observe(kit, &observer);
	(void)ward_kit_spawn_props(kit, &props);
	settle(kit, h);
	for (int i = 0; i < STORMS; i++) {
		atomic_store_explicit(&h->calm, false, memory_order_relaxed);
		storm(kit, h, life_counters->size->acts);
		atomic_store_explicit(&h->calm, true, memory_order_relaxed);
		settle(kit, h);
		all_alive_as_told(kit, h, model_alive(h->model));
		add(&life_counters->at_rest, model_alive(h->model));
	}
	take_down(kit, h);
	add(&life_counters->runs, 1);
	add(&life_counters->lives, h->refs_count);
	for (int i = 0; i < SEEN_COUNT; i++)
		add(&life_counters->seen[i], model_seen(h->model, i));
	ward_simulation_observe(kit, &(ward_simulation_observer){0});
	model_destroy(h->model);
	followed = NULL;
	hierarchy_destroy(h);
}

static void simulate(const struct size *size, ward_simulation_test test)
{
	struct life_counters *life_counters =
		mmap(NULL, sizeof *life_counters, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ward_assert(life_counters != MAP_FAILED);
	life_counters->size = size;
	test.run = run;
	test.arg = life_counters;
	test.kit.log = hear;
	ward_simulate_check(&test);
	printf("# %" PRIu64 " runs, %" PRIu64 " lives, %" PRIu64 " at rest\n", life_counters->runs,
	       life_counters->lives, life_counters->at_rest / STORMS);
	for (int i = 0; i < SEEN_COUNT; i++) {
		printf("# %s: %" PRIu64 "\n", model_seen_text(i), life_counters->seen[i]);
		ward_assert(life_counters->seen[i] > 0 || life_counters->runs < size->runs_for_all);
	}
}

/* What the contract allows for: hooks that never began, late and lost messages, stalls, jumps of
 * the clock, refused spawns, no memory. */
static const ward_fault_mix all_faults = {
	.fail = 16,
	.refuse = 3,
	.memory = 6,
	.stall = 8,
	.jump = 2,
	.delay = 6,
	.lose = 6,
	.delay_ms = 8,
	.horizon = 1500,
	.path = "*/user/garden/*",
};

/* Only what the actors do themselves: the clearest runs. */
WARD_TEST(hierarchy_alone, "S1", "S4", "S8", "S9", "S15", "S24", "S26", "S28", "S29", "S34", "S37",
	  "S43", "S46", "S60", "S71")
{
	simulate(&large, (ward_simulation_test){.name = "hierarchy_alone"});
}

WARD_TEST(hierarchy_faults, "S1", "S4", "S8", "S9", "S15", "S24", "S26", "S28", "S29", "S34", "S37",
	  "S43", "S46", "S60", "S71")
{
	simulate(&large, (ward_simulation_test){.name = "hierarchy_faults", .faults = all_faults});
}

WARD_TEST(hierarchy_small, "S1", "S4", "S8", "S9", "S15", "S24", "S26", "S28", "S29", "S34", "S37",
	  "S43", "S46", "S60", "S71")
{
	ward_simulation_test test = {.name = "hierarchy_small", .faults = all_faults};

	test.faults.horizon = 100;
	simulate(&small, test);
}

WARD_TEST_MAIN
