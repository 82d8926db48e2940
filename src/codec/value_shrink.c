/* SPDX-License-Identifier: MIT
 *
 * value_shrink.c - makes a body with which a test fails smaller, as long as it still fails.
 *
 * One row after the other, the simplest value first, then what lies half way to it; once more from
 * the first row as long as something became smaller. Nothing is drawn, so the result depends on the
 * body and the test only.
 *
 * Threads: knows nothing but its arguments.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/text.h>

#include "base/error.h"
#include "codec/rows.h"

enum { CALLS_MAX = 10000, BYTES_MAX = 256, HALVES_MAX = 64 };

/* The body, which always is one with which the test fails, except within a try. */
struct shrinker {
	const ward_type *type;
	unsigned char *body;
	size_t size;
	bool (*fails)(const void *body, size_t size, void *arg) WARD_NOEXCEPT;
	void *arg;
	uint32_t calls;
	bool smaller; /* since the first row */
	ward_err err;
};

static void shrink_rows(struct shrinker *shrinker, const ward_field *fields, unsigned char *body);

/* Whether the test fails with the body as it is now, which is smaller than before. */
static bool still_fails(struct shrinker *shrinker)
{
	if (shrinker->calls >= CALLS_MAX)
		return false;
	shrinker->calls++;
	if (!shrinker->fails(shrinker->body, shrinker->size, shrinker->arg))
		return false;
	shrinker->smaller = true;
	return true;
}

