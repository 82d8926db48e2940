/* SPDX-License-Identifier: MIT
 *
 * allowed.c - whether a body is one that its table allows: what a decoder must have seen to. It
 * shares nothing with the codec.
 */
#include <math.h>
#include <string.h>

#include "samples.h"

static const char *map_wrong(const ward_field *fields, const struct value *in,
			     const unsigned char *body);

static uint64_t bits_at(const void *at, size_t size)
{
	uint64_t bits = 0;

	for (size_t i = size; i-- > 0;)
		bits = bits << 8 | ((const unsigned char *)at)[
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
					   i
#else
					   size - 1 - i
#endif
		];
	return bits;
}

static int64_t extended(uint64_t bits, size_t size)
{
	unsigned spare = 64 - 8 * (unsigned)size;

	return (int64_t)(bits << spare) >> spare;
}

static bool unbounded(const ward_field *row)
{
	return row->umin == 0 && row->umax == 0 && row->min == 0 && row->max == 0;
}

/* Of what is never negative: a max of 0 above a min is none. */
static bool within(const ward_field *row, uint64_t value)
{
	uint64_t low = row->umin != 0 ? row->umin : (uint64_t)row->min;
	uint64_t high = row->umax != 0 ? row->umax : (uint64_t)row->max;

	return unbounded(row) || (value >= low && (value <= high || (high == 0 && low > 0)));
}

static bool int_within(const ward_field *row, int64_t value)
{
	return unbounded(row) ||
	       (value >= row->min && (value <= row->max || (row->max == 0 && row->min > 0)));
}

static bool float_within(const ward_field *row, double value)
{
	if (!isfinite(value))
		return false;
	if (row->low != 0 || row->high != 0)
		return value >= row->low && value <= row->high;
	return unbounded(row) || (value >= (double)row->min && value <= (double)row->max);
}

static bool is_named(const ward_field_name *names, int value)
{
	while (names->name != NULL && names->value != value)
		names++;
	return names->name != NULL;
}

static bool are_named(const ward_field_name *names, uint32_t value)
{
	for (; names->name != NULL; names++)
		value &= ~(uint32_t)names->value;
	return value == 0;
}

static bool string_allowed(const ward_field *row, const void *at)
{
	const char *string;

	memcpy(&string, at, sizeof string);
	return string == NULL || within(row, strlen(string));
}

static bool text_allowed(const ward_field *row, const unsigned char *at)
{
	size_t length = strnlen((const char *)at, row->size);

	return length < row->size && within(row, length);
}

static bool counted(const ward_field *row, const unsigned char *body, size_t all, size_t *used)
{
	*used = all;
	if (row->count_size == 0)
		return true;
	*used = (size_t)bits_at(body + row->count_at, row->count_size);
	return *used <= all && within(row, *used);
}

static const char *list_wrong(const ward_field *row, const struct value *in,
			      const unsigned char *body)
{
	const char *wrong = NULL;
	size_t used;

	if (!counted(row, body, row->size / row->item, &used))
		return row->key;
	for (size_t i = 0; i < used && wrong == NULL; i++)
		wrong = map_wrong(row->fields, in, body + row->offset + i * row->item);
	return wrong;
}

static bool plain_allowed(const ward_field *row, const unsigned char *at)
{
	int64_t number;
	double real;

	switch (row->kind) {
	case WARD_FIELD_BOOL:
		return *at <= 1;
	case WARD_FIELD_INT:
		return int_within(row, extended(bits_at(at, row->size), row->size));
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		return within(row, bits_at(at, row->size));
	case WARD_FIELD_DURATION:
		number = (int64_t)bits_at(at, 8);
		return number >= 0 && int_within(row, number);
	case WARD_FIELD_FLOAT:
		memcpy(&real, at, sizeof real);
		return float_within(row, real);
	case WARD_FIELD_ENUM:
		return is_named(row->names, (int)extended(bits_at(at, 4), 4));
	case WARD_FIELD_MASK:
		return are_named(row->names, (uint32_t)bits_at(at, 4));
	default:
		return row->kind == WARD_FIELD_REF;
	}
}

/* What a sender may leave out is zero then, whatever its range. */
static bool may_be_missing(const ward_field *row, const struct value *in, const unsigned char *body)
{
	size_t size = row->kind == WARD_FIELD_TAIL ? in->size - row->offset : row->size;

	if (row->required && row->since <= 1)
		return false;
	if (row->count_size > 0)
		return bits_at(body + row->count_at, row->count_size) == 0;
	for (size_t i = 0; i < size; i++) {
		if (body[row->offset + i] != 0)
			return false;
	}
	return true;
}

static const char *row_wrong(const ward_field *row, const struct value *in,
			     const unsigned char *body)
{
	const unsigned char *at = body + row->offset;
	bool allowed;
	size_t used;

	switch (row->kind) {
	case WARD_FIELD_STRING:
		allowed = string_allowed(row, at);
		break;
	case WARD_FIELD_TEXT:
		allowed = text_allowed(row, at);
		break;
	case WARD_FIELD_BYTES:
		allowed = counted(row, body, row->size, &used);
		break;
	case WARD_FIELD_TAIL:
		allowed = within(row, in->size - row->offset);
		break;
	case WARD_FIELD_GROUP:
		return map_wrong(row->fields, in, at);
	case WARD_FIELD_LIST:
		return list_wrong(row, in, body);
	default:
		allowed = plain_allowed(row, at);
	}
	return allowed ? NULL : row->key;
}

static const char *map_wrong(const ward_field *fields, const struct value *in,
			     const unsigned char *body)
{
	const char *wrong = NULL;

	for (; fields->kind != WARD_FIELD_END && wrong == NULL; fields++) {
		if (!may_be_missing(fields, in, body))
			wrong = row_wrong(fields, in, body);
	}
	return wrong;
}

const char *value_wrong(const struct value *value)
{
	size_t most = value->type->size_max > 0 ? value->type->size_max : value->type->size;

	if (value->size < value->type->size || value->size > most)
		return "its size";
	return value->type->codec == NULL
		       ? NULL
		       : map_wrong(value->type->codec->fields, value, value->body);
}
