/* SPDX-License-Identifier: MIT
 *
 * codec_check.c - whether a table is right, as far as the compiler cannot see.
 */
#include <ward/codec.h>

#include <string.h>

#include "base/error.h"
#include "codec/member.h"
#include "codec/walk.h"

struct room {
	uint32_t size; /* of the struct that the rows are of */
	bool top;      /* it is the message */
};

static ward_err check_fields(struct wardi_walk *walk, const ward_field *fields, struct room in);

static ward_err wrong(const struct wardi_walk *walk, const ward_field *field, const char *what)
{
	return wardi_walk_wrong(walk, field, WARD_EINVAL, "%s", what);
}

static bool is_key(const char *key)
{
	size_t size = strlen(key);

	return size >= 1 && size <= WARD_CODEC_KEY_MAX;
}

static const char *names_wrong(const ward_field *field)
{
	bool named = field->kind == WARD_FIELD_ENUM || field->kind == WARD_FIELD_MASK;

	if (!named)
		return NULL;
	if (field->names == NULL || field->names->name == NULL)
		return "has no names";
	for (const ward_field_name *name = field->names; name->name != NULL; name++) {
		if (!is_key(name->name))
			return "has a name that is empty, or longer than 255 bytes";
		for (const ward_field_name *other = field->names; other < name; other++)
			if (strcmp(other->name, name->name) == 0)
				return "has a name twice";
	}
	return NULL;
}

static bool is_integer_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool size_fits(const ward_field *field)
{
	switch (field->kind) {
	case WARD_FIELD_BOOL:
		return field->size == sizeof(bool);
	case WARD_FIELD_INT:
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		return is_integer_size(field->size);
	case WARD_FIELD_FLOAT:
	case WARD_FIELD_DURATION:
		return field->size == 8;
	case WARD_FIELD_STRING:
		return field->size == sizeof(char *);
	case WARD_FIELD_ENUM:
	case WARD_FIELD_MASK:
		return field->size == 4;
	case WARD_FIELD_REF:
		return field->size == sizeof(ward_ref);
	case WARD_FIELD_LIST:
		return field->item > 0 && field->size >= field->item;
	case WARD_FIELD_TAIL:
		return field->size == 0;
	default:
		return field->size > 0;
	}
}

/* Ranges that nothing is in, or that the kind does not have. */
static const char *range_wrong(const ward_field *field)
{
	bool open = field->max == 0 && field->min >= 0;

	if (field->kind == WARD_FIELD_UINT || field->kind == WARD_FIELD_SIZE) {
		uint64_t most = wardi_uint_max(field);

		if (field->min < 0 || field->max < 0)
			return "has a range below 0; umin and umax are for large numbers";
		if (most != 0 && wardi_uint_min(field) > most)
			return "has a min above its max";
		return wardi_fits_uint(field->size, wardi_uint_min(field))
			       ? NULL
			       : "has a min that its member cannot have";
	}
	if (field->umin != 0 || field->umax != 0)
		return "has umin or umax, which are for UINT and SIZE";
	if (field->kind == WARD_FIELD_FLOAT) {
		bool reals = field->low != 0 || field->high != 0;

		if (reals && (field->min != 0 || field->max != 0))
			return "has two ranges: min and max, and low and high";
		if (!wardi_is_finite(field->low) || !wardi_is_finite(field->high))
			return "has a range that is not finite";
		return wardi_in_float(field, wardi_float_min(field)) ? NULL
								     : "has a min above its max";
	}
	if (field->low != 0 || field->high != 0)
		return "has low or high, which are for FLOAT";
	if (!open && field->min > field->max)
		return "has a min above its max";
	if (field->kind == WARD_FIELD_INT)
		return wardi_fits_int(field->size, field->min)
			       ? NULL
			       : "has a min that its member cannot have";
	return field->min < 0 || field->max < 0 ? "has a range below 0" : NULL;
}

/* Whether two ranges of bytes have one in common. */
static bool meets(uint32_t at, uint32_t size, uint32_t other_at, uint32_t other_size)
{
	return size != 0 && other_size != 0 && at < other_at + other_size && other_at < at + size;
}

static const char *length_wrong(const ward_field *field, struct room in)
{
	uint64_t room = wardi_member_room(field);

	if (field->kind == WARD_FIELD_TEXT)
		return (uint64_t)field->min < room ? NULL
						   : "has a min that does not fit its member";
	if (field->kind != WARD_FIELD_BYTES && field->kind != WARD_FIELD_LIST)
		return NULL;
	if ((uint64_t)field->min > room)
		return "has a min that does not fit its member";
	if (field->count_size == 0)
		return wardi_in_length(field, room) ? NULL
						    : "has a range without the size of its member";
	if (!is_integer_size(field->count_size) || field->count_at > in.size ||
	    field->count_size > in.size - field->count_at)
		return "has a count outside the struct";
	if (meets(field->count_at, field->count_size, field->offset, field->size))
		return "has a count within itself";
	return NULL;
}

static ward_err check_kind(const struct wardi_walk *walk, const ward_field *field)
{
	switch (field->kind) {
	case WARD_FIELD_STRINGS:
	case WARD_FIELD_STRATEGY:
	case WARD_FIELD_CHILDREN:
	case WARD_FIELD_BEHAVIOR:
		return wardi_walk_kind_wrong(walk, field);
	case WARD_FIELD_STRING:
		return walk->type->drop == NULL ? wardi_walk_kind_wrong(walk, field) : WARD_OK;
	default:
		return (unsigned)field->kind > WARD_FIELD_TAIL ? wardi_walk_kind_wrong(walk, field)
							       : WARD_OK;
	}
}

