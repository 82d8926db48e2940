/* SPDX-License-Identifier: MIT
 *
 * far_child.c - a child on another node: it is restarted, and moves when its node is lost.
 *
 *	cc examples/40-far-child/far_child.c $(pkg-config --cflags --libs ward-testkit) -o far_child
 *
 * Three systems of this process stand for three machines, here, left and right. The loop of the
 * testkit connects them. The till of the shop lives on left, until left is killed.
 */
#include <stdio.h>
#include <ward/codec.h>
#include <ward/guests.h>
#include <ward/remote.h>
#include <ward/testkit.h>
#include <ward/testkit/neighbours.h>

struct sell {
	int cents;
};
WARD_MESSAGE_FIELDS(sell, 1, WARD_FIELD(INT, sell, cents));
struct sold {
	int number;
};
WARD_MESSAGE_FIELDS(sold, 1, WARD_FIELD(INT, sold, number));

/* The child, an actor like any other. */
static ward_result till_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct sell *sell = ward_match(msg, sell);
	int *count = state;
	if (sell == NULL)
		return WARD_UNHANDLED;
	if (sell->cents == 0)
		return ward_failed(self, &ward_exception, "jammed after %d", *count);
	ward_tell(self, ward_parent(self), sold, .number = ++*count);
	return WARD_DONE;
}

static const ward_behavior till = {
	.name = "till", .state_size = sizeof(int), .receive = till_receive};

/* Its parent. */
static ward_result shop_start(ward_self *self, void *state)
{
	static const char *const nodes[] = {"left", "right", NULL}; /* tried in turn */
	ward_props props = ward_remote_props(&(struct ward_remote){.nodes = nodes, .kind = "till"});
	(void)state;
	props.name = "till";
	ward_spawn_props(self, &props);
	return WARD_DONE;
}

static ward_result shop_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct sold *sold = ward_match(msg, sold);
	(void)self, (void)state;
	if (sold == NULL)
		return WARD_UNHANDLED;
	printf("sold: number %d\n", sold->number);
	return WARD_DONE;
}

static ward_directive shop_decides(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self, (void)child;
	printf("failed: %s\n", ward_failure_text(failure));
	return WARD_RESTART;
}

static const ward_behavior shop = {.name = "shop",
				   .child_strategy = &(const ward_strategy){.decide = shop_decides},
				   .pre_start = shop_start,
				   .receive = shop_receive};

/* A machine that takes tills from others. */
static ward_kit *start_node(ward_loop *loop, const char *name)
{
	static const ward_props till_props = {.behavior = &till};
	static const ward_kind kinds[] = {{"till", &till_props}, {NULL, NULL}};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.system.name = name});
	ward_ref guests;
	ward_assert_ok(ward_guests_start(ward_kit_system(kit),
					 &(ward_guests_options){.kinds = kinds}, &guests));
	ward_loop_join(loop, ward_kit_system(kit), name);
	ward_loop_guests(loop, name, guests); /* before ward_loop_connect() */
	return kit;
}

int main(void)
{
	ward_loop *loop = ward_loop_start(NULL);
	ward_kit *here = start_node(loop, "here");
	ward_kit *left = start_node(loop, "left"), *right = start_node(loop, "right");
	const int cents[] = {5, 8, 0, 3}; /* the till fails at 0 */
	ward_actor_info info;
	ward_ref child;

	ward_loop_connect(loop, "here", "left");
	ward_loop_connect(loop, "here", "right");
	ward_assert(ward_loop_await(loop, "here", "left", WARD_MINUTE));
	ward_assert(ward_loop_await(loop, "here", "right", WARD_MINUTE));
	ward_kit_spawn(here, &shop, .name = "shop");
	ward_assert_ok(ward_system_resolve(ward_kit_system(here), "/user/shop/till", 100, &child));
	for (size_t i = 0; i < sizeof cents / sizeof cents[0]; i++) {
		ward_kit_tell(here, child, sell, cents[i]);
		ward_kit_run(here);
	}
	ward_loop_kill(loop, "left");
	ward_kit_finish(left);
	ward_kit_advance(here, WARD_MINUTE);
	ward_kit_tell(here, child, sell, 4);
	ward_kit_run(here);
	ward_assert_ok(ward_system_actor(ward_kit_system(here), child, &info));
	printf("seen: %u restarts, and the till is %s\n", (unsigned)info.restarts, info.status);
	ward_loop_finish(loop);
	ward_kit_finish(here);
	ward_kit_finish(right);
	return 0;
}
