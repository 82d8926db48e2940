/* SPDX-License-Identifier: MIT
 *
 * test_storm.c - storms of actors that do whatever comes to their minds: simulated, and on threads.
 *
 * Whatever they do, nothing crashes, hangs, leaks or is dropped twice; at the end nobody is left.
 */
#include <ward/inbox.h>

#include "attack/storm_family.h"

enum { TOPS = 4, ROUNDS = 8, SIMULATED_BUDGET = 3000, OUTSIDE = 2 };

static ward_ref spawn_top(ward_kit *kit, uint64_t dice)
{
	struct stormer_args args = {.depth = 0, .cargo = {own_block()}};
	ward_props props = {.behavior = &stormer,
			    .args = {WARD_COPY(stormer_args, &args)},
			    .child_strategy = &strategies[dice % 6],
			    .name = (dice >> 8) % 4 == 0 ? "one" : NULL};
	ward_ref ref = ward_nobody();
	ward_err err = (dice >> 16) % 16 == 0
			       ? ward_system_spawn_service(ward_kit_system(kit), &props, &ref)
			       : ward_system_spawn(ward_kit_system(kit), &props, &ref);

	(void)err;
	stormer_args_drop(&args);
	return ref;
}

/* ---- what threads outside do ------------------------------------------------------------- */

struct outsider {
	ward_kit *kit;
	uint64_t random;
	ward_ref known[TOPS];
	ward_ref root;
	ward_inbox *inbox;
};

static void find_root(void *arg, const ward_actor_info *info)
{
	if (ward_ref_is_nobody(info->parent))
		*(ward_ref *)arg = info->ref;
}

static uint64_t draw(struct outsider *me)
{
	return stress_random(&me->random);
}

static ward_ref draw_top(struct outsider *me)
{
	return me->known[draw(me) % TOPS];
}

static void outside_load(struct outsider *me, struct load *load)
{
	fill_load(load, draw(me), 4, draw_top(me));
}

static void outside_send(struct outsider *me, ward_system *system)
{
	struct load load;

	outside_load(me, &load);
	switch (draw(me) % 5) {
	case 0:
		ward_system_send(system, draw_top(me), load.type, load.bytes, load.size);
		break;
	case 1:
		if (ward_system_try_send(system, draw_top(me), load.type, load.bytes, load.size) !=
		    WARD_OK)
			drop_load(&load);
		break;
	case 2:
		ward_system_select_send(system, "/user/*", load.type, load.bytes, load.size);
		break;
	case 3:
		drop_load(&load);
		fill_load(&load, draw(me), 3, draw_top(me));
		any(ward_system_broadcast_send(system, draw_top(me), load.type, load.bytes,
					       load.size));
		break;
	default:
		ward_inbox_send(me->inbox, draw_top(me), load.type, load.bytes, load.size);
		break;
	}
}

static void outside_inbox(struct outsider *me, ward_system *system)
{
	const ward_msg *msg;

	switch (draw(me) % 5) {
	case 0:
		ward_inbox_destroy(me->inbox);
		me->inbox = NULL;
		any(ward_inbox_create(system, &(ward_inbox_options){.messages_max = 3},
				      &me->inbox));
		break;
	case 1:
		any(ward_inbox_watch(me->inbox, draw_top(me)));
		break;
	case 2:
		any(ward_inbox_unwatch(me->inbox, draw_top(me)));
		break;
	default:
		if (ward_inbox_receive(me->inbox, 1, &msg) == WARD_OK)
			me->known[draw(me) % TOPS] = ward_msg_sender(msg);
		break;
	}
}

static void outside_wait(struct outsider *me, ward_system *system)
{
	struct ward_identity identity;
	struct load load;
	ward_ref ref;

	switch (draw(me) % 5) {
	case 0:
		any(ward_system_wait_for(system, draw_top(me), 1));
		break;
	case 1:
		any(ward_system_ask_stop(system, draw_top(me), 1));
		break;
	case 2:
		outside_load(me, &load);
		any(ward_system_ask_send(system, draw_top(me), 2, &ward_type_ward_identity,
					 &identity, load.type, load.bytes, load.size));
		break;
	case 3:
		if (ward_system_resolve(system, "/user/*", 2, &ref) == WARD_OK)
			me->known[draw(me) % TOPS] = ref;
		break;
	default:
		ward_system_stop(system, draw_top(me));
		break;
	}
}

static void ignore_actor(void *arg, const ward_actor_info *info)
{
	(void)arg;
	(void)info;
}
static void ignore_line(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}
static void ignore_wait(void *arg, const ward_wait_info *info)
{
	(void)arg;
	(void)info;
}
static void ignore_end(void *arg)
{
	(void)arg;
}

