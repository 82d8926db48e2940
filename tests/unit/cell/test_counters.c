/* SPDX-License-Identifier: MIT
 *
 * test_counters.c - the counts of workers add up, and the numbers of lives are in order.
 *
 * Method: a parent moves between two workers, which are only records here; and real workers that
 * spawn at the same time are added up when all is still.
 */
#include "cell/self.h"
#include "support/script.h"

enum { PARENTS = 8, CHILDREN = 500 };

WARD_TEST(numbers_of_siblings_are_in_order_whichever_worker_makes_them)
{
	static struct ward_self workers[2];
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = true});
	ward_system *system = ward_kit_system(kit);
	uint64_t youngest = 0, strange = 0;
	for (int i = 0; i < 1000; i++) {
		struct ward_self *other = &workers[(i / 7 + 1) % 2];
		uint64_t born = wardi_life_number(system, &workers[i / 7 % 2], youngest);
		ward_assert(born > youngest);
		ward_assert(born != strange);
		youngest = born;
		strange = wardi_life_number(system, other, 0); /* of another family */
		ward_assert(strange != born);
	}
	ward_kit_finish(kit);
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior child = {.name = "child", .receive = ignore};

static ward_result make_children(ward_self *self, void *state)
{
	(void)state;
	for (int i = 0; i < CHILDREN; i++) {
		ward_ref ref;
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&child), &ref));
		if (i % 2 == 0)
			ward_stop(self, ref);
	}
	return WARD_DONE;
}
static const ward_behavior parent = {
	.name = "parent", .receive = ignore, .pre_start = make_children};

WARD_TEST(lives_that_several_workers_begin_and_end_are_counted_exactly)
{
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.workers = 4});
	for (int i = 0; i < PARENTS; i++)
		ward_kit_spawn(kit, &parent);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).spawned, 3 + PARENTS * (1 + CHILDREN));
	ward_assert_eq(ward_kit_stats(kit).actors, 3 + PARENTS * (1 + CHILDREN / 2));
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
