/* SPDX-License-Identifier: MIT
 *
 * term_write.c - writes bodies as terms of Erlang.
 *
 * The bytes are those that term_to_binary() writes for the same value: each number and each atom in
 * its shortest form.
 */
#include <string.h>

#include "base/error.h"
#include "codec/member.h"
#include "codec/put.h"
#include "codec/rows.h"
#include "codec/term.h"
#include "codec/term_write.h"
#include "mail/ref.h"

/* The largest that needs no room of its own: a float, a number, a pid without its node. */
enum { SMALL_TERM = 16 };

static ward_err put_fields(struct wardi_put *put, const ward_field *fields,
			   const unsigned char *body, size_t size, bool keys);

/* Needs room for 3 + size bytes. */
static inline void put_atom(struct wardi_put *put, const char *text, size_t size)
{
	if (size > 255) {
		wardi_put_8(put, WARDI_TERM_ATOM);
		wardi_put_8(put, (unsigned)size >> 8);
	} else {
		wardi_put_8(put, WARDI_TERM_SMALL_ATOM);
	}
	wardi_put_8(put, (unsigned)size & 255);
	wardi_put_few(put, text, size);
}

static inline ward_err put_name(struct wardi_put *put, const char *text)
{
	size_t size = strlen(text);
	ward_err err = wardi_put_room(put, 3 + size);

	if (err == WARD_OK)
		put_atom(put, text, size);
	return err;
}

/* Needs room for SMALL_TERM, as all these. */
static inline void put_big(struct wardi_put *put, uint64_t magnitude, bool negative)
{
	unsigned bytes = (71 - (unsigned)__builtin_clzll(magnitude)) / 8;

	wardi_put_8(put, WARDI_TERM_SMALL_BIG);
	wardi_put_8(put, bytes);
	wardi_put_8(put, negative);
	wardi_store_le64(put->at, magnitude);
	put->at += bytes;
}

static inline void put_small(struct wardi_put *put, int32_t value)
{
	if (value >= 0 && value <= 255) {
		wardi_put_8(put, WARDI_TERM_SMALL_INTEGER);
		wardi_put_8(put, (unsigned)value);
	} else {
		wardi_put_8(put, WARDI_TERM_INTEGER);
		wardi_put_be32(put, (uint32_t)value);
	}
}

static inline void put_uint(struct wardi_put *put, uint64_t value)
{
	if (value <= INT32_MAX)
		put_small(put, (int32_t)value);
	else
		put_big(put, value, false);
}

