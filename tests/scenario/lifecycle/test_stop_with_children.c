/* SPDX-License-Identifier: MIT
 *
 * test_stop_with_children.c - a parent that ends with its last child, and behaviours without a
 * receive (S49, S61).
 */
#include <ward/testkit.h>
#include <ward/ward.h>

WARD_SIGNAL(other);

static const ward_behavior idle = {.name = "idle"};

enum { CHILDREN = 3 };
static ward_ref children[CHILDREN];

static ward_result host_start(ward_self *self, void *state)
{
	(void)state;
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = ward_spawn(self, &idle);
		ward_watch(self, children[i]);
	}
	return WARD_DONE;
}

static const ward_behavior host = {
	.name = "host", .pre_start = host_start, .receive = ward_stop_with_children};

WARD_TEST(parent_stops_with_its_last_child, "S49", "S61")
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &host);

	ward_kit_run(kit);
	for (int i = 0; i < CHILDREN; i++) {
		ward_assert(ward_kit_is_alive(kit, ref));
		ward_kit_tell(kit, children[i], ward_poison_pill);
		ward_kit_run(kit);
	}
	ward_assert(!ward_kit_is_alive(kit, ref));
	ward_kit_finish(kit);
}

WARD_TEST(parent_leaves_all_but_the_ends_of_others_unhandled)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &host);

	ward_kit_tell(kit, ref, other);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "*"), 1);
	ward_kit_finish(kit);
}

WARD_TEST(behaviour_without_a_receive_handles_nothing)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &idle);

	ward_kit_tell(kit, ref, other);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "*"), 1);
	ward_kit_tell(kit, ref, ward_kill);
	ward_kit_run(kit);
	ward_kit_finish(kit);
}

/* ---- on threads: the notice of an end may come before the parent is told of it ------------- */

enum { ROUNDS = 300, BUSY = 8 };

static const ward_failure_class early = {.name = "early", .parent = &ward_exception};

static ward_result brief_start(ward_self *self, void *state)
{
	(void)state;
	return ward_failed(self, &early, "at once");
}

static const ward_behavior brief = {.name = "brief", .pre_start = brief_start};

static ward_result crowd_start(ward_self *self, void *state)
{
	(void)state;
	for (int i = 0; i < BUSY; i++)
		ward_watch(self, ward_spawn(self, &brief));
	return WARD_DONE;
}

static const ward_behavior crowd = {
	.name = "crowd",
	.child_strategy = &ward_stopping_strategy,
	.pre_start = crowd_start,
	.receive = ward_stop_with_children,
};

WARD_TEST(parent_stops_however_soon_its_children_end, "S54", "S61")
{
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system = {.workers = 2}});

	for (int i = 0; i < ROUNDS; i++) {
		ward_ref ref = ward_kit_spawn(kit, &crowd);

		ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), ref, WARD_MINUTE));
	}
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
