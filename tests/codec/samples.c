/* SPDX-License-Identifier: MIT
 *
 * samples.c - the types, and values of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ward/extend.h>
#include <ward/testkit/check.h>

#include "samples.h"

WARD_SIGNAL(ping);

WARD_MESSAGE_FIELDS(deposit, 1, WARD_FIELD(UINT, deposit, account, .min = 1),
		    WARD_FIELD(INT, deposit, cents), WARD_FIELD(TEXT, deposit, note),
		    WARD_FIELD(FLOAT, deposit, rate), WARD_FIELD(BOOL, deposit, urgent));

struct numbers {
	int8_t i1;
	int16_t i2;
	int32_t i4;
	int64_t i8;
	uint8_t u1;
	uint16_t u2;
	uint32_t u4;
	uint64_t u8;
	size_t size;
	int64_t below, above, narrow;
	uint64_t high, only;
	double any, share, whole;
	bool yes;
};
WARD_MESSAGE_FIELDS(
	numbers, 1, WARD_FIELD(INT, numbers, i1), WARD_FIELD(INT, numbers, i2),
	WARD_FIELD(INT, numbers, i4), WARD_FIELD(INT, numbers, i8), WARD_FIELD(UINT, numbers, u1),
	WARD_FIELD(UINT, numbers, u2), WARD_FIELD(UINT, numbers, u4), WARD_FIELD(UINT, numbers, u8),
	WARD_FIELD(SIZE, numbers, size),
	WARD_FIELD(INT, numbers, below, .min = INT64_MIN, .max = -INT64_C(9007199254740993)),
	WARD_FIELD(INT, numbers, above, .min = INT64_C(9007199254740993)),
	WARD_FIELD(INT, numbers, narrow, .min = -3, .max = 5),
	WARD_FIELD(UINT, numbers, high, .umin = UINT64_C(9223372036854775809), .umax = UINT64_MAX),
	WARD_FIELD(UINT, numbers, only, .umin = UINT64_MAX, .umax = UINT64_MAX),
	WARD_FIELD(FLOAT, numbers, any),
	WARD_FIELD(FLOAT, numbers, share, .low = 0.25, .high = 0.75),
	WARD_FIELD(FLOAT, numbers, whole, .min = -1000, .max = 1000),
	WARD_FIELD(BOOL, numbers, yes));

static const ward_field_name tones[] = {
	{"low", -7}, {"mid", 0}, {"high", INT32_MAX}, {"none", INT32_MIN}, {NULL, 0}};
static const ward_field_name rights[] = {
	{"read", 1}, {"write", 2}, {"run", 4}, {"all-night", INT32_MIN}, {NULL, 0}};
struct choices {
	int64_t wait_ms, pause_ms;
	int tone;
	uint32_t rights;
	unsigned char sum[16];
	bool loud;
};
WARD_MESSAGE_FIELDS_FLAGS(choices, 1, WARD_TYPE_FLAT, WARD_FIELD(DURATION, choices, wait_ms),
			  WARD_FIELD(DURATION, choices, pause_ms, .min = 10, .max = 5000),
			  WARD_FIELD(ENUM, choices, tone, .names = tones),
			  WARD_FIELD(MASK, choices, rights, .names = rights),
			  WARD_FIELD(BYTES, choices, sum), WARD_FIELD(BOOL, choices, loud));

struct blobs {
	uint8_t a_used;
	uint16_t b_used;
	uint64_t c_used;
	unsigned char a[7], b[300], c[2];
	char initial[1], letter[2], text[256];
};
WARD_MESSAGE_FIELDS(blobs, 1, WARD_FIELD(BYTES, blobs, a, WARD_COUNTED_BY(blobs, a_used)),
		    WARD_FIELD(BYTES, blobs, b, .max = 299, WARD_COUNTED_BY(blobs, b_used)),
		    WARD_FIELD(BYTES, blobs, c, .min = 1, WARD_COUNTED_BY(blobs, c_used)),
		    WARD_FIELD(TEXT, blobs, initial), WARD_FIELD(TEXT, blobs, letter),
		    WARD_FIELD(TEXT, blobs, text, .min = 2, .max = 200));

struct person {
	char *name, *address, *motto;
};
WARD_MESSAGE_FIELDS_OWNED(person, 1, WARD_FIELD(STRING, person, name, .min = 1, .max = 40),
			  WARD_FIELD(STRING, person, address),
			  WARD_OPTIONAL_FIELD(STRING, person, motto, .max = 300));

/* Groups in lists in groups, and strings below them. */
struct place {
	double latitude, longitude;
};
WARD_FIELDS(place, WARD_FIELD(FLOAT, place, latitude, .low = -90, .high = 90),
	    WARD_FIELD(FLOAT, place, longitude, .low = -180, .high = 180));
