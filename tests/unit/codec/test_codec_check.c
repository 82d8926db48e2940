/* SPDX-License-Identifier: MIT
 *
 * test_codec_check.c - what is wrong with a table, as far as the compiler cannot see.
 */
#include "parcel.h"

struct box {
	uint32_t number;
	int16_t small;
	uint8_t used;
	char note[8];
	double part;
	char *name;
	uint32_t mask;
	uint64_t large;
};

static const ward_field_name none[] = {{NULL, 0}};
static const ward_field_name twice[] = {{"a", 1}, {"a", 2}, {NULL, 0}};
static const ward_field loop[] = {
	{.key = "again", .kind = WARD_FIELD_GROUP, .size = 4, .fields = loop}, {.key = NULL}};

static void drop(void *body)
{
	(void)body;
}

#define COUNT(m)                                                                                   \
	.count_at = (uint32_t)offsetof(struct box, m), .count_size = sizeof(((struct box *)0)->m)
#define AT(m) .offset = (uint32_t)offsetof(struct box, m), .size = sizeof(((struct box *)0)->m)

/* The error of a table of two rows; the first is `number`. */
static ward_err check(const ward_field *second, bool owned)
{
	const ward_field fields[] = {
		{.key = "number", .kind = WARD_FIELD_UINT, AT(number), .required = true},
		*second,
		{.key = NULL}};
	const ward_codec codec = {.version = 1, .fields = fields};
	const ward_type type = {.name = "box",
				.size = sizeof(struct box),
				.drop = owned ? drop : NULL,
				.codec = &codec};

	return ward_codec_check(&type);
}

static const struct {
	const char *says;
	ward_err err;
	ward_field row;
} wrong[] = {
	{"two rows", WARD_EINVAL, {.key = "number", .kind = WARD_FIELD_INT, AT(small)}},
	{"overlaps", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_UINT, AT(number)}},
	{"outside", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_UINT, .offset = 200, .size = 4}},
	{"size", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_UINT, .offset = 4, .size = 3}},
	{"size", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_FLOAT, AT(mask)}},
	{"no key", WARD_EINVAL, {.key = "", .kind = WARD_FIELD_INT, AT(small)}},
	{"above its max",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_INT, AT(small), .min = 7, .max = 5}},
	{"cannot have", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_INT, AT(small), .min = 40000}},
	{"cannot have", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_UINT, AT(used), .min = 256}},
	{"below 0", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_UINT, AT(used), .min = -1}},
	{"above its max",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_UINT, AT(large), .umin = UINT64_MAX, .umax = 5}},
	{"for UINT", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_INT, AT(small), .umax = 5}},
	{"two ranges",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_FLOAT, AT(part), .min = 1, .high = 0.5}},
	{"above its max",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_FLOAT, AT(part), .low = 0.5, .high = 0.25}},
	{"for FLOAT", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_INT, AT(small), .high = 0.5}},
	{"fit its member", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_TEXT, AT(note), .min = 8}},
	{"size of its member",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_BYTES, AT(note), .max = 7}},
	{"count outside",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_BYTES, AT(note), .count_at = 500, .count_size = 1}},
	{"count within itself",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_BYTES, AT(note), COUNT(note[7])}},
	{"that of .number",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_BYTES, AT(note), COUNT(number)}},
	{"no names", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_MASK, AT(mask)}},
	{"no names", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_MASK, AT(mask), .names = none}},
	{"name twice",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_MASK, AT(mask), .names = twice}},
	{"no fields", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_GROUP, AT(mask)}},
	{"64 levels",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_GROUP, AT(mask), .fields = loop}},
	{"is a tail",
	 WARD_EINVAL,
	 {.key = "a", .kind = WARD_FIELD_TAIL, .offset = sizeof(struct box)}},
	{"newer than", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_INT, AT(small), .since = 2}},
	{"key_size", WARD_EINVAL, {.key = "a", .kind = WARD_FIELD_INT, AT(small), .key_size = 3}},
	{"borrowed", WARD_ELOCAL, {.key = "a", .kind = WARD_FIELD_STRING, AT(name)}},
	{"STRINGS", WARD_ELOCAL, {.key = "a", .kind = WARD_FIELD_STRINGS, AT(name)}},
	{"STRATEGY", WARD_ELOCAL, {.key = "a", .kind = WARD_FIELD_STRATEGY, AT(name)}},
	{"CHILDREN", WARD_ELOCAL, {.key = "a", .kind = WARD_FIELD_CHILDREN, AT(name)}},
	{"BEHAVIOR", WARD_ELOCAL, {.key = "a", .kind = WARD_FIELD_BEHAVIOR, AT(name)}},
	{"number of a kind", WARD_ELOCAL, {.key = "a", .kind = (ward_field_kind)40, AT(name)}},
};

