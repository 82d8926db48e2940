/* SPDX-License-Identifier: MIT
 *
 * found.h - frames that a function of the program finds.
 */
#ifndef WARDI_NET_FOUND_H
#define WARDI_NET_FOUND_H

#include "net/framing/cut.h"

/* As wardi_cut(). `frame_max` is at most half of SIZE_MAX, `count` at least 1. */
enum wardi_cut wardi_cut_found(const ward_framing *framing, struct wardi_cutter *cutter,
			       size_t frame_max, const unsigned char *bytes, size_t count,
			       struct wardi_piece *ret_piece);

#endif