static ward_err check_place(const struct wardi_walk *walk, const ward_field *field, struct room in)
{
	if (!size_fits(field))
		return wrong(walk, field, "has a size that its kind does not have");
	if (field->kind == WARD_FIELD_TAIL) {
		if (!in.top || field->offset != in.size || walk->type->size_max <= in.size)
			return wrong(walk, field,
				     "is a tail of a struct that has none; see "
				     "WARD_MESSAGE_FIELDS_UP_TO");
		return field[1].kind == WARD_FIELD_END
			       ? WARD_OK
			       : wrong(walk, field, "is a tail, but not the last row");
	}
	if (field->offset > in.size || field->size > in.size - field->offset)
		return wrong(walk, field, "lies outside the struct");
	return WARD_OK;
}

/* A count that a row writes, or that two lists share, could be more than a list has. */
static bool counts_meet(const ward_field *field, const ward_field *other)
{
	return meets(field->count_at, field->count_size, other->offset, other->size) ||
	       meets(other->count_at, other->count_size, field->offset, field->size) ||
	       meets(field->count_at, field->count_size, other->count_at, other->count_size);
}

/* The rows in front of this one. */
static ward_err check_others(const struct wardi_walk *walk, const ward_field *fields,
			     const ward_field *field)
{
	for (const ward_field *other = fields; other < field; other++) {
		if (strcmp(other->key, field->key) == 0)
			return wrong(walk, field, "has two rows");
		if (meets(field->offset, field->size, other->offset, other->size))
			return wardi_walk_wrong(walk, field, WARD_EINVAL, "overlaps .%s",
						other->key);
		if (counts_meet(field, other))
			return wardi_walk_wrong(walk, field, WARD_EINVAL,
						"has a count that is that of .%s, or its member",
						other->key);
		if (other->since > 1 && other->since > field->since)
			return wardi_walk_wrong(walk, field, WARD_EINVAL,
						"is older than the row in front of it: rows are "
						"appended");
	}
	return WARD_OK;
}

static ward_err check_below(struct wardi_walk *walk, const ward_field *field)
{
	struct room in = {field->kind == WARD_FIELD_LIST ? field->item : field->size, false};
	ward_err err;

	if (field->kind != WARD_FIELD_GROUP && field->kind != WARD_FIELD_LIST)
		return WARD_OK;
	if (field->fields == NULL)
		return wrong(walk, field, "has no fields");
	err = wardi_walk_down(walk, field);
	if (err == WARD_OK)
		err = check_fields(walk, field->fields, in);
	if (err == WARD_OK)
		wardi_walk_up(walk);
	return err;
}

static ward_err check_field(struct wardi_walk *walk, const ward_field *field, struct room in)
{
	const char *what;
	ward_err err = check_kind(walk, field);

	if (err == WARD_OK)
		err = check_place(walk, field, in);
	if (err != WARD_OK)
		return err;
	what = names_wrong(field);
	if (what == NULL)
		what = range_wrong(field);
	if (what == NULL)
		what = length_wrong(field, in);
	if (what != NULL)
		return wrong(walk, field, what);
	if (field->key_size != 0 && field->key_size != strlen(field->key))
		return wrong(walk, field, "has a key_size that is not that of its key");
	if (field->since > walk->type->codec->version)
		return wrong(walk, field, "is newer than the table");
	return check_below(walk, field);
}

static ward_err check_fields(struct wardi_walk *walk, const ward_field *fields, struct room in)
{
	for (const ward_field *field = fields; field->kind != WARD_FIELD_END; field++) {
		ward_err err;

		if (field - fields == WARD_CODEC_FIELDS_MAX)
			return wardi_walk_wrong(walk, field, WARD_EINVAL,
						"is one row too many: a table has %d at most",
						WARD_CODEC_FIELDS_MAX);
		if (field->key == NULL || !is_key(field->key))
			return wardi_walk_wrong(walk, NULL, WARD_EINVAL,
						"row %d has no key of 1 to 255 bytes",
						(int)(field - fields) + 1);
		err = check_field(walk, field, in);
		if (err == WARD_OK)
			err = check_others(walk, fields, field);
		if (err != WARD_OK)
			return err;
	}
	return WARD_OK;
}

ward_err ward_codec_check(const ward_type *type)
{
	struct room in = {type->size, true};
	const ward_codec *codec = type->codec;
	struct wardi_walk walk;

	if (codec == NULL) {
		if (type->size == 0 || (type->encode != NULL && type->decode != NULL))
			return WARD_OK;
		return wardi_error(WARD_ELOCAL,
				   "type %s has no table, so it cannot leave the process; see "
				   "WARD_MESSAGE_FIELDS",
				   type->name);
	}
	wardi_walk_begin(&walk, NULL, type);
	if (codec->version == 0 || codec->version > WARD_CODEC_VERSION_MAX)
		return wrong(&walk, NULL, "the version of its table is not 1 to 65535");
	if (codec->fields == NULL)
		return wrong(&walk, NULL, "its table has no rows");
	if ((codec->flags & ~(uint32_t)WARD_CODEC_TUPLE) != 0 || !WARDI_ALL_ZERO(codec->reserved))
		return wrong(&walk, NULL, "its table has a flag that this library does not know");
	if (codec->atom != NULL && !is_key(codec->atom))
		return wrong(&walk, NULL, "its name is empty, or longer than 255 bytes");
	return check_fields(&walk, codec->fields, in);
}
