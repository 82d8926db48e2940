/* SPDX-License-Identifier: MIT
 *
 * test_value_shrink.c - a value with which a test fails becomes the smallest of its kind.
 *
 * Method: properties that are false for a known set of values; what is left is compared with the
 * smallest of the set.
 */
#include "parcel.h"

struct page_in {
	struct page page;
	char text[196];
};

struct asked {
	uint32_t calls;
	bool (*fails)(const struct parcel *parcel);
};

/* Each body that a test is asked about must be one that the table allows. */
static bool ask(const void *body, size_t size, void *arg)
{
	struct asked *asked = arg;
	ward_bytes out = {.data = NULL};

	ward_assert_ok(ward_encode(WARD_FORMAT_JSON, &ward_type_parcel, body, size, &out));
	ward_bytes_finish(&out);
	asked->calls++;
	return asked->fails(body);
}

/* Returns the smallest value, from the first that fails, which the caller drops. */
static struct parcel shrink(bool (*fails)(const struct parcel *parcel))
{
	struct asked asked = {0, fails};
	struct parcel parcel;
	size_t size = sizeof parcel;

	for (uint64_t seed = 6;; seed++) {
		ward_assert_ok(
			ward_value_random(&ward_type_parcel, seed, &parcel, sizeof parcel, NULL));
		if (fails(&parcel))
			break;
		ward_type_parcel.drop(&parcel);
	}
	ward_assert_ok(ward_value_shrink(&ward_type_parcel, &parcel, &size, ask, &asked));
	ward_assert(fails(&parcel));
	ward_assert(asked.calls <= 10000);
	return parcel;
}

static bool always(const struct parcel *parcel)
{
	(void)parcel;
	return true;
}

WARD_TEST(a_test_that_always_fails_fails_with_the_smallest_value, "S183")
{
	struct parcel parcel = shrink(always);

	ward_assert(!parcel.paid);
	ward_assert_eq(parcel.zone, 1);
	ward_assert_eq(parcel.balance, 0);
	ward_assert_eq(parcel.number, 0);
	ward_assert(parcel.weight == 0 && parcel.part == 0.25);
	ward_assert(parcel.to == NULL);
	ward_assert_str(parcel.note, "");
	ward_assert_eq(parcel.speed, SPEED_SLOW);
	ward_assert_eq(parcel.marks, 0);
	ward_assert(ward_ref_is_nobody(parcel.sender));
	ward_assert(memcmp(parcel.stamp, "\0\0\0\0\0", 5) == 0);
	ward_assert_eq(parcel.code_count, 1);
	ward_assert_eq(parcel.code[0], 0);
	ward_assert_eq(parcel.pieces_count, 0);
	ward_assert_eq(parcel.late, 5);
	ward_type_parcel.drop(&parcel);
}

static bool is_large(const struct parcel *parcel)
{
	return parcel->balance <= -1234567 && parcel->number > 99;
}

WARD_TEST(numbers_come_to_the_bound_of_the_failure, "S183")
{
	struct parcel parcel = shrink(is_large);

	ward_assert_eq(parcel.balance, -1234567);
	ward_assert_eq(parcel.number, 100);
	ward_assert_eq(parcel.zone, 1);
	ward_type_parcel.drop(&parcel);
}

static bool has_letter(const struct parcel *parcel)
{
	return strchr(parcel->note, 'q') != NULL && parcel->to != NULL && strlen(parcel->to) >= 3;
}

WARD_TEST(texts_keep_what_makes_the_test_fail, "S183")
{
	struct parcel parcel = shrink(has_letter);

	ward_assert_str(parcel.note, "q");
	ward_assert_str(parcel.to, "aaa");
	ward_type_parcel.drop(&parcel);
}

static bool has_wide_piece(const struct parcel *parcel)
{
	for (size_t i = 0; i < parcel->pieces_count; i++)
		if (parcel->pieces[i].size.width > 500 && (parcel->marks & 1) != 0)
			return true;
	return false;
}

WARD_TEST(lists_keep_the_item_that_makes_the_test_fail, "S183")
{
	struct parcel parcel = shrink(has_wide_piece);

	ward_assert_eq(parcel.pieces_count, 1);
	ward_assert_eq(parcel.pieces[0].size.width, 501);
	ward_assert_eq(parcel.pieces[0].size.turn, 0);
	ward_assert(parcel.pieces[0].label == NULL);
	ward_assert_eq(parcel.marks, 1);
	ward_type_parcel.drop(&parcel);
}

static bool has_long_tail(const void *body, size_t size, void *arg)
{
	const struct page_in *in = body;

	(void)arg;
	for (size_t i = sizeof in->page; i < size; i++)
		if (in->text[i - sizeof in->page] == (char)0xff)
			return true;
	return false;
}

WARD_TEST(a_tail_becomes_shorter, "S183")
{
	struct page_in in = {{77}, "xyz\xff.."};
	size_t size = sizeof in.page + 6;

	ward_assert_ok(ward_value_shrink(&ward_type_page, &in, &size, has_long_tail, NULL));
	ward_assert_eq(size, sizeof in.page + 1);
	ward_assert_eq((unsigned char)in.text[0], 0xff);
	ward_assert_eq(in.page.number, 0);
}

static bool never(const void *body, size_t size, void *arg)
{
	(void)body, (void)size, (void)arg;
	return false;
}

WARD_TEST(a_test_that_does_not_fail_is_refused, "S183")
{
	struct page_in in = {{1}, ""};
	size_t size = sizeof in.page;

	ward_assert_err(ward_value_shrink(&ward_type_page, &in, &size, never, NULL), WARD_EINVAL);
	ward_assert_eq(in.page.number, 1);
	size = 1;
	ward_assert_err(ward_value_shrink(&ward_type_page, &in, &size, never, NULL), WARD_ESIZE);
	ward_assert_err(ward_value_shrink(&ward_type_plain, &in, &size, never, NULL), WARD_ELOCAL);
}

WARD_TEST_MAIN
