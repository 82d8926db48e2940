/* SPDX-License-Identifier: MIT
 *
 * rows.h - all values that a row of a table allows, as one range for each kind.
 */
#ifndef WARDI_ROWS_H
#define WARDI_ROWS_H

#include "codec/member.h"

/* The values that a row allows, both ends included. */
struct wardi_range {
	int64_t min, max;
};
struct wardi_urange {
	uint64_t min, max;
};
struct wardi_frange {
	double min, max;
};

/* Of INT and DURATION. */
struct wardi_range wardi_row_range(const ward_field *row);
/* Of UINT and SIZE. */
struct wardi_urange wardi_row_urange(const ward_field *row);
/* Of FLOAT. */
struct wardi_frange wardi_row_frange(const ward_field *row);
/* Of the length of STRING, TEXT, BYTES and TAIL, and of the number of items of LIST. */
struct wardi_urange wardi_row_lengths(const ward_field *row);

/* Whether the range has what is left where a key is missing: 0, an empty text. */
bool wardi_row_allows_zero(const ward_field *row);
/* Whether the member is that. `tail` bytes are behind the struct. */
bool wardi_row_is_zero(const ward_field *row, const unsigned char *body, size_t tail);

/* Whether a writer leaves the row out: it may be missing, and is zero although its range is not. */
static inline bool wardi_row_left_out(const ward_field *row, const unsigned char *body, size_t tail)
{
	return !wardi_must_have(row, 0) && !wardi_row_allows_zero(row) &&
	       wardi_row_is_zero(row, body, tail);
}

/* Returns WARD_OK if the type has a table, or no body; otherwise the error. */
ward_err wardi_codec_of(const ward_type *type);

/* How many bytes a tail of this type can have at most. */
static inline size_t wardi_tail_max(const ward_type *type)
{
	return type->size_max > type->size ? type->size_max - type->size : 0;
}

#endif
