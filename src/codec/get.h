/* SPDX-License-Identifier: MIT
 *
 * get.h - a reader of bytes that somebody sent: never beyond their end.
 */
#ifndef WARDI_GET_H
#define WARDI_GET_H

#include <string.h>

#include <ward/codec.h>

#include "codec/member.h"
#include "codec/walk.h"

struct wardi_get {
	const unsigned char *at;
	const unsigned char *end;
	const unsigned char *start;
	unsigned char *body; /* of the whole message */
	size_t room;         /* of the body */
	size_t size;         /* of the body; a tail makes it larger */
	uint32_t version;    /* of the sender's table; 0: unknown */
	struct wardi_walk walk;
};

static inline void wardi_get_begin(struct wardi_get *get, const ward_codec_refs *refs,
				   const ward_type *type, const unsigned char *bytes, size_t count)
{
	get->at = bytes;
	get->end = bytes + count;
	get->start = bytes;
	get->version = 0;
	wardi_walk_begin(&get->walk, refs, type);
}

static inline size_t wardi_get_left(const struct wardi_get *get)
{
	return (size_t)(get->end - get->at);
}

/* For an error: it is here. */
static inline const struct wardi_walk *wardi_get_here(struct wardi_get *get)
{
	get->walk.at = (size_t)(get->at - get->start);
	return &get->walk;
}

/* WARD_EINVAL: fewer than `size` bytes are left. */
__attribute__((cold)) ward_err wardi_get_ended(struct wardi_get *get, const ward_field *field);

static inline ward_err wardi_get_need(struct wardi_get *get, const ward_field *field, size_t size)
{
	return wardi_get_left(get) >= size ? WARD_OK : wardi_get_ended(get, field);
}

/* What follows has its bytes. */
static inline uint32_t wardi_load_be16(const unsigned char *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t wardi_load_be32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline uint64_t wardi_load_be64(const unsigned char *at)
{
	return (uint64_t)wardi_load_be32(at) << 32 | wardi_load_be32(at + 4);
}

static inline uint64_t wardi_load_le64(const unsigned char *at)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Compares few bytes, such as a key, without a call. */
static inline bool wardi_same_few(const void *a, const void *b, size_t size)
{
	const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;

	if (size > 16 || size < 4)
		return memcmp(a, b, size) == 0;
	if (size >= 8) {
		uint64_t first[2], last[2];

		memcpy(&first[0], x, 8);
		memcpy(&first[1], y, 8);
		memcpy(&last[0], x + size - 8, 8);
		memcpy(&last[1], y + size - 8, 8);
		return ((first[0] ^ first[1]) | (last[0] ^ last[1])) == 0;
	}
	uint32_t first[2], last[2];

	memcpy(&first[0], x, 4);
	memcpy(&first[1], y, 4);
	memcpy(&last[0], x + size - 4, 4);
	memcpy(&last[1], y + size - 4, 4);
	return ((first[0] ^ first[1]) | (last[0] ^ last[1])) == 0;
}

/* Which rows of a table a message has had. */
struct wardi_seen {
	uint64_t rows[WARD_CODEC_FIELDS_MAX / 64];
};

/* false: the row was there before, or the table has too many. */
static inline bool wardi_seen_add(struct wardi_seen *seen, size_t row)
{
	uint64_t bit = UINT64_C(1) << (row % 64);

	if (row >= WARD_CODEC_FIELDS_MAX || (seen->rows[row / 64] & bit) != 0)
		return false;
	seen->rows[row / 64] |= bit;
	return true;
}

/* WARD_EINVAL, with its key: a row is missing that the message must have. */
ward_err wardi_seen_all(const struct wardi_seen *seen, const ward_field *fields,
			struct wardi_get *get);

/* Room for `size` bytes of a TEXT, a STRING, a BYTES or a TAIL at its member, in *ret; the 0 behind
 * a text is there. WARD_EINVAL a length that the row forbids; WARD_ESIZE; WARD_ENOMEM. */
ward_err wardi_get_place(struct wardi_get *get, const ward_field *field, unsigned char *body,
			 uint64_t size, unsigned char **ret);

/* Values into their members: WARD_EINVAL with the range. */
static inline ward_err wardi_get_set_int(struct wardi_get *get, const ward_field *field,
					 unsigned char *at, int64_t value)
{
	if (!wardi_fits_int(field->size, value) || !wardi_in_int(field, value) ||
	    (field->kind == WARD_FIELD_DURATION && value < 0))
		return wardi_walk_int_wrong(wardi_get_here(get), field, value);
	wardi_member_set(at, field->size, (uint64_t)value);
	return WARD_OK;
}

static inline ward_err wardi_get_set_uint(struct wardi_get *get, const ward_field *field,
					  unsigned char *at, uint64_t value)
{
	if (!wardi_fits_uint(field->size, value) || !wardi_in_uint(field, value))
		return wardi_walk_uint_wrong(wardi_get_here(get), field, value);
	wardi_member_set(at, field->size, value);
	return WARD_OK;
}

static inline ward_err wardi_get_set_float(struct wardi_get *get, const ward_field *field,
					   unsigned char *at, double value)
{
	if (!wardi_in_float(field, value))
		return wardi_walk_float_wrong(wardi_get_here(get), field, value);
	memcpy(at, &value, sizeof value);
	return WARD_OK;
}

#endif
