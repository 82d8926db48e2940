/* SPDX-License-Identifier: MIT
 *
 * value_random.c - values that a table allows, for tests; edges first.
 *
 * The first seeds give each row the same kind of edge: nothing, the smallest, the largest, one
 * beside these. Later ones mix edges with other values, of all magnitudes.
 *
 * Threads: knows nothing but its arguments.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/text.h>

#include "base/error.h"
#include "base/random.h"
#include "codec/rows.h"
#include "mail/ref.h"

enum edge { EDGE_ZERO, EDGE_MIN, EDGE_MAX, EDGE_MIN_NEXT, EDGE_MAX_NEXT, EDGE_ODD, EDGES, NO_EDGE };

/* The longest STRING and TAIL, where the row says nothing smaller. */
enum { LENGTH_MAX = 256 };

struct drawer {
	struct wardi_random random;
	enum edge edge; /* of all rows; NO_EDGE: each row draws one, or none */
	size_t tail_room, tail;
};

static ward_err draw_rows(struct drawer *drawer, const ward_field *fields, unsigned char *body);

static uint64_t below(struct drawer *drawer, uint64_t bound)
{
	return wardi_random_below(&drawer->random, bound);
}

/* Which edge this row has; NO_EDGE: none. */
static enum edge draw_edge(struct drawer *drawer)
{
	if (drawer->edge != NO_EDGE)
		return drawer->edge;
	return below(drawer, 4) == 0 ? (enum edge)below(drawer, EDGES) : NO_EDGE;
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* From 0 to `most`; half of them of a small magnitude. */
static uint64_t draw_up_to(struct drawer *drawer, uint64_t most)
{
	uint64_t value = wardi_random_u64(&drawer->random);

	if (below(drawer, 2) == 0)
		value >>= below(drawer, 64);
	return most == UINT64_MAX ? value : value % (most + 1);
}

static uint64_t draw_unsigned(struct drawer *drawer, struct wardi_urange range)
{
	static const uint64_t odd = UINT64_C(1)
				    << 53; /* the first beyond all whole numbers of a double */
	uint64_t step = range.min < range.max ? 1 : 0;

	switch (draw_edge(drawer)) {
	case EDGE_ZERO:
	case EDGE_MIN:
		return range.min;
	case EDGE_MAX:
		return range.max;
	case EDGE_MIN_NEXT:
		return range.min + step;
	case EDGE_MAX_NEXT:
		return range.max - step;
	case EDGE_ODD:
		return odd < range.min ? range.min : odd > range.max ? range.max : odd;
	default:
		return range.min + draw_up_to(drawer, range.max - range.min);
	}
}

static int64_t nearest(int64_t value, struct wardi_range range)
{
	return value < range.min ? range.min : value > range.max ? range.max : value;
}

static int64_t draw_signed(struct drawer *drawer, struct wardi_range range)
{
	int64_t step = range.min < range.max ? 1 : 0;

	switch (draw_edge(drawer)) {
	case EDGE_ZERO:
		return nearest(0, range);
	case EDGE_MIN:
		return range.min;
	case EDGE_MAX:
		return range.max;
	case EDGE_MIN_NEXT:
		return range.min + step;
	case EDGE_MAX_NEXT:
		return range.max - step;
	case EDGE_ODD:
		return nearest(below(drawer, 2) == 0 ? -1 : -(INT64_C(1) << 53), range);
	default:
		return (int64_t)((uint64_t)range.min +
				 draw_up_to(drawer, (uint64_t)range.max - (uint64_t)range.min));
	}
}

static double clamp(double value, struct wardi_frange range)
{
	return value < range.min ? range.min : value > range.max ? range.max : value;
}

/* The double beside a value, towards another one. */
static double beside(double value, double other)
{
	uint64_t bits;

	if (value == other)
		return value;
	if (value == 0)
		return other > 0 ? 0x1p-1074 : -0x1p-1074;
	memcpy(&bits, &value, sizeof bits);
	bits = (value > 0) == (other > value) ? bits + 1 : bits - 1;
	memcpy(&value, &bits, sizeof bits);
	return value;
}

static double draw_float(struct drawer *drawer, struct wardi_frange range)
{
	static const double odds[] = {-0.0, 1.0 / 3, 0x1p-1074, DBL_MIN, -1e-5, 1e22, 0x1p53 + 2};
	double part;

	switch (draw_edge(drawer)) {
	case EDGE_ZERO:
		return clamp(0, range);
	case EDGE_MIN:
		return range.min;
	case EDGE_MAX:
		return range.max;
	case EDGE_MIN_NEXT:
		return beside(range.min, range.max);
	case EDGE_MAX_NEXT:
		return beside(range.max, range.min);
	case EDGE_ODD:
		return clamp(odds[below(drawer, sizeof odds / sizeof odds[0])], range);
	default:
		part = (double)(wardi_random_u64(&drawer->random) >> 11) * 0x1p-53;
		if (range.min > -1e9 && range.max < 1e9)
			return clamp(range.min + part * (range.max - range.min), range);
		return clamp(ldexp(part - 0.5, (int)below(drawer, 2000) - 1000), range);
	}
}

/* ---- texts and bytes --------------------------------------------------------------------- */

static size_t draw_length(struct drawer *drawer, struct wardi_urange range, uint64_t most)
{
	if (range.max > most)
		range.max = most > range.min ? most : range.min;
	return (size_t)draw_unsigned(drawer, range);
}

/* Letters, characters of several bytes, or any bytes but 0. */
static void draw_text(struct drawer *drawer, char *to, size_t length)
{
	static const char *const characters[] = {
		"a", "\"", "\\", "\n", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	uint64_t style = below(drawer, 3);

	for (size_t at = 0; at < length;) {
		const char *one = characters[below(drawer, sizeof characters / sizeof(char *))];
		size_t bytes = strlen(one);

		if (style == 0 || (style == 1 && bytes > length - at)) {
			to[at++] = (char)('a' + below(drawer, 26));
		} else if (style == 1) {
			memcpy(to + at, one, bytes);
			at += bytes;
		} else {
			to[at++] = (char)(1 + below(drawer, 255));
		}
	}
}

static void draw_bytes(struct drawer *drawer, unsigned char *to, size_t count)
{
	uint64_t style = below(drawer, 3);

	for (size_t i = 0; i < count; i++)
		to[i] = style == 0 ? 0 : style == 1 ? 0xff : (unsigned char)below(drawer, 256);
}

static ward_err draw_string(struct drawer *drawer, const ward_field *row, unsigned char *at)
{
	struct wardi_urange range = wardi_row_lengths(row);
	size_t length = draw_length(drawer, range, row->max != 0 ? 65536 : LENGTH_MAX);
	char *text;

	if (length == 0 && below(drawer, 2) == 0)
		return WARD_OK; /* NULL */
	text = malloc(length + 1);
	if (text == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a string of %zu bytes", length);
	draw_text(drawer, text, length);
	text[length] = '\0';
	memcpy(at, &text, sizeof text);
	return WARD_OK;
}

/* ---- rows -------------------------------------------------------------------------------- */

static int32_t draw_name(struct drawer *drawer, const ward_field *row)
{
	size_t count = 0;
	const ward_field_name *zero = wardi_name_of(row, 0);

	while (row->names[count].name != NULL)
		count++;
	switch (draw_edge(drawer)) {
	case EDGE_ZERO:
		return zero != NULL ? 0 : row->names[0].value;
	case EDGE_MIN:
		return row->names[0].value;
	case EDGE_MAX:
		return row->names[count - 1].value;
	default:
		return row->names[below(drawer, count)].value;
	}
}

static uint32_t draw_mask(struct drawer *drawer, const ward_field *row)
{
	enum edge edge = draw_edge(drawer);
	uint32_t value = 0;

	for (const ward_field_name *name = row->names; name->name != NULL; name++)
		if (edge == EDGE_MAX || (edge == NO_EDGE && below(drawer, 2) == 0))
			value |= (uint32_t)name->value;
	return value;
}

static ward_ref draw_ref(struct drawer *drawer)
{
	struct wardi_urange places = {1, UINT32_MAX}, uids = {0, UINT64_MAX};
	uint32_t place;

	if (drawer->edge == EDGE_ZERO || below(drawer, 8) == 0)
		return ward_nobody();
	place = (uint32_t)draw_unsigned(drawer, places);
	return wardi_ref_make(draw_unsigned(drawer, uids), place);
}

static ward_err draw_list(struct drawer *drawer, const ward_field *row, unsigned char *body)
{
	size_t count = draw_length(drawer, wardi_row_lengths(row), UINT64_MAX);
	ward_err err = WARD_OK;

	wardi_member_set_count(row, body, count);
	for (size_t i = 0; i < count && err == WARD_OK; i++)
		err = draw_rows(drawer, row->fields, body + row->offset + i * row->item);
	return err;
}

static ward_err draw_many(struct drawer *drawer, const ward_field *row, unsigned char *body)
{
	struct wardi_urange range = wardi_row_lengths(row);
	unsigned char *to = body + row->offset;
	size_t count;

	if (row->kind == WARD_FIELD_BYTES) {
		count = draw_length(drawer, range, UINT64_MAX);
		wardi_member_set_count(row, body, count);
	} else {
		if (range.min > drawer->tail_room)
			return wardi_error(WARD_ESIZE, "room for a tail of %zu bytes, too few",
					   drawer->tail_room);
		if (range.max > drawer->tail_room)
			range.max = drawer->tail_room;
		count = draw_length(drawer, range, row->max != 0 ? 65536 : LENGTH_MAX);
		drawer->tail = count;
	}
	draw_bytes(drawer, to, count);
	return WARD_OK;
}

static ward_err draw_row(struct drawer *drawer, const ward_field *row, unsigned char *body)
{
	unsigned char *at = body + row->offset;
	bool is_set;
	double number;
	ward_ref ref;

	switch ((int)row->kind) {
	case WARD_FIELD_BOOL:
		is_set = draw_unsigned(drawer, (struct wardi_urange){0, 1}) != 0;
		memcpy(at, &is_set, sizeof is_set);
		break;
	case WARD_FIELD_INT:
	case WARD_FIELD_DURATION:
		wardi_member_set(at, row->size,
				 (uint64_t)draw_signed(drawer, wardi_row_range(row)));
		break;
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		wardi_member_set(at, row->size, draw_unsigned(drawer, wardi_row_urange(row)));
		break;
	case WARD_FIELD_FLOAT:
		number = draw_float(drawer, wardi_row_frange(row));
		memcpy(at, &number, sizeof number);
		break;
	case WARD_FIELD_STRING:
		return draw_string(drawer, row, at);
	case WARD_FIELD_TEXT:
		draw_text(drawer, (char *)at,
			  draw_length(drawer, wardi_row_lengths(row), UINT64_MAX));
		break;
	case WARD_FIELD_ENUM:
		wardi_member_set(at, row->size, (uint32_t)draw_name(drawer, row));
		break;
	case WARD_FIELD_MASK:
		wardi_member_set(at, row->size, draw_mask(drawer, row));
		break;
	case WARD_FIELD_REF:
		ref = draw_ref(drawer);
		memcpy(at, &ref, sizeof ref);
		break;
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		return draw_many(drawer, row, body);
	case WARD_FIELD_GROUP:
		return draw_rows(drawer, row->fields, at);
	case WARD_FIELD_LIST:
		return draw_list(drawer, row, body);
	default:
		break;
	}
	return WARD_OK;
}

static ward_err draw_rows(struct drawer *drawer, const ward_field *fields, unsigned char *body)
{
	ward_err err = WARD_OK;

	for (; fields->kind != WARD_FIELD_END && err == WARD_OK; fields++)
		err = draw_row(drawer, fields, body);
	return err;
}

ward_err ward_value_random(const ward_type *type, uint64_t seed, void *body, size_t room,
			   size_t *ret_size)
{
	struct drawer drawer = {.edge = seed < EDGES ? (enum edge)seed : NO_EDGE};
	ward_err err = wardi_codec_of(type);

	if (err != WARD_OK)
		return err;
	if (room < type->size)
		return wardi_error(WARD_ESIZE, "message \"%.*s\": room for %zu bytes, it has %u",
				   WARD_TEXT_FIT(type->name, 64), room, type->size);
	drawer.tail_room = room - type->size;
	if (drawer.tail_room > wardi_tail_max(type))
		drawer.tail_room = wardi_tail_max(type);
	wardi_random_init(&drawer.random, seed);
	if (room > 0)
		memset(body, 0, room);
	if (type->codec != NULL)
		err = draw_rows(&drawer, type->codec->fields, body);
	if (err != WARD_OK) {
		ward_fields_drop(type->codec->fields, body);
		memset(body, 0, room);
		return err;
	}
	if (ret_size != NULL)
		*ret_size = type->size + drawer.tail;
	return WARD_OK;
}
