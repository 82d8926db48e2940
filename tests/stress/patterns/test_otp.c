/* SPDX-License-Identifier: MIT
 *
 * test_otp.c - supervisors of the OTP profile on threads: children that fail and end while they are
 * terminated, restarted and counted; trees that start or do not, and end (S110-S116).
 *
 * Method: a kit on threads. Each supervisor tells what it says of itself: after all is quiet that
 * must be who is there. At the end nobody may be left failed, waiting or alive.
 */
#include <ward/otp.h>

#include "support/stress.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

enum { CHILDREN = 6, ASKERS = 3 };

WARD_SIGNAL(fail);
WARD_SIGNAL(leave);

static _Atomic bool broken;

static ward_result worker_start(ward_self *self, void *state)
{
	(void)state;
	if (atomic_load_explicit(&broken, memory_order_relaxed))
		return ward_failed(self, &bad_luck, "cannot start");
	return WARD_DONE;
}

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, fail))
		return ward_failed(self, &bad_luck, "told to");
	if (ward_match(msg, leave))
		ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior worker = {
	.name = "worker", .receive = worker_receive, .pre_start = worker_start};
static const ward_behavior steady = {.name = "steady", .receive = worker_receive};

#define STEADY(id_, restart_)                                                                      \
	{                                                                                          \
		.id = id_, .props = {.behavior = &steady}, .restart = restart_                     \
	}
static const ward_otp_child_spec six[] = {STEADY("0", WARD_OTP_PERMANENT),
					  STEADY("1", WARD_OTP_TRANSIENT),
					  STEADY("2", WARD_OTP_PERMANENT),
					  STEADY("3", WARD_OTP_TRANSIENT),
					  STEADY("4", WARD_OTP_TEMPORARY),
					  STEADY("5", WARD_OTP_PERMANENT),
					  {0}};

/* ---- trees ------------------------------------------------------------------------------- */

WARD_TEST(trees_start_whole_or_not_at_all_and_end, "S110", "S115")
{
	static const ward_otp_child_spec two[] = {{.id = "a", .props = {.behavior = &steady}},
						  {.id = "b", .props = {.behavior = &worker}},
						  {0}};
	static const ward_otp_supervisor below = {.children = two};
	static const ward_otp_child_spec three[] = {{.id = "a", .props = {.behavior = &steady}},
						    {.id = "below", .supervisor = &below},
						    {.id = "c", .props = {.behavior = &steady}},
						    {0}};
	static const ward_otp_supervisor tree = {.children = three};
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 4});
	ward_system *system = ward_kit_system(kit);
	uint64_t rounds = stress_size(300, 30000);

	for (uint64_t i = 0; i < rounds; i++) {
		ward_ref who;

		atomic_store_explicit(&broken, i % 3 == 0, memory_order_relaxed);
		ward_assert_err(ward_otp_start(system, &tree, WARD_MINUTE, &who),
				i % 3 == 0 ? WARD_EFAILED : WARD_OK);
		if (i % 3 != 0)
			ward_assert_ok(ward_otp_stop(system, who, WARD_MINUTE));
	}
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).actors, 3); /* the guardians */
	ward_kit_finish(kit);
}

/* A name is free when the start has failed. */
WARD_TEST(tree_that_did_not_start_can_be_started_again, "S110")
{
	static const ward_otp_child_spec one[] = {{.id = "a", .props = {.behavior = &worker}}, {0}};
	static const ward_otp_supervisor tree = {.name = "tree", .children = one};
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 4});
	ward_system *system = ward_kit_system(kit);
	uint64_t rounds = stress_size(2000, 100000);
	ward_ref who;

	atomic_store_explicit(&broken, true, memory_order_relaxed);
	for (uint64_t i = 0; i < rounds; i++)
		ward_assert_err(ward_otp_start(system, &tree, WARD_MINUTE, &who), WARD_EFAILED);
	atomic_store_explicit(&broken, false, memory_order_relaxed);
	ward_assert_ok(ward_otp_start(system, &tree, WARD_MINUTE, &who));
	ward_assert_ok(ward_otp_stop(system, who, WARD_MINUTE));
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).actors, 3); /* the guardians */
	ward_kit_finish(kit);
}

/* ---- children that fail while others ask ------------------------------------------------- */

struct asker {
	ward_system *system;
	ward_ref supervisor;
	uint64_t random, rounds;
	pthread_t thread;
};

static ward_ref any_child(const struct asker *me, uint64_t random)
{
	struct ward_otp_children all;
	ward_ref who = ward_nobody();

	ward_assert_ok(ward_system_ask(me->system, me->supervisor, WARD_MINUTE, &all,
				       ward_otp_which_children));
	if (all.count > 0)
		who = all.rows[random % all.count].who;
	ward_otp_children_drop(&all);
	return who;
}

static void ask(const struct asker *me, const ward_type *type, unsigned id)
{
	struct ward_otp_terminate_child question = {.id = {(char)('0' + id % CHILDREN)}};
	struct ward_otp_done done;

	ward_assert_ok(ward_system_ask_send(me->system, me->supervisor, WARD_MINUTE,
					    &ward_type_ward_otp_done, &done, type, &question,
					    type->size));
	ward_assert(done.code <= WARD_OTP_NOT_FOUND);
}

