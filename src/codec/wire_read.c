/* SPDX-License-Identifier: MIT
 *
 * wire_read.c - reads bodies from ward's own format.
 */
#include <string.h>

#include "codec/get.h"
#include "codec/member.h"
#include "codec/wire.h"
#include "codec/wire_read.h"
#include "mail/ref.h"

/* The tag 0 ends the rows. */
static ward_err get_rows(struct wardi_get *get, const ward_field *fields, unsigned char *body);

static ward_err wrong(struct wardi_get *get, const ward_field *field, const char *what)
{
	return wardi_walk_wrong(wardi_get_here(get), field, WARD_EINVAL, "%s", what);
}

static ward_err get_long_varint(struct wardi_get *get, const ward_field *field, uint64_t *ret)
{
	const unsigned char *at = get->at;
	uint64_t value = 0;

	for (unsigned shift = 0; at < get->end; shift += 7) {
		unsigned byte = *at++;

		if (shift == 63 && byte > 1)
			return wrong(get, field, "a number of more than 64 bits");
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			get->at = at;
			*ret = value;
			return WARD_OK;
		}
	}
	return wardi_get_ended(get, field);
}

static inline ward_err get_varint(struct wardi_get *get, const ward_field *field, uint64_t *ret)
{
	if (get->at < get->end && *get->at < 0x80) {
		*ret = *get->at++;
		return WARD_OK;
	}
	return get_long_varint(get, field, ret);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ -(value & 1));
}

static ward_err get_bool(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	uint64_t value;
	ward_err err = get_varint(get, field, &value);
	bool is = value != 0;

	if (err != WARD_OK)
		return err;
	if (value > 1)
		return wrong(get, field, "must be 0 or 1");
	memcpy(at, &is, sizeof is);
	return WARD_OK;
}

static ward_err get_float(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	uint64_t bits;
	double value;
	ward_err err = wardi_get_need(get, field, 8);

	if (err != WARD_OK)
		return err;
	bits = wardi_load_le64(get->at);
	memcpy(&value, &bits, sizeof value);
	get->at += 8;
	return wardi_get_set_float(get, field, at, value);
}

static ward_err get_name(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	uint64_t value;
	ward_err err = get_varint(get, field, &value);
	bool is_enum = field->kind == WARD_FIELD_ENUM;

	if (err != WARD_OK)
		return err;
	if (is_enum && wardi_name_of(field, unzigzag(value)) == NULL)
		return wardi_walk_name_wrong(wardi_get_here(get), field, NULL, 0, unzigzag(value));
	if (!is_enum && (value & ~(uint64_t)wardi_mask_all(field)) != 0)
		return wardi_walk_name_wrong(wardi_get_here(get), field, NULL, 0, (int64_t)value);
	wardi_member_set(at, 4, is_enum ? (uint64_t)unzigzag(value) : value);
	return WARD_OK;
}

static ward_err get_size(struct wardi_get *get, const ward_field *field, uint64_t *ret)
{
	ward_err err = get_varint(get, field, ret);

	return err == WARD_OK ? wardi_get_need(get, field, *ret) : err;
}

static inline ward_err get_bytes(struct wardi_get *get, const ward_field *field,
				 unsigned char *body)
{
	unsigned char *to;
	uint64_t size;
	ward_err err = get_size(get, field, &size);

	if (err == WARD_OK)
		err = wardi_get_place(get, field, body, size, &to);
	if (err != WARD_OK)
		return err;
	if (size > 0)
		memcpy(to, get->at, size);
	if ((field->kind == WARD_FIELD_TEXT || field->kind == WARD_FIELD_STRING) &&
	    memchr(to, 0, size) != NULL)
		return wrong(get, field, "a text has no 0 in it");
	get->at += size;
	return WARD_OK;
}

static ward_err get_ref(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	const ward_codec_refs *refs = get->walk.refs;
	ward_ref ref = ward_nobody();
	uint64_t size;
	ward_err err = get_size(get, field, &size);

	if (err != WARD_OK)
		return err;
	if (size != 0 && refs != NULL) {
		err = refs->get(refs->arg, WARD_FORMAT_WIRE, get->at, size, &ref);
	} else if (size == 16) {
		ref = wardi_ref_make(wardi_load_le64(get->at),
				     (uint32_t)wardi_load_le64(get->at + 8));
		ref.spare = (uint32_t)(wardi_load_le64(get->at + 8) >> 32);
		if (ward_ref_is_nobody(ref))
			return wrong(get, field, "is not a ref: nobody has no bytes");
	} else if (size != 0) {
		return wrong(get, field, "is not a ref");
	}
	get->at += size;
	if (err == WARD_OK)
		memcpy(at, &ref, sizeof ref);
	return err;
}

