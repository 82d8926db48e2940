/* SPDX-License-Identifier: MIT
 *
 * bytes.h - room in a buffer that grows.
 */
#ifndef WARDI_BYTES_H
#define WARDI_BYTES_H

#include <ward/codec.h>

/* Makes room for `size` more bytes, if there is not enough. WARD_ESIZE, WARD_ENOMEM. */
ward_err wardi_bytes_grow(ward_bytes *bytes, size_t size);

static inline ward_err wardi_bytes_room(ward_bytes *bytes, size_t size)
{
	return bytes->room - bytes->size >= size ? WARD_OK : wardi_bytes_grow(bytes, size);
}

#endif
