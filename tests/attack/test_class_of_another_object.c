/* SPDX-License-Identifier: MIT
 *
 * test_class_of_another_object.c - failure classes that a shared object and the program declare
 * alike: they are one class, ward's own are told from them, and what is below ward's stays there.
 */
#include <ward/testkit.h>

#include "stranger.h"

/* What a guardian with that strategy decides about it. */
static ward_directive decided(const ward_strategy *strategy, bool shot)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.system.user_strategy = strategy});
	ward_ref who = ward_kit_spawn(kit, &stranger, .name = "who");
	ward_directive directive;

	ward_kit_tell(kit, who, stranger_end, .shot = shot);
	ward_kit_run(kit);
	directive = (ward_directive)ward_kit_event(kit, WARD_EVENT_FAILURE, "*/who", 0)->directive;
	ward_kit_finish(kit);
	return directive;
}

WARD_TEST(class_that_two_objects_declare_is_one_class, "S16", "S19")
{
	static const ward_strategy strategy = {
		.rules = {{&stranger_killed, WARD_RESUME}, {&stranger_shot, WARD_RESTART}},
		.otherwise = WARD_STOP};

	ward_assert(stranger_is_copy(&stranger_killed));
	ward_assert_eq(decided(&strategy, false), WARD_RESUME);
	ward_assert_eq(decided(&strategy, true), WARD_RESTART);
}

WARD_TEST(class_of_another_object_is_told_from_wards_by_default, "S16", "S20")
{
	ward_assert_eq(decided(&ward_default_strategy, false), WARD_RESTART);
	ward_assert_eq(decided(&ward_default_strategy, true), WARD_STOP);
}

WARD_TEST_MAIN
