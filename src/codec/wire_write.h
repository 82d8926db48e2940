/* SPDX-License-Identifier: MIT
 *
 * wire_write.h - writes a body in ward's own format.
 */
#ifndef WARDI_WIRE_WRITE_H
#define WARDI_WIRE_WRITE_H

#include <ward/codec.h>

/* As wardi_term_encode(). */
ward_err wardi_wire_encode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *body, size_t size, ward_bytes *out);

#endif