static void add(const struct asker *me)
{
	struct ward_otp_done done;

	ward_assert_ok(
		ward_otp_start_child_wait(me->system, me->supervisor, WARD_MINUTE, &six[4], &done));
	ward_assert(done.code <= WARD_OTP_ALREADY_PRESENT);
}

static void *asks(void *arg)
{
	struct asker *me = arg;

	for (uint64_t i = 0; i < me->rounds; i++) {
		uint64_t random = stress_random(&me->random);
		ward_ref who = any_child(me, random >> 8);

		switch (random % 8) {
		case 0:
			ask(me, &ward_type_ward_otp_terminate_child, (unsigned)(random >> 16));
			break;
		case 1:
		case 2:
			ask(me, &ward_type_ward_otp_restart_child, (unsigned)(random >> 16));
			break;
		case 3:
			add(me);
			break;
		case 4:
			ward_system_tell(me->system, who, leave);
			break;
		case 5:
			ward_system_stop(me->system, who);
			break;
		default:
			ward_system_tell(me->system, who, fail);
			break;
		}
	}
	return NULL;
}

/* What it says of its children is who is there. */
static void check_children(ward_kit *kit, ward_ref supervisor)
{
	struct ward_otp_children all;
	uint64_t alive = 0;

	ward_assert_ok(ward_system_ask(ward_kit_system(kit), supervisor, WARD_MINUTE, &all,
				       ward_otp_which_children));
	for (size_t i = 0; i < all.count; i++) {
		ward_assert(all.rows[i].state != WARD_OTP_CHILD_RESTARTING);
		ward_assert_eq(all.rows[i].state == WARD_OTP_CHILD_ALIVE,
			       ward_system_is_alive(ward_kit_system(kit), all.rows[i].who));
		alive += all.rows[i].state == WARD_OTP_CHILD_ALIVE;
	}
	ward_otp_children_drop(&all);
	ward_assert_eq(ward_kit_stats(kit).actors, 3 + 1 + alive); /* the guardians, and it */
}

static void check_load(ward_otp_strategy strategy)
{
	const ward_otp_supervisor table = {.strategy = strategy,
					   .intensity = 1000,
					   .window_ms = 1 * WARD_SECOND,
					   .children = six};
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 4});
	struct asker askers[ASKERS];
	ward_ref supervisor;
	uint64_t lives = 0;

	ward_assert_ok(ward_otp_start(ward_kit_system(kit), &table, WARD_MINUTE, &supervisor));
	for (unsigned i = 0; i < ASKERS; i++) {
		askers[i] = (struct asker){.system = ward_kit_system(kit),
					   .supervisor = supervisor,
					   .random = i + 1,
					   .rounds = stress_size(100, 100)};
		ward_assert_eq(pthread_create(&askers[i].thread, NULL, asks, &askers[i]), 0);
	}
	for (unsigned i = 0; i < ASKERS; i++)
		ward_assert_eq(pthread_join(askers[i].thread, NULL), 0);
	ward_kit_run(kit);
	lives = ward_kit_stats(kit).spawned;
	ward_assert(lives > 3 + 1 + CHILDREN); /* some were restarted */
	check_children(kit, supervisor);
	ward_assert_ok(ward_otp_stop(ward_kit_system(kit), supervisor, WARD_MINUTE));
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).actors, 3);
	ward_kit_finish(kit);
}

WARD_TEST(one_for_one_while_others_ask, "S111", "S112", "S116")
{
	for (uint64_t i = stress_size(3, 300); i > 0; i--)
		check_load(WARD_OTP_ONE_FOR_ONE);
}

WARD_TEST(one_for_all_while_others_ask, "S111", "S112", "S116")
{
	for (uint64_t i = stress_size(3, 300); i > 0; i--)
		check_load(WARD_OTP_ONE_FOR_ALL);
}

WARD_TEST(rest_for_one_while_others_ask, "S111", "S112", "S116")
{
	for (uint64_t i = stress_size(3, 300); i > 0; i--)
		check_load(WARD_OTP_REST_FOR_ONE);
}

/* ---- simple_one_for_one ------------------------------------------------------------------ */

WARD_TEST(thousands_of_simple_children_fail_and_end_together, "S111", "S115")
{
	static const ward_otp_child_spec one[] = {
		{.id = "s", .props = {.behavior = &steady}, .restart = WARD_OTP_TEMPORARY}, {0}};
	static const ward_otp_supervisor table = {.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
						  .children = one};
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 4});
	uint64_t count = stress_size(2000, 50000);
	struct ward_otp_counts counts;
	struct ward_otp_done done;
	ward_ref supervisor;

	ward_assert_ok(ward_otp_start(ward_kit_system(kit), &table, WARD_MINUTE, &supervisor));
	for (uint64_t i = 0; i < count; i++) {
		ward_assert_ok(ward_otp_start_child_wait(ward_kit_system(kit), supervisor,
							 WARD_MINUTE, &(ward_otp_child_spec){0},
							 &done));
		ward_assert_eq(done.code, WARD_OTP_OK);
		if (i % 2 == 0)
			ward_kit_tell(kit, done.who, fail);
	}
	ward_kit_run(kit);
	ward_assert_ok(ward_system_ask(ward_kit_system(kit), supervisor, WARD_MINUTE, &counts,
				       ward_otp_count_children));
	ward_assert_eq(counts.active, count / 2);
	ward_assert_ok(ward_otp_stop(ward_kit_system(kit), supervisor, WARD_MINUTE));
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).actors, 3);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
