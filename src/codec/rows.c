/* SPDX-License-Identifier: MIT
 *
 * rows.c - all values that a row of a table allows, as one range for each kind.
 *
 * Threads: knows nothing but its arguments.
 */
#include "codec/rows.h"

#include <float.h>
#include <string.h>

#include <ward/text.h>

#include "base/error.h"

ward_err wardi_codec_of(const ward_type *type)
{
	if (type->codec != NULL || type->size == 0)
		return WARD_OK;
	return wardi_error(WARD_ELOCAL,
			   "message \"%.*s\" has no table: declare it with WARD_MESSAGE_FIELDS",
			   WARD_TEXT_FIT(type->name, 64));
}

/* ---- ranges ------------------------------------------------------------------------------ */

static uint64_t largest(uint32_t size)
{
	return size >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

struct wardi_range wardi_row_range(const ward_field *row)
{
	int64_t max = (int64_t)(largest(row->size) >> 1);
	struct wardi_range range = {row->kind == WARD_FIELD_DURATION ? 0 : -max - 1, max};

	if (row->min == 0 && row->max == 0)
		return range;
	if (row->min > range.min)
		range.min = row->min;
	if ((row->max != 0 || row->min <= 0) && row->max < range.max)
		range.max = row->max;
	return range;
}

static struct wardi_urange narrow(struct wardi_urange range, uint64_t min, uint64_t max)
{
	if (min > range.min)
		range.min = min;
	if (max != 0 && max < range.max)
		range.max = max;
	return range;
}

struct wardi_urange wardi_row_urange(const ward_field *row)
{
	return narrow((struct wardi_urange){0, largest(row->size)}, wardi_uint_min(row),
		      wardi_uint_max(row));
}

struct wardi_frange wardi_row_frange(const ward_field *row)
{
	double low = wardi_float_min(row), high = wardi_float_max(row);
	struct wardi_frange range = {-DBL_MAX, DBL_MAX};

	if (low == 0 && high == 0)
		return range;
	range.min = low;
	if (high != 0 || low <= 0)
		range.max = high;
	return range;
}

struct wardi_urange wardi_row_lengths(const ward_field *row)
{
	struct wardi_urange range = {0, row->kind == WARD_FIELD_TAIL ? 0 : wardi_member_room(row)};

	switch ((int)row->kind) {
	case WARD_FIELD_STRING:
	case WARD_FIELD_TAIL:
		range.max = UINT32_MAX;
		break;
	case WARD_FIELD_TEXT:
		range.max = row->size - 1;
		break;
	default: /* BYTES, LIST */
		if (row->count_size == 0)
			range.min = range.max;
		else if (largest(row->count_size) < range.max)
			range.max = largest(row->count_size);
	}
	return narrow(range, (uint64_t)row->min, (uint64_t)row->max);
}

/* ---- zero -------------------------------------------------------------------------------- */

static bool rows_allow_zero(const ward_field *fields)
{
	for (; fields->kind != WARD_FIELD_END; fields++)
		if (!wardi_row_allows_zero(fields) && wardi_must_have(fields, 0))
			return false;
	return true;
}

bool wardi_row_allows_zero(const ward_field *row)
{
	struct wardi_range range;
	struct wardi_frange frange;

	switch ((int)row->kind) {
	case WARD_FIELD_INT:
	case WARD_FIELD_DURATION:
		range = wardi_row_range(row);
		return range.min <= 0 && range.max >= 0;
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		return wardi_row_urange(row).min == 0;
	case WARD_FIELD_FLOAT:
		frange = wardi_row_frange(row);
		return frange.min <= 0 && frange.max >= 0;
	case WARD_FIELD_TEXT:
	case WARD_FIELD_TAIL:
		return wardi_row_lengths(row).min == 0;
	case WARD_FIELD_BYTES:
	case WARD_FIELD_LIST:
		return row->count_size == 0 || wardi_row_lengths(row).min == 0;
	case WARD_FIELD_ENUM:
		return wardi_name_of(row, 0) != NULL;
	case WARD_FIELD_GROUP:
		return rows_allow_zero(row->fields);
	default: /* BOOL, STRING, MASK, REF */
		return true;
	}
}

bool wardi_row_is_zero(const ward_field *row, const unsigned char *body, size_t tail)
{
	const unsigned char *at = body + row->offset;

	switch ((int)row->kind) {
	case WARD_FIELD_TEXT:
		return at[0] == 0;
	case WARD_FIELD_TAIL:
		return tail == 0;
	case WARD_FIELD_BYTES:
	case WARD_FIELD_LIST:
		if (row->count_size != 0)
			return wardi_member_count(row, body) == 0;
		break;
	case WARD_FIELD_GROUP:
		for (const ward_field *inner = row->fields; inner->kind != WARD_FIELD_END; inner++)
			if (!wardi_row_is_zero(inner, at, 0))
				return false;
		return true;
	default:
		break;
	}
	for (uint32_t i = 0; i < row->size; i++)
		if (at[i] != 0)
			return false;
	return true;
}
