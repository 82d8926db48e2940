/* SPDX-License-Identifier: MIT
 *
 * delimited.c - frames that end with what is not in them: lines, and delimiters.
 *
 * A search continues where the last one stopped, and looks no further than the largest frame can
 * reach: so a frame that is too long is refused even if its end came in the same read. With a
 * smaller frame_max than at the last cut that limit may lie within bytes already searched.
 */
#include "net/framing/delimited.h"

#include <string.h>

#include "net/framing/piece.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static enum wardi_cut too_long(struct wardi_piece *piece, const char *what, size_t frame_max)
{
	snprintf(piece->wrong, sizeof piece->wrong, "a %s of more than %zu bytes", what, frame_max);
	return WARDI_CUT_WRONG;
}

/* No end in `count` bytes. A "\r" is none of the line only if a "\n" follows. */
static enum wardi_cut line_without_end(struct wardi_cutter *cutter, size_t frame_max,
				       const unsigned char *bytes, size_t count, bool ended,
				       struct wardi_piece *ret_piece)
{
	bool half = !ended && count > frame_max && bytes[frame_max] == '\r';

	if (count > frame_max + half)
		return too_long(ret_piece, "line", frame_max);
	if (ended) {
		ret_piece->closed = true;
		return wardi_piece_frame(ret_piece, 0, count, count);
	}
	cutter->scanned = wardi_cutter_number(count);
	return WARDI_CUT_MORE;
}

enum wardi_cut wardi_cut_line(struct wardi_cutter *cutter, size_t frame_max,
			      const unsigned char *bytes, size_t count, bool ended,
			      struct wardi_piece *ret_piece)
{
	size_t reach = least(count, frame_max + 2), from = least(cutter->scanned, reach);
	const unsigned char *end = memchr(bytes + from, '\n', reach - from);
	size_t at, size;

	if (end == NULL)
		return line_without_end(cutter, frame_max, bytes, count, ended, ret_piece);
	at = (size_t)(end - bytes);
	size = at > 0 && bytes[at - 1] == '\r' ? at - 1 : at;
	if (size > frame_max)
		return too_long(ret_piece, "line", frame_max);
	ret_piece->closed = true;
	return wardi_piece_frame(ret_piece, 0, size, at + 1);
}

enum wardi_cut wardi_cut_delimited(const ward_framing *framing, struct wardi_cutter *cutter,
				   size_t frame_max, const unsigned char *bytes, size_t count,
				   struct wardi_piece *ret_piece)
{
	size_t delimiter_size = framing->delimiter_size;
	size_t reach = least(count, frame_max + delimiter_size);
	size_t from = least(cutter->scanned, reach);
	const unsigned char *end =
		memmem(bytes + from, reach - from, framing->delimiter, delimiter_size);

	if (end != NULL) {
		size_t size = (size_t)(end - bytes);

		ret_piece->closed = true;
		return wardi_piece_frame(ret_piece, 0, size, size + delimiter_size);
	}
	if (count >= frame_max + delimiter_size)
		return too_long(ret_piece, "frame", frame_max);
	/* It may have begun with the last bytes. */
	if (count >= delimiter_size)
		cutter->scanned = wardi_cutter_number(count - (delimiter_size - 1));
	return WARDI_CUT_MORE;
}
