/* SPDX-License-Identifier: MIT
 *
 * wire_write.c - writes bodies in ward's own format.
 */
#include <string.h>

#include "codec/member.h"
#include "codec/put.h"
#include "codec/rows.h"
#include "codec/wire.h"
#include "codec/wire_write.h"
#include "mail/ref.h"

/* A tag and a varint, or eight bytes. */
enum { SMALL_ROW = 16 };

static ward_err put_rows(struct wardi_put *put, const ward_field *fields, const unsigned char *body,
			 size_t size);

/* All these need room for SMALL_ROW. */
static inline void put_varint(struct wardi_put *put, uint64_t value)
{
	while (value >= 0x80) {
		wardi_put_8(put, (unsigned)(value & 0x7f) | 0x80);
		value >>= 7;
	}
	wardi_put_8(put, (unsigned)value);
}

static inline void put_tag(struct wardi_put *put, uint32_t row, enum wardi_wire_form form)
{
	put_varint(put, row << 3 | (uint32_t)form);
}

static inline void put_unsigned(struct wardi_put *put, uint32_t row, uint64_t value)
{
	put_tag(put, row, WARDI_WIRE_VARINT);
	put_varint(put, value);
}

static inline void put_signed(struct wardi_put *put, uint32_t row, int64_t value)
{
	put_unsigned(put, row, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static ward_err put_bytes(struct wardi_put *put, const ward_field *field, uint32_t row,
			  const void *bytes, size_t size)
{
	ward_err err;

	if (!wardi_in_length(field, size))
		return wardi_walk_length_wrong(&put->walk, field, size, "bytes");
	err = wardi_put_room(put, SMALL_ROW + size);
	if (err != WARD_OK)
		return err;
	put_tag(put, row, WARDI_WIRE_BYTES);
	put_varint(put, size);
	wardi_put_many(put, bytes, size);
	return WARD_OK;
}

static ward_err put_text(struct wardi_put *put, const ward_field *field, uint32_t row,
			 const unsigned char *at)
{
	size_t size = strnlen((const char *)at, field->size);

	if (size == field->size)
		return wardi_walk_wrong(&put->walk, field, WARD_EINVAL,
					"the text does not end with 0");
	return put_bytes(put, field, row, at, size);
}

static ward_err put_string(struct wardi_put *put, const ward_field *field, uint32_t row,
			   const unsigned char *at)
{
	const char *text = wardi_member_string(at);

	if (put->walk.type->drop == NULL)
		return wardi_walk_kind_wrong(&put->walk, field);
	if (text != NULL)
		return put_bytes(put, field, row, text, strlen(text));
	put_unsigned(put, row, 0);
	return WARD_OK;
}

static ward_err put_counted(struct wardi_put *put, const ward_field *field, uint32_t row,
			    const unsigned char *body)
{
	uint64_t count = wardi_member_count(field, body);

	if (!wardi_count_fits(field, count))
		return wardi_walk_length_wrong(&put->walk, field, count, "bytes");
	return put_bytes(put, field, row, body + field->offset, (size_t)count);
}

/* A ref that others write has its length in front, of 4 bytes: it is known behind it. */
static ward_err put_foreign_ref(struct wardi_put *put, const ward_field *field, uint32_t row,
				ward_ref ref)
{
	const ward_codec_refs *refs = put->walk.refs;
	size_t head, wrote;
	ward_err err;

	put_tag(put, row, WARDI_WIRE_BYTES);
	put->at += 4;
	head = wardi_put_lend(put)->size;
	err = refs->put(refs->arg, WARD_FORMAT_WIRE, ref, put->bytes);
	wrote = put->bytes->size - head;
	wardi_put_begin(put, put->bytes);
	if (err == WARD_OK && wrote >= 1U << 28)
		return wardi_walk_wrong(&put->walk, field, WARD_ESIZE,
					"a ref of %zu bytes is too large", wrote);
	for (unsigned i = 0; i < 4; i++)
		put->bytes->data[head - 4 + i] =
			(unsigned char)((wrote >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
	return err;
}

static ward_err put_ref(struct wardi_put *put, const ward_field *field, uint32_t row,
			const unsigned char *at)
{
	ward_ref ref;

	memcpy(&ref, at, sizeof ref);
	if (!ward_ref_is_nobody(ref) && put->walk.refs != NULL)
		return put_foreign_ref(put, field, row, ref);
	put_tag(put, row, WARDI_WIRE_BYTES);
	put_varint(put, ward_ref_is_nobody(ref) ? 0 : 16);
	if (!ward_ref_is_nobody(ref)) {
		ward_err err = wardi_put_room(put, 16);

		if (err != WARD_OK)
			return err;
		wardi_store_le64(put->at, ref.uid);
		wardi_store_le64(put->at + 8, (uint64_t)ref.spare << 32 | wardi_ref_place(ref));
		put->at += 16;
	}
	return WARD_OK;
}

static ward_err put_group(struct wardi_put *put, const ward_field *field, uint32_t row,
			  const unsigned char *at)
{
	ward_err err = wardi_walk_down(&put->walk, field);

	if (err != WARD_OK)
		return err;
	put_tag(put, row, WARDI_WIRE_GROUP);
	err = put_rows(put, field->fields, at, 0);
	if (err == WARD_OK)
		wardi_put_8(put, 0);
	wardi_walk_up(&put->walk);
	return err;
}

static ward_err put_list(struct wardi_put *put, const ward_field *field, uint32_t row,
			 const unsigned char *body)
{
	uint64_t count = wardi_member_count(field, body);
	ward_err err;

	if (!wardi_count_fits(field, count))
		return wardi_walk_length_wrong(&put->walk, field, count, "items");
	err = wardi_walk_down(&put->walk, field);
	if (err != WARD_OK)
		return err;
	put_tag(put, row, WARDI_WIRE_LIST);
	put_varint(put, count);
	for (uint32_t i = 0; err == WARD_OK && i < count; i++) {
		put->walk.level[put->walk.depth - 1].index = i;
		err = put_rows(put, field->fields, body + field->offset + (size_t)i * field->item,
			       0);
		if (err == WARD_OK)
			wardi_put_8(put, 0);
	}
	wardi_walk_up(&put->walk);
	return err;
}

static ward_err put_name(struct wardi_put *put, const ward_field *field, uint32_t row,
			 const unsigned char *at)
{
	uint64_t bits = wardi_member_uint(at, field->size);
	int64_t value = (int32_t)bits;

	if (field->kind == WARD_FIELD_ENUM) {
		if (wardi_name_of(field, value) == NULL)
			return wardi_walk_name_wrong(&put->walk, field, NULL, 0, value);
		put_signed(put, row, value);
		return WARD_OK;
	}
	if ((bits & ~(uint64_t)wardi_mask_all(field)) != 0)
		return wardi_walk_name_wrong(&put->walk, field, NULL, 0, (int64_t)bits);
	put_unsigned(put, row, bits);
	return WARD_OK;
}

static inline ward_err put_int(struct wardi_put *put, const ward_field *field, uint32_t row,
			       const unsigned char *at)
{
	int64_t value = wardi_member_int(at, field->size);

	if (!wardi_in_int(field, value) || (field->kind == WARD_FIELD_DURATION && value < 0))
		return wardi_walk_int_wrong(&put->walk, field, value);
	put_signed(put, row, value);
	return WARD_OK;
}

static inline ward_err put_uint(struct wardi_put *put, const ward_field *field, uint32_t row,
				const unsigned char *at)
{
	uint64_t value = wardi_member_uint(at, field->size);

	if (!wardi_in_uint(field, value))
		return wardi_walk_uint_wrong(&put->walk, field, value);
	put_unsigned(put, row, value);
	return WARD_OK;
}

static inline ward_err put_float(struct wardi_put *put, const ward_field *field, uint32_t row,
				 const unsigned char *at)
{
	uint64_t bits;

	if (!wardi_in_float(field, wardi_member_float(at)))
		return wardi_walk_float_wrong(&put->walk, field, wardi_member_float(at));
	memcpy(&bits, at, sizeof bits);
	put_tag(put, row, WARDI_WIRE_EIGHT);
	wardi_store_le64(put->at, bits);
	put->at += 8;
	return WARD_OK;
}

static inline ward_err put_row(struct wardi_put *put, const ward_field *field, uint32_t row,
			       const unsigned char *body, size_t size)
{
	const unsigned char *at = body + field->offset;

	switch (field->kind) {
	case WARD_FIELD_INT:
	case WARD_FIELD_DURATION:
		return put_int(put, field, row, at);
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		return put_uint(put, field, row, at);
	case WARD_FIELD_FLOAT:
		return put_float(put, field, row, at);
	case WARD_FIELD_BOOL:
		put_unsigned(put, row, *at != 0);
		return WARD_OK;
	case WARD_FIELD_TEXT:
		return put_text(put, field, row, at);
	case WARD_FIELD_STRING:
		return put_string(put, field, row, at);
	case WARD_FIELD_ENUM:
	case WARD_FIELD_MASK:
		return put_name(put, field, row, at);
	case WARD_FIELD_REF:
		return put_ref(put, field, row, at);
	case WARD_FIELD_GROUP:
		return put_group(put, field, row, at);
	case WARD_FIELD_LIST:
		return put_list(put, field, row, body);
	case WARD_FIELD_BYTES:
		return put_counted(put, field, row, body);
	case WARD_FIELD_TAIL:
		return put_bytes(put, field, row, at, size - field->offset);
	default:
		return wardi_walk_kind_wrong(&put->walk, field);
	}
}

/* Asked only where a row forbids a value. What the version must have is not left out. */
static bool is_left_out(const struct wardi_put *put, const ward_field *field,
			const unsigned char *body, size_t size)
{
	size_t tail = size > put->walk.type->size ? size - put->walk.type->size : 0;

	return !field->required && wardi_row_left_out(field, body, tail);
}

/* There is room for SMALL_ROW behind them. */
static ward_err put_rows(struct wardi_put *put, const ward_field *fields, const unsigned char *body,
			 size_t size)
{
	ward_err err = WARD_OK;

	for (uint32_t row = 1; err == WARD_OK && fields->kind != WARD_FIELD_END; fields++, row++) {
		size_t before = (size_t)(put->at - put->bytes->data);

		err = wardi_put_room(put, SMALL_ROW);
		if (err == WARD_OK)
			err = put_row(put, fields, row, body, size);
		if (err == WARD_EINVAL && is_left_out(put, fields, body, size)) {
			put->at = put->bytes->data + before;
			err = WARD_OK;
		}
	}
	return err == WARD_OK ? wardi_put_room(put, SMALL_ROW) : err;
}

ward_err wardi_wire_encode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *body, size_t size, ward_bytes *out)
{
	size_t before = out->size;
	struct wardi_put put;
	ward_err err = wardi_bytes_room(out, SMALL_ROW);

	if (err != WARD_OK)
		return err;
	wardi_walk_begin(&put.walk, refs, type);
	wardi_put_begin(&put, out);
	if (type->codec != NULL) {
		put_varint(&put, type->codec->version);
		err = put_rows(&put, type->codec->fields, body, size);
		if (err == WARD_OK)
			wardi_put_8(&put, 0);
	} else if (type->encode != NULL) {
		err = type->encode(body, size, out);
		wardi_put_begin(&put, out);
	}
	return wardi_put_end(&put, before, err);
}