static ward_err get_group(struct wardi_get *get, const ward_field *field, unsigned char *at)
{
	ward_err err = wardi_walk_down(&get->walk, field);

	if (err == WARD_OK)
		err = get_rows(get, field->fields, at);
	if (err == WARD_OK)
		wardi_walk_up(&get->walk);
	return err;
}

/* The items are counted before the first is read, so that a drop finds the strings of all. */
static ward_err get_list(struct wardi_get *get, const ward_field *field, unsigned char *body)
{
	uint64_t count;
	ward_err err = get_varint(get, field, &count);

	if (err != WARD_OK)
		return err;
	if (!wardi_count_fits(field, count))
		return wardi_walk_length_wrong(wardi_get_here(get), field, count, "items");
	wardi_member_set_count(field, body, count);
	err = wardi_walk_down(&get->walk, field);
	for (uint32_t i = 0; err == WARD_OK && i < count; i++) {
		get->walk.level[get->walk.depth - 1].index = i;
		err = get_rows(get, field->fields, body + field->offset + (size_t)i * field->item);
	}
	if (err == WARD_OK)
		wardi_walk_up(&get->walk);
	return err;
}

static const unsigned char forms[] = {
	[WARD_FIELD_BOOL] = WARDI_WIRE_VARINT,     [WARD_FIELD_INT] = WARDI_WIRE_VARINT,
	[WARD_FIELD_UINT] = WARDI_WIRE_VARINT,     [WARD_FIELD_FLOAT] = WARDI_WIRE_EIGHT,
	[WARD_FIELD_STRING] = WARDI_WIRE_BYTES,    [WARD_FIELD_TEXT] = WARDI_WIRE_BYTES,
	[WARD_FIELD_DURATION] = WARDI_WIRE_VARINT, [WARD_FIELD_SIZE] = WARDI_WIRE_VARINT,
	[WARD_FIELD_ENUM] = WARDI_WIRE_VARINT,     [WARD_FIELD_MASK] = WARDI_WIRE_VARINT,
	[WARD_FIELD_REF] = WARDI_WIRE_BYTES,       [WARD_FIELD_GROUP] = WARDI_WIRE_GROUP,
	[WARD_FIELD_BYTES] = WARDI_WIRE_BYTES,     [WARD_FIELD_LIST] = WARDI_WIRE_LIST,
	[WARD_FIELD_TAIL] = WARDI_WIRE_BYTES,
};

/* A STRING that is NULL has the form of a number, 0. */
static ward_err get_other_form(struct wardi_get *get, const ward_field *field, uint32_t form)
{
	uint64_t value;

	if ((unsigned)field->kind >= sizeof forms || field->kind != WARD_FIELD_STRING ||
	    form != WARDI_WIRE_VARINT)
		return wrong(get, field, "has the form of another kind");
	if (get->walk.type->drop == NULL)
		return wardi_walk_kind_wrong(wardi_get_here(get), field);
	if (get_varint(get, field, &value) != WARD_OK || value != 0)
		return wrong(get, field, "has the form of another kind");
	return WARD_OK;
}

static inline ward_err get_value(struct wardi_get *get, const ward_field *field,
				 unsigned char *body)
{
	unsigned char *at = body + field->offset;
	uint64_t value;
	ward_err err;

	switch (field->kind) {
	case WARD_FIELD_INT:
	case WARD_FIELD_DURATION:
		err = get_varint(get, field, &value);
		return err == WARD_OK ? wardi_get_set_int(get, field, at, unzigzag(value)) : err;
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		err = get_varint(get, field, &value);
		return err == WARD_OK ? wardi_get_set_uint(get, field, at, value) : err;
	case WARD_FIELD_FLOAT:
		return get_float(get, field, at);
	case WARD_FIELD_BOOL:
		return get_bool(get, field, at);
	case WARD_FIELD_TEXT:
	case WARD_FIELD_STRING:
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		return get_bytes(get, field, body);
	case WARD_FIELD_ENUM:
	case WARD_FIELD_MASK:
		return get_name(get, field, at);
	case WARD_FIELD_REF:
		return get_ref(get, field, at);
	case WARD_FIELD_GROUP:
		return get_group(get, field, at);
	case WARD_FIELD_LIST:
		return get_list(get, field, body);
	default:
		return wardi_walk_kind_wrong(wardi_get_here(get), field);
	}
}

/* Groups to skip: each has rows, up to a tag 0; so has each item of a list. Their depth is that of
 * the messages that this reader knows. */
