/* SPDX-License-Identifier: MIT
 *
 * bytes.h - room in a buffer that grows.
 */
#ifndef WARDI_BYTES_H
#define WARDI_BYTES_H

#include <ward/codec.h>

/* A writer makes room for a value before it knows its size: up to so many bytes above the maximum,
 * which it checks at its end. */
enum { WARDI_BYTES_SPARE = 512 };

/* Makes room for `size` more bytes, if there is not enough. WARD_ESIZE, WARD_ENOMEM. */
ward_err wardi_bytes_grow(ward_bytes *bytes, size_t size);

/* WARD_ESIZE if there are more than the maximum. */
ward_err wardi_bytes_check(const ward_bytes *bytes);

static inline ward_err wardi_bytes_room(ward_bytes *bytes, size_t size)
{
	return bytes->room - bytes->size >= size ? WARD_OK : wardi_bytes_grow(bytes, size);
}

#endif
