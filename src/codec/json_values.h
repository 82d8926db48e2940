/* SPDX-License-Identifier: MIT
 *
 * json_values.h - reads one value of JSON into one member, or says what would be right.
 */
#ifndef WARDI_JSON_VALUES_H
#define WARDI_JSON_VALUES_H

#include <ward/codec.h>

#include "codec/json_scan.h"

/* What is read: at most `tail_room` bytes go behind the struct. */
struct wardi_json_reader {
	struct wardi_json_in in;
	const ward_codec_refs *refs;
	size_t tail_room, tail;
	bool owns; /* the type has a drop function, so it may have strings */
};

/* Says what the next value is, and what it must be. */
ward_err wardi_json_not_a(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			  const char *what);

/* `at` is the member; of BYTES and TAIL the struct. `depth` is how many objects and arrays are
 * around the value. */
ward_err wardi_json_read_signed(struct wardi_json_reader *reader,
				const struct wardi_json_place *place, const ward_field *row,
				unsigned char *at);
ward_err wardi_json_read_unsigned(struct wardi_json_reader *reader,
				  const struct wardi_json_place *place, const ward_field *row,
				  unsigned char *at);
ward_err wardi_json_read_duration(struct wardi_json_reader *reader,
				  const struct wardi_json_place *place, const ward_field *row,
				  unsigned char *at);
ward_err wardi_json_read_float(struct wardi_json_reader *reader,
			       const struct wardi_json_place *place, const ward_field *row,
			       unsigned char *at);
ward_err wardi_json_read_bool(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, unsigned char *at);
ward_err wardi_json_read_text(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, const ward_field *row,
			      unsigned char *at);
ward_err wardi_json_read_string(struct wardi_json_reader *reader,
				const struct wardi_json_place *place, const ward_field *row,
				unsigned char *at);
ward_err wardi_json_read_bytes(struct wardi_json_reader *reader,
			       const struct wardi_json_place *place, const ward_field *row,
			       unsigned char *body);
ward_err wardi_json_read_mask(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, const ward_field *row,
			      unsigned char *at);
ward_err wardi_json_read_enum(struct wardi_json_reader *reader,
			      const struct wardi_json_place *place, const ward_field *row,
			      unsigned char *at);
ward_err wardi_json_read_ref(struct wardi_json_reader *reader, const struct wardi_json_place *place,
			     unsigned char *at, int depth);

/* Refuses a length, or a number of items, that the row does not allow. */
ward_err wardi_json_check_length(struct wardi_json_reader *reader,
				 const struct wardi_json_place *place, const ward_field *row,
				 uint64_t length, const char *what);

#endif
