/* SPDX-License-Identifier: MIT
 *
 * test_value_random.c - values that a table allows: they are allowed, the same for a seed, and have
 * the edges.
 *
 * Method: values of many seeds, counted by their edges.
 */
#include "parcel.h"

struct page_in {
	struct page page;
	char text[196];
};

static struct parcel draw(uint64_t seed)
{
	struct parcel parcel;

	ward_assert_ok(ward_value_random(&ward_type_parcel, seed, &parcel, sizeof parcel, NULL));
	return parcel;
}

WARD_TEST(a_seed_makes_one_value_that_its_table_allows, "S183")
{
	ward_bytes one = {.data = NULL}, other = {.data = NULL};

	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct parcel parcel = draw(seed), again = draw(seed);

		one.size = other.size = 0;
		ward_assert_ok(ward_encode(WARD_FORMAT_JSON, &ward_type_parcel, &parcel,
					   sizeof parcel, &one));
		ward_assert_ok(ward_encode(WARD_FORMAT_JSON, &ward_type_parcel, &again,
					   sizeof again, &other));
		ward_assert_eq(one.size, other.size);
		ward_assert(memcmp(one.data, other.data, one.size) == 0);
		ward_type_parcel.drop(&parcel);
		ward_type_parcel.drop(&again);
	}
	ward_bytes_finish(&one);
	ward_bytes_finish(&other);
}

WARD_TEST(the_first_seeds_are_edges_in_all_rows, "S183")
{
	struct parcel least = draw(1), most = draw(2), next = draw(3), before = draw(4);

	ward_assert_eq(least.zone, 1);
	ward_assert_eq(least.balance, INT64_MIN);
	ward_assert(least.part == 0.25);
	ward_assert_eq(least.code_count, 1);
	ward_assert_eq(least.pieces_count, 0);
	ward_assert_eq(least.speed, SPEED_SLOW);
	ward_assert_eq(least.late, 5);
	ward_assert_eq(most.zone, 255);
	ward_assert(most.number == UINT64_MAX);
	ward_assert_eq(strlen(most.note), sizeof most.note - 1);
	ward_assert_eq(strlen(most.to), 256);
	ward_assert_eq(most.wait_ms, WARD_FOREVER);
	ward_assert_eq(most.marks, 0x80000003u);
	ward_assert_eq(most.code_count, 9);
	ward_assert_eq(most.pieces_count, 3);
	ward_assert_eq(strlen(most.pieces[2].label), 40);
	ward_assert_eq(most.size.width, 1000);
	ward_assert_eq(next.zone, 2);
	ward_assert(next.part > 0.25 && next.part < 0.2500001);
	ward_assert_eq(before.late, 8);
	ward_assert_eq(before.pieces_count, 2);
	ward_type_parcel.drop(&least);
	ward_type_parcel.drop(&most);
	ward_type_parcel.drop(&next);
	ward_type_parcel.drop(&before);
}

WARD_TEST(later_seeds_mix_edges_with_other_values, "S183")
{
	enum { ZERO, LEAST, MOST, EMPTY, FULL, SMALL, LARGE, NOTHING, COUNTED };
	int counts[COUNTED] = {0};

	for (uint64_t seed = 100; seed < 2100; seed++) {
		struct parcel parcel = draw(seed);

		counts[ZERO] += parcel.balance == 0;
		counts[LEAST] += parcel.balance == INT64_MIN;
		counts[MOST] += parcel.number == UINT64_MAX;
		counts[EMPTY] += parcel.note[0] == '\0';
		counts[FULL] += strlen(parcel.note) == sizeof parcel.note - 1;
		counts[SMALL] += parcel.balance > -1000000 && parcel.balance < 0;
		counts[LARGE] += parcel.number > (UINT64_C(1) << 62);
		counts[NOTHING] += parcel.to == NULL;
		ward_type_parcel.drop(&parcel);
	}
	for (int i = 0; i < COUNTED; i++)
		if (counts[i] < 15)
			ward_test_fail(__FILE__, __LINE__, "edge %d: %d times", i, counts[i]);
}

WARD_TEST(a_tail_fits_its_room, "S183")
{
	struct page_in in;
	size_t size, most = 0;

	for (uint64_t seed = 0; seed < 500; seed++) {
		ward_assert_ok(ward_value_random(&ward_type_page, seed, &in, sizeof in, &size));
		ward_assert(size >= sizeof in.page && size <= sizeof in.page + 100);
		if (size > most)
			most = size;
		ward_assert_ok(
			ward_value_random(&ward_type_page, seed, &in, sizeof in.page + 5, &size));
		ward_assert(size <= sizeof in.page + 5);
	}
	ward_assert_eq(most, sizeof in.page + 100);
}

WARD_TEST(what_has_no_table_has_no_values, "S183")
{
	struct plain plain;
	size_t size = 1;

	ward_assert_err(ward_value_random(&ward_type_plain, 1, &plain, sizeof plain, NULL),
			WARD_ELOCAL);
	ward_assert_part(ward_err_detail(), "\"plain\" has no table");
	ward_assert_err(ward_value_random(&ward_type_parcel, 1, &plain, sizeof plain, NULL),
			WARD_ESIZE);
	ward_assert_ok(ward_value_random(&ward_type_stop, 1, NULL, 0, &size));
	ward_assert_eq(size, 0);
}

WARD_TEST_MAIN
