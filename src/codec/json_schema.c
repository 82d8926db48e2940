/* SPDX-License-Identifier: MIT
 *
 * json_schema.c - the JSON schema (draft 2020-12) of what json_write.c writes.
 *
 * A schema counts characters where a row counts bytes, so a length of a text is a bound only; the
 * description has the bytes.
 *
 * Threads: knows nothing but its arguments.
 */
#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ward/codec.h>

#include "codec/json.h"
#include "codec/json_print.h"
#include "codec/rows.h"

/* After an error nothing more is written. */
struct schema {
	ward_bytes *out;
	ward_err err;
};

static void add_object(struct schema *schema, const ward_field *fields);

WARD_PRINTF(2, 3) static void add(struct schema *schema, const char *text, ...)
{
	char words[512];
	va_list args;
	int length;

	va_start(args, text);
	length = vsnprintf(words, sizeof words, text, args);
	va_end(args);
	if (schema->err == WARD_OK)
		schema->err = ward_bytes_add(schema->out, words, (size_t)length);
}

static void add_string(struct schema *schema, const char *text)
{
	if (schema->err == WARD_OK)
		schema->err = wardi_json_add_string(schema->out, text, strlen(text));
}

static void add_double(struct schema *schema, double value)
{
	if (schema->err == WARD_OK)
		schema->err = wardi_json_add_double(schema->out, value);
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* Whole numbers that a double holds; beyond them values are strings. */
#define EXACT_MAX ((INT64_C(1) << 53) - 1)

static void add_signed(struct schema *schema, const ward_field *row)
{
	struct wardi_range range = wardi_row_range(row);
	bool is_exact = range.min >= -EXACT_MAX && range.max <= EXACT_MAX;
	int64_t least = range.min < -EXACT_MAX ? -EXACT_MAX : range.min;
	int64_t most = range.max > EXACT_MAX ? EXACT_MAX : range.max;

	if (!is_exact)
		add(schema, "\"anyOf\":[{");
	add(schema, "\"type\":\"integer\",\"minimum\":%" PRId64 ",\"maximum\":%" PRId64, least,
	    most);
	if (!is_exact)
		add(schema, "},{\"type\":\"string\",\"pattern\":\"^-?[0-9]+$\"}");
	if (!is_exact && row->kind == WARD_FIELD_DURATION && range.max == WARD_FOREVER)
		add(schema, ",{\"const\":\"forever\"}");
	if (!is_exact)
		add(schema, "]");
}

static void add_unsigned(struct schema *schema, const ward_field *row)
{
	struct wardi_urange range = wardi_row_urange(row);
	bool is_exact = range.max <= EXACT_MAX;
	uint64_t most = is_exact ? range.max : EXACT_MAX;

	if (!is_exact)
		add(schema, "\"anyOf\":[{");
	add(schema, "\"type\":\"integer\",\"minimum\":%" PRIu64 ",\"maximum\":%" PRIu64,
	    range.min < most ? range.min : most, most);
	if (!is_exact)
		add(schema, "},{\"type\":\"string\",\"pattern\":\"^[0-9]+$\"}]");
}

static void add_float(struct schema *schema, const ward_field *row)
{
	struct wardi_frange range = wardi_row_frange(row);

	add(schema, "\"type\":\"number\"");
	if (range.min > -DBL_MAX) {
		add(schema, ",\"minimum\":");
		add_double(schema, range.min);
	}
	if (range.max < DBL_MAX) {
		add(schema, ",\"maximum\":");
		add_double(schema, range.max);
	}
}

/* ---- texts, bytes, names ----------------------------------------------------------------- */

static uint64_t base64_length(uint64_t bytes)
{
	return (bytes + 2) / 3 * 4;
}

/* Adds the bounds that say something. */
static void add_lengths(struct schema *schema, uint64_t least, uint64_t most, uint64_t limit)
{
	if (least > 0)
		add(schema, ",\"minLength\":%" PRIu64, least);
	if (most < limit)
		add(schema, ",\"maxLength\":%" PRIu64, most);
}

static void add_base64(struct schema *schema, struct wardi_urange range)
{
	add(schema, "\"type\":\"string\",\"contentEncoding\":\"base64\"");
	add_lengths(schema, base64_length(range.min), base64_length(range.max), UINT32_MAX);
}

static void add_text(struct schema *schema, const ward_field *row)
{
	struct wardi_urange range = wardi_row_lengths(row);

	add(schema, "\"anyOf\":[{\"type\":\"string\"");
	add_lengths(schema, (range.min + 3) / 4, range.max, UINT32_MAX);
	add(schema, "},{\"type\":\"object\",\"properties\":{\"base64\":{");
	add_base64(schema, range);
	add(schema, "}},\"required\":[\"base64\"],\"additionalProperties\":false}%s]",
	    row->kind == WARD_FIELD_STRING ? ",{\"type\":\"null\"}" : "");
}

static void add_names(struct schema *schema, const ward_field *row)
{
	add(schema, "\"enum\":[");
	for (const ward_field_name *name = row->names; name->name != NULL; name++) {
		add(schema, "%s", name == row->names ? "" : ",");
		add_string(schema, name->name);
	}
	add(schema, "]");
}

/* ---- what there is to say ---------------------------------------------------------------- */

/* Writes what the schema cannot say otherwise; returns its length. */
static int describe(const ward_field *row, char *text, size_t max)
{
	struct wardi_urange range;

	switch ((int)row->kind) {
	case WARD_FIELD_DURATION:
		return snprintf(text, max, "milliseconds");
	case WARD_FIELD_SIZE:
		return snprintf(text, max, "bytes");
	case WARD_FIELD_REF:
		return snprintf(text, max, "an actor, or nobody");
	case WARD_FIELD_STRING:
	case WARD_FIELD_TEXT:
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		range = wardi_row_lengths(row);
		if (range.max == UINT32_MAX && range.min == 0)
			return 0;
		if (range.max == UINT32_MAX)
			return snprintf(text, max, "at least %" PRIu64 " bytes", range.min);
		return snprintf(text, max, "%" PRIu64 " to %" PRIu64 " bytes", range.min,
				range.max);
	default:
		return 0;
	}
}

static void add_description(struct schema *schema, const ward_field *row)
{
	char text[128];
	int length = describe(row, text, sizeof text);

	if (row->since > 1)
		length += snprintf(text + length, sizeof text - (size_t)length,
				   "%ssince version %" PRIu32, length > 0 ? "; " : "", row->since);
	if (length > 0)
		add(schema, ",\"description\":\"%s\"", text);
}

/* ---- rows -------------------------------------------------------------------------------- */

static void add_list(struct schema *schema, const ward_field *row)
{
	struct wardi_urange range = wardi_row_lengths(row);

	add(schema,
	    "\"type\":\"array\",\"minItems\":%" PRIu64 ",\"maxItems\":%" PRIu64 ",\"items\":{",
	    range.min, range.max);
	add_object(schema, row->fields);
	add(schema, "}");
}

static void add_value(struct schema *schema, const ward_field *row)
{
	switch ((int)row->kind) {
	case WARD_FIELD_BOOL:
		add(schema, "\"type\":\"boolean\"");
		break;
	case WARD_FIELD_INT:
	case WARD_FIELD_DURATION:
		add_signed(schema, row);
		break;
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		add_unsigned(schema, row);
		break;
	case WARD_FIELD_FLOAT:
		add_float(schema, row);
		break;
	case WARD_FIELD_STRING:
	case WARD_FIELD_TEXT:
		add_text(schema, row);
		break;
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		add_base64(schema, wardi_row_lengths(row));
		break;
	case WARD_FIELD_ENUM:
		add_names(schema, row);
		break;
	case WARD_FIELD_MASK:
		add(schema, "\"type\":\"array\",\"items\":{");
		add_names(schema, row);
		add(schema, "}");
		break;
	case WARD_FIELD_REF:
		add(schema, "\"anyOf\":[{\"type\":\"string\",\"pattern\":"
			    "\"^#[0-9]+@[0-9]+([+][0-9]+)?$\"},{\"type\":\"null\"}]");
		break;
	case WARD_FIELD_GROUP:
		add_object(schema, row->fields);
		break;
	case WARD_FIELD_LIST:
		add_list(schema, row);
		break;
	default:
		break;
	}
}

static void add_object(struct schema *schema, const ward_field *fields)
{
	const char *comma = "";

	add(schema, "\"type\":\"object\",\"properties\":{");
	for (const ward_field *row = fields; row->kind != WARD_FIELD_END; row++) {
		add(schema, "%s", row == fields ? "" : ",");
		add_string(schema, row->key);
		add(schema, ":{");
		add_value(schema, row);
		add_description(schema, row);
		add(schema, "}");
	}
	add(schema, "},\"required\":[");
	for (const ward_field *row = fields; row->kind != WARD_FIELD_END; row++) {
		if (!wardi_must_have(row, 0))
			continue;
		add(schema, "%s", comma);
		add_string(schema, row->key);
		comma = ",";
	}
	add(schema, "]");
}

ward_err ward_codec_schema(const ward_type *type, ward_bytes *out)
{
	static const ward_field none[] = {{.kind = WARD_FIELD_END}};
	struct schema schema = {out, wardi_codec_of(type)};
	const char *name = wardi_json_name(type);
	size_t before = out->size;

	add(&schema, "{\"type\":\"object\",");
	if (type->codec != NULL)
		add(&schema, "\"description\":\"version %" PRIu32 "\",", type->codec->version);
	add(&schema, "\"properties\":{");
	add_string(&schema, name);
	add(&schema, ":{");
	add_object(&schema, type->codec != NULL ? type->codec->fields : none);
	add(&schema, "}},\"required\":[");
	add_string(&schema, name);
	add(&schema, "],\"additionalProperties\":false}");
	if (schema.err != WARD_OK)
		out->size = before;
	return schema.err;
}
