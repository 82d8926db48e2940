/* SPDX-License-Identifier: MIT
 *
 * bytes.c - a buffer that grows.
 */
#include "codec/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codec/put.h"

enum { ROOM_FIRST = 256 };

static ward_err too_many(const ward_bytes *bytes)
{
	return wardi_error(WARD_ESIZE, "the bytes are more than the maximum of %zu", bytes->max);
}

ward_err wardi_bytes_grow(ward_bytes *bytes, size_t size)
{
	size_t most = bytes->max == 0 ? SIZE_MAX / 4 : bytes->max + WARDI_BYTES_SPARE;
	size_t room = bytes->room < ROOM_FIRST ? ROOM_FIRST : bytes->room;
	unsigned char *data;

	if (bytes->size > most || size > most - bytes->size)
		return bytes->max == 0
			       ? wardi_error(WARD_ENOMEM, "out of memory for %zu bytes", size)
			       : too_many(bytes);
	while (room - bytes->size < size)
		room *= 2;
	if (room > most)
		room = most;
	data = (unsigned char *)realloc(bytes->data, room);
	if (data == NULL)
		return wardi_error(WARD_ENOMEM, "out of memory for %zu bytes", room);
	bytes->data = data;
	bytes->room = room;
	return WARD_OK;
}

ward_err wardi_bytes_check(const ward_bytes *bytes)
{
	return bytes->max != 0 && bytes->size > bytes->max ? too_many(bytes) : WARD_OK;
}

ward_err ward_bytes_add(ward_bytes *bytes, const void *data, size_t size)
{
	ward_err err = wardi_bytes_room(bytes, size);

	if (err == WARD_OK && bytes->max != 0 &&
	    (bytes->size > bytes->max || size > bytes->max - bytes->size))
		err = too_many(bytes);
	if (err == WARD_OK && size > 0) {
		memcpy(bytes->data + bytes->size, data, size);
		bytes->size += size;
	}
	return err;
}

void ward_bytes_finish(ward_bytes *bytes)
{
	free(bytes->data);
	bytes->data = NULL;
	bytes->size = 0;
	bytes->room = 0;
}