struct tag {
	char *text;
	uint8_t weight;
};
WARD_FIELDS(tag, WARD_FIELD(STRING, tag, text), WARD_FIELD(UINT, tag, weight));
struct item {
	uint32_t number;
	char *label;
	uint16_t tags_used;
	struct tag tags[3];
	struct place from;
};
WARD_FIELDS(item, WARD_FIELD(UINT, item, number), WARD_FIELD(STRING, item, label),
	    WARD_FIELD(LIST, item, tags, .fields = ward_fields_tag,
		       WARD_COUNTED_BY(item, tags_used)),
	    WARD_FIELD(GROUP, item, from, .fields = ward_fields_place));
struct order {
	uint64_t id;
	struct place to;
	uint8_t items_used;
	struct item items[5];
	struct place corners[4];
	uint32_t first_used;
	struct item first[1];
};
WARD_MESSAGE_FIELDS_OWNED(order, 7, WARD_FIELD(UINT, order, id),
			  WARD_FIELD(GROUP, order, to, .fields = ward_fields_place),
			  WARD_FIELD(LIST, order, items, .fields = ward_fields_item,
				     WARD_COUNTED_BY(order, items_used)),
			  WARD_FIELD(LIST, order, corners, .fields = ward_fields_place),
			  WARD_FIELD(LIST, order, first, .fields = ward_fields_item, .min = 1,
				     WARD_COUNTED_BY(order, first_used)));

struct page {
	uint32_t number;
	char title[12];
};
WARD_MESSAGE_FIELDS_UP_TO(page, 1, sizeof(struct page) + 600, WARD_FIELD(UINT, page, number),
			  WARD_FIELD(TEXT, page, title), WARD_TAIL_FIELD(page, text));
struct leaf {
	uint8_t number;
};
WARD_MESSAGE_FIELDS_UP_TO(leaf, 1, 40, WARD_FIELD(UINT, leaf, number),
			  WARD_TAIL_FIELD(leaf, text, .min = 3, .max = 17));

struct visitor {
	ward_ref who;
	uint16_t stays;
};
WARD_FIELDS(visitor, WARD_FIELD(REF, visitor, who), WARD_FIELD(UINT, visitor, stays));
struct visit {
	ward_ref host;
	uint8_t used;
	struct visitor visitors[3];
};
WARD_MESSAGE_FIELDS(visit, 1, WARD_FIELD(REF, visit, host),
		    WARD_FIELD(LIST, visit, visitors, .fields = ward_fields_visitor,
			       WARD_COUNTED_BY(visit, used)));

struct record {
	uint32_t number;
	char name[20];
	double share;
	struct place at;
};
WARD_MESSAGE_FIELDS_TUPLE(record, 2, WARD_FIELD(UINT, record, number),
			  WARD_FIELD(TEXT, record, name), WARD_FIELD(FLOAT, record, share),
			  WARD_FIELD(GROUP, record, at, .fields = ward_fields_place));

struct versions {
	uint32_t one, two, three;
	char four[8];
	int64_t five;
};
WARD_MESSAGE_FIELDS(versions, 3, WARD_FIELD(UINT, versions, one),
		    WARD_OPTIONAL_FIELD(UINT, versions, two),
		    WARD_FIELD(UINT, versions, three, .since = 2),
		    WARD_FIELD(TEXT, versions, four, .since = 3),
		    WARD_OPTIONAL_FIELD(INT, versions, five, .min = 5, .max = 900, .since = 3));