static inline void put_int(struct wardi_put *put, int64_t value)
{
	if (value >= INT32_MIN && value <= INT32_MAX)
		put_small(put, (int32_t)value);
	else
		put_big(put, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

static inline void put_float(struct wardi_put *put, const unsigned char *at)
{
	uint64_t bits;

	memcpy(&bits, at, sizeof bits);
	wardi_put_8(put, WARDI_TERM_FLOAT);
	wardi_store_be64(put->at, bits);
	put->at += 8;
}

static ward_err put_binary(struct wardi_put *put, const ward_field *field, const void *bytes,
			   size_t size)
{
	ward_err err;

	if (!wardi_in_length(field, size) || size > UINT32_MAX)
		return wardi_walk_length_wrong(&put->walk, field, size, "bytes");
	err = wardi_put_room(put, 5 + size);
	if (err != WARD_OK)
		return err;
	wardi_put_8(put, WARDI_TERM_BINARY);
	wardi_put_be32(put, (uint32_t)size);
	wardi_put_many(put, bytes, size);
	return WARD_OK;
}

static ward_err put_text(struct wardi_put *put, const ward_field *field, const unsigned char *at)
{
	size_t size = strnlen((const char *)at, field->size);

	if (size == field->size)
		return wardi_walk_wrong(&put->walk, field, WARD_EINVAL,
					"the text does not end with 0");
	return put_binary(put, field, at, size);
}

static ward_err put_string(struct wardi_put *put, const ward_field *field, const unsigned char *at)
{
	const char *text = wardi_member_string(at);

	if (put->walk.type->drop == NULL)
		return wardi_walk_kind_wrong(&put->walk, field);
	if (text == NULL)
		return put_name(put, "undefined");
	return put_binary(put, field, text, strlen(text));
}

static ward_err put_counted(struct wardi_put *put, const ward_field *field,
			    const unsigned char *body)
{
	uint64_t count = wardi_member_count(field, body);

	if (!wardi_count_fits(field, count))
		return wardi_walk_length_wrong(&put->walk, field, count, "bytes");
	return put_binary(put, field, body + field->offset, (size_t)count);
}

static ward_err put_enum(struct wardi_put *put, const ward_field *field, const unsigned char *at)
{
	int64_t value = wardi_member_int(at, field->size);
	const ward_field_name *name = wardi_name_of(field, value);

	if (name == NULL)
		return wardi_walk_name_wrong(&put->walk, field, NULL, 0, value);
	return put_name(put, name->name);
}

/* A list of the names whose bits are set, each bit once. */
static ward_err put_mask(struct wardi_put *put, const ward_field *field, const unsigned char *at)
{
	uint32_t mask = (uint32_t)wardi_member_uint(at, 4), rest = mask, count = 0;
	size_t head = (size_t)(put->at - put->bytes->data);
	ward_err err;

	if ((mask & ~wardi_mask_all(field)) != 0)
		return wardi_walk_name_wrong(&put->walk, field, NULL, 0, mask);
	if (mask == 0) {
		wardi_put_8(put, WARDI_TERM_NIL);
		return WARD_OK;
	}
	put->at += 5;
	for (const ward_field_name *name = field->names; name->name != NULL && rest != 0; name++) {
		uint32_t value = (uint32_t)name->value;

		if ((mask & value) != value || (rest & value) == 0)
			continue;
		err = put_name(put, name->name);
		if (err != WARD_OK)
			return err;
		rest &= ~value;
		count++;
	}
	if (rest != 0)
		return wardi_walk_name_wrong(&put->walk, field, NULL, 0, rest);
	put->bytes->data[head] = WARDI_TERM_LIST;
	wardi_store_be32(put->bytes->data + head + 1, count);
	err = wardi_put_room(put, SMALL_TERM);
	if (err == WARD_OK)
		wardi_put_8(put, WARDI_TERM_NIL);
	return err;
}

/* The refs of others put theirs behind what the buffer has. */
static ward_err put_foreign_ref(struct wardi_put *put, ward_ref ref)
{
	const ward_codec_refs *refs = put->walk.refs;
	ward_err err;

	err = refs->put(refs->arg, WARD_FORMAT_TERM, ref, wardi_put_lend(put));
	wardi_put_begin(put, put->bytes);
	return err;
}

static ward_err put_ref(struct wardi_put *put, const ward_field *field, const unsigned char *at)
{
	ward_ref ref;
	ward_err err;

	memcpy(&ref, at, sizeof ref);
	if (ward_ref_is_nobody(ref))
		return put_name(put, "undefined");
	if (put->walk.refs != NULL)
		return put_foreign_ref(put, ref);
	if (ref.spare != 0)
		return wardi_walk_wrong(&put->walk, field, WARD_EFOREIGN,
					"only its own system knows this ref");
	wardi_put_8(put, WARDI_TERM_NEW_PID);
	err = put_name(put, WARDI_TERM_NODE);
	if (err == WARD_OK)
		err = wardi_put_room(put, SMALL_TERM);
	if (err != WARD_OK)
		return err;
	wardi_put_be32(put, (uint32_t)ref.uid);
	wardi_put_be32(put, (uint32_t)(ref.uid >> 32));
	wardi_put_be32(put, wardi_ref_place(ref));
	return WARD_OK;
}

static ward_err put_group(struct wardi_put *put, const ward_field *field, const unsigned char *at)
{
	ward_err err = wardi_walk_down(&put->walk, field);

	if (err != WARD_OK)
		return err;
	err = put_fields(put, field->fields, at, 0, true);
	wardi_walk_up(&put->walk);
	return err;
}

static ward_err put_list(struct wardi_put *put, const ward_field *field, const unsigned char *body)
{
	uint64_t count = wardi_member_count(field, body);
	ward_err err;

	if (!wardi_count_fits(field, count))
		return wardi_walk_length_wrong(&put->walk, field, count, "items");
	err = wardi_walk_down(&put->walk, field);
	if (err != WARD_OK)
		return err;
	if (count > 0) {
		wardi_put_8(put, WARDI_TERM_LIST);
		wardi_put_be32(put, (uint32_t)count);
	}
	for (uint32_t i = 0; err == WARD_OK && i < count; i++) {
		put->walk.level[put->walk.depth - 1].index = i;
		err = put_fields(put, field->fields, body + field->offset + (size_t)i * field->item,
				 0, true);
	}
	wardi_walk_up(&put->walk);
	if (err == WARD_OK)
		err = wardi_put_room(put, SMALL_TERM);
	if (err == WARD_OK)
		wardi_put_8(put, WARDI_TERM_NIL);
	return err;
}

static inline ward_err put_number(struct wardi_put *put, const ward_field *field,
				  const unsigned char *at)
{
	if (field->kind == WARD_FIELD_INT) {
		int64_t value = wardi_member_int(at, field->size);

		if (!wardi_in_int(field, value))
			return wardi_walk_int_wrong(&put->walk, field, value);
		put_int(put, value);
	} else if (field->kind == WARD_FIELD_FLOAT) {
		if (!wardi_in_float(field, wardi_member_float(at)))
			return wardi_walk_float_wrong(&put->walk, field, wardi_member_float(at));
		put_float(put, at);
	} else {
		uint64_t value = wardi_member_uint(at, field->size);

		if (!wardi_in_uint(field, value))
			return wardi_walk_uint_wrong(&put->walk, field, value);
		put_uint(put, value);
	}
	return WARD_OK;
}

static ward_err put_duration(struct wardi_put *put, const ward_field *field,
			     const unsigned char *at)
{
	int64_t ms = wardi_member_int(at, 8);

	if (!wardi_in_duration(field, ms))
		return wardi_walk_int_wrong(&put->walk, field, ms);
	if (ms == WARD_FOREVER)
		put_atom(put, "infinity", 8);
	else
		put_int(put, ms);
	return WARD_OK;
}

/* There is room for SMALL_TERM. */
static inline ward_err put_value(struct wardi_put *put, const ward_field *field,
				 const unsigned char *body, size_t size)
{
	const unsigned char *at = body + field->offset;

	switch (field->kind) {
	case WARD_FIELD_INT:
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
	case WARD_FIELD_FLOAT:
		return put_number(put, field, at);
	case WARD_FIELD_BOOL:
		put_atom(put, *at != 0 ? "true" : "false", *at != 0 ? 4 : 5);
		return WARD_OK;
	case WARD_FIELD_TEXT:
		return put_text(put, field, at);
	case WARD_FIELD_STRING:
		return put_string(put, field, at);
	case WARD_FIELD_DURATION:
		return put_duration(put, field, at);
	case WARD_FIELD_ENUM:
		return put_enum(put, field, at);
	case WARD_FIELD_MASK:
		return put_mask(put, field, at);
	case WARD_FIELD_REF:
		return put_ref(put, field, at);
	case WARD_FIELD_GROUP:
		return put_group(put, field, at);
	case WARD_FIELD_LIST:
		return put_list(put, field, body);
	case WARD_FIELD_BYTES:
		return put_counted(put, field, body);
	case WARD_FIELD_TAIL:
		return put_binary(put, field, at, size - field->offset);
	default:
		return wardi_walk_kind_wrong(&put->walk, field);
	}
}

/* Asked only where a row forbids a value: in a map a key may be missing. */
static bool is_left_out(const struct wardi_put *put, const ward_field *field,
			const unsigned char *body, size_t size)
{
	size_t tail = size > put->walk.type->size ? size - put->walk.type->size : 0;

	return wardi_row_left_out(field, body, tail);
}

/* The values of a struct, as the pairs of a map or one after another. The head with their number
 * is written when they are counted. */
static ward_err put_fields(struct wardi_put *put, const ward_field *fields,
			   const unsigned char *body, size_t size, bool keys)
{
	const ward_field *field = fields;
	uint32_t count = 0;
	size_t head;
	ward_err err = wardi_put_room(put, SMALL_TERM);

	head = (size_t)(put->at - put->bytes->data);
	put->at += keys ? 5 : 0;
	for (; err == WARD_OK && field->kind != WARD_FIELD_END; field++) {
		size_t key = keys ? wardi_key_size(field) : 0, before;

		err = wardi_put_room(put, 3 + key + SMALL_TERM);
		if (err != WARD_OK)
			break;
		before = (size_t)(put->at - put->bytes->data);
		if (keys)
			put_atom(put, field->key, key);
		err = put_value(put, field, body, size);
		count++;
		if (err == WARD_EINVAL && keys && is_left_out(put, field, body, size)) {
			put->at = put->bytes->data + before;
			count--;
			err = WARD_OK;
		}
	}
	if (err == WARD_OK && keys) {
		put->bytes->data[head] = WARDI_TERM_MAP;
		wardi_store_be32(put->bytes->data + head + 1, count);
	}
	return err;
}

static uint32_t count_fields(const ward_field *fields)
{
	uint32_t count = 0;

	while (fields[count].kind != WARD_FIELD_END)
		count++;
	return count;
}

static void put_tuple(struct wardi_put *put, uint32_t count)
{
	if (count <= 255) {
		wardi_put_8(put, WARDI_TERM_SMALL_TUPLE);
		wardi_put_8(put, count);
	} else {
		wardi_put_8(put, WARDI_TERM_LARGE_TUPLE);
		wardi_put_be32(put, count);
	}
}

static ward_err put_table(struct wardi_put *put, const ward_codec *codec, const unsigned char *body,
			  size_t size)
{
	bool tuple = (codec->flags & WARD_CODEC_TUPLE) != 0;
	ward_err err;

	put_tuple(put, tuple ? count_fields(codec->fields) + 1 : 2);
	err = put_name(put, codec->atom != NULL ? codec->atom : put->walk.type->name);
	if (err == WARD_OK)
		err = put_fields(put, codec->fields, body, size, !tuple);
	return err;
}

/* A type that writes its own bytes: {name, <<bytes>>}. */
static ward_err put_by_hand(struct wardi_put *put, const unsigned char *body, size_t size)
{
	const ward_type *type = put->walk.type;
	size_t head, wrote;
	ward_err err;

	put_tuple(put, 2);
	err = put_name(put, type->name);
	if (err == WARD_OK)
		err = wardi_put_room(put, SMALL_TERM);
	if (err != WARD_OK)
		return err;
	wardi_put_8(put, WARDI_TERM_BINARY);
	put->at += 4;
	head = wardi_put_lend(put)->size;
	err = type->encode(body, size, put->bytes);
	wrote = put->bytes->size - head;
	wardi_put_begin(put, put->bytes);
	if (err == WARD_OK && wrote > UINT32_MAX)
		return wardi_walk_wrong(&put->walk, NULL, WARD_ESIZE, "%zu bytes are too many",
					wrote);
	if (err == WARD_OK)
		wardi_store_be32(put->bytes->data + head - 4, (uint32_t)wrote);
	return err;
}

ward_err wardi_term_encode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *body, size_t size, ward_bytes *out)
{
	size_t before = out->size;
	struct wardi_put put;
	ward_err err;

	err = wardi_bytes_room(out, SMALL_TERM);
	if (err != WARD_OK)
		return err;
	wardi_walk_begin(&put.walk, refs, type);
	wardi_put_begin(&put, out);
	wardi_put_8(&put, WARDI_TERM_VERSION);
	if (type->codec != NULL)
		err = put_table(&put, type->codec, body, size);
	else if (type->encode != NULL)
		err = put_by_hand(&put, body, size);
	else
		err = put_name(&put, type->name);
	return wardi_put_end(&put, before, err);
}
