/* SPDX-License-Identifier: MIT
 *
 * test_children_few.c - a parent that rests while it has enough children is woken each time one of
 * them is gone (S127).
 *
 * Method: children stop by themselves, on any worker. The parent starts more only when a notice
 * says so, so a notice that is lost ends the load before all are started.
 */
#include "support/stress.h"

enum { CHILDREN_MAX = 10 };

struct load_args {
	uint64_t total;
};
WARD_MESSAGE(load_args);

static _Atomic uint64_t ended;
static _Atomic bool done;

static ward_result child_start(ward_self *self, void *state)
{
	(void)state;
	return ward_stop_self(self);
}

static ward_result child_end(ward_self *self, void *state)
{
	(void)self, (void)state;
	atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
	return WARD_DONE;
}

static const ward_behavior child = {
	.name = "child", .pre_start = child_start, .post_stop = child_end};

struct parent {
	uint64_t started;
};

static ward_result more(ward_self *self, void *state)
{
	const struct load_args *load = ward_args(self);
	struct parent *me = state;

	while (me->started < load->total && ward_children(self, NULL, 0) < CHILDREN_MAX) {
		(void)ward_spawn(self, &child);
		me->started++;
	}
	if (me->started < load->total)
		ward_children_notify(self, CHILDREN_MAX);
	else if (ward_children(self, NULL, 0) > 0)
		ward_children_notify(self, 1);
	else
		atomic_store_explicit(&done, true, memory_order_release);
	return WARD_DONE;
}

static ward_result parent_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_children_few *few = ward_match(msg, ward_children_few);

	if (few == NULL)
		return WARD_UNHANDLED;
	ward_assert(few->count < few->below);
	return more(self, state);
}

static const ward_behavior parent = {.name = "parent",
				     .args = &ward_type_load_args,
				     .state_size = sizeof(struct parent),
				     .pre_start = more,
				     .receive = parent_receive};

WARD_TEST(parent_that_rests_is_woken_for_each_child_that_ends, "S127")
{
	uint64_t total = stress_size(20000, 2000000);
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 4});

	atomic_store(&ended, 0);
	atomic_store(&done, false);
	(void)ward_kit_spawn(kit, &parent, .args = WARD_ARGS(load_args, total));
	STRESS_UNTIL(kit, atomic_load_explicit(&done, memory_order_acquire));
	ward_assert_eq(atomic_load(&ended), total);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
