/* SPDX-License-Identifier: MIT
 *
 * json_read.c - a body from JSON, as json_write.c writes it.
 *
 * Trusts nothing. Keys may come in any order; unknown ones are skipped, a key that comes twice is
 * refused. What a table allows is checked before memory is taken.
 *
 * Threads: knows nothing but its arguments.
 */
#include <inttypes.h>

#include <ward/text.h>

#include "codec/json.h"
#include "codec/json_read.h"
#include "codec/json_values.h"
#include "codec/rows.h"

#define WRONG(reader, place, ...) wardi_json_wrong(&(reader)->in, (place), __VA_ARGS__)

static ward_err read_object(struct wardi_json_reader *reader, const struct wardi_json_place *around,
			    const ward_field *fields, unsigned char *body, int depth);

static ward_err read_list(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			  const ward_field *row, unsigned char *body, int depth)
{
	struct wardi_urange range = wardi_row_lengths(row);
	uint64_t count = 0;

	if (!wardi_json_take(&reader->in, '['))
		return wardi_json_not_a(reader, place, "an array of objects");
	for (;; count++) {
		struct wardi_json_place item = {.index = (size_t)count, .around = place};
		bool more;
		ward_err err = wardi_json_more(&reader->in, place, ']', count == 0, &more);

		if (err != WARD_OK)
			return err;
		if (!more)
			break;
		if (count == range.max)
			return WRONG(reader, place, "has more than %" PRIu64 " items", range.max);
		/* What it owns is in use before it is read: it is freed after an error. */
		wardi_member_set_count(row, body, count + 1);
		err = read_object(reader, &item, row->fields,
				  body + row->offset + count * row->item, depth + 1);
		if (err != WARD_OK)
			return err;
	}
	return wardi_json_check_length(reader, place, row, count, "items");
}

static ward_err read_value(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			   const ward_field *row, unsigned char *body, int depth)
{
	unsigned char *at = body + row->offset;

	switch ((int)row->kind) {
	case WARD_FIELD_BOOL:
		return wardi_json_read_bool(reader, place, at);
	case WARD_FIELD_INT:
		return wardi_json_read_signed(reader, place, row, at);
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		return wardi_json_read_unsigned(reader, place, row, at);
	case WARD_FIELD_DURATION:
		return wardi_json_read_duration(reader, place, row, at);
	case WARD_FIELD_FLOAT:
		return wardi_json_read_float(reader, place, row, at);
	case WARD_FIELD_TEXT:
		return wardi_json_read_text(reader, place, row, at);
	case WARD_FIELD_STRING:
		return wardi_json_read_string(reader, place, row, at);
	case WARD_FIELD_ENUM:
		return wardi_json_read_enum(reader, place, row, at);
	case WARD_FIELD_MASK:
		return wardi_json_read_mask(reader, place, row, at);
	case WARD_FIELD_REF:
		return wardi_json_read_ref(reader, place, at, depth);
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		return wardi_json_read_bytes(reader, place, row, body);
	case WARD_FIELD_GROUP:
		return read_object(reader, place, row->fields, at, depth);
	case WARD_FIELD_LIST:
		return read_list(reader, place, row, body, depth);
	default:
		return WRONG(reader, place, "its kind is for files");
	}
}

/* The rows of a table that came. */
struct seen {
	uint64_t bits[WARD_CODEC_FIELDS_MAX / 64];
};

static bool is_seen(const struct seen *seen, size_t index)
{
	return (seen->bits[index / 64] >> (index % 64) & 1) != 0;
}

static ward_err read_entry(struct wardi_json_reader *reader, const struct wardi_json_place *around,
			   const ward_field *fields, struct seen *seen, unsigned char *body,
			   int depth)
{
	struct wardi_json_token key;
	const ward_field *row = fields;
	struct wardi_json_place place = {.around = around};
	size_t index;
	ward_err err = wardi_json_string(&reader->in, around, &key);

	if (err != WARD_OK)
		return err;
	while (row->kind != WARD_FIELD_END && !wardi_json_is(&key, row->key))
		row++;
	if (!wardi_json_take(&reader->in, ':'))
		return WRONG(reader, around, "here must be ':'");
	if (row->kind == WARD_FIELD_END)
		return wardi_json_skip(&reader->in, around, depth);
	index = (size_t)(row - fields);
	place.key = row->key;
	if (is_seen(seen, index))
		return WRONG(reader, &place, "is there twice");
	seen->bits[index / 64] |= UINT64_C(1) << (index % 64);
	return read_value(reader, &place, row, body, depth);
}

static ward_err check_missing(struct wardi_json_reader *reader,
			      const struct wardi_json_place *around, const ward_field *fields,
			      const struct seen *seen)
{
	for (size_t i = 0; fields[i].kind != WARD_FIELD_END; i++) {
		struct wardi_json_place place = {.key = fields[i].key, .around = around};

		if (!is_seen(seen, i) && wardi_must_have(&fields[i], 0))
			return WRONG(reader, &place, "is missing");
	}
	return WARD_OK;
}

static ward_err read_object(struct wardi_json_reader *reader, const struct wardi_json_place *around,
			    const ward_field *fields, unsigned char *body, int depth)
{
	struct seen seen = {{0}};

	if (!wardi_json_take(&reader->in, '{'))
		return wardi_json_not_a(reader, around, "an object");
	for (bool first = true;; first = false) {
		bool more;
		ward_err err = wardi_json_more(&reader->in, around, '}', first, &more);

		if (err == WARD_OK && !more)
			return check_missing(reader, around, fields, &seen);
		if (err == WARD_OK)
			err = read_entry(reader, around, fields, &seen, body, depth + 1);
		if (err != WARD_OK)
			return err;
	}
}

/* {"deposit": ...}, and nothing behind it. */
static ward_err read_message(struct wardi_json_reader *reader, const ward_type *type,
			     unsigned char *body)
{
	static const ward_field none[] = {{.kind = WARD_FIELD_END}};
	const char *name = wardi_json_name(type);
	struct wardi_json_token key;
	ward_err err;

	if (!wardi_json_take(&reader->in, '{'))
		return wardi_json_not_a(reader, NULL, "an object with the name of the message");
	err = wardi_json_string(&reader->in, NULL, &key);
	if (err != WARD_OK)
		return err;
	if (!wardi_json_is(&key, name) || !wardi_json_take(&reader->in, ':')) {
		reader->in.at = key.at;
		return WRONG(reader, NULL, "must be {\"%.*s\": ...}", WARD_TEXT_FIT(name, 64));
	}
	err = read_object(reader, NULL, type->codec != NULL ? type->codec->fields : none, body, 1);
	if (err == WARD_OK && !wardi_json_take(&reader->in, '}'))
		err = WRONG(reader, NULL, "here must be '}': an object is one message");
	if (err == WARD_OK && (wardi_json_next(&reader->in), reader->in.at != reader->in.end))
		err = WRONG(reader, NULL, "behind the message is more");
	return err;
}

ward_err wardi_json_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, void *body, size_t room,
			   size_t *ret_size)
{
	struct wardi_json_reader reader = {
		.in = {bytes, bytes, bytes + count},
		.refs = refs,
		.tail_room = room - type->size,
		.owns = type->drop != NULL,
	};
	ward_err err;

	if (reader.tail_room > wardi_tail_max(type))
		reader.tail_room = wardi_tail_max(type);
	err = read_message(&reader, type, body);
	if (err == WARD_OK && ret_size != NULL)
		*ret_size = type->size + reader.tail;
	return err;
}
