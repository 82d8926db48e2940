/* SPDX-License-Identifier: MIT
 *
 * bytes.c - a buffer that grows.
 */
#include "codec/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { ROOM_FIRST = 256 };

ward_err wardi_bytes_grow(ward_bytes *bytes, size_t size)
{
	size_t room = bytes->room < ROOM_FIRST ? ROOM_FIRST : bytes->room;
	unsigned char *data;

	if (bytes->max != 0 && (bytes->size > bytes->max || size > bytes->max - bytes->size))
		return wardi_error(WARD_ESIZE, "the bytes are more than the maximum of %zu",
				   bytes->max);
	if (size > SIZE_MAX / 4 || bytes->size > SIZE_MAX / 4)
		return wardi_error(WARD_ENOMEM, "out of memory for %zu bytes", size);
	while (room - bytes->size < size)
		room *= 2;
	if (bytes->max != 0 && room > bytes->max)
		room = bytes->max;
	data = (unsigned char *)realloc(bytes->data, room);
	if (data == NULL)
		return wardi_error(WARD_ENOMEM, "out of memory for %zu bytes", room);
	bytes->data = data;
	bytes->room = room;
	return WARD_OK;
}

ward_err ward_bytes_add(ward_bytes *bytes, const void *data, size_t size)
{
	ward_err err = wardi_bytes_room(bytes, size);

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
