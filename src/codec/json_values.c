/* SPDX-License-Identifier: MIT
 *
 * json_values.c - reads one value of JSON into one member, or says what would be right.
 *
 * A whole number may be a string. Memory is taken for a STRING only, when its bytes are there and
 * are allowed.
 *
 * Threads: knows nothing but its arguments.
 */
#include "codec/json_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/text.h>

#include "base/error.h"
#include "codec/json_print.h"
#include "codec/rows.h"

#define WRONG(reader, place, ...) wardi_json_wrong(&(reader)->in, (place), __VA_ARGS__)

ward_err wardi_json_not_a(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			  const char *what)
{
	return WRONG(reader, place, "is %s, must be %s", wardi_json_kind(&reader->in), what);
}

static bool is_number(struct wardi_json_reader *reader)
{
	unsigned char c = wardi_json_next(&reader->in);

	return c == '-' || (c >= '0' && c <= '9');
}

/* ---- numbers ----------------------------------------------------------------------------- */

static ward_err read_whole(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			   bool *ret_negative, uint64_t *ret_magnitude)
{
	struct wardi_json_token token;
	ward_err err;

	if (is_number(reader))
		err = wardi_json_number(&reader->in, place, &token);
	else if (wardi_json_next(&reader->in) == '"')
		err = wardi_json_string(&reader->in, place, &token);
	else
		return wardi_json_not_a(reader, place, "a whole number");
	if (err != WARD_OK)
		return err;
	if (wardi_json_whole(&token, ret_negative, ret_magnitude))
		return WARD_OK;
	reader->in.at = token.at;
	return WRONG(reader, place, "must be a whole number of at most 64 bits, without a point");
}

ward_err wardi_json_read_signed(struct wardi_json_reader *reader,
				const struct wardi_json_place *place, const ward_field *row,
				unsigned char *at)
{
	struct wardi_range range = wardi_row_range(row);
	uint64_t magnitude;
	bool negative, fits;
	int64_t value;
	ward_err err = read_whole(reader, place, &negative, &magnitude);

	if (err != WARD_OK)
		return err;
	fits = magnitude <= (uint64_t)INT64_MAX + (negative ? 1 : 0);
	value = (int64_t)(negative ? 0 - magnitude : magnitude);
	if (!fits || value < range.min || value > range.max)
		return WRONG(reader, place,
			     "is %s%" PRIu64 ", must be from %" PRId64 " to %" PRId64,
			     negative ? "-" : "", magnitude, range.min, range.max);
	wardi_member_set(at, row->size, (uint64_t)value);
	return WARD_OK;
}

ward_err wardi_json_read_unsigned(struct wardi_json_reader *reader,
				  const struct wardi_json_place *place, const ward_field *row,
				  unsigned char *at)
{
	struct wardi_urange range = wardi_row_urange(row);
	uint64_t value;
	bool negative;
	ward_err err = read_whole(reader, place, &negative, &value);

	if (err != WARD_OK)
		return err;
	if ((negative && value != 0) || value < range.min || value > range.max)
		return WRONG(reader, place,
			     "is %s%" PRIu64 ", must be from %" PRIu64 " to %" PRIu64,
			     negative ? "-" : "", value, range.min, range.max);
	wardi_member_set(at, row->size, value);
	return WARD_OK;
}

ward_err wardi_json_read_duration(struct wardi_json_reader *reader,
				  const struct wardi_json_place *place, const ward_field *row,
				  unsigned char *at)
{
	struct wardi_json_in from = reader->in;
	struct wardi_json_token token;
	int64_t forever = WARD_FOREVER;

	if (wardi_json_next(&reader->in) == '"' &&
	    wardi_json_string(&reader->in, place, &token) == WARD_OK &&
	    wardi_json_is(&token, "forever")) {
		if (wardi_row_range(row).max < forever)
			return WRONG(reader, place, "is forever, must be at most %" PRId64,
				     wardi_row_range(row).max);
		memcpy(at, &forever, sizeof forever);
		return WARD_OK;
	}
	reader->in = from;
	return wardi_json_read_signed(reader, place, row, at);
}

ward_err wardi_json_read_float(struct wardi_json_reader *reader,
			       const struct wardi_json_place *place, const ward_field *row,
			       unsigned char *at)
{
	struct wardi_frange range = wardi_row_frange(row);
	struct wardi_json_token token;
	double value;
	ward_err err;

	if (!is_number(reader))
		return wardi_json_not_a(reader, place, "a number");
	err = wardi_json_number(&reader->in, place, &token);
	if (err != WARD_OK)
		return err;
	if (!wardi_json_double(&token, &value))
		return WRONG(reader, place, "the number is too large, or too long");
	if (value < range.min || value > range.max)
		return WRONG(reader, place, "is %.17g, must be from %.17g to %.17g", value,
			     range.min, range.max);
	memcpy(at, &value, sizeof value);
	return WARD_OK;
}

