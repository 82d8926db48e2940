/* SPDX-License-Identifier: MIT
 *
 * macros.cc - the macros of the testkit that a test in C++ can use.
 */
#include <ward/testkit.h>

struct hello {
	int number;
};
static const ward_type ward_type_hello = {.name = "hello", .size = sizeof(hello)};

static bool any(void *, const void *)
{
	return true;
}

WARD_TEST(case_in_another_language, "S1")
{
	ward_kit *kit = ward_kit_start(nullptr);
	ward_probe *probe = ward_probe_start(kit, "probe");
	const hello *first = ward_expect(probe, WARD_SECOND, hello);
	const hello *second = ward_expect_where(probe, WARD_SECOND, hello, any, nullptr);
	const hello *third = ward_fish(probe, WARD_SECOND, hello, nullptr, nullptr);

	ward_assert_eq(first->number + second->number + third->number, 3);
	ward_expect_none(probe, WARD_SECOND);
	ward_expect_terminated(probe, WARD_SECOND, ward_nobody());
	ward_expect_failure(probe, WARD_SECOND, ward_nobody(), nullptr);
	ward_expect_events(kit, 1, .kinds = WARD_EVENT_FAILURE)
	{
		ward_assert(kit != nullptr);
	}
	WARD_TEST_SEEDS(3)
	ward_assert(ward_test_seed() > 0);
	ward_kit_finish(kit);
}

WARD_SIMULATION(simulation_in_another_language, .seeds = 3, .faults = {.fail = 1})
{
	ward_kit_run(kit);
}

WARD_TEST_MAIN