/* Tries a value of a member; leaves what it was if the test does not fail with it. */
static bool try_bytes(struct shrinker *shrinker, void *at, const void *value, size_t size)
{
	char before[sizeof(ward_ref)];

	if (memcmp(at, value, size) == 0)
		return false;
	memcpy(before, at, size);
	memcpy(at, value, size);
	if (still_fails(shrinker))
		return true;
	memcpy(at, before, size);
	return false;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static bool try_integer(struct shrinker *shrinker, const ward_field *row, unsigned char *at,
			uint64_t value)
{
	unsigned char bytes[8];

	wardi_member_set(bytes, row->size, value);
	return try_bytes(shrinker, at, bytes, row->size);
}

/* Looks for the smallest distance from `target`, between one with which the test does not fail and
 * that of the member. The sum wraps round as two's complement does. */
static void approach(struct shrinker *shrinker, const ward_field *row, unsigned char *at,
		     uint64_t target, uint64_t distance, bool downwards)
{
	uint64_t passes = 0;

	if (distance == 0 || try_integer(shrinker, row, at, target))
		return;
	while (distance - passes > 1) {
		uint64_t middle = passes + (distance - passes) / 2;
		uint64_t value = downwards ? target - middle : target + middle;

		if (try_integer(shrinker, row, at, value))
			distance = middle;
		else
			passes = middle;
	}
}

static void shrink_signed(struct shrinker *shrinker, const ward_field *row, unsigned char *at)
{
	struct wardi_range range = wardi_row_range(row);
	int64_t value = wardi_member_int(at, row->size);
	int64_t target = range.min > 0 ? range.min : range.max < 0 ? range.max : 0;
	bool downwards = value < target;
	uint64_t distance =
		downwards ? (uint64_t)target - (uint64_t)value : (uint64_t)value - (uint64_t)target;

	approach(shrinker, row, at, (uint64_t)target, distance, downwards);
}

static void shrink_unsigned(struct shrinker *shrinker, const ward_field *row, unsigned char *at)
{
	uint64_t target = wardi_row_urange(row).min;

	approach(shrinker, row, at, target, wardi_member_uint(at, row->size) - target, false);
}

static bool try_double(struct shrinker *shrinker, unsigned char *at, double value,
		       struct wardi_frange range)
{
	return value >= range.min && value <= range.max &&
	       try_bytes(shrinker, at, &value, sizeof value);
}

static double whole(double value)
{
	double part;

	(void)modf(value, &part);
	return part;
}

static void shrink_float(struct shrinker *shrinker, const ward_field *row, unsigned char *at)
{
	struct wardi_frange range = wardi_row_frange(row);
	double value, target = range.min > 0 ? range.min : range.max < 0 ? range.max : 0;

	memcpy(&value, at, sizeof value);
	if (value == target || try_double(shrinker, at, target, range))
		return;
	(void)try_double(shrinker, at, whole(value), range);
	for (int i = 0; i < HALVES_MAX; i++) {
		memcpy(&value, at, sizeof value);
		if (!try_double(shrinker, at, target + whole((value - target) / 2), range))
			return;
	}
}

/* ---- names and refs ---------------------------------------------------------------------- */

static void shrink_enum(struct shrinker *shrinker, const ward_field *row, unsigned char *at)
{
	uint32_t now = (uint32_t)wardi_member_uint(at, row->size);

	if (now == 0 || (wardi_name_of(row, 0) != NULL && try_integer(shrinker, row, at, 0)))
		return;
	for (const ward_field_name *name = row->names; name->name != NULL; name++)
		if ((uint32_t)name->value == now ||
		    try_integer(shrinker, row, at, (uint32_t)name->value))
			return;
}

/* The names that fit into these bits, or'ed. */
static uint32_t named_bits(const ward_field_name *names, uint32_t bits)
{
	uint32_t named = 0;

	for (; names->name != NULL; names++)
		if (((uint32_t)names->value & ~bits) == 0)
			named |= (uint32_t)names->value;
	return named;
}

static void shrink_mask(struct shrinker *shrinker, const ward_field *row, unsigned char *at)
{
	if (try_integer(shrinker, row, at, 0))
		return;
	for (const ward_field_name *name = row->names; name->name != NULL; name++) {
		uint32_t left = (uint32_t)wardi_member_uint(at, row->size) & ~(uint32_t)name->value;

		(void)try_integer(shrinker, row, at, named_bits(row->names, left));
	}
}

static void shrink_flag(struct shrinker *shrinker, unsigned char *at)
{
	bool is_set = false;

	(void)try_bytes(shrinker, at, &is_set, sizeof is_set);
}

static void shrink_ref(struct shrinker *shrinker, unsigned char *at)
{
	ward_ref nobody = ward_nobody();

	(void)try_bytes(shrinker, at, &nobody, sizeof nobody);
}

/* ---- texts and bytes --------------------------------------------------------------------- */

/* Bytes that may become fewer: the row says how many there are by `use`. */
struct many {
	const ward_field *row;
	unsigned char *body; /* of the row */
	unsigned char *at;
	size_t count;
	size_t least;
	char simplest;
};

/* Notes how many there are now. Behind a text is a 0. */
static void use(struct shrinker *shrinker, const struct many *many, size_t count)
{
	switch ((int)many->row->kind) {
	case WARD_FIELD_BYTES:
		wardi_member_set_count(many->row, many->body, count);
		break;
	case WARD_FIELD_TAIL:
		shrinker->size = shrinker->type->size + count;
		break;
	default:
		many->at[count] = '\0';
	}
}

/* Tries to end behind `count` bytes. */
static bool try_count(struct shrinker *shrinker, struct many *many, size_t count)
{
	char before = many->at[count];

	use(shrinker, many, count);
	if (still_fails(shrinker)) {
		many->count = count;
		return true;
	}
	many->at[count] = before;
	use(shrinker, many, many->count);
	return false;
}

static void shorten(struct shrinker *shrinker, struct many *many)
{
	size_t passes = many->least;

	if (many->count <= many->least || try_count(shrinker, many, many->least))
		return;
	while (many->count - passes > 1) {
		size_t middle = passes + (many->count - passes) / 2;

		if (!try_count(shrinker, many, middle))
			passes = middle;
	}
}

/* Tries without the byte at an index. */
static void leave_out(struct shrinker *shrinker, struct many *many, size_t index)
{
	char gone = many->at[index];
	size_t behind = many->count - index - 1;

	memmove(many->at + index, many->at + index + 1, behind);
	if (try_count(shrinker, many, many->count - 1))
		return;
	memmove(many->at + index + 1, many->at + index, behind);
	many->at[index] = gone;
}

static void shrink_many(struct shrinker *shrinker, struct many *many)
{
	bool is_fixed = many->row->kind == WARD_FIELD_BYTES && many->row->count_size == 0;

	if (!is_fixed) {
		shorten(shrinker, many);
		for (size_t i = many->count; i-- > 0 && many->count > many->least;)
			if (many->count <= BYTES_MAX)
				leave_out(shrinker, many, i);
	}
	for (size_t i = 0; i < many->count && i < BYTES_MAX; i++)
		if (many->at[i] != many->simplest)
			(void)try_bytes(shrinker, many->at + i, &many->simplest, 1);
}

static void shrink_array(struct shrinker *shrinker, const ward_field *row, unsigned char *body)
{
	struct many many = {
		.row = row,
		.body = body,
		.at = body + row->offset,
		.least = (size_t)wardi_row_lengths(row).min,
	};

	if (row->kind == WARD_FIELD_TEXT) {
		many.count = strlen((char *)many.at);
		many.simplest = 'a';
	} else if (row->kind == WARD_FIELD_TAIL) {
		many.count = shrinker->size - shrinker->type->size;
	} else {
		many.count = (size_t)wardi_member_count(row, body);
	}
	if (many.count > 0)
		shrink_many(shrinker, &many);
}

static void shrink_string(struct shrinker *shrinker, const ward_field *row, unsigned char *at)
{
	struct many many = {
		.row = row, .least = (size_t)wardi_row_lengths(row).min, .simplest = 'a'};
	char *none = NULL, *text;

	memcpy(&text, at, sizeof text);
	if (text == NULL)
		return;
	if (many.least == 0 && try_bytes(shrinker, at, &none, sizeof none)) {
		free(text);
		return;
	}
	many.at = (unsigned char *)text;
	many.count = strlen(text);
	if (many.count > 0)
		shrink_many(shrinker, &many);
}

/* ---- groups and lists -------------------------------------------------------------------- */

/* Tries without an item of a list; `spare` has room for one. */
static void drop_item(struct shrinker *shrinker, const ward_field *row, unsigned char *body,
		      size_t index, unsigned char *spare)
{
	size_t count = (size_t)wardi_member_count(row, body);
	unsigned char *at = body + row->offset + index * row->item;
	size_t behind = (count - index - 1) * row->item;

	memcpy(spare, at, row->item);
	memmove(at, at + row->item, behind);
	memset(at + behind, 0, row->item);
	wardi_member_set_count(row, body, count - 1);
	if (still_fails(shrinker)) {
		ward_fields_drop(row->fields, spare);
		return;
	}
	wardi_member_set_count(row, body, count);
	memmove(at + row->item, at, behind);
	memcpy(at, spare, row->item);
}

static void shrink_list(struct shrinker *shrinker, const ward_field *row, unsigned char *body)
{
	uint64_t least = wardi_row_lengths(row).min;
	size_t count = (size_t)wardi_member_count(row, body);
	unsigned char *spare = row->count_size != 0 ? malloc(row->item) : NULL;

	if (row->count_size != 0 && spare == NULL) {
		shrinker->err =
			wardi_error(WARD_ENOMEM, "no memory for an item of %u bytes", row->item);
		return;
	}
	for (size_t i = count; spare != NULL && i-- > 0 && wardi_member_count(row, body) > least;)
		drop_item(shrinker, row, body, i, spare);
	free(spare);
	count = (size_t)wardi_member_count(row, body);
	for (size_t i = 0; i < count; i++)
		shrink_rows(shrinker, row->fields, body + row->offset + i * row->item);
}

static void shrink_row(struct shrinker *shrinker, const ward_field *row, unsigned char *body)
{
	unsigned char *at = body + row->offset;

	switch ((int)row->kind) {
	case WARD_FIELD_BOOL:
		shrink_flag(shrinker, at);
		break;
	case WARD_FIELD_INT:
	case WARD_FIELD_DURATION:
		shrink_signed(shrinker, row, at);
		break;
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		shrink_unsigned(shrinker, row, at);
		break;
	case WARD_FIELD_FLOAT:
		shrink_float(shrinker, row, at);
		break;
	case WARD_FIELD_ENUM:
		shrink_enum(shrinker, row, at);
		break;
	case WARD_FIELD_MASK:
		shrink_mask(shrinker, row, at);
		break;
	case WARD_FIELD_REF:
		shrink_ref(shrinker, at);
		break;
	case WARD_FIELD_STRING:
		shrink_string(shrinker, row, at);
		break;
	case WARD_FIELD_TEXT:
	case WARD_FIELD_BYTES:
	case WARD_FIELD_TAIL:
		shrink_array(shrinker, row, body);
		break;
	case WARD_FIELD_GROUP:
		shrink_rows(shrinker, row->fields, at);
		break;
	case WARD_FIELD_LIST:
		shrink_list(shrinker, row, body);
		break;
	default:
		break;
	}
}

static void shrink_rows(struct shrinker *shrinker, const ward_field *fields, unsigned char *body)
{
	for (; fields->kind != WARD_FIELD_END && shrinker->err == WARD_OK; fields++)
		shrink_row(shrinker, fields, body);
}

ward_err ward_value_shrink(const ward_type *type, void *body, size_t *size,
			   bool (*fails)(const void *body, size_t size, void *arg) WARD_NOEXCEPT,
			   void *arg)
{
	struct shrinker shrinker = {type, body, *size, fails, arg, 0, true, WARD_OK};
	ward_err err = wardi_codec_of(type);

	if (err != WARD_OK)
		return err;
	if (*size < type->size || *size > type->size + wardi_tail_max(type))
		return wardi_error(WARD_ESIZE, "message \"%.*s\": a body of %zu bytes",
				   WARD_TEXT_FIT(type->name, 64), *size);
	if (!still_fails(&shrinker))
		return wardi_error(WARD_EINVAL,
				   "message \"%.*s\": the test does not fail with the body",
				   WARD_TEXT_FIT(type->name, 64));
	while (type->codec != NULL && shrinker.smaller && shrinker.err == WARD_OK) {
		shrinker.smaller = false;
		shrink_rows(&shrinker, type->codec->fields, body);
	}
	*size = shrinker.size;
	return shrinker.err;
}
