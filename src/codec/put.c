/* SPDX-License-Identifier: MIT
 *
 * put.c - more room where something is put.
 */
#include "codec/put.h"

#include "codec/bytes.h"

ward_err wardi_put_grow(struct wardi_put *put, size_t size)
{
	ward_err err;

	put->bytes->size = (size_t)(put->at - put->bytes->data);
	err = wardi_bytes_grow(put->bytes, size);
	wardi_put_begin(put, put->bytes);
	return err;
}
