/* SPDX-License-Identifier: MIT
 *
 * test_zero.c - the Akka 0.x profile on threads: trees that start or do not, links under way while
 * actors fail (S118-S120, S123).
 *
 * Method: a kit on threads; at its end nobody may be left failed, waiting or alive.
 */
#include <ward/akka_zero.h>

#include "support/stress.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class odd_luck = {.name = "odd_luck", .parent = &ward_exception};

static const ward_zero_strategy one = WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 0, 0, &bad_luck);
static const ward_zero_strategy all = WARD_ZERO_STRATEGY(WARD_ALL_FOR_ONE, 0, 0, &bad_luck);

WARD_SIGNAL(fail);
struct wish {
	ward_ref who;
	bool ends; /* unlink, not link */
};
WARD_MESSAGE_FLAT(wish);

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return ward_match(msg, fail) ? ward_failed(self, &bad_luck, "told to") : WARD_DONE;
}
static const ward_behavior worker = {.name = "worker", .receive = worker_receive};

/* ---- trees ------------------------------------------------------------------------------- */

static _Atomic bool broken;

static ward_result frail_start(ward_self *self, void *state)
{
	(void)state;
	if (atomic_load_explicit(&broken, memory_order_relaxed))
		return ward_failed(self, &odd_luck, "cannot start");
	return WARD_DONE;
}
static const ward_behavior frail = {
	.name = "frail", .receive = worker_receive, .pre_start = frail_start};

#define TABLE(...) ((const ward_zero_component[]){__VA_ARGS__, {0}})
static const ward_zero_factory below = {
	.strategy = &all,
	.components = TABLE({.props = {.behavior = &worker}}, {.props = {.behavior = &frail}}),
};
static const ward_zero_factory misnamed = {
	.components = TABLE({.props = {.behavior = &worker, .name = "no way"}}),
};
static const ward_zero_factory tree = {
	.strategy = &one,
	.components = TABLE({.props = {.behavior = &worker}}, {.nested = &below}),
};
static const ward_zero_factory wrong = {
	.strategy = &one,
	.components = TABLE({.props = {.behavior = &worker}}, {.nested = &misnamed}),
};

/* What is refused below must not be taken for a start, whatever comes first: the answer of the
 * supervisor below, or its failure. */
WARD_TEST(trees_start_whole_or_not_at_all, "S123")
{
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 4});
	ward_system *system = ward_kit_system(kit);
	uint64_t rounds = stress_size(300, 30000);

	for (uint64_t i = 0; i < rounds; i++) {
		ward_ref who;

		atomic_store_explicit(&broken, i % 3 == 0, memory_order_relaxed);
		ward_assert(ward_zero_start(system, &wrong, WARD_MINUTE, &who) != WARD_OK);
		ward_assert_err(ward_zero_start(system, &tree, WARD_MINUTE, &who),
				i % 3 == 0 ? WARD_EDEAD : WARD_OK);
		if (i % 3 == 0)
			continue;
		ward_system_stop(system, who);
		ward_assert_ok(ward_system_wait_for(system, who, WARD_MINUTE));
	}
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).actors, 3); /* the guardians */
	ward_kit_finish(kit);
}

/* ---- links ------------------------------------------------------------------------------- */

struct chief {
	struct ward_zero_links links;
	const ward_zero_strategy *strategy;
};

struct chief_args {
	const ward_zero_strategy *strategy;
	ward_ref orphanage;
};
WARD_MESSAGE(chief_args);

static ward_result chief_init(ward_self *self, void *state, const void *args)
{
	ward_zero_init(self, &((struct chief *)state)->links,
		       ((const struct chief_args *)args)->strategy);
	return WARD_DONE;
}

static ward_result chief_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct chief_args *args = ward_args(self);
	struct chief *me = state;
	const struct wish *wish = ward_match(msg, wish);

	if (wish == NULL)
		return WARD_DONE;
	if (wish->ends)
		(void)!ward_zero_unlink(self, &me->links, wish->who);
	else
		(void)!ward_try_zero_link(self, &me->links, args->orphanage, wish->who,
					  WARD_ZERO_PERMANENT);
	return WARD_DONE;
}
static const ward_behavior chief = {
	.name = "chief",
	.state_size = sizeof(struct chief),
	.args = &ward_type_chief_args,
	.init = chief_init,
	.receive = chief_receive,
};

static ward_ref start_chief(ward_kit *kit, const ward_zero_strategy *strategy, ward_ref orphanage)
{
	const struct chief_args args = {strategy, orphanage};

	return ward_kit_spawn(kit, &chief, .args = {WARD_COPY(chief_args, &args)});
}

static ward_ref start_orphan(ward_kit *kit, ward_ref orphanage)
{
	static const ward_zero_component component = {.props = {.behavior = &worker}};
	struct ward_zero_spawned spawned;

	ward_assert_ok(ward_system_ask(ward_kit_system(kit), orphanage, WARD_MINUTE, &spawned,
				       ward_zero_spawn, .component = &component));
	ward_assert_ok(spawned.err);
	return spawned.who;
}

enum { ORPHANS = 16 };

static void look_at(void *arg, const ward_actor_info *info)
{
	if (info->suspended > 0)
		++*(uint64_t *)arg;
}

/* Two chiefs want the same orphans, which fail. Whoever is dead is made anew. */
WARD_TEST(links_come_and_go_while_actors_fail, "S118", "S119", "S122")
{
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 4});
	ward_ref orphanage = ward_kit_spawn(kit, &ward_zero_orphanage);
	ward_ref chiefs[2] = {start_chief(kit, &one, orphanage), start_chief(kit, &all, orphanage)};
	uint64_t rounds = stress_size(20000, 2000000), suspended = 0, dead = 0;
	ward_ref orphans[ORPHANS];

	for (int i = 0; i < ORPHANS; i++)
		orphans[i] = start_orphan(kit, orphanage);
	for (uint64_t i = 0, random = 88172645463325252; i < rounds; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		ward_ref *who = &orphans[random % ORPHANS];

		if (!ward_system_is_alive(ward_kit_system(kit), *who)) {
			*who = start_orphan(kit, orphanage);
			dead++;
		}
		if (random >> 8 & 1)
			ward_kit_tell(kit, *who, fail);
		else
			ward_kit_tell(kit, chiefs[random >> 9 & 1], wish, .who = *who,
				      .ends = (random >> 10 & 3) == 0);
		if (i % 64 == 0) /* else all is sent before anything happens */
			ward_kit_run(kit);
	}
	ward_kit_run(kit);
	(void)ward_system_actors(ward_kit_system(kit), look_at, &suspended);
	ward_assert_eq(suspended, 0);
	ward_assert(dead > 0);
	ward_assert(ward_kit_stats(kit).restarts > 0);
	ward_kit_stop(kit, chiefs[0]);
	ward_kit_stop(kit, chiefs[1]);
	ward_kit_run(kit);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
