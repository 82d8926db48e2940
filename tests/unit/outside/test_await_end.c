/* SPDX-License-Identifier: MIT
 *
 * test_await_end.c - what ward_run() waits for: its actor, which stops above a child.
 *
 * Method: the waits of its thread, one after the other, in a simulated system.
 */
#include <ward/testkit.h>

#include "cell/self.h"
#include "outside/outside.h"

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}

static ward_result start_child(ward_self *self, void *state)
{
	static const ward_behavior child = {.name = "child", .receive = ignore};

	(void)state;
	ward_spawn(self, &child);
	return WARD_DONE;
}

static const ward_behavior top = {.name = "top", .receive = ignore, .pre_start = start_child};

static ward_ref begin(ward_kit **ret_kit)
{
	*ret_kit = ward_kit_start(NULL);
	ward_kit_system(*ret_kit)->ends_with_top = true;
	ward_ref ref = ward_kit_spawn(*ret_kit, &top);
	ward_kit_run(*ret_kit);
	ward_system_stop(ward_kit_system(*ret_kit), ref);
	return ref;
}

WARD_TEST(first_wait_ends_as_the_actor_begins_to_stop, "S77")
{
	ward_kit *kit;
	ward_ref ref = begin(&kit);
	ward_system *system = ward_kit_system(kit);

	ward_assert_ok(wardi_outside_await_end(system, ref, true, WARD_FOREVER));
	ward_assert(ward_system_is_alive(system, ref));
	ward_kit_finish(kit);
}

/* Its thread may be in the second wait before the actor has told those of the first. */
WARD_TEST(second_wait_ends_with_the_actor_and_not_as_it_begins_to_stop, "S77")
{
	ward_kit *kit;
	ward_ref ref = begin(&kit);
	ward_system *system = ward_kit_system(kit);

	ward_assert_ok(wardi_outside_await_end(system, ref, false, WARD_FOREVER));
	ward_assert(!ward_system_is_alive(system, ref));
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
