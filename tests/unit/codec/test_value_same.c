/* SPDX-License-Identifier: MIT
 *
 * test_value_same.c - whether two bodies have the same values: each row counts, and nothing else.
 *
 * Method: a value and its copy, in which one member differs, or what no row has.
 */
#include "parcel.h"

#include <ward/extend.h>

static struct parcel fill(void)
{
	struct parcel parcel;

	ward_assert_ok(ward_value_random(&ward_type_parcel, 3, &parcel, sizeof parcel, NULL));
	return parcel;
}

static bool same(const struct parcel *a, const struct parcel *b)
{
	return ward_value_same(&ward_type_parcel, a, sizeof *a, b, sizeof *b);
}

WARD_TEST(what_no_row_has_does_not_count, "S183")
{
	struct parcel a = fill(), b = a;
	char to[300];

	strcpy(to, a.to);
	b.to = to;
	ward_assert_eq(a.pieces_count, 1);
	memset(&b.pieces[1], 0x55, 2 * sizeof b.pieces[1]);
	memset(b.code + b.code_count, 0x55, sizeof b.code - b.code_count);
	ward_assert_eq(strlen(b.note), 1);
	b.note[5] = 'x';
	((unsigned char *)&b)[offsetof(struct parcel, paid) + 2] = 0x55; /* padding */
	ward_assert(same(&a, &b));
	ward_type_parcel.drop(&a);
}

#define DIFFERS(member, value)                                                                     \
	do {                                                                                       \
		struct parcel other = parcel;                                                      \
		other.member = (value);                                                            \
		ward_assert(memcmp(&other, &parcel, sizeof other) != 0);                           \
		ward_assert(!same(&parcel, &other));                                               \
		ward_assert(!same(&other, &parcel));                                               \
	} while (0)

WARD_TEST(each_row_counts, "S183")
{
	struct parcel parcel = fill();
	char other_text[] = "other";

	DIFFERS(paid, !parcel.paid);
	DIFFERS(zone, 77);
	DIFFERS(balance, 77);
	DIFFERS(number, 77);
	DIFFERS(bytes, 77);
	DIFFERS(weight, 0.77);
	DIFFERS(part, 0.77);
	DIFFERS(to, other_text);
	DIFFERS(to, NULL);
	DIFFERS(note[0], '\0');
	DIFFERS(wait_ms, 77);
	DIFFERS(speed, (enum speed)(SPEED_SLOW + SPEED_FAST - parcel.speed));
	DIFFERS(marks, parcel.marks ^ 1);
	DIFFERS(sender.uid, 77);
	DIFFERS(sender, ward_ref_at(77, WARD_REF_ACTOR, ward_ref_number(parcel.sender)));
	DIFFERS(size.width, 77);
	DIFFERS(size.turn, 77);
	DIFFERS(stamp[4], parcel.stamp[4] ^ 1);
	DIFFERS(code[0], parcel.code[0] ^ 1);
	DIFFERS(code_count, 1);
	DIFFERS(pieces_count, 2);
	DIFFERS(pieces[0].size.turn, 77);
	DIFFERS(pieces[0].label, other_text);
	DIFFERS(late, 77);
	ward_type_parcel.drop(&parcel);
}

WARD_TEST(the_tail_and_the_size_count, "S183")
{
	struct {
		struct page page;
		char text[8];
	} a = {{1}, "abc"}, b = a;
	struct plain one = {1}, two = {2};
	size_t size = sizeof a.page;

	ward_assert(ward_value_same(&ward_type_page, &a, size + 3, &b, size + 3));
	ward_assert(!ward_value_same(&ward_type_page, &a, size + 3, &b, size + 2));
	b.text[2] = 'x';
	ward_assert(!ward_value_same(&ward_type_page, &a, size + 3, &b, size + 3));
	ward_assert(ward_value_same(&ward_type_page, &a, size + 2, &b, size + 2));
	ward_assert(!ward_value_same(&ward_type_plain, &one, sizeof one, &two, sizeof two));
	ward_assert(ward_value_same(&ward_type_plain, &one, sizeof one, &one, sizeof one));
	ward_assert(ward_value_same(&ward_type_stop, NULL, 0, NULL, 0));
}

WARD_TEST_MAIN