WARD_TEST(table_that_is_wrong_is_refused_with_row_and_reason, "S179")
{
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		ward_assert_err(check(&wrong[i].row, false), wrong[i].err);
		ward_assert_part(ward_err_detail(), wrong[i].says);
		ward_assert_part(ward_err_detail(), "box");
	}
}

/* A sender would say how many of the first list are in use by what it sends for the second. */
WARD_TEST(count_is_of_one_list_and_has_no_row, "S179")
{
	ward_field fields[] = {{.key = "note", .kind = WARD_FIELD_BYTES, AT(note), COUNT(used)},
			       {.key = "part", .kind = WARD_FIELD_BYTES, AT(part), COUNT(used)},
			       {.key = NULL}};
	const ward_codec codec = {.version = 1, .fields = fields};
	const ward_type type = {.name = "box", .size = sizeof(struct box), .codec = &codec};

	ward_assert_err(ward_codec_check(&type), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "part: has a count that is that of .note");
	fields[1] = (ward_field){.key = "used", .kind = WARD_FIELD_UINT, AT(used)};
	ward_assert_err(ward_codec_check(&type), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "used: has a count that is that of .note");
	fields[1] = (ward_field){.key = "part", .kind = WARD_FIELD_BYTES, AT(part), COUNT(small)};
	ward_assert_ok(ward_codec_check(&type));
}

WARD_TEST(table_that_is_right_is_accepted, "S179")
{
	const ward_field string = {.key = "name", .kind = WARD_FIELD_STRING, AT(name)};
	const ward_field large = {
		.key = "large", .kind = WARD_FIELD_UINT, AT(large), .umin = 1, .umax = UINT64_MAX};

	ward_assert_ok(check(&string, true));
	ward_assert_ok(check(&large, false));
	ward_assert_ok(ward_codec_check(&ward_type_parcel));
}

WARD_TEST(version_and_flags_of_a_table_are_checked, "S179")
{
	const ward_field fields[] = {{.key = NULL}};
	ward_codec codec = {.version = 0, .fields = fields};
	const ward_type type = {.name = "box", .size = 8, .codec = &codec};
	const ward_type bare = {.name = "bare", .size = 8};
	const ward_type signal = {.name = "signal"};

	ward_assert_err(ward_codec_check(&type), WARD_EINVAL);
	codec.version = 65536;
	ward_assert_err(ward_codec_check(&type), WARD_EINVAL);
	codec.version = 1;
	ward_assert_ok(ward_codec_check(&type));
	codec.flags = 2;
	ward_assert_err(ward_codec_check(&type), WARD_EINVAL);
	codec.flags = 0;
	codec.reserved[1] = 1;
	ward_assert_err(ward_codec_check(&type), WARD_EINVAL);
	ward_assert_err(ward_codec_check(&bare), WARD_ELOCAL);
	ward_assert_part(ward_err_detail(), "bare");
	ward_assert_ok(ward_codec_check(&signal));
}

WARD_TEST_MAIN;
