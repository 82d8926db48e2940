/* SPDX-License-Identifier: MIT
 *
 * test_special_bodies.c - messages that the runtime looks at itself, built in place and given to
 * the living, the dead and nobody, and in envelopes to a pool: nothing of them stays in memory.
 */
#include <string.h>

#include <ward/extend.h>
#include <ward/fd.h>
#include <ward/router.h>
#include <ward/selection.h>
#include <ward/testkit.h>
#include <ward/timer.h>
#include <ward/ward.h>

enum { TIMES = 100 };

/* Where the giver sends them. */
enum goal { LIVING, DEAD, NOBODY, PATH, NO_PATH, POOL };

struct order {
	const ward_type *type;
	enum goal goal;
};
WARD_MESSAGE_FLAT(order);

static struct {
	ward_kit *kit;
	ward_ref giver, living, dead, pool;
} scene;

static ward_result idle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}
static const ward_behavior idle = {.name = "idle", .receive = idle_receive};

static void give(ward_self *self, const struct order *order)
{
	const ward_ref to[] = {
		[LIVING] = scene.living, [DEAD] = scene.dead, [NOBODY] = ward_nobody()};
	void *body;

	if (order->goal == POOL) {
		ward_assert_ok(ward_try_broadcast_send(self, scene.pool, order->type, NULL,
						       order->type->size));
		return;
	}
	body = ward_make_body(self, order->type, order->type->size + 1000); /* more than it needs */
	ward_assert(body != NULL);
	if (order->goal == PATH || order->goal == NO_PATH)
		ward_select_give_body_from(self, ward_self_ref(self),
					   order->goal == PATH ? "../living" : "../none",
					   order->type, body);
	else
		ward_give_body(self, to[order->goal], order->type, body);
}

static ward_result giver_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct order *order = ward_match(msg, order);

	(void)state;
	if (order != NULL)
		give(self, order);
	return WARD_DONE;
}
static const ward_behavior giver = {.name = "giver", .receive = giver_receive};

static void open_scene(void)
{
	memset(&scene, 0, sizeof scene);
	scene.kit = ward_kit_start(NULL);
	scene.giver = ward_kit_spawn(scene.kit, &giver, .name = "giver");
	scene.living = ward_kit_spawn(scene.kit, &idle, .name = "living");
	scene.dead = ward_kit_spawn(scene.kit, &idle, .name = "dead");
	scene.pool = ward_kit_spawn(
		scene.kit, &ward_pool, .name = "pool",
		.args = WARD_ARGS(ward_router, .routee = {.behavior = &idle}, .routees = 4, ));
	ward_kit_stop(scene.kit, scene.dead);
	ward_kit_run(scene.kit);
}

static void give_times(const ward_type *type, enum goal goal, int times)
{
	for (int i = 0; i < times; i++) {
		ward_kit_tell(scene.kit, scene.giver, order, .type = type, .goal = goal);
		ward_kit_run(scene.kit);
		ward_kit_forget_events(scene.kit);
	}
}

/* What the first one takes, such as room for events, may stay. */
static void nothing_stays(const ward_type *type, enum goal goal)
{
	uint64_t before;

	give_times(type, goal, 2);
	before = ward_kit_blocks(scene.kit);
	give_times(type, goal, TIMES);
	ward_assert_eq(ward_kit_blocks(scene.kit), before);
}

static const ward_type *const types[] = {
	&ward_type_ward_identify,        &ward_type_ward_fd_ready,
	&ward_type_ward_receive_timeout, &ward_type_ward_restarts_exceeded,
	&ward_type_ward_terminated,      &ward_type_ward_children_few,
};

static void no_type_stays(enum goal goal)
{
	open_scene();
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		nothing_stays(types[i], goal);
	ward_kit_finish(scene.kit);
}

WARD_TEST(special_message_given_to_the_living_leaves_nothing_in_memory)
{
	no_type_stays(LIVING);
}

WARD_TEST(special_message_given_to_the_dead_leaves_nothing_in_memory)
{
	no_type_stays(DEAD);
}

WARD_TEST(special_message_given_to_nobody_leaves_nothing_in_memory)
{
	no_type_stays(NOBODY);
}

WARD_TEST(special_message_given_along_a_path_leaves_nothing_in_memory)
{
	no_type_stays(PATH);
}

WARD_TEST(special_message_given_along_a_path_to_nobody_leaves_nothing_in_memory)
{
	no_type_stays(NO_PATH);
}

WARD_TEST(special_message_broadcast_to_a_pool_leaves_nothing_in_memory)
{
	no_type_stays(POOL);
}

/* A pill or a kill ends whom it reaches, so each has another victim. */
static void end_many(const ward_type *type)
{
	uint64_t before = 0;

	open_scene();
	for (int i = 0; i < TIMES; i++) {
		if (i == 2)
			before = ward_kit_blocks(scene.kit);
		scene.living = ward_kit_spawn(scene.kit, &idle);
		ward_kit_tell(scene.kit, scene.giver, order, .type = type, .goal = LIVING);
		ward_kit_run(scene.kit);
		ward_kit_stop(scene.kit, scene.living);
		ward_kit_run(scene.kit);
		ward_kit_forget_events(scene.kit);
	}
	ward_assert_eq(ward_kit_blocks(scene.kit), before);
	ward_kit_finish(scene.kit);
}

WARD_TEST(pill_given_with_a_body_leaves_nothing_in_memory, "S50")
{
	end_many(&ward_type_ward_poison_pill);
}

WARD_TEST(kill_given_with_a_body_leaves_nothing_in_memory, "S50")
{
	end_many(&ward_type_ward_kill);
}

WARD_TEST_MAIN
