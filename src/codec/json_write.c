/* SPDX-License-Identifier: MIT
 *
 * json_write.c - a body as JSON: {"deposit": {"account": 7, "note": "rent"}}, the keys in the order
 * of the table.
 *
 *	INT, UINT, SIZE     a number; beyond 2^53 a string, since most readers of JSON have doubles
 *	DURATION            the same; "forever"
 *	FLOAT               a number, with as many digits as bring back all its bits
 *	STRING, TEXT        a string; {"base64": "..."} if it is not UTF-8; null for a NULL
 *	BYTES, TAIL         a string, base64
 *	ENUM, MASK          the name; an array of names
 *	REF                 "#UID@PLACE", the numbers of the ref; null for nobody
 *	GROUP, LIST         an object; an array of objects
 *
 * A row that may be missing, and whose value its range does not have, is left out if it is zero.
 *
 * Threads: knows nothing but its arguments.
 */
#include "codec/json_write.h"
#include "codec/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ward/text.h>

#include "base/error.h"
#include "codec/json_print.h"
#include "codec/rows.h"
#include "mail/ref.h"

/* What is written: `tail` bytes are behind the struct. */
struct writer {
	const ward_codec_refs *refs;
	const ward_type *type;
	ward_bytes *out;
	size_t tail;
};

static ward_err add_object(const struct writer *writer, const struct wardi_json_place *around,
			   const ward_field *fields, const unsigned char *body);

WARD_PRINTF(3, 4)
static ward_err wrong(const struct writer *writer, const struct wardi_json_place *place,
		      const char *text, ...)
{
	char key[160], words[256];
	va_list args;

	wardi_json_place_text(place, key, sizeof key);
	va_start(args, text);
	vsnprintf(words, sizeof words, text, args);
	va_end(args);
	return wardi_error(WARD_EINVAL, "message \"%.*s\": %s: %s",
			   WARD_TEXT_FIT(writer->type->name, 64), key, words);
}

/* ---- values ------------------------------------------------------------------------------ */

static ward_err add_signed(const struct writer *writer, const struct wardi_json_place *place,
			   const ward_field *row, const unsigned char *at)
{
	struct wardi_range range = wardi_row_range(row);
	int64_t value = wardi_member_int(at, row->size);

	if (value < range.min || value > range.max)
		return wrong(writer, place, "%" PRId64 " must be from %" PRId64 " to %" PRId64,
			     value, range.min, range.max);
	if (row->kind == WARD_FIELD_DURATION && value == WARD_FOREVER)
		return WARDI_JSON_ADD(writer->out, "\"forever\"");
	return wardi_json_add_int(writer->out, value);
}

static ward_err add_unsigned(const struct writer *writer, const struct wardi_json_place *place,
			     const ward_field *row, const unsigned char *at)
{
	struct wardi_urange range = wardi_row_urange(row);
	uint64_t value = wardi_member_uint(at, row->size);

	if (value < range.min || value > range.max)
		return wrong(writer, place, "%" PRIu64 " must be from %" PRIu64 " to %" PRIu64,
			     value, range.min, range.max);
	return wardi_json_add_uint(writer->out, value);
}

static ward_err add_float(const struct writer *writer, const struct wardi_json_place *place,
			  const ward_field *row, const unsigned char *at)
{
	struct wardi_frange range = wardi_row_frange(row);
	double value;

	memcpy(&value, at, sizeof value);
	if (!isfinite(value))
		return wrong(writer, place, "the number is not finite");
	if (value < range.min || value > range.max)
		return wrong(writer, place, "%.17g must be from %.17g to %.17g", value, range.min,
			     range.max);
	return wardi_json_add_double(writer->out, value);
}

static ward_err add_length_error(const struct writer *writer, const struct wardi_json_place *place,
				 uint64_t length, struct wardi_urange range, const char *what)
{
	return wrong(writer, place, "%" PRIu64 " %s, must be from %" PRIu64 " to %" PRIu64, length,
		     what, range.min, range.max);
}

static bool is_within(uint64_t length, struct wardi_urange range)
{
	return length >= range.min && length <= range.max;
}