ward_err wardi_json_read_bool(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, unsigned char *at)
{
	bool value = wardi_json_take_word(&reader->in, "true");

	if (!value && !wardi_json_take_word(&reader->in, "false"))
		return wardi_json_not_a(reader, place, "true or false");
	memcpy(at, &value, sizeof value);
	return WARD_OK;
}

/* ---- texts and bytes --------------------------------------------------------------------- */

/* What a text is to be made of: the characters of a string, or its bytes from base64. */
struct contents {
	struct wardi_json_token token;
	bool is_base64;
	uint64_t length;
};

static ward_err read_base64(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			    struct contents *ret_contents)
{
	ward_err err = wardi_json_string(&reader->in, place, &ret_contents->token);

	if (err != WARD_OK)
		return err;
	ret_contents->is_base64 = true;
	ret_contents->length = wardi_json_base64_size(&ret_contents->token);
	if (ret_contents->length != SIZE_MAX)
		return WARD_OK;
	reader->in.at = ret_contents->token.at;
	return WRONG(reader, place, "must be base64, with '=' at the end");
}

/* {"base64": "..."} */
static ward_err read_wrapped(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			     struct contents *ret_contents)
{
	struct wardi_json_token key;
	ward_err err;

	if (!wardi_json_take(&reader->in, '{'))
		return wardi_json_not_a(reader, place, "a string, or {\"base64\": \"...\"}");
	err = wardi_json_string(&reader->in, place, &key);
	if (err == WARD_OK &&
	    (!wardi_json_is(&key, "base64") || !wardi_json_take(&reader->in, ':')))
		err = WRONG(reader, place, "must be a string, or {\"base64\": \"...\"}");
	if (err == WARD_OK)
		err = read_base64(reader, place, ret_contents);
	if (err == WARD_OK && !wardi_json_take(&reader->in, '}'))
		err = WRONG(reader, place, "here must be '}'");
	return err;
}

static ward_err read_contents(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, struct contents *ret_contents)
{
	ward_err err;

	*ret_contents = (struct contents){.is_base64 = false};
	if (wardi_json_next(&reader->in) != '"')
		return read_wrapped(reader, place, ret_contents);
	err = wardi_json_string(&reader->in, place, &ret_contents->token);
	if (err == WARD_OK && ret_contents->token.has_zero)
		return WRONG(reader, place, "a text cannot hold \\u0000");
	ret_contents->length = ret_contents->token.length;
	return err;
}

static void fill(const struct contents *contents, char *to)
{
	if (contents->is_base64)
		wardi_json_base64(&contents->token, (unsigned char *)to);
	else
		wardi_json_unescape(&contents->token, to);
}

ward_err wardi_json_check_length(struct wardi_json_reader *reader,
				 const struct wardi_json_place *place, const ward_field *row,
				 uint64_t length, const char *what)
{
	struct wardi_urange range = wardi_row_lengths(row);

	if (length >= range.min && length <= range.max)
		return WARD_OK;
	return WRONG(reader, place, "has %" PRIu64 " %s, must have %" PRIu64 " to %" PRIu64, length,
		     what, range.min, range.max);
}

static ward_err no_zero(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			const char *text, uint64_t length)
{
	return memchr(text, 0, (size_t)length) == NULL
		       ? WARD_OK
		       : WRONG(reader, place, "a text cannot hold a byte of 0");
}

ward_err wardi_json_read_text(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, const ward_field *row,
			      unsigned char *at)
{
	struct contents contents;
	ward_err err = read_contents(reader, place, &contents);

	if (err == WARD_OK)
		err = wardi_json_check_length(reader, place, row, contents.length, "bytes");
	if (err != WARD_OK)
		return err;
	fill(&contents, (char *)at);
	return no_zero(reader, place, (char *)at, contents.length);
}

ward_err wardi_json_read_string(struct wardi_json_reader *reader,
				const struct wardi_json_place *place, const ward_field *row,
				unsigned char *at)
{
	struct contents contents;
	char *text;
	ward_err err;

	/* Nobody would free it. */
	if (!reader->owns)
		return WRONG(reader, place, "a STRING of a type without a drop function");
	if (wardi_json_take_word(&reader->in, "null"))
		return WARD_OK;
	err = read_contents(reader, place, &contents);
	if (err == WARD_OK)
		err = wardi_json_check_length(reader, place, row, contents.length, "bytes");
	if (err != WARD_OK)
		return err;
	text = malloc((size_t)contents.length + 1);
	if (text == NULL)
		return wardi_error(WARD_ENOMEM, "JSON: no memory for a string of %" PRIu64 " bytes",
				   contents.length);
	/* The body owns it from here on, also after an error. */
	memcpy(at, &text, sizeof text);
	fill(&contents, text);
	text[contents.length] = '\0';
	return no_zero(reader, place, text, contents.length);
}

