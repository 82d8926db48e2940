/* SPDX-License-Identifier: MIT
 *
 * get.c - what all readers of messages do rarely, or in one way.
 */
#include "codec/get.h"

#include <stdlib.h>

#include "codec/member.h"

ward_err wardi_get_ended(struct wardi_get *get, const ward_field *field)
{
	return wardi_walk_wrong(wardi_get_here(get), field, WARD_EINVAL,
				"the bytes end within a value");
}

ward_err wardi_seen_all(const struct wardi_seen *seen, const ward_field *fields,
			struct wardi_get *get)
{
	for (size_t row = 0; fields[row].kind != WARD_FIELD_END; row++) {
		bool was = row < WARD_CODEC_FIELDS_MAX &&
			   (seen->rows[row / 64] >> (row % 64) & 1) != 0;

		if (!was && wardi_must_have(&fields[row], get->version))
			return wardi_walk_missing(wardi_get_here(get), &fields[row]);
	}
	return WARD_OK;
}

static ward_err length_wrong(struct wardi_get *get, const ward_field *field, uint64_t size)
{
	return wardi_walk_length_wrong(wardi_get_here(get), field, size, "bytes");
}

static ward_err place_string(struct wardi_get *get, const ward_field *field, unsigned char *at,
			     uint64_t size, unsigned char **ret)
{
	unsigned char *text;

	if (get->walk.type->drop == NULL)
		return wardi_walk_kind_wrong(wardi_get_here(get), field);
	if (!wardi_in_length(field, size))
		return length_wrong(get, field, size);
	text = (unsigned char *)malloc((size_t)size + 1);
	if (text == NULL)
		return wardi_walk_wrong(wardi_get_here(get), field, WARD_ENOMEM,
					"no memory for a string");
	text[size] = '\0';
	memcpy(at, &text, sizeof text);
	*ret = text;
	return WARD_OK;
}

static ward_err place_tail(struct wardi_get *get, const ward_field *field, uint64_t size,
			   unsigned char **ret)
{
	const ward_type *type = get->walk.type;

	if (!wardi_in_length(field, size) || size > type->size_max - type->size)
		return length_wrong(get, field, size);
	if (size > get->room - type->size)
		return wardi_walk_wrong(wardi_get_here(get), field, WARD_ESIZE,
					"the room of %zu bytes is too small for the message",
					get->room);
	get->size = type->size + (size_t)size;
	*ret = get->body + type->size;
	return WARD_OK;
}

ward_err wardi_get_place(struct wardi_get *get, const ward_field *field, unsigned char *body,
			 uint64_t size, unsigned char **ret)
{
	*ret = body + field->offset;
	switch (field->kind) {
	case WARD_FIELD_STRING:
		return place_string(get, field, *ret, size, ret);
	case WARD_FIELD_TAIL:
		return place_tail(get, field, size, ret);
	case WARD_FIELD_TEXT:
		if (size >= field->size || !wardi_in_length(field, size))
			return length_wrong(get, field, size);
		(*ret)[size] = '\0';
		return WARD_OK;
	default: /* BYTES */
		if (!wardi_count_fits(field, size))
			return length_wrong(get, field, size);
		wardi_member_set_count(field, body, size);
		return WARD_OK;
	}
}
