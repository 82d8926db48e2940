/* SPDX-License-Identifier: MIT
 *
 * json_read.h - reads a body from JSON.
 */
#ifndef WARDI_JSON_READ_H
#define WARDI_JSON_READ_H

#include <ward/codec.h>

/* The body is `room` zeros. On an error the caller drops the strings in the body, and zeroes it. */
ward_err wardi_json_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, void *body, size_t room,
			   size_t *ret_size);

#endif
