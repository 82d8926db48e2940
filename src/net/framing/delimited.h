/* SPDX-License-Identifier: MIT
 *
 * delimited.h - frames that end with what is not in them: lines, and delimiters.
 */
#ifndef WARDI_NET_DELIMITED_H
#define WARDI_NET_DELIMITED_H

#include "net/framing/cut.h"

/* As wardi_cut(). `frame_max` is at most half of SIZE_MAX, `count` at least 1. */
enum wardi_cut wardi_cut_line(struct wardi_cutter *cutter, size_t frame_max,
			      const unsigned char *bytes, size_t count, bool ended,
			      struct wardi_piece *ret_piece);
enum wardi_cut wardi_cut_delimited(const ward_framing *framing, struct wardi_cutter *cutter,
				   size_t frame_max, const unsigned char *bytes, size_t count,
				   struct wardi_piece *ret_piece);

#endif
