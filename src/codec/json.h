/* SPDX-License-Identifier: MIT
 *
 * json.h - bodies as JSON.
 */
#ifndef WARDI_JSON_H
#define WARDI_JSON_H

#include <ward/codec.h>

/* The name of a message, in JSON and in its schema. */
static inline const char *wardi_json_name(const ward_type *type)
{
	return type->codec != NULL && type->codec->atom != NULL ? type->codec->atom : type->name;
}

/* The type has a table, or no body; the size is one that it may have. `refs` may be NULL. On an
 * error *out may have more bytes than before: the caller takes them back. */
ward_err wardi_json_encode(const ward_codec_refs *refs, const ward_type *type, const void *body,
			   size_t size, ward_bytes *out);

/* The body is `room` zeros. On an error the caller drops the strings in the body, and zeroes it. */
ward_err wardi_json_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, void *body, size_t room,
			   size_t *ret_size);

#endif