ward_err wardi_json_read_bytes(struct wardi_json_reader *reader,
			       const struct wardi_json_place *place, const ward_field *row,
			       unsigned char *body)
{
	struct contents contents;
	bool is_tail = row->kind == WARD_FIELD_TAIL;
	ward_err err;

	if (wardi_json_next(&reader->in) != '"')
		return wardi_json_not_a(reader, place, "a string of base64");
	err = read_base64(reader, place, &contents);
	if (err == WARD_OK)
		err = wardi_json_check_length(reader, place, row, contents.length, "bytes");
	if (err != WARD_OK)
		return err;
	if (is_tail && contents.length > reader->tail_room)
		return wardi_error(WARD_ESIZE,
				   "JSON: a tail of %" PRIu64 " bytes, there is room for %zu",
				   contents.length, reader->tail_room);
	wardi_json_base64(&contents.token, body + row->offset);
	if (is_tail)
		reader->tail = (size_t)contents.length;
	else
		wardi_member_set_count(row, body, contents.length);
	return WARD_OK;
}

/* ---- names and refs ---------------------------------------------------------------------- */

static ward_err read_name(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			  const ward_field_name *names, int32_t *ret_value)
{
	const ward_field_name *name = names;
	struct wardi_json_token token;
	char words[160];
	size_t at = 0;
	ward_err err = wardi_json_string(&reader->in, place, &token);

	if (err != WARD_OK)
		return err;
	while (name->name != NULL && !wardi_json_is(&token, name->name))
		name++;
	if (name->name != NULL) {
		*ret_value = name->value;
		return WARD_OK;
	}
	words[0] = '\0';
	for (name = names; name->name != NULL && at < sizeof words; name++)
		at += (size_t)snprintf(words + at, sizeof words - at, "%s\"%.*s\"",
				       at > 0 ? ", " : "", WARD_TEXT_FIT(name->name, 40));
	reader->in.at = token.at;
	return WRONG(reader, place, "unknown; must be one of %s", words);
}

ward_err wardi_json_read_mask(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, const ward_field *row,
			      unsigned char *at)
{
	uint32_t value = 0;

	if (!wardi_json_take(&reader->in, '['))
		return wardi_json_not_a(reader, place, "an array of names");
	for (bool first = true;; first = false) {
		int32_t bits = 0;
		bool more;
		ward_err err = wardi_json_more(&reader->in, place, ']', first, &more);

		if (err == WARD_OK && more)
			err = read_name(reader, place, row->names, &bits);
		if (err != WARD_OK)
			return err;
		value |= (uint32_t)bits;
		if (!more)
			break;
	}
	wardi_member_set(at, row->size, value);
	return WARD_OK;
}

ward_err wardi_json_read_enum(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, const ward_field *row,
			      unsigned char *at)
{
	int32_t value;
	ward_err err = read_name(reader, place, row->names, &value);

	if (err == WARD_OK)
		wardi_member_set(at, row->size, (uint32_t)value);
	return err;
}

/* Reads digits behind a character of the text of a ref. */
static bool take_part(const unsigned char **at, const unsigned char *end, char mark, uint64_t max,
		      uint64_t *ret_value)
{
	struct wardi_json_token token = {.at = *at + 1};
	bool negative;

	if (*at == end || **at != (unsigned char)mark)
		return false;
	for (*at = token.at; *at < end && **at >= '0' && **at <= '9';)
		(*at)++;
	token.end = *at;
	return wardi_json_whole(&token, &negative, ret_value) && *ret_value <= max;
}

static ward_err read_numbers(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			     ward_ref *ret_ref)
{
	struct wardi_json_token token;
	uint64_t uid, where, spare = 0;
	ward_err err;

	*ret_ref = ward_nobody();
	if (wardi_json_take_word(&reader->in, "null"))
		return WARD_OK;
	err = wardi_json_string(&reader->in, place, &token);
	if (err != WARD_OK)
		return err;
	if (!take_part(&token.at, token.end, '#', UINT64_MAX, &uid) ||
	    !take_part(&token.at, token.end, '@', UINT32_MAX, &where) ||
	    (token.at < token.end && !take_part(&token.at, token.end, '+', UINT32_MAX, &spare)) ||
	    token.at != token.end || where == 0)
		return WRONG(reader, place, "must be a ref, \"#UID@PLACE\", or null");
	*ret_ref = (ward_ref){uid, (uint32_t)where, (uint32_t)spare};
	return WARD_OK;
}

ward_err wardi_json_read_ref(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			     unsigned char *at, int depth)
{
	const ward_codec_refs *refs = reader->refs;
	const unsigned char *from;
	ward_ref ref;
	ward_err err;

	if (refs == NULL) {
		err = read_numbers(reader, place, &ref);
	} else {
		(void)wardi_json_next(&reader->in);
		from = reader->in.at;
		err = wardi_json_skip(&reader->in, place, depth);
		if (err == WARD_OK)
			err = refs->get(refs->arg, WARD_FORMAT_JSON, from,
					(size_t)(reader->in.at - from), &ref);
	}
	if (err == WARD_OK)
		memcpy(at, &ref, sizeof ref);
	return err;
}
