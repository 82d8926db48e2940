/* SPDX-License-Identifier: MIT
 *
 * member.h - a member of a struct by its row: read, written, and held against its range.
 */
#ifndef WARDI_MEMBER_H
#define WARDI_MEMBER_H

#include <string.h>

#include <ward/codec.h>

#include "codec/walk.h"

/* Only kinds of integers have sizes here, 1, 2, 4 or 8: the compiler has checked that. */
static inline uint64_t wardi_member_uint(const unsigned char *at, uint32_t size)
{
	uint64_t eight;
	uint32_t four;
	uint16_t two;

	switch (size) {
	case 8:
		memcpy(&eight, at, 8);
		return eight;
	case 4:
		memcpy(&four, at, 4);
		return four;
	case 2:
		memcpy(&two, at, 2);
		return two;
	default:
		return *at;
	}
}

static inline int64_t wardi_member_int(const unsigned char *at, uint32_t size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(wardi_member_uint(at, size) << unused) >> unused;
}

/* The low bytes of the value, also of a negative one. */
static inline void wardi_member_set(unsigned char *at, uint32_t size, uint64_t value)
{
	uint32_t four = (uint32_t)value;
	uint16_t two = (uint16_t)value;

	switch (size) {
	case 8:
		memcpy(at, &value, 8);
		break;
	case 4:
		memcpy(at, &four, 4);
		break;
	case 2:
		memcpy(at, &two, 2);
		break;
	default:
		*at = (unsigned char)value;
	}
}

static inline double wardi_member_float(const unsigned char *at)
{
	double value;

	memcpy(&value, at, sizeof value);
	return value;
}

static inline char *wardi_member_string(const unsigned char *at)
{
	char *text;

	memcpy(&text, at, sizeof text);
	return text;
}

/* Ranges. With a min of 0 or more, a max of 0 means none. */
static inline bool wardi_in_int(const ward_field *field, int64_t value)
{
	if (field->max == 0 && field->min >= 0)
		return field->min == 0 || value >= field->min;
	return value >= field->min && value <= field->max;
}

static inline uint64_t wardi_uint_min(const ward_field *field)
{
	return field->umin != 0 ? field->umin : (uint64_t)field->min;
}

static inline uint64_t wardi_uint_max(const ward_field *field)
{
	return field->umax != 0 ? field->umax : (uint64_t)field->max;
}

static inline bool wardi_in_uint(const ward_field *field, uint64_t value)
{
	uint64_t max = wardi_uint_max(field);

	return value >= wardi_uint_min(field) && (max == 0 || value <= max);
}

static inline bool wardi_in_length(const ward_field *field, uint64_t length)
{
	return length >= (uint64_t)field->min &&
	       (field->max == 0 || length <= (uint64_t)field->max);
}

static inline double wardi_float_min(const ward_field *field)
{
	return field->low != 0 || field->high != 0 ? field->low : (double)field->min;
}

static inline double wardi_float_max(const ward_field *field)
{
	return field->low != 0 || field->high != 0 ? field->high : (double)field->max;
}

static inline bool wardi_is_finite(double value)
{
	return value - value == 0;
}

/* A value that is not finite is in no range. */
static inline bool wardi_in_float(const ward_field *field, double value)
{
	double min = wardi_float_min(field), max = wardi_float_max(field);

	if (!wardi_is_finite(value))
		return false;
	return max == 0 && min >= 0 ? min == 0 || value >= min : value >= min && value <= max;
}

static inline bool wardi_in_duration(const ward_field *field, int64_t ms)
{
	return ms >= 0 && wardi_in_int(field, ms);
}

/* Whether an integer of `size` bytes has the value. */
static inline bool wardi_fits_int(uint32_t size, int64_t value)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)((uint64_t)value << unused) >> unused == value;
}

static inline bool wardi_fits_uint(uint32_t size, uint64_t value)
{
	return size == 8 || value >> (8 * size) == 0;
}

/* The name of a value; NULL: it has none. */
static inline const ward_field_name *wardi_name_of(const ward_field *field, int64_t value)
{
	for (const ward_field_name *name = field->names; name->name != NULL; name++)
		if (name->value == value)
			return name;
	return NULL;
}

static inline const ward_field_name *wardi_name_find(const ward_field *field, const char *text,
						     size_t size)
{
	for (const ward_field_name *name = field->names; name->name != NULL; name++)
		if (strlen(name->name) == size && memcmp(name->name, text, size) == 0)
			return name;
	return NULL;
}

/* All bits that names have. */
static inline uint32_t wardi_mask_all(const ward_field *field)
{
	uint32_t all = 0;

	for (const ward_field_name *name = field->names; name->name != NULL; name++)
		all |= (uint32_t)name->value;
	return all;
}

static inline size_t wardi_key_size(const ward_field *field)
{
	return field->key_size != 0 ? field->key_size : strlen(field->key);
}

static inline bool wardi_key_is(const ward_field *field, const unsigned char *key, size_t size)
{
	return wardi_key_size(field) == size && memcmp(field->key, key, size) == 0;
}

/* How many bytes or items there is room for. */
static inline uint32_t wardi_member_room(const ward_field *field)
{
	return field->kind == WARD_FIELD_LIST ? field->size / field->item : field->size;
}

/* How many bytes of a BYTES or items of a LIST are in use; more than there is room for: wrong. */
static inline uint64_t wardi_member_count(const ward_field *field, const unsigned char *body)
{
	return field->count_size == 0
		       ? wardi_member_room(field)
		       : wardi_member_uint(body + field->count_at, field->count_size);
}

/* Whether the row may hold so many: each of them, where nothing counts them. */
static inline bool wardi_count_fits(const ward_field *field, uint64_t count)
{
	uint32_t room = wardi_member_room(field);

	return count <= room && (field->count_size != 0 || count == room) &&
	       (field->count_size == 0 || wardi_fits_uint(field->count_size, count)) &&
	       wardi_in_length(field, count);
}

static inline void wardi_member_set_count(const ward_field *field, unsigned char *body,
					  uint64_t count)
{
	if (field->count_size != 0)
		wardi_member_set(body + field->count_at, field->count_size, count);
}

/* Whether a message of `version`, 0: unknown, must have the row. */
static inline bool wardi_must_have(const ward_field *field, uint32_t version)
{
	return field->required && field->since <= (version == 0 ? 1 : version);
}

#endif
