/* SPDX-License-Identifier: MIT
 *
 * walk.c - the texts of errors in messages: which message, which key, what would be right.
 */
#include "codec/walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "codec/member.h"

enum { PATH_MAX_SIZE = 160, TEXT_MAX_SIZE = 256 };

static const char *const kinds[] = {
	[WARD_FIELD_STRING] = "STRING",     [WARD_FIELD_STRINGS] = "STRINGS",
	[WARD_FIELD_STRATEGY] = "STRATEGY", [WARD_FIELD_CHILDREN] = "CHILDREN",
	[WARD_FIELD_BEHAVIOR] = "BEHAVIOR", [WARD_FIELD_TAIL] = "TAIL",
};

struct path {
	char text[PATH_MAX_SIZE];
	size_t size;
};

__attribute__((format(printf, 2, 3))) static void append(struct path *path, const char *text, ...)
{
	va_list args;
	int wrote;

	va_start(args, text);
	wrote = vsnprintf(path->text + path->size, sizeof path->text - path->size, text, args);
	va_end(args);
	if (wrote > 0)
		path->size += (size_t)wrote;
	if (path->size >= sizeof path->text)
		path->size = sizeof path->text - 1;
}

static void append_levels(struct path *path, const struct wardi_walk *walk)
{
	for (uint32_t i = 0; i < walk->depth; i++) {
		const ward_field *field = walk->level[i].field;

		append(path, ".%s", field->key);
		if (field->kind == WARD_FIELD_LIST)
			append(path, "[%" PRIu32 "]", walk->level[i].index);
	}
}

ward_err wardi_walk_wrong(const struct wardi_walk *walk, const ward_field *field, ward_err err,
			  const char *text, ...)
{
	struct path path = {.size = 0};
	char why[TEXT_MAX_SIZE];
	va_list args;

	va_start(args, text);
	(void)vsnprintf(why, sizeof why, text, args);
	va_end(args);
	if (walk->at != WARDI_WALK_WRITES)
		append(&path, "byte %zu: ", walk->at);
	append(&path, "%s", walk->type->name);
	append_levels(&path, walk);
	if (field != NULL)
		append(&path, ".%s", field->key);
	return wardi_error(err, "%s: %s", path.text, why);
}

/* What is wrong with a number that is not in its range: its type holds fewer, or its row. */
static ward_err range_wrong(const struct wardi_walk *walk, const ward_field *field,
			    const char *value, const char *min, const char *max)
{
	if (max[0] == '\0')
		return wardi_walk_wrong(walk, field, WARD_EINVAL, "%s must be at least %s", value,
					min);
	return wardi_walk_wrong(walk, field, WARD_EINVAL, "%s must be between %s and %s", value,
				min, max);
}

ward_err wardi_walk_int_wrong(const struct wardi_walk *walk, const ward_field *field, int64_t value)
{
	char is[32], min[32], max[32] = "";
	bool open = field->max == 0 && field->min >= 0;
	int64_t low = field->min;

	(void)snprintf(is, sizeof is, "%" PRId64, value);
	if (field->kind == WARD_FIELD_INT && !wardi_fits_int(field->size, value))
		return wardi_walk_wrong(walk, field, WARD_EINVAL,
					"%s does not fit %" PRIu32 " bytes with a sign", is,
					field->size);
	if (field->kind == WARD_FIELD_DURATION && low < 0)
		low = 0;
	(void)snprintf(min, sizeof min, "%" PRId64, low);
	if (!open)
		(void)snprintf(max, sizeof max, "%" PRId64, field->max);
	return range_wrong(walk, field, is, min, max);
}

ward_err wardi_walk_uint_wrong(const struct wardi_walk *walk, const ward_field *field,
			       uint64_t value)
{
	char is[32], min[32], max[32] = "";

	(void)snprintf(is, sizeof is, "%" PRIu64, value);
	if (!wardi_fits_uint(field->size, value))
		return wardi_walk_wrong(walk, field, WARD_EINVAL,
					"%s does not fit %" PRIu32 " bytes without a sign", is,
					field->size);
	(void)snprintf(min, sizeof min, "%" PRIu64, wardi_uint_min(field));
	if (wardi_uint_max(field) != 0)
		(void)snprintf(max, sizeof max, "%" PRIu64, wardi_uint_max(field));
	return range_wrong(walk, field, is, min, max);
}

ward_err wardi_walk_float_wrong(const struct wardi_walk *walk, const ward_field *field,
				double value)
{
	char is[32], min[32], max[32] = "";
	double low = wardi_float_min(field), high = wardi_float_max(field);

	if (!wardi_is_finite(value))
		return wardi_walk_wrong(walk, field, WARD_EINVAL, "the number must be finite");
	(void)snprintf(is, sizeof is, "%.17g", value);
	(void)snprintf(min, sizeof min, "%.17g", low);
	if (high != 0 || low < 0)
		(void)snprintf(max, sizeof max, "%.17g", high);
	return range_wrong(walk, field, is, min, max);
}

ward_err wardi_walk_length_wrong(const struct wardi_walk *walk, const ward_field *field,
				 uint64_t length, const char *what)
{
	uint64_t least = (uint64_t)field->min, most = (uint64_t)field->max;
	uint64_t room = wardi_member_room(field);

	if (field->kind == WARD_FIELD_TEXT)
		room--;
	if (field->kind != WARD_FIELD_STRING && field->kind != WARD_FIELD_TAIL) {
		if (most == 0 || most > room)
			most = room;
		if (field->kind != WARD_FIELD_TEXT && field->count_size == 0)
			least = room;
	}
	if (most == 0)
		return wardi_walk_wrong(walk, field, WARD_EINVAL,
					"%" PRIu64 " %s, must be at least %" PRIu64, length, what,
					least);
	return wardi_walk_wrong(walk, field, WARD_EINVAL,
				"%" PRIu64 " %s, must be %" PRIu64 " to %" PRIu64, length, what,
				least, most);
}

ward_err wardi_walk_name_wrong(const struct wardi_walk *walk, const ward_field *field,
			       const char *name, size_t size, int64_t value)
{
	struct path names = {.size = 0};

	for (const ward_field_name *one = field->names; one->name != NULL; one++)
		append(&names, "%s%s", one == field->names ? "" : ", ", one->name);
	if (name == NULL)
		return wardi_walk_wrong(walk, field, WARD_EINVAL,
					"the value %" PRId64 " has no name; there are: %s", value,
					names.text);
	return wardi_walk_wrong(walk, field, WARD_EINVAL, "unknown name '%.*s'; there are: %s",
				size > 60 ? 60 : (int)size, name, names.text);
}

ward_err wardi_walk_kind_wrong(const struct wardi_walk *walk, const ward_field *field)
{
	const char *kind =
		(unsigned)field->kind < sizeof kinds / sizeof kinds[0] ? kinds[field->kind] : NULL;

	if (field->kind == WARD_FIELD_STRING)
		return wardi_walk_wrong(walk, field, WARD_ELOCAL,
					"a STRING of a type without a drop function is borrowed, "
					"as in a file; see WARD_MESSAGE_FIELDS_OWNED");
	if (kind == NULL)
		return wardi_walk_wrong(walk, field, WARD_ELOCAL, "%d is not the number of a kind",
					(int)field->kind);
	return wardi_walk_wrong(walk, field, WARD_ELOCAL,
				"the kind %s is for arguments in files, not for messages", kind);
}

ward_err wardi_walk_missing(const struct wardi_walk *walk, const ward_field *field)
{
	return wardi_walk_wrong(walk, field, WARD_EINVAL, "is missing");
}
