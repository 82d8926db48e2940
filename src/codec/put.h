/* SPDX-License-Identifier: MIT
 *
 * put.h - a writer: bytes behind those of a ward_bytes, with room that is made before.
 */
#ifndef WARDI_PUT_H
#define WARDI_PUT_H

#include <string.h>

#include <ward/codec.h>

#include "codec/bytes.h"
#include "codec/walk.h"

/* The buffer has the bytes only after wardi_put_end(). */
struct wardi_put {
	unsigned char *at;
	unsigned char *end;
	ward_bytes *bytes;
	struct wardi_walk walk;
};

/* The buffer has data. */
static inline void wardi_put_begin(struct wardi_put *put, ward_bytes *bytes)
{
	put->bytes = bytes;
	put->at = bytes->data + bytes->size;
	put->end = bytes->data + bytes->room;
}

/* Takes back what was put if there was an error, or if it is too much. */
static inline ward_err wardi_put_end(struct wardi_put *put, size_t before, ward_err err)
{
	put->bytes->size = (size_t)(put->at - put->bytes->data);
	if (err == WARD_OK)
		err = wardi_bytes_check(put->bytes);
	if (err != WARD_OK)
		put->bytes->size = before;
	return err;
}

/* Lets others append to the buffer, until wardi_put_begin(). */
static inline ward_bytes *wardi_put_lend(struct wardi_put *put)
{
	put->bytes->size = (size_t)(put->at - put->bytes->data);
	return put->bytes;
}

/* Keeps what was put, and makes room for more. */
__attribute__((cold)) ward_err wardi_put_grow(struct wardi_put *put, size_t size);

static inline ward_err wardi_put_room(struct wardi_put *put, size_t size)
{
	return (size_t)(put->end - put->at) >= size ? WARD_OK : wardi_put_grow(put, size);
}

/* What follows needs room that was made. */
static inline void wardi_put_8(struct wardi_put *put, unsigned value)
{
	*put->at++ = (unsigned char)value;
}

static inline void wardi_store_le64(unsigned char *at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static inline void wardi_store_be32(unsigned char *at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> (24 - 8 * i));
}

static inline void wardi_store_be64(unsigned char *at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		at[i] = (unsigned char)(value >> (56 - 8 * i));
}

static inline void wardi_put_be32(struct wardi_put *put, uint32_t value)
{
	wardi_store_be32(put->at, value);
	put->at += 4;
}

/* Copies few bytes, such as a key, without a call. */
static inline void wardi_copy_few(unsigned char *to, const void *from, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)from;

	if (size > 16) {
		memcpy(to, from, size);
	} else if (size >= 8) {
		uint64_t first, last;

		memcpy(&first, bytes, 8);
		memcpy(&last, bytes + size - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + size - 8, &last, 8);
	} else if (size >= 4) {
		uint32_t first, last;

		memcpy(&first, bytes, 4);
		memcpy(&last, bytes + size - 4, 4);
		memcpy(to, &first, 4);
		memcpy(to + size - 4, &last, 4);
	} else {
		for (size_t i = 0; i < size; i++)
			to[i] = bytes[i];
	}
}

static inline void wardi_put_few(struct wardi_put *put, const void *from, size_t size)
{
	wardi_copy_few(put->at, from, size);
	put->at += size;
}

static inline void wardi_put_many(struct wardi_put *put, const void *from, size_t size)
{
	if (size > 0)
		memcpy(put->at, from, size);
	put->at += size;
}

#endif
