/* SPDX-License-Identifier: MIT
 *
 * test_end_within_phase.c - /system is ended by one of its own while a phase of the shutdown runs.
 */
#include <ward/testkit.h>
#include <ward/ward.h>

WARD_SIGNAL(end);

static ward_result join(ward_self *self, void *state)
{
	(void)state;
	ward_assert_ok(ward_try_shutdown_join(self, "service-stop", "never done"));
	return WARD_DONE;
}
static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, end))
		ward_stop(self, ward_parent(self));
	return WARD_DONE;
}
static const ward_behavior idler = {.name = "idler", .receive = receive, .pre_start = join};
static const ward_behavior patricide = {.name = "patricide", .receive = receive};

WARD_TEST(system_guardian_that_ends_within_a_phase_leaves_no_timer, "S77")
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref who;

	(void)ward_kit_spawn(kit, &idler);
	ward_assert_ok(
		ward_system_spawn_service(ward_kit_system(kit), WARD_PROPS(&patricide), &who));
	ward_kit_run(kit);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_kit_run(kit);
	ward_kit_tell(kit, who, end);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