static ward_err add_text(const struct writer *writer, const struct wardi_json_place *place,
			 const ward_field *row, const unsigned char *at)
{
	struct wardi_urange range = wardi_row_lengths(row);
	const char *text = (const char *)at;
	size_t length;
	ward_err err;

	if (row->kind == WARD_FIELD_STRING) {
		if (writer->type->drop == NULL)
			return wrong(writer, place, "a STRING of a type without a drop function");
		memcpy(&text, at, sizeof text);
		if (text == NULL)
			return WARDI_JSON_ADD(writer->out, "null");
		length = strlen(text);
	} else {
		length = strnlen(text, row->size);
		if (length == row->size)
			return wrong(writer, place, "the text does not end with 0");
	}
	if (!is_within(length, range))
		return add_length_error(writer, place, length, range, "bytes");
	if (wardi_json_is_utf8(text, length))
		return wardi_json_add_string(writer->out, text, length);
	err = WARDI_JSON_ADD(writer->out, "{\"base64\":");
	if (err == WARD_OK)
		err = wardi_json_add_base64(writer->out, (const unsigned char *)text, length);
	return err == WARD_OK ? WARDI_JSON_ADD(writer->out, "}") : err;
}

static ward_err add_bytes(const struct writer *writer, const struct wardi_json_place *place,
			  const ward_field *row, const unsigned char *body)
{
	bool is_tail = row->kind == WARD_FIELD_TAIL;
	struct wardi_urange range = wardi_row_lengths(row);
	uint64_t count = is_tail ? writer->tail : wardi_member_count(row, body);

	if (!is_within(count, range))
		return add_length_error(writer, place, count, range, "bytes");
	return wardi_json_add_base64(writer->out, body + row->offset, (size_t)count);
}

static ward_err add_name(const struct writer *writer, const ward_field_name *name)
{
	return wardi_json_add_string(writer->out, name->name, strlen(name->name));
}

static ward_err add_enum(const struct writer *writer, const struct wardi_json_place *place,
			 const ward_field *row, const unsigned char *at)
{
	int32_t value = (int32_t)wardi_member_int(at, row->size);
	const ward_field_name *name = wardi_name_of(row, value);

	if (name == NULL)
		return wrong(writer, place, "%" PRId32 " has no name", value);
	return add_name(writer, name);
}

/* Each name all of whose bits are set, and some not by the names before. */
static ward_err add_mask(const struct writer *writer, const struct wardi_json_place *place,
			 const ward_field *row, const unsigned char *at)
{
	uint32_t value = (uint32_t)wardi_member_uint(at, row->size), left = value;
	ward_err err = WARDI_JSON_ADD(writer->out, "[");

	for (const ward_field_name *name = row->names; name->name != NULL && err == WARD_OK;
	     name++) {
		uint32_t bits = (uint32_t)name->value;

		if ((bits & left) == 0 || (bits & ~value) != 0)
			continue;
		if (left != value)
			err = WARDI_JSON_ADD(writer->out, ",");
		if (err == WARD_OK)
			err = add_name(writer, name);
		left &= ~bits;
	}
	if (left != 0)
		return wrong(writer, place, "the bits 0x%" PRIx32 " have no name", left);
	return err == WARD_OK ? WARDI_JSON_ADD(writer->out, "]") : err;
}

static ward_err add_ref(const struct writer *writer, const unsigned char *at)
{
	char text[64];
	ward_ref ref;
	int length;

	memcpy(&ref, at, sizeof ref);
	if (writer->refs != NULL)
		return writer->refs->put(writer->refs->arg, WARD_FORMAT_JSON, ref, writer->out);
	if (ward_ref_is_nobody(ref))
		return WARDI_JSON_ADD(writer->out, "null");
	if (ref.spare == 0)
		length = snprintf(text, sizeof text, "\"#%" PRIu64 "@%" PRIu32 "\"", ref.uid,
				  wardi_ref_place(ref));
	else
		length = snprintf(text, sizeof text, "\"#%" PRIu64 "@%" PRIu32 "+%" PRIu32 "\"",
				  ref.uid, wardi_ref_place(ref), ref.spare);
	return ward_bytes_add(writer->out, text, (size_t)length);
}

