/* SPDX-License-Identifier: MIT
 *
 * walk.h - where a writer or reader is in a message, for the texts of its errors.
 */
#ifndef WARDI_WALK_H
#define WARDI_WALK_H

#include <ward/codec.h>

#define WARDI_WALK_WRITES SIZE_MAX

struct wardi_walk {
	const ward_type *type;
	const ward_codec_refs *refs; /* NULL: none */
	size_t at;                   /* a reader sets it before an error; WARDI_WALK_WRITES */
	uint32_t depth;              /* levels in use */
	struct {
		const ward_field *field;
		uint32_t index; /* of the item of a list */
	} level[WARD_CODEC_DEPTH_MAX];
};

static inline void wardi_walk_begin(struct wardi_walk *walk, const ward_codec_refs *refs,
				    const ward_type *type)
{
	walk->type = type;
	walk->refs = refs;
	walk->at = WARDI_WALK_WRITES;
	walk->depth = 0;
}

/* Notes "byte 17: deposit.items[2].name: TEXT" and returns the code. `field` NULL: the message as a
 * whole. */
__attribute__((cold, format(printf, 4, 5))) ward_err wardi_walk_wrong(const struct wardi_walk *walk,
								      const ward_field *field,
								      ward_err err,
								      const char *text, ...);

/* One group or item deeper; WARD_EINVAL if that is too deep. */
static inline ward_err wardi_walk_down(struct wardi_walk *walk, const ward_field *field)
{
	if (walk->depth == WARD_CODEC_DEPTH_MAX)
		return wardi_walk_wrong(walk, field, WARD_EINVAL, "more than %d levels",
					WARD_CODEC_DEPTH_MAX);
	walk->level[walk->depth].field = field;
	walk->level[walk->depth].index = 0;
	walk->depth++;
	return WARD_OK;
}

static inline void wardi_walk_up(struct wardi_walk *walk)
{
	walk->depth--;
}

/* Values that their row forbids. Each notes the value and the range; WARD_EINVAL. */
__attribute__((cold)) ward_err wardi_walk_int_wrong(const struct wardi_walk *walk,
						    const ward_field *field, int64_t value);
__attribute__((cold)) ward_err wardi_walk_uint_wrong(const struct wardi_walk *walk,
						     const ward_field *field, uint64_t value);
__attribute__((cold)) ward_err wardi_walk_float_wrong(const struct wardi_walk *walk,
						      const ward_field *field, double value);
/* `what`: "bytes" or "items". */
__attribute__((cold)) ward_err wardi_walk_length_wrong(const struct wardi_walk *walk,
						       const ward_field *field, uint64_t length,
						       const char *what);
/* `name` of `size` bytes is none of the field's; a name of NULL: `value` has none. */
__attribute__((cold)) ward_err wardi_walk_name_wrong(const struct wardi_walk *walk,
						     const ward_field *field, const char *name,
						     size_t size, int64_t value);
/* A row whose kind is for files, or a STRING of a type without a drop: WARD_ELOCAL. */
__attribute__((cold)) ward_err wardi_walk_kind_wrong(const struct wardi_walk *walk,
						     const ward_field *field);
/* The message lacks the row. */
__attribute__((cold)) ward_err wardi_walk_missing(const struct wardi_walk *walk,
						  const ward_field *field);

#endif
