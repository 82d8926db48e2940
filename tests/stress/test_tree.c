/* SPDX-License-Identifier: MIT
 *
 * test_tree.c - a tree in which everything fails at random, under all directives, both scopes and
 * limits; and which is whole again at the end.
 *
 * Method: each node keeps WIDTH children alive: it watches them, and makes a new one for each that
 * is gone.
 * Pokes from outside wander down and make nodes fail, stop, or stop others, in handlers and hooks;
 * deciders answer at random, now or later, or fail. When the pokes end the tree must come to rest
 * by itself: all nodes there, running, suspended by nobody, and each answers a question. Then it
 * is taken down.
 */
#include <stdio.h>
#include <string.h>

#include "support/stress.h"

enum { DEPTH = 4, WIDTH = 3, NODES_MAX = 1024, DRIVERS = 2 };

struct poke {
	uint64_t dice;
};
WARD_MESSAGE(poke);
struct node_args {
	uint32_t depth; /* of the tree below it */
};
WARD_MESSAGE(node_args);
struct pong {
	uint64_t value;
};
WARD_MESSAGE(pong);
struct ping {
	uint64_t value;
};
WARD_MESSAGE(ping);
WARD_REPLY(ping, pong);
struct due {
	ward_ref child; /* a decision about it was put off */
};
WARD_MESSAGE(due);

static ward_kit *kit;
static ward_ref gardener;
static _Atomic uint64_t poked;
static _Atomic bool calm;
static _Atomic uint64_t decisions[WARD_LATER + 1];
static _Atomic uint64_t decided_later;

static bool one_in(ward_self *self, uint64_t odds)
{
	return !atomic_load_explicit(&calm, memory_order_relaxed) && ward_random(self) % odds == 0;
}

/* ---- deciding ---------------------------------------------------------------------------- */

static ward_ref any_child(ward_self *self)
{
	ward_ref children[WIDTH] = {{0}};
	size_t count = ward_children(self, children, WIDTH);

	return count == 0 ? ward_nobody() : children[ward_random(self) % count];
}

/* Something else may have answered that failure meanwhile. */
static void decide_later(ward_self *self, ward_ref child, ward_directive directive)
{
	ward_err err = ward_decide(self, child, directive);

	if (err != WARD_ENOENT && err != WARD_ESTOPPING)
		ward_assert_ok(err);
	if (err == WARD_OK)
		stress_add(&decided_later, 1);
}

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	static const ward_directive choices[] = {
		WARD_RESTART, WARD_RESTART,  WARD_RESTART,   WARD_RESTART, WARD_RESUME, WARD_RESUME,
		WARD_STOP,    WARD_ESCALATE, WARD_UNDECIDED, WARD_LATER,   WARD_LATER,
	};
	ward_directive choice = choices[ward_random(self) % (sizeof choices / sizeof choices[0])];

	ward_assert(strlen(ward_failure_text(failure)) > 0);
	stress_add(&decisions[choice], 1);
	if (choice == WARD_LATER)
		ward_tell(self, ward_self_ref(self), due, child);
	if (one_in(self, 8))
		decide_later(self, any_child(self), WARD_RESTART);
	if (one_in(self, 24))
		ward_fail(self, &ward_exception, "the decider");
	return choice;
}

static const ward_strategy strategies[] = {
	{.decide = decide, .quiet = true},
	{.decide = decide, .scope = WARD_ALL_FOR_ONE, .quiet = true},
	{.decide = decide, .otherwise = WARD_RESTART, .restarts_max = 3, .quiet = true},
	{.decide = decide,
	 .scope = WARD_ALL_FOR_ONE,
	 .restarts_max = 5,
	 .window_ms = 5,
	 .quiet = true},
};
enum { STRATEGIES = sizeof strategies / sizeof strategies[0] };

/* ---- nodes ------------------------------------------------------------------------------- */