static ward_err skip_value(struct wardi_get *get, uint32_t form);

static ward_err skip_rows(struct wardi_get *get)
{
	uint64_t tag;
	ward_err err = get_varint(get, NULL, &tag);

	while (err == WARD_OK && tag != 0) {
		err = skip_value(get, tag & 7);
		if (err == WARD_OK)
			err = get_varint(get, NULL, &tag);
	}
	return err;
}

static ward_err skip_groups(struct wardi_get *get, uint64_t count)
{
	static const ward_field unknown = {.key = "(unknown)"};
	ward_err err = wardi_walk_down(&get->walk, &unknown);

	for (; err == WARD_OK && count > 0; count--)
		err = skip_rows(get);
	if (err == WARD_OK)
		wardi_walk_up(&get->walk);
	return err;
}

static ward_err skip_value(struct wardi_get *get, uint32_t form)
{
	uint64_t size = 8;
	ward_err err = WARD_OK;

	if (form != WARDI_WIRE_EIGHT && form != WARDI_WIRE_GROUP)
		err = get_varint(get, NULL, &size);
	if (err != WARD_OK || form == WARDI_WIRE_VARINT)
		return err;
	switch (form) {
	case WARDI_WIRE_EIGHT:
	case WARDI_WIRE_BYTES:
		err = wardi_get_need(get, NULL, size);
		if (err == WARD_OK)
			get->at += size;
		return err;
	case WARDI_WIRE_GROUP:
		return skip_groups(get, 1);
	case WARDI_WIRE_LIST:
		err = wardi_get_need(get, NULL, size);
		return err == WARD_OK ? skip_groups(get, size) : err;
	default:
		return wrong(get, NULL, "a row of an unknown form");
	}
}

static inline ward_err get_row(struct wardi_get *get, const ward_field *fields,
			       const ward_field *field, uint32_t form, struct wardi_seen *seen,
			       unsigned char *body)
{
	if (!wardi_seen_add(seen, (size_t)(field - fields)))
		return wrong(get, field, "is there twice");
	if ((unsigned)field->kind >= sizeof forms || forms[field->kind] != form)
		return get_other_form(get, field, form);
	return get_value(get, field, body);
}

/* A row that is not the next one; NULL: the table has none of this number. */
static const ward_field *find_row(const ward_field *fields, uint64_t row)
{
	for (; fields->kind != WARD_FIELD_END; fields++)
		if (--row == 0)
			return fields;
	return NULL;
}

static ward_err get_rows(struct wardi_get *get, const ward_field *fields, unsigned char *body)
{
	struct wardi_seen seen = {.rows = {0}};
	const ward_field *next = fields;
	uint64_t number = 1; /* of `next` */

	for (;;) {
		const ward_field *field = next;
		uint64_t tag;
		ward_err err = get_varint(get, NULL, &tag);

		if (err != WARD_OK)
			return err;
		if (tag == 0)
			return wardi_seen_all(&seen, fields, get);
		if (tag >> 3 != number || field->kind == WARD_FIELD_END)
			field = tag >> 3 == 0 ? NULL : find_row(fields, tag >> 3);
		err = field == NULL ? skip_value(get, tag & 7)
				    : get_row(get, fields, field, tag & 7, &seen, body);
		if (err != WARD_OK)
			return err;
		if (field != NULL) {
			next = field + 1;
			number = (tag >> 3) + 1;
		}
	}
}

static ward_err get_message(struct wardi_get *get)
{
	const ward_type *type = get->walk.type;
	uint64_t version;
	ward_err err;

	if (type->codec == NULL) {
		if (type->decode != NULL)
			return type->decode(get->at, wardi_get_left(get), get->body, type->size);
		return get->at == get->end ? WARD_OK : wrong(get, NULL, "a signal has no bytes");
	}
	err = get_varint(get, NULL, &version);
	if (err != WARD_OK)
		return err;
	if (version == 0 || version > WARD_CODEC_VERSION_MAX)
		return wrong(get, NULL, "no such version of a table");
	get->version = (uint32_t)version;
	err = get_rows(get, type->codec->fields, get->body);
	if (err == WARD_OK && get->at < get->end)
		return wrong(get, NULL, "there are bytes behind the last row");
	return err;
}

ward_err wardi_wire_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, unsigned char *body,
			   size_t room, size_t *ret_size)
{
	struct wardi_get get;
	ward_err err;

	wardi_get_begin(&get, refs, type, bytes, count);
	get.body = body;
	get.room = room;
	get.size = type->size;
	err = get_message(&get);
	*ret_size = get.size;
	return err;
}
