/* SPDX-License-Identifier: MIT
 *
 * same.c - whether two bodies have the same values by the table of their type.
 *
 * Threads: knows nothing but its arguments.
 */
#include <string.h>

#include "codec/member.h"

static bool same_rows(const ward_field *fields, const unsigned char *a, const unsigned char *b);

static bool same_string(const unsigned char *a, const unsigned char *b)
{
	const char *one = wardi_member_string(a), *other = wardi_member_string(b);

	if (one == NULL || other == NULL)
		return one == other;
	return strcmp(one, other) == 0;
}

/* Of BYTES and LIST: as many are in use, and these are the same. */
static bool same_counted(const ward_field *row, const unsigned char *a, const unsigned char *b)
{
	uint64_t count = wardi_member_count(row, a);

	if (count != wardi_member_count(row, b) || count > wardi_member_room(row))
		return false;
	if (row->kind == WARD_FIELD_BYTES)
		return memcmp(a + row->offset, b + row->offset, (size_t)count) == 0;
	for (size_t i = 0; i < count; i++)
		if (!same_rows(row->fields, a + row->offset + i * row->item,
			       b + row->offset + i * row->item))
			return false;
	return true;
}

static bool same_row(const ward_field *row, const unsigned char *a, const unsigned char *b)
{
	switch ((int)row->kind) {
	case WARD_FIELD_TAIL:
		return true; /* the caller has compared it */
	case WARD_FIELD_STRING:
		return same_string(a + row->offset, b + row->offset);
	case WARD_FIELD_TEXT:
		return strncmp((const char *)a + row->offset, (const char *)b + row->offset,
			       row->size) == 0;
	case WARD_FIELD_GROUP:
		return same_rows(row->fields, a + row->offset, b + row->offset);
	case WARD_FIELD_BYTES:
	case WARD_FIELD_LIST:
		return same_counted(row, a, b);
	default:
		return memcmp(a + row->offset, b + row->offset, row->size) == 0;
	}
}

static bool same_rows(const ward_field *fields, const unsigned char *a, const unsigned char *b)
{
	for (; fields->kind != WARD_FIELD_END; fields++)
		if (!same_row(fields, a, b))
			return false;
	return true;
}

bool ward_value_same(const ward_type *type, const void *a, size_t a_size, const void *b,
		     size_t b_size)
{
	size_t compared = type->codec != NULL ? type->size : 0;

	if (a_size != b_size || a_size < compared)
		return false;
	if (compared > 0 && !same_rows(type->codec->fields, a, b))
		return false;
	/* The tail, or all of a type without a table. */
	return a_size == compared || memcmp((const char *)a + compared, (const char *)b + compared,
					    a_size - compared) == 0;
}