static ward_result node_receive(ward_self *self, void *state, const ward_msg *msg);
static ward_result node_init(ward_self *self, void *state, const void *args);
static ward_result node_start(ward_self *self, void *state);
static ward_result node_stopped(ward_self *self, void *state);
static ward_result node_pre_restart(ward_self *self, void *state, const ward_failure *why,
				    const ward_msg *msg);

static const ward_behavior node = {
	.name = "node",
	.args = &ward_type_node_args,
	.init = node_init,
	.pre_start = node_start,
	.receive = node_receive,
	.post_stop = node_stopped,
	.pre_restart = node_pre_restart,
};

static uint32_t depth_of(const ward_self *self)
{
	return ((const struct node_args *)ward_args(self))->depth;
}

static void fill(ward_self *self)
{
	for (uint32_t i = 0; i < WIDTH; i++) {
		char name[] = {'c', (char)('0' + i), '\0'};
		ward_ref child = ward_child(self, name);
		ward_props props = {
			.behavior = &node,
			.name = name,
			.args = WARD_ARGS(node_args, depth_of(self) - 1),
			.child_strategy = &strategies[ward_random(self) % STRATEGIES],
		};

		if (ward_ref_is_nobody(child))
			ward_assert_ok(ward_try_spawn(self, &props, &child));
		ward_assert_ok(ward_try_watch(self, child));
	}
}

static ward_result node_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	if (one_in(self, 12))
		return ward_failed(self, &ward_exception, "init");
	return WARD_DONE;
}

static ward_result node_start(ward_self *self, void *state)
{
	(void)state;
	if (one_in(self, 4)) /* of a child that survived a restart */
		decide_later(self, any_child(self), WARD_RESTART);
	if (depth_of(self) > 0)
		fill(self);
	if (one_in(self, 12))
		ward_fail(self, &ward_exception, "pre_start");
	return WARD_DONE;
}

static ward_result node_stopped(ward_self *self, void *state)
{
	(void)state;
	if (one_in(self, 8))
		ward_fail(self, &ward_exception, "post_stop");
	return WARD_DONE;
}

static ward_result node_pre_restart(ward_self *self, void *state, const ward_failure *why,
				    const ward_msg *msg)
{
	(void)state;
	(void)msg;
	ward_assert(strlen(ward_failure_text(why)) > 0);
	if (one_in(self, 4))
		decide_later(self, any_child(self), WARD_RESUME);
	switch (ward_random(self) % 4) {
	case 0: /* keeps all */
		break;
	case 1: /* keeps all but one */
		ward_stop(self, any_child(self));
		break;
	case 2: /* gets half way */
		ward_stop(self, any_child(self));
		return ward_failed(self, &ward_exception, "pre_restart");
	default:
		return ward_default_pre_restart(self);
	}
	return WARD_DONE;
}

static ward_result on_poke(ward_self *self, const ward_msg *msg, uint64_t dice)
{
	if (depth_of(self) > 0 && dice % 8 < 6) {
		ward_forward(self, any_child(self));
		return WARD_DONE;
	}
	(void)msg;
	switch (dice / 8 % 16) {
	case 0:
		ward_stop(self, ward_self_ref(self));
		return WARD_DONE;
	case 1:
		ward_stop(self, any_child(self));
		return WARD_DONE;
	case 2:
		ward_tell(self, ward_self_ref(self), ward_kill);
		return WARD_DONE;
	case 3:
		ward_tell(self, ward_self_ref(self), ward_poison_pill);
		return WARD_DONE;
	case 4:
		return ward_failed(self, &ward_error, "an error");
	case 5: /* and again, as soon as it may */
		ward_tell(self, ward_self_ref(self), poke, 63);
		break;
	case 6:
		ward_stop(self, ward_self_ref(self));
		break;
	default:
		break;
	}
	if (dice / 128 % 4 == 0 && one_in(self, 1))
		return ward_failed(self, &ward_exception, "returned");
	if (one_in(self, 1))
		ward_fail(self, &ward_exception, "jumped");
	return WARD_DONE;
}