static void outside_look(struct outsider *me, ward_system *system)
{
	char path[64];

	switch (draw(me) % 5) {
	case 0:
		(void)ward_system_actors(system, ignore_actor, NULL);
		break;
	case 1:
		any(ward_system_tree(system, ignore_line, NULL));
		break;
	case 2:
		(void)ward_system_waits(system, ignore_wait, NULL);
		break;
	case 3:
		any(ward_system_on_terminate(system, ignore_end, NULL));
		break;
	default:
		(void)ward_system_path(system, draw_top(me), path, sizeof path);
		break;
	}
}

static void outside_deed(struct outsider *me)
{
	ward_system *system = ward_kit_system(me->kit);

	switch (draw(me) % 12) {
	case 0:
		me->known[draw(me) % TOPS] = spawn_top(me->kit, draw(me));
		break;
	case 1:
		outside_inbox(me, system);
		break;
	case 2:
		outside_wait(me, system);
		break;
	case 3:
		outside_look(me, system);
		break;
	case 4:
	case 5:
		outside_send(me, system);
		break;
	default:
		ward_system_tell(system, look_up(draw(me)), gust, .who = draw_top(me), .left = 4);
		break;
	}
}

/* ---- storms ------------------------------------------------------------------------------ */

static void begin(struct outsider *me, ward_kit *kit, uint64_t seed, int64_t budget)
{
	atomic_store_explicit(&storm.budget, budget, memory_order_relaxed);
	*me = (struct outsider){.kit = kit, .random = seed};
	(void)ward_system_actors(ward_kit_system(kit), find_root, &me->root);
	for (int i = 0; i < BOOK; i++)
		enter_in_book((uint64_t)i, ward_nobody());
	for (int i = 0; i < TOPS; i++)
		me->known[i] = spawn_top(kit, draw(me));
	for (int i = 0; i < BOOK; i++)
		enter_in_book((uint64_t)i, me->known[i % TOPS]);
}

static void simulated_storm(ward_kit *kit)
{
	struct outsider me;

	atomic_store_explicit(&storm.owned, 0, memory_order_relaxed);
	begin(&me, kit, ward_test_seed(), SIMULATED_BUDGET);
	for (int i = 0; i < ROUNDS; i++) {
		for (int d = 0; d < 24; d++)
			outside_deed(&me);
		for (int step = 0; step < 300 && ward_kit_step(kit); step++)
			;
		ward_kit_advance(kit, 3);
	}
	ward_inbox_destroy(me.inbox);
	ward_kit_advance(kit, 20);
}

#define SEEDS .seeds = stress_size(300, 20000)
#define STORM_KIT                                                                                  \
	.kit = {.may_leave_mail = true,                                                            \
		.keeps_no_events = true,                                                           \
		.system.actors_max = 120,                                                          \
		.system.user_strategy = &top_strategy}

WARD_SIMULATION(storm_simulated, SEEDS, STORM_KIT)
{
	storm.ends = true;
	simulated_storm(kit);
}

WARD_SIMULATION(storm_simulated_with_faults, SEEDS, STORM_KIT,
		.faults = {.fail = 4,
			   .refuse = 2,
			   .memory = 4,
			   .stall = 2,
			   .jump = 2,
			   .delay = 3,
			   .lose = 2,
			   .delay_ms = 5,
			   .path = "sim/user/*"})
{
	storm.ends = true;
	simulated_storm(kit);
}

/* ---- on threads -------------------------------------------------------------------------- */

static void *outside_main(void *arg)
{
	struct outsider *me = arg;

	while (atomic_load_explicit(&storm.budget, memory_order_relaxed) > 0 &&
	       ward_system_is_alive(ward_kit_system(me->kit), me->root))
		outside_deed(me);
	ward_inbox_destroy(me->inbox);
	return NULL;
}

static void threaded_storm(uint64_t seed, uint32_t workers, int64_t budget)
{
	ward_kit *kit = stress_start(&(ward_kit_options){
		.seed = seed,
		.may_leave_mail = true,
		.system = {.workers = workers, .actors_max = 300, .user_strategy = &top_strategy},
	});
	struct outsider outsiders[OUTSIDE];
	pthread_t threads[OUTSIDE];

	storm.ends = seed % 2 == 0;
	begin(&outsiders[0], kit, seed, budget);
	for (int i = 1; i < OUTSIDE; i++) {
		outsiders[i] = outsiders[0];
		outsiders[i].random = seed * OUTSIDE + (uint64_t)i;
	}
	for (int i = 0; i < OUTSIDE; i++)
		threads[i] = stress_thread(outside_main, &outsiders[i]);
	for (int i = 0; i < OUTSIDE; i++)
		stress_join(threads[i]);
	ward_kit_finish(kit);
	ward_assert_eq(atomic_load_explicit(&storm.owned, memory_order_relaxed), 0);
}

static void many_storms(uint32_t workers)
{
	uint64_t count = stress_size(6, 200);

	for (uint64_t seed = 1; seed <= count; seed++)
		threaded_storm(seed, workers, (int64_t)stress_size(20000, 100000));
}

STRESS_WORKERS(many_storms, "S46")

WARD_TEST_MAIN
