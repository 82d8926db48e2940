/* SPDX-License-Identifier: MIT
 *
 * piece.h - what a cut returns: a frame, or what is wrong.
 */
#ifndef WARDI_NET_PIECE_H
#define WARDI_NET_PIECE_H

#include <inttypes.h>
#include <stdio.h>

#include "net/framing/cut.h"

static inline enum wardi_cut wardi_piece_frame(struct wardi_piece *piece, size_t at, size_t size,
					       size_t used)
{
	piece->at = at;
	piece->size = size;
	piece->used = used;
	return WARDI_CUT_FRAME;
}

static inline enum wardi_cut wardi_piece_too_large(struct wardi_piece *piece, uint64_t size,
						   size_t frame_max)
{
	snprintf(piece->wrong, sizeof piece->wrong, "a frame of %" PRIu64 " bytes, %zu allowed",
		 size, frame_max);
	return WARDI_CUT_WRONG;
}

/* A number of the cutter. One that is too small is right as well: a cut just looks again. */
static inline uint32_t wardi_cutter_number(size_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

#endif