static ward_result node_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct poke *poke = ward_match(msg, poke);
	const struct ping *ping = ward_match(msg, ping);
	const struct due *due = ward_match(msg, due);

	(void)state;
	if (due != NULL) {
		decide_later(self, due->child,
			     WARD_RESUME + (ward_directive)(ward_random(self) % WARD_ESCALATE));
		if (one_in(self, 8))
			ward_fail(self, &ward_exception, "after a decision");
		return WARD_DONE;
	}
	if (poke != NULL) {
		uint64_t dice = poke->dice;

		return on_poke(self, msg, dice == 0 ? ward_random(self) : dice);
	}
	if (ping != NULL) {
		ward_answer(self, msg, ping, .value = ping->value);
		return WARD_DONE;
	}
	ward_assert(ward_match(msg, ward_terminated) != NULL);
	fill(self);
	return WARD_DONE;
}

/* ---- the gardener, who never fails ------------------------------------------------------- */

static const ward_strategy garden = {.otherwise = WARD_RESTART, .quiet = true};

static ward_result gardener_start(ward_self *self, void *state)
{
	(void)state;
	fill(self);
	return WARD_DONE;
}

static ward_result gardener_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, poke) != NULL)
		ward_forward(self, any_child(self));
	else if (ward_match(msg, ward_terminated) != NULL)
		fill(self);
	else if (ward_match(msg, ping) != NULL)
		ward_answer(self, msg, ping, .value = ward_match(msg, ping)->value);
	return WARD_DONE;
}

static const ward_behavior gardener_behavior = {
	.name = "gardener",
	.args = &ward_type_node_args,
	.child_strategy = &garden,
	.pre_start = gardener_start,
	.receive = gardener_receive,
};

/* ---- the test ---------------------------------------------------------------------------- */

struct census {
	size_t count, restless;
	ward_ref refs[NODES_MAX];
	char first[300]; /* that is restless */
};

static void count_row(void *arg, const ward_actor_info *info)
{
	struct census *census = arg;

	ward_assert(census->count < NODES_MAX);
	census->refs[census->count++] = info->ref;
	if (strcmp(info->state, "running") == 0 && info->suspended == 0)
		return;
	if (census->restless++ == 0)
		snprintf(census->first, sizeof census->first, "%s: %s, suspended %u times",
			 info->path, info->state, info->suspended);
}

static struct census census;

static bool at_rest(size_t nodes)
{
	memset(&census, 0, sizeof census);
	(void)ward_system_actors(ward_kit_system(kit), count_row, &census);
	return census.count == nodes && census.restless == 0;
}

/* A minute's rest is enough, whatever the size. */
static void come_to_rest(size_t nodes)
{
	int64_t until_ns = stress_now_ns() + stress_patience_ns() / 2;

	while (!at_rest(nodes)) {
		if (stress_now_ns() > until_ns)
			ward_test_fail(__FILE__, __LINE__,
				       "%zu of %zu actors; %zu are restless, one is %s",
				       census.count, nodes, census.restless, census.first);
		ward_kit_advance(kit, 1);
	}
}

/* False: one was gone by then, so that was no rest yet. No answer from a living one fails. */
static bool all_answer(void)
{
	struct pong pong;

	for (size_t i = 0; i < census.count; i++) {
		ward_ref ref = census.refs[i];
		ward_err err;

		if (ref.uid >> 32 == 1 && (uint32_t)ref.uid < 3)
			continue; /* the guardians: the first lives of the first cells */
		err = ward_system_ask(ward_kit_system(kit), ref, 10 * WARD_SECOND, &pong, ping,
				      .value = i);
		if (err == WARD_EDEAD && !ward_system_is_alive(ward_kit_system(kit), ref))
			return false;
		ward_assert_ok(err);
		ward_assert_eq(pong.value, i);
	}
	return true;
}

static uint64_t pokes_max;

