/* SPDX-License-Identifier: MIT
 *
 * test_zero_spawn.c - the supervisor of a table of the Akka 0.x profile as a behaviour that is
 * spawned: what is refused, its name and its table (S123).
 *
 * Method: as supervisors_and_workers.h says.
 */
#include "supervisors_and_workers.h"

static ward_err try_spawn(const ward_zero_factory *factory)
{
	return ward_system_spawn(
		z_system(),
		WARD_PROPS(&ward_zero_supervisor, .args = {WARD_COPY(ward_zero_factory, factory)}),
		NULL);
}

WARD_TEST(spawn_of_a_table_that_makes_no_sense_is_refused, "S123")
{
	const ward_zero_factory twins = {.components = TABLE(PERMANENT("a"), PERMANENT("a"))};

	z_begin();
	ward_assert_err(try_spawn(&twins), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "two components have the name \"a\"");
	ward_assert_err(try_spawn(&(ward_zero_factory){0}), WARD_EINVAL);
	ward_assert_err(ward_system_spawn(z_system(), WARD_PROPS(&ward_zero_supervisor), NULL),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "WARD_ARGS(ward_zero_factory, ...)");
	z_end();
}

WARD_TEST(supervisor_has_the_name_and_the_table_of_its_props, "S123")
{
	static const ward_zero_strategy once =
		WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 1, 0, &bad_luck);
	char path[WARD_EVENT_PATH];
	ward_ref who, a;

	z_begin();
	who = ward_probe_spawn(z.probe, &ward_zero_supervisor, .name = "here",
			       .args = WARD_ARGS(ward_zero_factory, .name = "there",
						 .strategy = &once,
						 .components = TABLE(PERMANENT("a"))));
	ward_kit_run(z.kit);
	ward_assert_ok(ward_zero_actor(z_system(), who, &worker, WARD_SECOND, &a));
	ward_kit_path(z.kit, a, path);
	ward_assert_part(path, "/here/a");
	z_fail(a, &bad_luck);
	ward_assert_str(seen(), "a+ a! aR");
	z_fail(a, &bad_luck); /* the limit of the table */
	ward_assert(!z_lives(a));
	z_end();
}

WARD_TEST_MAIN
