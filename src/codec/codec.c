/* SPDX-License-Identifier: MIT
 *
 * codec.c - from a body to bytes and back: what all formats share.
 */
#include <ward/codec.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codec/bytes.h"
#include "codec/json.h"
#include "codec/json_read.h"
#include "codec/json_write.h"
#include "codec/member.h"
#include "codec/term.h"
#include "codec/term_read.h"
#include "codec/term_write.h"
#include "codec/wire.h"
#include "codec/wire_read.h"
#include "codec/wire_write.h"

static ward_err encode_memory(const ward_codec_refs *refs, const ward_type *type,
			      const unsigned char *body, size_t size, ward_bytes *out)
{
	(void)refs;
	if ((type->flags & WARD_TYPE_FLAT) == 0)
		return wardi_error(
			WARD_ELOCAL,
			"type %s is not WARD_TYPE_FLAT, so its bytes stay in the process",
			type->name);
	return ward_bytes_add(out, body, size);
}

static ward_err decode_memory(const ward_codec_refs *refs, const ward_type *type,
			      const unsigned char *bytes, size_t count, unsigned char *body,
			      size_t room, size_t *ret_size)
{
	size_t most = type->size_max != 0 ? type->size_max : type->size;

	(void)refs;
	if ((type->flags & WARD_TYPE_FLAT) == 0)
		return wardi_error(WARD_ELOCAL,
				   "type %s is not WARD_TYPE_FLAT, so its bytes mean nothing here",
				   type->name);
	if (count < type->size || count > most)
		return wardi_error(WARD_EINVAL, "%s: %zu bytes, a body has %u to %zu", type->name,
				   count, (unsigned)type->size, most);
	if (count > room)
		return wardi_error(WARD_ESIZE, "%s: the room of %zu bytes is too small for %zu",
				   type->name, room, count);
	if (count > 0)
		memcpy(body, bytes, count);
	*ret_size = count;
	return WARD_OK;
}

static ward_err encode_json(const ward_codec_refs *refs, const ward_type *type,
			    const unsigned char *body, size_t size, ward_bytes *out)
{
	size_t before = out->size;
	ward_err err = wardi_json_encode(refs, type, body, size, out);

	if (err != WARD_OK)
		out->size = before;
	return err;
}

static ward_err decode_json(const ward_codec_refs *refs, const ward_type *type,
			    const unsigned char *bytes, size_t count, unsigned char *body,
			    size_t room, size_t *ret_size)
{
	return wardi_json_decode(refs, type, bytes, count, body, room, ret_size);
}

static const struct format {
	bool by_hand; /* a type may write its bytes itself */
	bool needs_table;
	ward_err (*encode)(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *body, size_t size, ward_bytes *out);
	ward_err (*decode)(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, unsigned char *body,
			   size_t room, size_t *ret_size);
} formats[] = {
	[WARD_FORMAT_TERM] = {true, true, wardi_term_encode, wardi_term_decode},
	[WARD_FORMAT_JSON] = {false, true, encode_json, decode_json},
	[WARD_FORMAT_WIRE] = {true, true, wardi_wire_encode, wardi_wire_decode},
	[WARD_FORMAT_MEMORY] = {false, false, encode_memory, decode_memory},
};

/* NULL: the type does not go in this format; the detail says why. */
static const struct format *format_for(ward_format format, const ward_type *type, ward_err *ret_err)
{
	const struct format *chosen;

	*ret_err = WARD_OK;
	if ((unsigned)format < WARD_FORMAT_TERM || (unsigned)format > WARD_FORMAT_MEMORY) {
		*ret_err = wardi_error(WARD_EINVAL, "%d is not a format", (int)format);
		return NULL;
	}
	chosen = &formats[format];
	if (type->codec != NULL || !chosen->needs_table || type->size == 0)
		return chosen;
	if (type->encode != NULL && type->decode != NULL) {
		if (chosen->by_hand)
			return chosen;
		*ret_err = wardi_error(WARD_ELOCAL,
				       "type %s writes its bytes itself: as a term or for the wire "
				       "only",
				       type->name);
		return NULL;
	}
	*ret_err = wardi_error(WARD_ELOCAL,
			       "type %s has no table, so it cannot leave the process; see "
			       "WARD_MESSAGE_FIELDS",
			       type->name);
	return NULL;
}

static bool has_tail(const ward_type *type)
{
	if (type->codec == NULL)
		return false;
	for (const ward_field *field = type->codec->fields; field->kind != WARD_FIELD_END; field++)
		if (field->kind == WARD_FIELD_TAIL)
			return true;
	return false;
}

/* What has no row of its own would be lost. */
static bool size_fits(const ward_type *type, const struct format *chosen, size_t size)
{
	if (size == type->size)
		return true;
	return size > type->size && size <= type->size_max &&
	       (!chosen->needs_table || has_tail(type));
}

/* A body of zeros that nobody wrote. */
static ward_err encode_zeros(const struct format *chosen, const ward_codec_refs *refs,
			     const ward_type *type, ward_bytes *out)
{
	unsigned char *zeros = (unsigned char *)calloc(1, type->size == 0 ? 1 : type->size);
	ward_err err;

	if (zeros == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a body of type %s", type->name);
	err = chosen->encode(refs, type, zeros, type->size, out);
	free(zeros);
	return err;
}

ward_err ward_encode_refs(ward_format format, const ward_codec_refs *refs, const ward_type *type,
			  const void *body, size_t size, ward_bytes *out)
{
	ward_err err;
	const struct format *chosen = format_for(format, type, &err);

	if (chosen == NULL)
		return err;
	if (body == NULL && size == 0)
		return encode_zeros(chosen, refs, type, out);
	if (!size_fits(type, chosen, size))
		return wardi_error(WARD_ESIZE, "type %s: a body of %zu bytes does not fit it",
				   type->name, size);
	return chosen->encode(refs, type, (const unsigned char *)body, size, out);
}

ward_err ward_encode(ward_format format, const ward_type *type, const void *body, size_t size,
		     ward_bytes *out)
{
	return ward_encode_refs(format, NULL, type, body, size, out);
}

/* What a decoder left in the body before it found the error. */
static void clear(const ward_type *type, void *body)
{
	if (type->drop != NULL && type->codec != NULL)
		ward_fields_drop(type->codec->fields, body);
	memset(body, 0, type->size);
}

ward_err ward_decode_refs(ward_format format, const ward_codec_refs *refs, const ward_type *type,
			  const void *bytes, size_t count, void *body, size_t room,
			  size_t *ret_size)
{
	size_t size = 0;
	ward_err err;
	const struct format *chosen = format_for(format, type, &err);

	if (ret_size != NULL)
		*ret_size = 0;
	if (chosen == NULL)
		return err;
	if (room < type->size)
		return wardi_error(WARD_ESIZE, "type %s: the room of %zu bytes is too small",
				   type->name, room);
	if (type->size > 0)
		memset(body, 0, type->size);
	err = chosen->decode(refs, type, (const unsigned char *)bytes, count, (unsigned char *)body,
			     room, &size);
	if (err == WARD_OK && ret_size != NULL)
		*ret_size = size;
	if (err != WARD_OK && type->size > 0)
		clear(type, body);
	return err;
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