static ward_err add_list(const struct writer *writer, const struct wardi_json_place *place,
			 const ward_field *row, const unsigned char *body)
{
	struct wardi_urange range = wardi_row_lengths(row);
	uint64_t count = wardi_member_count(row, body);
	ward_err err = WARDI_JSON_ADD(writer->out, "[");

	if (!is_within(count, range))
		return add_length_error(writer, place, count, range, "items");
	for (size_t i = 0; i < count && err == WARD_OK; i++) {
		struct wardi_json_place item = {.index = i, .around = place};

		if (i > 0)
			err = WARDI_JSON_ADD(writer->out, ",");
		if (err == WARD_OK)
			err = add_object(writer, &item, row->fields,
					 body + row->offset + i * row->item);
	}
	return err == WARD_OK ? WARDI_JSON_ADD(writer->out, "]") : err;
}

/* ---- rows -------------------------------------------------------------------------------- */

static ward_err add_value(const struct writer *writer, const struct wardi_json_place *place,
			  const ward_field *row, const unsigned char *body)
{
	const unsigned char *at = body + row->offset;
	bool is_set;

	switch ((int)row->kind) {
	case WARD_FIELD_BOOL:
		memcpy(&is_set, at, sizeof is_set);
		return is_set ? WARDI_JSON_ADD(writer->out, "true")
			      : WARDI_JSON_ADD(writer->out, "false");
	case WARD_FIELD_INT:
	case WARD_FIELD_DURATION:
		return add_signed(writer, place, row, at);
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		return add_unsigned(writer, place, row, at);
	case WARD_FIELD_FLOAT:
		return add_float(writer, place, row, at);
	case WARD_FIELD_STRING:
	case WARD_FIELD_TEXT:
		return add_text(writer, place, row, at);
	case WARD_FIELD_ENUM:
		return add_enum(writer, place, row, at);
	case WARD_FIELD_MASK:
		return add_mask(writer, place, row, at);
	case WARD_FIELD_REF:
		return add_ref(writer, at);
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		return add_bytes(writer, place, row, body);
	case WARD_FIELD_GROUP:
		return add_object(writer, place, row->fields, at);
	case WARD_FIELD_LIST:
		return add_list(writer, place, row, body);
	default:
		return wrong(writer, place, "its kind is for files");
	}
}

static ward_err add_row(const struct writer *writer, const struct wardi_json_place *around,
			const ward_field *row, const unsigned char *body, bool first)
{
	struct wardi_json_place place = {.key = row->key, .around = around};
	ward_err err = first ? WARD_OK : WARDI_JSON_ADD(writer->out, ",");

	if (err == WARD_OK)
		err = wardi_json_add_string(writer->out, row->key, strlen(row->key));
	if (err == WARD_OK)
		err = WARDI_JSON_ADD(writer->out, ":");
	return err == WARD_OK ? add_value(writer, &place, row, body) : err;
}

static ward_err add_object(const struct writer *writer, const struct wardi_json_place *around,
			   const ward_field *fields, const unsigned char *body)
{
	ward_err err = WARDI_JSON_ADD(writer->out, "{");
	bool first = true;

	for (const ward_field *row = fields; row->kind != WARD_FIELD_END; row++) {
		if (err != WARD_OK)
			return err;
		if (wardi_row_left_out(row, body, writer->tail))
			continue;
		err = add_row(writer, around, row, body, first);
		first = false;
	}
	return err == WARD_OK ? WARDI_JSON_ADD(writer->out, "}") : err;
}

ward_err wardi_json_encode(const ward_codec_refs *refs, const ward_type *type, const void *body,
			   size_t size, ward_bytes *out)
{
	const char *name = wardi_json_name(type);
	const struct writer writer = {refs, type, out, size > type->size ? size - type->size : 0};
	static const ward_field none[] = {{.kind = WARD_FIELD_END}};
	ward_err err = WARDI_JSON_ADD(out, "{");

	if (err == WARD_OK)
		err = wardi_json_add_string(out, name, strlen(name));
	if (err == WARD_OK)
		err = WARDI_JSON_ADD(out, ":");
	if (err == WARD_OK)
		err = add_object(&writer, NULL, type->codec != NULL ? type->codec->fields : none,
				 body);
	return err == WARD_OK ? WARDI_JSON_ADD(out, "}") : err;
}