static void *drive(void *arg)
{
	uint64_t random = (uintptr_t)arg;
	uint64_t number;

	while ((number = stress_add(&poked, 1)) < pokes_max) {
		ward_system_tell(ward_kit_system(kit), gardener, poke, .dice = 0);
		if (stress_random(&random) % 4 == 0) /* let them come to something */
			ward_kit_advance(kit, 1);
	}
	return NULL;
}

static void tree(uint32_t workers)
{
	size_t nodes = 3 + 1; /* the guardians, and the gardener */
	pthread_t threads[DRIVERS];

	for (size_t level = 0, count = WIDTH; level < DEPTH; level++, count *= WIDTH)
		nodes += count;
	pokes_max = stress_size(10000, 1000000);
	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	ward_assert_ok(ward_system_spawn(
		ward_kit_system(kit),
		WARD_PROPS(&gardener_behavior, .args = WARD_ARGS(node_args, DEPTH)), &gardener));
	for (uintptr_t i = 0; i < DRIVERS; i++)
		threads[i] = stress_thread(drive, (void *)i);
	for (int i = 0; i < DRIVERS; i++)
		stress_join(threads[i]);
	atomic_store_explicit(&calm, true, memory_order_relaxed);
	/* The last pokes are on their way still when the last node looks as if at rest. */
	do
		come_to_rest(nodes);
	while (!all_answer());
	printf("%llu failures, %llu restarts, %llu lives; resumed %llu, stopped %llu, escalated "
	       "%llu; %llu put off, %llu of them decided later\n",
	       (unsigned long long)ward_kit_stats(kit).failures,
	       (unsigned long long)ward_kit_stats(kit).restarts,
	       (unsigned long long)ward_kit_stats(kit).spawned,
	       (unsigned long long)stress_get(&decisions[WARD_RESUME]),
	       (unsigned long long)stress_get(&decisions[WARD_STOP]),
	       (unsigned long long)stress_get(&decisions[WARD_ESCALATE]),
	       (unsigned long long)stress_get(&decisions[WARD_LATER]),
	       (unsigned long long)stress_get(&decided_later));
	ward_system_stop(ward_kit_system(kit), gardener);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), gardener, WARD_MINUTE));
	STRESS_UNTIL(kit, ward_kit_stats(kit).actors == 3);
	ward_kit_finish(kit);
}

STRESS_WORKERS(tree, "S8", "S9", "S24", "S28", "S29", "S34", "S43")

/* The same on one thread, in an order that can be repeated. */
WARD_TEST(tree_in_any_order, "S8", "S9", "S24", "S28", "S29", "S34", "S43")
{
	WARD_TEST_SEEDS(stress_size(120, 5000))
	{
		uint64_t random = ward_test_seed();
		uint32_t depth = 1 + (uint32_t)(ward_test_seed() % 3);
		size_t nodes = 3 + 1;

		for (size_t level = 0, count = WIDTH; level < depth; level++, count *= WIDTH)
			nodes += count;
		atomic_store_explicit(&calm, false, memory_order_relaxed);
		kit = ward_kit_start(NULL);
		gardener = ward_kit_spawn(kit, &gardener_behavior,
					  .args = WARD_ARGS(node_args, depth));
		for (int i = 0; i < 200; i++) {
			ward_system_tell(ward_kit_system(kit), gardener, poke, .dice = 0);
			for (uint64_t steps = stress_random(&random) % 12; steps > 0; steps--)
				(void)ward_kit_step(kit);
			ward_kit_forget_events(kit);
		}
		atomic_store_explicit(&calm, true, memory_order_relaxed);
		ward_kit_run(kit);
		if (!at_rest(nodes))
			ward_test_fail(__FILE__, __LINE__,
				       "%zu of %zu actors; %zu restless, one is %s", census.count,
				       nodes, census.restless, census.first);
		ward_kit_finish(kit);
	}
	ward_assert_seen(stress_get(&decided_later));
}

WARD_TEST_MAIN
