/* SPDX-License-Identifier: MIT
 *
 * codec.c - from a body to bytes and back: what all formats share.
 */
#include <ward/codec.h>

#include "base/error.h"
#include "codec/json.h"

ward_err ward_encode_refs(ward_format format, const ward_codec_refs *refs, const ward_type *type,
			  const void *body, size_t size, ward_bytes *out)
{
	if (format == WARD_FORMAT_JSON)
		return wardi_json_encode(refs, type, body, size, out);
	return wardi_error(WARD_ELOCAL, "type %s: this format is not written yet", type->name);
}

ward_err ward_encode(ward_format format, const ward_type *type, const void *body, size_t size,
		     ward_bytes *out)
{
	return ward_encode_refs(format, NULL, type, body, size, out);
}

ward_err ward_decode_refs(ward_format format, const ward_codec_refs *refs, const ward_type *type,
			  const void *bytes, size_t count, void *body, size_t room,
			  size_t *ret_size)
{
	if (format == WARD_FORMAT_JSON)
		return wardi_json_decode(refs, type, (const unsigned char *)bytes, count, body,
					 room, ret_size);
	return wardi_error(WARD_ELOCAL, "type %s: this format is not read yet", type->name);
}

ward_err ward_decode(ward_format format, const ward_type *type, const void *bytes, size_t count,
		     void *body, size_t room, size_t *ret_size)
{
	return ward_decode_refs(format, NULL, type, bytes, count, body, room, ret_size);
}

size_t ward_decode_room(const ward_type *type, size_t count)
{
	size_t room = type->size_max > type->size ? type->size_max : type->size;

	return room - type->size <= count ? room : type->size + count;
}
