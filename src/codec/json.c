/* SPDX-License-Identifier: MIT
 *
 * json.c - bodies as JSON.
 */
#include "codec/json.h"

#include "base/error.h"

ward_err wardi_json_encode(const ward_codec_refs *refs, const ward_type *type, const void *body,
			   size_t size, ward_bytes *out)
{
	(void)refs, (void)body, (void)size, (void)out;
	return wardi_error(WARD_ELOCAL, "type %s: this format is not written yet", type->name);
}

ward_err wardi_json_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, void *body, size_t room,
			   size_t *ret_size)
{
	(void)refs, (void)bytes, (void)count, (void)body, (void)room, (void)ret_size;
	return wardi_error(WARD_ELOCAL, "type %s: this format is not read yet", type->name);
}
