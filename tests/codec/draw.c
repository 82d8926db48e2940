/* SPDX-License-Identifier: MIT
 *
 * draw.c - a value of a type, drawn from a seed.
 */
#include <stdlib.h>
#include <string.h>
#include <ward/testkit/check.h>

#include "samples.h"

static uint64_t state;

static uint64_t next(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void put(void *at, size_t size, uint64_t value)
{
	uint8_t u1 = (uint8_t)value;
	uint16_t u2 = (uint16_t)value;
	uint32_t u4 = (uint32_t)value;

	memcpy(at,
	       size == 1   ? (void *)&u1
	       : size == 2 ? (void *)&u2
	       : size == 4 ? (void *)&u4
			   : (void *)&value,
	       size);
}

static bool unbounded(const ward_field *row)
{
	return row->umin == 0 && row->umax == 0 && row->min == 0 && row->max == 0;
}

static uint64_t between(uint64_t low, uint64_t high)
{
	uint64_t span = high - low, pick = next() % 4;

	if (pick == 0)
		return low;
	if (pick == 1)
		return high;
	if (pick == 2)
		return low + (span == UINT64_MAX ? next() : next() % (span + 1)) %
				     (span < 16 ? span + 1 : 16);
	return low + (span == UINT64_MAX ? next() >> next() % 64 : next() % (span + 1));
}

static uint64_t draw_uint(const ward_field *row, uint64_t most)
{
	uint64_t low = row->umin != 0 ? row->umin : (uint64_t)row->min;
	uint64_t high = row->umax != 0 ? row->umax : (uint64_t)row->max;

	if (unbounded(row))
		return between(0, most);
	return between(low, high == 0 || high > most ? most : high);
}

static uint64_t draw_int(const ward_field *row)
{
	int64_t most = INT64_MAX >> (64 - 8 * row->size), least = -most - 1;

	if (!unbounded(row)) {
		least = row->min > least ? row->min : least;
		most = row->max < most && (row->max != 0 || row->min <= 0) ? row->max : most;
	} else if (next() % 4 == 0) {
		return next() % 3 - 1;
	}
	return (uint64_t)least + between(0, (uint64_t)most - (uint64_t)least);
}

static double draw_float(const ward_field *row)
{
	static const double edges[] = {0.0, -0.0, 1, -1, 0.1, 1e308, -5e-324, 123456789};
	double low = row->low, high = row->high, real;
	uint64_t bits = next() & ~(UINT64_C(1) << 62);

	if (low == 0 && high == 0 && !unbounded(row)) {
		low = (double)row->min;
		high = (double)row->max;
	}
	if (low == 0 && high == 0) {
		memcpy(&real, &bits, sizeof real);
		return next() % 2 ? real : edges[next() % 8];
	}
	real = low + (high - low) * ((double)(next() >> 11) / 9007199254740992.0);
	return next() % 4 == 0 ? low : next() % 4 == 0 ? high : real;
}

/* Letters of one to four bytes, and what JSON escapes. */
static size_t draw_text(char *to, size_t length)
{
	static const char *const letters[] = {"a",
					      "\"",
					      "\\",
					      "\n",
					      "\x01",
					      "\x7f",
					      "/",
					      "Z",
					      " ",
					      "\t",
					      "\xc3\xbc",
					      "\xe2\x82\xac",
					      "\xf0\x9f\x90\x9d",
					      "\xff"};
	size_t kinds = next() % 3 == 0 ? 14 : 13;
	size_t at = 0;

	while (at < length) {
		const char *letter = letters[next() % kinds];

		if (at + strlen(letter) > length)
			letter = "x";
		memcpy(to + at, letter, strlen(letter));
		at += strlen(letter);
	}
	return at;
}

static void draw_map(const ward_field *fields, unsigned char *body);

static size_t draw_used(const ward_field *row, unsigned char *body, size_t all)
{
	size_t used = all;

	if (row->count_size > 0) {
		used = (size_t)draw_uint(row, all);
		put(body + row->count_at, row->count_size, used);
	}
	return used;
}

static void draw_bytes(unsigned char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (unsigned char)next();
}

static void draw_string(const ward_field *row, unsigned char *at)
{
	size_t length = (size_t)draw_uint(row, next() % 40 + 1);
	char *string;

	if (next() % 4 == 0 && row->min == 0)
		return;
	string = calloc(1, length + 1);
	ward_assert(string != NULL);
	draw_text(string, length);
	memcpy(at, &string, sizeof string);
}

static void draw_row(const ward_field *row, unsigned char *body)
{
	unsigned char *at = body + row->offset;
	size_t count = 0;
	double real;
	uint32_t mask = 0;

	switch (row->kind) {
	case WARD_FIELD_BOOL:
		*at = next() % 2;
		break;
	case WARD_FIELD_INT:
		put(at, row->size, draw_int(row));
		break;
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		put(at, row->size, draw_uint(row, UINT64_MAX >> (64 - 8 * row->size)));
		break;
	case WARD_FIELD_DURATION:
		put(at, 8,
		    unbounded(row) && next() % 4 == 0 ? (uint64_t)WARD_FOREVER
						      : draw_uint(row, INT64_MAX));
		break;
	case WARD_FIELD_FLOAT:
		real = draw_float(row);
		memcpy(at, &real, sizeof real);
		break;
	case WARD_FIELD_STRING:
		draw_string(row, at);
		break;
	case WARD_FIELD_TEXT:
		draw_text((char *)at, (size_t)draw_uint(row, row->size - 1));
		break;
	case WARD_FIELD_BYTES:
		draw_bytes(at, draw_used(row, body, row->size));
		break;
	case WARD_FIELD_ENUM:
		while (row->names[count].name != NULL)
			count++;
		put(at, 4, (uint64_t)row->names[next() % count].value);
		break;
	case WARD_FIELD_MASK:
		for (; row->names[count].name != NULL; count++)
			mask |= next() % 2 ? (uint32_t)row->names[count].value : 0;
		put(at, 4, mask);
		break;
	case WARD_FIELD_REF:
		put(at, 8, next() % 4 == 0 ? 0 : next());
		put(at + 8, 4, next() >> 33 | 1);
		if (next() % 4 == 0)
			memset(at, 0, 16);
		break;
	case WARD_FIELD_GROUP:
		draw_map(row->fields, at);
		break;
	case WARD_FIELD_LIST:
		for (count = draw_used(row, body, row->size / row->item); count-- > 0;)
			draw_map(row->fields, at + count * row->item);
		break;
	default:
		break;
	}
}

static void draw_map(const ward_field *fields, unsigned char *body)
{
	for (; fields->kind != WARD_FIELD_END; fields++)
		draw_row(fields, body);
}

struct value value_random(const ward_type *type, uint64_t seed)
{
	struct value value = {type, NULL, type->size};
	const ward_field *row = type->codec != NULL ? type->codec->fields : NULL;

	state = seed;
	while (row != NULL && row->kind != WARD_FIELD_TAIL && row->kind != WARD_FIELD_END)
		row++;
	if (row != NULL && row->kind == WARD_FIELD_TAIL)
		value.size = row->offset + (size_t)draw_uint(row, type->size_max - row->offset);
	value.body = calloc(1, value.size > 0 ? value.size : 1);
	ward_assert(value.body != NULL);
	if (row == NULL)
		return value;
	draw_map(type->codec->fields, value.body);
	if (row->kind == WARD_FIELD_TAIL)
		draw_bytes((unsigned char *)value.body + row->offset, value.size - row->offset);
	return value;
}