/* As many levels as there may be, without that of the message. */
struct level_0 {
	uint8_t end;
};
WARD_FIELDS(level_0, WARD_FIELD(UINT, level_0, end));
#define LEVEL(n, below)                                                                            \
	struct level_##n {                                                                         \
		struct level_##below inner;                                                        \
		uint8_t is;                                                                        \
	};                                                                                         \
	WARD_FIELDS(level_##n,                                                                     \
		    WARD_FIELD(GROUP, level_##n, inner, .fields = ward_fields_level_##below),      \
		    WARD_FIELD(UINT, level_##n, is))
LEVEL(1, 0);
LEVEL(2, 1);
LEVEL(3, 2);
LEVEL(4, 3);
LEVEL(5, 4);
LEVEL(6, 5);
LEVEL(7, 6);
LEVEL(8, 7);
LEVEL(9, 8);
LEVEL(10, 9);
LEVEL(11, 10);
struct deep {
	struct level_11 top;
};
WARD_MESSAGE_FIELDS(deep, 1, WARD_FIELD(GROUP, deep, top, .fields = ward_fields_level_11));

/* More rows than fit into a byte's sign, a machine word, or a small tuple. */
struct wide {
	uint16_t a[10], b[10], c[10], d[10], e[10], f[10], g[10], h[10];
};
#define WIDE_ROW(m, n)                                                                             \
	{                                                                                          \
		.key = #m #n, .kind = WARD_FIELD_UINT, .offset = offsetof(struct wide, m) + 2 * n, \
		.size = 2, .required = true                                                        \
	}
#define WIDE_ROWS(m)                                                                               \
	WIDE_ROW(m, 0), WIDE_ROW(m, 1), WIDE_ROW(m, 2), WIDE_ROW(m, 3), WIDE_ROW(m, 4),            \
		WIDE_ROW(m, 5), WIDE_ROW(m, 6), WIDE_ROW(m, 7), WIDE_ROW(m, 8), WIDE_ROW(m, 9)
WARD_MESSAGE_FIELDS(wide, 1, WIDE_ROWS(a), WIDE_ROWS(b), WIDE_ROWS(c), WIDE_ROWS(d), WIDE_ROWS(e),
		    WIDE_ROWS(f), WIDE_ROWS(g), WIDE_ROWS(h));

const struct sample samples[] = {{&ward_type_deposit, true, false},
				 {&ward_type_ping, true, false},
				 {&ward_type_numbers, true, false},
				 {&ward_type_choices, true, true},
				 {&ward_type_blobs, true, false},
				 {&ward_type_person, true, false},
				 {&ward_type_order, true, false},
				 {&ward_type_page, true, false},
				 {&ward_type_leaf, true, false},
				 {&ward_type_visit, true, false},
				 {&ward_type_record, true, false},
				 {&ward_type_versions, true, false},
				 {&ward_type_deep, true, false},
				 {&ward_type_wide, true, false},
				 {NULL, false, false}};

const ward_format formats[FORMATS] = {WARD_FORMAT_TERM, WARD_FORMAT_JSON, WARD_FORMAT_WIRE};

const char *format_name(ward_format format)
{
	static const char *const names[] = {"?", "TERM", "JSON", "WIRE", "MEMORY"};

	return names[format];
}

bool sample_has(const struct sample *sample, ward_format format)
{
	return format == WARD_FORMAT_JSON     ? sample->json
	       : format == WARD_FORMAT_MEMORY ? sample->flat
					      : true;
}

size_t sample_count(void)
{
	return sizeof samples / sizeof samples[0] - 1;
}

/* ---- values ------------------------------------------------------------------------------- */

/* Not of the library: whoever counts allocations must not count these. */
static void *room_of(size_t size)
{
	void *room = calloc(1, size > 0 ? size : 1);

	ward_assert(room != NULL);
	return room;
}

/* Those of the first seeds are edges. */
struct value value_random(const ward_type *type, uint64_t seed)
{
	size_t room = ward_decode_room(type, type->size_max);
	struct value value = {type, room_of(room), type->size};

	if (type->codec == NULL)
		return value;
	ward_assert_ok(ward_value_random(type, seed, value.body, room, &value.size));
	if (value.size < room) {
		void *all = value.body;

		value.body = memcpy(room_of(value.size), all, value.size);
		free(all);
	}
	return value;
}

ward_err value_decode(struct value *value, ward_format format, const ward_type *type,
		      const void *bytes, size_t count)
{
	size_t room = ward_decode_room(type, count), size = 0;
	ward_err err;

	value->type = type;
	value->body = room_of(room);
	err = ward_decode(format, type, bytes, count, value->body, room, &size);
	if (err != WARD_OK) {
		free(value->body);
		value->body = NULL;
	}
	value->size = size;
	return err;
}

void value_finish(struct value *value)
{
	if (value->body == NULL)
		return;
	if (value->type->drop != NULL)
		value->type->drop(value->body);
	free(value->body);
	value->body = NULL;
}

unsigned long how_many(const char *variable, unsigned long by_default)
{
	const char *text = getenv(variable);
	char *end = NULL;
	unsigned long count;

	if (text == NULL)
		return by_default;
	errno = 0;
	count = strtoul(text, &end, 10);
	ward_assert(errno == 0 && end != text && *end == '\0' && count > 0);
	return count;
}
