/* SPDX-License-Identifier: MIT
 *
 * test_routees_outside.c - the routees of a router, asked for by a thread outside (S92).
 *
 * Method: as in test_router.c; the thread of the test is the one outside.
 */
#include "router_and_workers.h"

enum { ROOM = 8 };

WARD_TEST(routees_are_told_to_a_thread_outside_in_order, "S92")
{
	ward_ref refs[ROOM];
	size_t count;
	ward_actor_info info;

	rig_open(NULL);
	start_pool(.routees = 3);
	ward_system *system = ward_kit_system(rig.kit);
	ward_assert_ok(ward_system_routees(system, rig.router, WARD_SECOND, refs, ROOM, &count));
	ward_assert_eq(count, 3);
	for (size_t i = 0; i < count; i++) {
		ward_assert(ward_system_is_alive(system, refs[i]));
		ward_assert_eq(worker_number(refs[i]), (int)i + 1);
		ward_assert_ok(ward_system_actor(system, refs[i], &info));
		ward_assert(ward_ref_equal(info.parent, rig.router));
	}
	rig_close();
}

WARD_TEST(routees_beyond_the_room_are_counted, "S92")
{
	ward_ref refs[ROOM] = {{0}};
	size_t count;

	rig_open(NULL);
	start_pool(.routees = 3);
	ward_system *system = ward_kit_system(rig.kit);
	ward_assert_ok(ward_system_routees(system, rig.router, WARD_SECOND, refs, 2, &count));
	ward_assert_eq(count, 3);
	ward_assert(!ward_ref_is_nobody(refs[1]) && ward_ref_is_nobody(refs[2]));
	ward_assert_ok(ward_system_routees(system, rig.router, WARD_SECOND, NULL, 0, &count));
	ward_assert_eq(count, 3);
	rig_close();
}

WARD_TEST(routees_of_what_is_gone_or_no_router_are_refused, "S92")
{
	ward_ref refs[ROOM];
	size_t count = 77;

	rig_open(NULL);
	start_pool(.routees = 2);
	ward_system *system = ward_kit_system(rig.kit);
	ward_probe *probe = ward_probe_start(rig.kit, "none");
	ward_assert_err(ward_system_routees(system, rig.router, WARD_SECOND, NULL, 1, &count),
			WARD_EINVAL);
	ward_assert_err(ward_system_routees(system, rig.router, WARD_SECOND, refs, 1, NULL),
			WARD_EINVAL);
	ward_assert_err(
		ward_system_routees(system, ward_probe_ref(probe), WARD_SECOND, refs, ROOM, &count),
		WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "is it a router?");
	(void)ward_expect(probe, WARD_SECOND, ward_get_routees);
	ward_system_stop(system, rig.router);
	ward_kit_run(rig.kit);
	ward_assert_err(ward_system_routees(system, rig.router, WARD_SECOND, refs, ROOM, &count),
			WARD_EDEAD);
	ward_assert_eq(count, 77);
	rig_close();
}

WARD_TEST_MAIN
