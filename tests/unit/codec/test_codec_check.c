/* SPDX-License-Identifier: MIT
 *
 * test_codec_check.c - tables that are wrong in a way that no compiler sees: each is named.
 *
 * Method: tables of one or two rows for one struct.
 */
#include <stdio.h>

#include "parcel.h"

struct box {
	int32_t number;
	uint32_t count;
	char text[8];
	unsigned char bytes[8];
	char *owned;
	struct size sizes[4];
};

#define AT(m) .offset = offsetof(struct box, m), .size = sizeof(((struct box *)0)->m)
#define COUNT .count_at = offsetof(struct box, count), .count_size = 4

static ward_err check(const ward_field *fields, uint32_t size_max)
{
	const ward_codec codec = {.version = 2, .fields = fields};
	const ward_type type = {
		.name = "box", .size = sizeof(struct box), .size_max = size_max, .codec = &codec};

	return ward_codec_check(&type);
}

#define REFUSED(wanted, ...)                                                                       \
	do {                                                                                       \
		ward_assert_err(check((ward_field[]){__VA_ARGS__, {0}}, 0), WARD_EINVAL);          \
		ward_assert_str(ward_err_detail(), "message \"box\": row " wanted);                \
	} while (0)

WARD_TEST(right_tables_are_right, "S179")
{
	const ward_field tail[] = {{"rest", WARD_FIELD_TAIL, .offset = sizeof(struct box)}, {0}};

	ward_assert_ok(ward_codec_check(&ward_type_parcel));
	ward_assert_ok(ward_codec_check(&ward_type_page));
	ward_assert_ok(ward_codec_check(&ward_type_stop));
	ward_assert_ok(check(tail, 200));
	ward_assert_err(ward_codec_check(&ward_type_plain), WARD_ELOCAL);
	ward_assert_part(ward_err_detail(), "\"plain\" has no table");
}

WARD_TEST(rows_that_are_wrong_by_themselves_are_named, "S179")
{
	static const ward_field_name none[] = {{NULL, 0}},
				     twice[] = {{"a", 1}, {"a", 2}, {NULL, 0}};

	REFUSED("\"a\" is of kind STRINGS, which no message can have",
		{"a", WARD_FIELD_STRINGS, AT(owned)});
	REFUSED("\"a\" is of kind STRATEGY, which no message can have",
		{"a", WARD_FIELD_STRATEGY, AT(owned)});
	REFUSED("\"a\" is of kind CHILDREN, which no message can have",
		{"a", WARD_FIELD_CHILDREN, AT(owned)});
	REFUSED("\"a\" is of kind BEHAVIOR, which no message can have",
		{"a", WARD_FIELD_BEHAVIOR, AT(owned)});
	REFUSED("\"a\" is of a kind that there is not", {"a", (ward_field_kind)77, AT(number)});
	REFUSED("\"(no key)\" needs a key of letters, digits, '-' and '_', at most 255",
		{NULL, WARD_FIELD_INT, AT(number)});
	REFUSED("\"a b\" needs a key of letters, digits, '-' and '_', at most 255",
		{"a b", WARD_FIELD_INT, AT(number)});
	REFUSED("\"a\" has a size that does not fit its kind", {"a", WARD_FIELD_BOOL, AT(number)});
	REFUSED("\"a\" has a size that does not fit its kind",
		{"a", WARD_FIELD_LIST, AT(sizes), .item = 3, .fields = ward_fields_size});
	REFUSED("\"a\" lies outside the struct",
		{"a", WARD_FIELD_INT, .offset = sizeof(struct box) - 3, .size = 4});
	REFUSED("\"a\" lies outside the struct",
		{"a", WARD_FIELD_INT, .offset = UINT32_MAX, .size = 4});
	REFUSED("\"a\" has a count outside the struct",
		{"a", WARD_FIELD_BYTES, AT(bytes), .count_at = sizeof(struct box),
		 .count_size = 4});
	REFUSED("\"a\" is since a version that is later than that of the type",
		{"a", WARD_FIELD_INT, AT(number), .since = 3});
	REFUSED("\"a\" is a STRING, so its type needs a drop function",
		{"a", WARD_FIELD_STRING, AT(owned)});
	REFUSED("\"a\" needs names", {"a", WARD_FIELD_ENUM, AT(number)});
	REFUSED("\"a\" needs names", {"a", WARD_FIELD_MASK, AT(count), .names = none});
	REFUSED("\"a\" has a name twice", {"a", WARD_FIELD_ENUM, AT(number), .names = twice});
	REFUSED("\"a\" needs fields", {"a", WARD_FIELD_GROUP, AT(text)});
	REFUSED("\"a\" is a TAIL of a type without size_max",
		{"a", WARD_FIELD_TAIL, .offset = sizeof(struct box)});
	REFUSED("\"a\" is a TAIL, which is the last row of a message",
		{"a", WARD_FIELD_TAIL, .offset = sizeof(struct box)},
		{"b", WARD_FIELD_INT, AT(number)});
}

