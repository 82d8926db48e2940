/* SPDX-License-Identifier: MIT
 *
 * codec_check.c - whether a table is right, as far as the compiler cannot see.
 *
 * Threads: looks at constants only.
 */
#include <string.h>

#include <ward/text.h>

#include "base/error.h"
#include "codec/rows.h"

/* The table that is looked at, and the struct that it describes. */
struct table {
	const ward_type *type;
	const ward_field *fields;
	uint64_t room; /* of the struct */
	uint32_t depth;
};

static ward_err check_table(const struct table *table);

static ward_err wrong(const struct table *table, const ward_field *row, const char *text)
{
	return wardi_error(WARD_EINVAL, "message \"%.*s\": row \"%.*s\" %s",
			   WARD_TEXT_FIT(table->type->name, 64),
			   WARD_TEXT_FIT(row->key != NULL ? row->key : "(no key)", 64), text);
}

/* ---- one row by itself ------------------------------------------------------------------- */

static bool is_key(const char *key)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789-_";

	return key != NULL && key[0] != '\0' && strchr(letters, key[0]) != NULL &&
	       key[strspn(key, others)] == '\0' && strlen(key) <= WARD_CODEC_KEY_MAX;
}

/* Why no message has a row of this kind; NULL: one may. */
static const char *foreign_kind(ward_field_kind kind)
{
	switch ((int)kind) {
	case WARD_FIELD_STRINGS:
		return "is of kind STRINGS, which no message can have";
	case WARD_FIELD_STRATEGY:
		return "is of kind STRATEGY, which no message can have";
	case WARD_FIELD_CHILDREN:
		return "is of kind CHILDREN, which no message can have";
	case WARD_FIELD_BEHAVIOR:
		return "is of kind BEHAVIOR, which no message can have";
	default:
		return (unsigned)kind > WARD_FIELD_TAIL ? "is of a kind that there is not" : NULL;
	}
}

