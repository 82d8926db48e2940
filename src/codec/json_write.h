/* SPDX-License-Identifier: MIT
 *
 * json_write.h - writes a body as JSON.
 */
#ifndef WARDI_JSON_WRITE_H
#define WARDI_JSON_WRITE_H

#include <ward/codec.h>

/* The type has a table, or no body; the size is one that it may have. `refs` may be NULL. On an
 * error *out may have more bytes than before: the caller takes them back. */
ward_err wardi_json_encode(const ward_codec_refs *refs, const ward_type *type, const void *body,
			   size_t size, ward_bytes *out);

#endif
