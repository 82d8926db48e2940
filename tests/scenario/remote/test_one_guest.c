/* SPDX-License-Identifier: MIT
 *
 * test_one_guest.c - a stand-in has one guest at most, whichever of its starts finds no memory, and
 * however long an earlier guest takes to end (S194).
 *
 * Method: two_nodes.h; the parent is restarted while the start is under way, so that the start is
 * made again. Then an allocation of one node finds no memory; or the end of a guest on right waits
 * for that of an anchor.
 */
#include <string.h>

#include "two_nodes.h"

enum { MOMENTS = 12 };     /* of a start: turns of all actors */
enum { WHILE_MS = 10000 }; /* a start that is not answered, the grace, and another start */

static int living[2];
static struct script anchor;

static ward_result lives(ward_self *self, void *arg)
{
	int *count = arg;
	ward_err err = WARD_OK;
	if (anchor.name != NULL && ward_self_system(self) == ward_kit_system(nodes.right))
		err = ward_try_represent(self, anchor.ref, anchor.ref);
	if (err == WARD_OK)
		ward_assert_eq(++*count, 1);
	return ward_failed_err(self, err);
}

static ward_result has_ended(ward_self *self, void *arg)
{
	int *count = arg;
	(void)self;
	ward_assert_eq(--*count, 0);
	return WARD_DONE;
}

/* Until the start has come so far. */
static void begin_start(struct family *f, uint64_t moment)
{
	memset(living, 0, sizeof living);
	f->a.pre_start = f->b.pre_start = lives;
	f->a.post_stop = f->b.post_stop = has_ended;
	f->a.arg = &living[0];
	f->b.arg = &living[1];
	f->p.keeps_children = true;
	f->g.decides = WARD_RESTART;
	begin_with(f);
	if (anchor.name != NULL)
		script_spawn(nodes.right, &anchor);
	for (uint64_t i = 0; i < moment; i++)
		if (!ward_kit_step(f->kit))
			ward_kit_advance(f->kit, 1);
}

/* No guest waits for it any more. */
static void end_anchor(void)
{
	ward_system_stop(ward_kit_system(nodes.right), anchor.ref);
	anchor.name = NULL;
}

/* Returns whether memory ran out. */
static bool start_again_with_a_shortage(bool at_right, uint64_t nth, uint64_t moment)
{
	struct family f = FAMILY;
	anchor = (struct script){.name = "anchor"};
	begin_start(&f, moment);
	script_break(f.kit, f.p.ref, &ward_exception);
	ward_kit *kit = at_right ? nodes.right : f.kit;
	uint64_t made = ward_kit_allocations(kit);
	ward_kit_fail_allocation(kit, nth);
	ward_kit_advance(f.kit, 200);
	bool short_of_memory = ward_kit_allocations(kit) - made >= nth;
	ward_kit_fail_allocation(kit, 0);
	end_anchor();
	ward_kit_advance(f.kit, WHILE_MS);
	ward_assert_eq(living[0], ward_kit_is_alive(f.kit, f.a.ref));
	ward_assert_eq(living[1], ward_kit_is_alive(f.kit, f.b.ref));
	finish(&f);
	return short_of_memory;
}

static void start_again_with_shortages(bool at_right)
{
	WARD_TEST_SEEDS(MOMENTS)
	{
		uint64_t moment = ward_test_seed();
		for (uint64_t nth = 1; start_again_with_a_shortage(at_right, nth, moment); nth++)
			if (ward_test_shortage())
				break; /* each round would be one for each allocation */
	}
}

WARD_TEST(start_made_again_where_the_node_has_no_memory_leaves_one_guest, "S194")
{
	start_again_with_shortages(true);
}

WARD_TEST(start_made_again_without_memory_leaves_one_guest, "S194")
{
	start_again_with_shortages(false);
}

WARD_TEST(start_made_again_waits_for_a_guest_that_takes_its_time, "S194")
{
	WARD_TEST_SEEDS(2 * MOMENTS)
	{
		struct family f = FAMILY;
		anchor = (struct script){.name = "anchor"};
		begin_start(&f, ward_test_seed() % MOMENTS);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_advance(f.kit, WHILE_MS);
		end_anchor();
		ward_kit_advance(f.kit, WHILE_MS);
		ward_assert_eq(living[0], 1);
		ward_assert_eq(living[1], 1);
		finish(&f);
	}
}

WARD_TEST(stop_behind_a_restart_waits_for_a_guest_that_takes_its_time, "S192", "S194")
{
	WARD_TEST_SEEDS(8 * MOMENTS)
	{
		struct family f = FAMILY;
		anchor = (struct script){.name = "anchor"};
		begin_start(&f, ward_test_seed() / 8 % MOMENTS);
		script_break(f.kit, f.p.ref, &ward_exception);
		for (uint64_t i = 0; i < 3 * (ward_test_seed() % 8); i++)
			if (!ward_kit_step(f.kit))
				ward_kit_advance(f.kit, 1);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_kit_advance(f.kit, WARD_SECOND);
		if (living[0] != 0) /* or another one has been started */
			ward_assert(ward_kit_is_alive(f.kit, f.a.ref));
		end_anchor();
		ward_kit_advance(f.kit, WHILE_MS);
		ward_assert_eq(living[0], ward_kit_is_alive(f.kit, f.a.ref));
		finish(&f);
	}
}

/* ---- a guest that stands in for an actor on the node of its own stand-in ------------------- */

static ward_result stands_in_for_left(ward_self *self, void *arg)
{
	ward_ref left = ward_loop_ref(nodes.loop, "right", "left", anchor.ref);
	(void)arg;
	return ward_failed_err(self, ward_try_represent(self, left, left));
}

WARD_TEST(stop_waits_for_one_that_lives_on_the_node_of_the_stand_in, "S188", "S192")
{
	WARD_TEST_SEEDS(MOMENTS)
	{
		struct family f = FAMILY;
		anchor = (struct script){.name = "anchor"};
		f.a.pre_start = stands_in_for_left;
		begin_with(&f);
		script_spawn(f.kit, &anchor);
		ward_kit_advance(f.kit, 100);
		ward_assert(ward_kit_is_alive(f.kit, f.a.ref));
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_kit_advance(f.kit, 100);
		ward_assert(ward_kit_is_alive(f.kit, f.a.ref));
		ward_system_stop(ward_kit_system(f.kit), anchor.ref);
		ward_kit_advance(f.kit, 100);
		ward_assert(!ward_kit_is_alive(f.kit, f.a.ref));
		finish(&f);
	}
}

WARD_TEST_MAIN