WARD_TEST(ranges_that_nothing_satisfies_are_named, "S179")
{
	REFUSED("\"a\" has a range that no value satisfies",
		{"a", WARD_FIELD_INT, AT(number), .min = 5, .max = 4});
	REFUSED("\"a\" has a range that no value satisfies",
		{"a", WARD_FIELD_INT, AT(number), .min = INT64_C(1) << 40});
	REFUSED("\"a\" has a range that no value satisfies",
		{"a", WARD_FIELD_UINT, AT(count), .umin = UINT64_MAX});
	REFUSED("\"a\" has a range that no value satisfies",
		{"a", WARD_FIELD_TEXT, AT(text), .min = 8});
	REFUSED("\"a\" has a range that no value satisfies",
		{"a", WARD_FIELD_BYTES, AT(bytes), .max = 7});
}

WARD_TEST(rows_that_disturb_each_other_are_named, "S179")
{
	REFUSED("\"a\" is listed twice", {"a", WARD_FIELD_INT, AT(number)},
		{"a", WARD_FIELD_TEXT, AT(text)});
	REFUSED("\"b\" overlaps another row", {"a", WARD_FIELD_TEXT, AT(text)},
		{"b", WARD_FIELD_INT, .offset = offsetof(struct box, text) + 7, .size = 4});
	REFUSED("\"b\" has a count that is another row's, or is one",
		{"a", WARD_FIELD_UINT, AT(count)}, {"b", WARD_FIELD_BYTES, AT(bytes), COUNT});
	REFUSED("\"b\" has a count that is another row's, or is one",
		{"a", WARD_FIELD_BYTES, AT(bytes), COUNT}, {"b", WARD_FIELD_UINT, AT(count)});
	REFUSED("\"b\" has a count that is another row's, or is one",
		{"a", WARD_FIELD_BYTES, AT(bytes), COUNT},
		{"b", WARD_FIELD_LIST, AT(sizes), .item = sizeof(struct size),
		 .fields = ward_fields_size, COUNT});
	REFUSED("\"a\" overlaps its count",
		{"a", WARD_FIELD_BYTES, AT(bytes), .count_at = offsetof(struct box, bytes) + 4,
		 .count_size = 4});
}

static const ward_field itself[] = {
	{.key = "me", .kind = WARD_FIELD_GROUP, .size = sizeof(struct box), .fields = itself},
	{.key = NULL}};

WARD_TEST(a_table_has_at_most_64_levels_and_256_rows, "S179")
{
	static ward_field rows[258];
	static char keys[257][8];
	const ward_codec codec = {.version = 1, .fields = rows};
	const ward_type type = {.name = "wide", .size = 257, .codec = &codec};

	ward_assert_err(check(itself, 0), WARD_EINVAL);
	ward_assert_str(ward_err_detail(),
			"message \"box\": row \"me\" is more than 64 levels deep, "
			"or contains itself");
	for (uint32_t i = 0; i < 257; i++) {
		snprintf(keys[i], sizeof keys[i], "k%u", i);
		rows[i] = (ward_field){
			.key = keys[i], .kind = WARD_FIELD_UINT, .offset = i, .size = 1};
	}
	ward_assert_err(ward_codec_check(&type), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "\"k256\" is one of more than 256");
	rows[256].kind = WARD_FIELD_END;
	ward_assert_ok(ward_codec_check(&type));
}

WARD_TEST_MAIN
