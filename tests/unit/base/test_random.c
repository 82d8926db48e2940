/* SPDX-License-Identifier: MIT
 *
 * test_random.c - the generator gives the same numbers everywhere, and fair ones below a bound.
 *
 * Method: the first numbers for a seed, computed from the definition by an independent program.
 */
#include <ward/testkit.h>

#include "base/random.h"

WARD_TEST(random_same_seed_gives_the_known_numbers)
{
	static const uint64_t known[] = {
		UINT64_C(0x15780b2e0c2ec716),
		UINT64_C(0x6104d9866d113a7e),
		UINT64_C(0xae17533239e499a1),
		UINT64_C(0xecb8ad4703b360a1),
	};
	struct wardi_random random;

	wardi_random_init(&random, 42);
	for (int i = 0; i < 4; i++)
		ward_assert_eq(wardi_random_u64(&random), known[i]);
}

WARD_TEST(random_below_is_in_range_and_even)
{
	struct wardi_random random;
	unsigned seen[7] = {0};

	wardi_random_init(&random, 1);
	for (int i = 0; i < 70000; i++) {
		uint64_t drawn = wardi_random_below(&random, 7);
		ward_assert(drawn < 7);
		seen[drawn]++;
	}
	/* Ten thousand each; 500 is more than five standard deviations. */
	for (int i = 0; i < 7; i++)
		ward_assert(seen[i] > 9500 && seen[i] < 10500);
	for (int i = 0; i < 100; i++)
		ward_assert_eq(wardi_random_below(&random, 1), 0);
	/* Two thirds of all: without rejection a third of the results were twice as likely. */
	uint64_t bound = UINT64_MAX / 3 * 2, low = 0;
	for (int i = 0; i < 30000; i++)
		low += wardi_random_below(&random, bound) < bound / 2;
	ward_assert(low > 14500 && low < 15500);
}

WARD_TEST(random_seeds_of_systems_differ)
{
	ward_assert(wardi_random_seed() != wardi_random_seed());
}

WARD_TEST_MAIN