static bool is_integer(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool has_size(const ward_field *row)
{
	static const uint32_t sizes[] = {
		[WARD_FIELD_BOOL] = sizeof(bool),     [WARD_FIELD_FLOAT] = sizeof(double),
		[WARD_FIELD_STRING] = sizeof(char *), [WARD_FIELD_DURATION] = sizeof(int64_t),
		[WARD_FIELD_ENUM] = sizeof(int),      [WARD_FIELD_MASK] = sizeof(uint32_t),
		[WARD_FIELD_REF] = sizeof(ward_ref),
	};

	switch ((int)row->kind) {
	case WARD_FIELD_INT:
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		return is_integer(row->size);
	case WARD_FIELD_TEXT:
	case WARD_FIELD_GROUP:
	case WARD_FIELD_BYTES:
		return row->size > 0;
	case WARD_FIELD_LIST:
		return row->item > 0 && row->size > 0 && row->size % row->item == 0;
	case WARD_FIELD_TAIL:
		return row->size == 0;
	default:
		return row->size == sizes[row->kind];
	}
}

/* Whether no value satisfies the range. */
static bool is_empty(const ward_field *row)
{
	struct wardi_range range;
	struct wardi_urange urange;
	struct wardi_frange frange;

	switch ((int)row->kind) {
	case WARD_FIELD_INT:
	case WARD_FIELD_DURATION:
		range = wardi_row_range(row);
		return range.min > range.max;
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		urange = wardi_row_urange(row);
		return urange.min > urange.max;
	case WARD_FIELD_FLOAT:
		frange = wardi_row_frange(row);
		return !(frange.min <= frange.max);
	case WARD_FIELD_STRING:
	case WARD_FIELD_TEXT:
	case WARD_FIELD_BYTES:
	case WARD_FIELD_LIST:
	case WARD_FIELD_TAIL:
		urange = wardi_row_lengths(row);
		return urange.min > urange.max;
	default:
		return false;
	}
}

static const char *wrong_names(const ward_field_name *names)
{
	if (names == NULL || names->name == NULL)
		return "needs names";
	for (const ward_field_name *name = names; name->name != NULL; name++) {
		if (name->name[0] == '\0' || strlen(name->name) > WARD_CODEC_KEY_MAX)
			return "has a name of no bytes, or of more than 255";
		for (const ward_field_name *other = names; other < name; other++)
			if (strcmp(other->name, name->name) == 0)
				return "has a name twice";
	}
	return NULL;
}

/* What the kind needs other than its member; NULL: it is there. */
static const char *wrong_needs(const struct table *table, const ward_field *row)
{
	const ward_type *type = table->type;

	switch ((int)row->kind) {
	case WARD_FIELD_STRING:
		return type->drop != NULL ? NULL : "is a STRING, so its type needs a drop function";
	case WARD_FIELD_ENUM:
	case WARD_FIELD_MASK:
		return wrong_names(row->names);
	case WARD_FIELD_GROUP:
	case WARD_FIELD_LIST:
		return row->fields != NULL ? NULL : "needs fields";
	case WARD_FIELD_TAIL:
		if (table->depth > 0 || row[1].kind != WARD_FIELD_END)
			return "is a TAIL, which is the last row of a message";
		return type->size_max > type->size ? NULL : "is a TAIL of a type without size_max";
	default:
		return NULL;
	}
}

static const char *wrong_row(const struct table *table, const ward_field *row)
{
	const char *foreign = foreign_kind(row->kind);

	if (foreign != NULL)
		return foreign;
	if (!is_key(row->key))
		return "needs a key of letters, digits, '-' and '_', at most 255";
	if (!has_size(row))
		return "has a size that does not fit its kind";
	if (row->offset > table->room || row->size > table->room - row->offset)
		return "lies outside the struct";
	if (row->count_size != 0 && (!is_integer(row->count_size) || row->count_at > table->room ||
				     row->count_size > table->room - row->count_at))
		return "has a count outside the struct";
	if (row->since > table->type->codec->version)
		return "is since a version that is later than that of the type";
	if (is_empty(row))
		return "has a range that no value satisfies";
	return wrong_needs(table, row);
}

/* ---- rows beside each other -------------------------------------------------------------- */

static bool overlaps(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
	return a_size > 0 && b_size > 0 && a < b + b_size && b < a + a_size;
}

static const char *wrong_beside(const ward_field *row, const ward_field *other)
{
	if (strcmp(row->key, other->key) == 0)
		return "is listed twice";
	if (overlaps(row->offset, row->size, other->offset, other->size))
		return "overlaps another row";
	if (overlaps(row->count_at, row->count_size, other->count_at, other->count_size) ||
	    overlaps(row->count_at, row->count_size, other->offset, other->size) ||
	    overlaps(row->offset, row->size, other->count_at, other->count_size))
		return "has a count that is another row's, or is one";
	return NULL;
}

static ward_err check_row(const struct table *table, const ward_field *row)
{
	const char *text = wrong_row(table, row);
	struct table inner = {table->type, row->fields,
			      row->kind == WARD_FIELD_LIST ? row->item : row->size,
			      table->depth + 1};

	if (text == NULL && overlaps(row->offset, row->size, row->count_at, row->count_size))
		text = "overlaps its count";
	for (const ward_field *other = table->fields; text == NULL && other < row; other++)
		text = wrong_beside(row, other);
	if (text != NULL)
		return wrong(table, row, text);
	if (row->kind != WARD_FIELD_GROUP && row->kind != WARD_FIELD_LIST)
		return WARD_OK;
	if (inner.depth > WARD_CODEC_DEPTH_MAX)
		return wrong(table, row, "is more than 64 levels deep, or contains itself");
	return check_table(&inner);
}

static ward_err check_table(const struct table *table)
{
	uint32_t count = 0;

	for (const ward_field *row = table->fields; row->kind != WARD_FIELD_END; row++) {
		ward_err err = check_row(table, row);

		if (err != WARD_OK)
			return err;
		if (++count > WARD_CODEC_FIELDS_MAX)
			return wrong(table, row, "is one of more than 256");
	}
	return WARD_OK;
}

ward_err ward_codec_check(const ward_type *type)
{
	const ward_codec *codec = type->codec;

	if (codec == NULL && type->encode != NULL && type->decode != NULL)
		return WARD_OK;
	if (codec == NULL)
		return wardi_codec_of(type);
	if (codec->fields == NULL || codec->version == 0 || codec->version > WARD_CODEC_VERSION_MAX)
		return wardi_error(WARD_EINVAL,
				   "message \"%.*s\": its table needs rows, and a version from 1 "
				   "to 65535",
				   WARD_TEXT_FIT(type->name, 64));
	return check_table(&(struct table){type, codec->fields, type->size, 0});
}
