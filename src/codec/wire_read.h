/* SPDX-License-Identifier: MIT
 *
 * wire_read.h - reads a body from ward's own format.
 */
#ifndef WARDI_WIRE_READ_H
#define WARDI_WIRE_READ_H

#include <ward/codec.h>

/* As wardi_term_decode(). */
ward_err wardi_wire_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, unsigned char *body,
			   size_t room, size_t *ret_size);

#endif
