/* SPDX-License-Identifier: MIT
 *
 * cut.c - cuts the next frame off the bytes of a stream; what stands around one that is written.
 */
#include "net/framing/cut.h"

#include <stdio.h>
#include <string.h>

#include "net/framing/delimited.h"
#include "net/framing/found.h"
#include "net/framing/piece.h"

enum { DELIMITER_MAX = 64 };

static size_t least(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

static enum wardi_cut more(struct wardi_cutter *cutter, size_t need)
{
	cutter->need = wardi_cutter_number(need);
	return WARDI_CUT_MORE;
}

static enum wardi_cut cut_prefixed(const ward_framing *framing, struct wardi_cutter *cutter,
				   size_t frame_max, const unsigned char *bytes, size_t count,
				   struct wardi_piece *ret_piece)
{
	size_t head = (size_t)framing->size;
	uint64_t length = 0;

	if (count < head)
		return more(cutter, head);
	for (size_t i = 0; i < head; i++)
		length = length << 8 | bytes[i];
	if (length > frame_max)
		return wardi_piece_too_large(ret_piece, length, frame_max);
	if (count - head < length)
		return more(cutter, head + (size_t)length);
	return wardi_piece_frame(ret_piece, head, (size_t)length, head + (size_t)length);
}

/* frame_max may be lower than when the framing was checked. */
static enum wardi_cut cut_fixed(const ward_framing *framing, struct wardi_cutter *cutter,
				size_t frame_max, size_t count, struct wardi_piece *ret_piece)
{
	size_t size = (size_t)framing->size;

	if (framing->size > frame_max)
		return wardi_piece_too_large(ret_piece, framing->size, frame_max);
	if (count < size)
		return more(cutter, size);
	return wardi_piece_frame(ret_piece, 0, size, size);
}

/* `left`: the bytes that this framing may still take. */
static enum wardi_cut cut_any(uint64_t left, size_t frame_max, size_t count,
			      struct wardi_piece *ret_piece)
{
	size_t size = least(left, least(frame_max, count));

	return wardi_piece_frame(ret_piece, 0, size, size);
}

static enum wardi_cut cut_first(const ward_framing *framing, struct wardi_cutter *cutter,
				size_t frame_max, const unsigned char *bytes, size_t count,
				bool ended, struct wardi_piece *ret_piece)
{
	switch (framing->kind) {
	case WARD_FRAMING_LINES:
		return wardi_cut_line(cutter, frame_max, bytes, count, ended, ret_piece);
	case WARD_FRAMING_PREFIX:
		return cut_prefixed(framing, cutter, frame_max, bytes, count, ret_piece);
	case WARD_FRAMING_UNTIL:
		return wardi_cut_delimited(framing, cutter, frame_max, bytes, count, ret_piece);
	case WARD_FRAMING_FIXED:
		return cut_fixed(framing, cutter, frame_max, count, ret_piece);
	case WARD_FRAMING_COUNTED:
		return cut_any(framing->size - cutter->counted, frame_max, count, ret_piece);
	case WARD_FRAMING_FOUND:
		return wardi_cut_found(framing, cutter, frame_max, bytes, count, ret_piece);
	case WARD_FRAMING_RAW:
	default:
		return cut_any(UINT64_MAX, frame_max, count, ret_piece);
	}
}

enum wardi_cut wardi_cut(const ward_framing *framing, struct wardi_cutter *cutter, size_t frame_max,
			 const unsigned char *bytes, size_t count, bool ended,
			 struct wardi_piece *ret_piece)
{
	enum wardi_cut cut;

	ret_piece->at = ret_piece->size = ret_piece->used = 0;
	ret_piece->closed = false;
	ret_piece->wrong[0] = '\0';
	if (framing->kind == WARD_FRAMING_COUNTED && cutter->counted >= framing->size)
		return WARDI_CUT_OVER;
	if (count == 0 || count < cutter->need)
		return WARDI_CUT_MORE;
	/* No object is larger than that, and sums do not overflow. */
	frame_max = least(frame_max, SIZE_MAX / 2);
	cut = cut_first(framing, cutter, frame_max, bytes, count, ended, ret_piece);
	if (cut == WARDI_CUT_FRAME) {
		cutter->scanned = cutter->need = 0;
		if (framing->kind == WARD_FRAMING_COUNTED)
			cutter->counted += ret_piece->size;
	}
	return cut;
}

bool wardi_cut_off(const ward_framing *framing, const struct wardi_cutter *cutter, size_t count)
{
	if (framing->kind == WARD_FRAMING_COUNTED)
		return cutter->counted < framing->size;
	return count > 0;
}

/* ---- framings that can be used ----------------------------------------------------------- */

static bool is_length(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool is_delimiter(const ward_framing *framing)
{
	return framing->delimiter != NULL && framing->delimiter_size >= 1 &&
	       framing->delimiter_size <= DELIMITER_MAX;
}

/* Whether it can be used; if not, its text. */
static bool judge(const ward_framing *framing, size_t frame_max, char text[WARDI_FRAMING_WRONG])
{
	unsigned long long size = framing->size;

	switch (framing->kind) {
	case WARD_FRAMING_RAW:
	case WARD_FRAMING_LINES:
		return true;
	case WARD_FRAMING_PREFIX:
		snprintf(text, WARDI_FRAMING_WRONG,
			 "WARD_PREFIX(%llu): it must be 1, 2, 4 or 8 bytes", size);
		return is_length(size);
	case WARD_FRAMING_UNTIL:
		snprintf(text, WARDI_FRAMING_WRONG,
			 framing->delimiter == NULL ? "WARD_FRAMING_UNTIL: .delimiter is NULL"
						    : "WARD_UNTIL of %u bytes: it must be 1 to 64",
			 framing->delimiter_size);
		return is_delimiter(framing);
	case WARD_FRAMING_FIXED:
		snprintf(text, WARDI_FRAMING_WRONG,
			 "WARD_FIXED(%llu): it must be 1 to %zu, frame_max", size, frame_max);
		return size >= 1 && size <= frame_max;
	case WARD_FRAMING_COUNTED:
		snprintf(text, WARDI_FRAMING_WRONG, "WARD_COUNTED(0): it must be at least 1");
		return size >= 1;
	case WARD_FRAMING_FOUND:
		snprintf(text, WARDI_FRAMING_WRONG, "WARD_FRAMING_FOUND: .find is NULL");
		return framing->find != NULL;
	default:
		snprintf(text, WARDI_FRAMING_WRONG, ".kind is %d: there is no such framing",
			 (int)framing->kind);
		return false;
	}
}

const char *wardi_framing_wrong(const ward_framing *framing, size_t frame_max,
				char ret_text[WARDI_FRAMING_WRONG])
{
	if (frame_max > 0)
		return judge(framing, frame_max, ret_text) ? NULL : ret_text;
	snprintf(ret_text, WARDI_FRAMING_WRONG, "frame_max is 0: it must be at least 1");
	return ret_text;
}

/* ---- frames that are written ------------------------------------------------------------- */

static bool wrap_prefixed(size_t head, size_t size, struct wardi_wrapping *wrapping)
{
	uint64_t left = size;

	for (size_t i = head; i > 0; i--) {
		wrapping->head[i - 1] = (unsigned char)(left & 255);
		left >>= 8;
	}
	wrapping->head_size = head;
	return left == 0;
}

static bool wrap_delimited(const char *tail, size_t size, struct wardi_wrapping *wrapping)
{
	wrapping->tail = tail;
	wrapping->tail_size = size;
	return true;
}

bool wardi_wrap(const ward_framing *framing, size_t size, struct wardi_wrapping *ret_wrapping)
{
	memset(ret_wrapping, 0, sizeof *ret_wrapping);
	switch (framing->kind) {
	case WARD_FRAMING_LINES:
		return wrap_delimited("\n", 1, ret_wrapping);
	case WARD_FRAMING_PREFIX:
		return wrap_prefixed((size_t)framing->size, size, ret_wrapping);
	case WARD_FRAMING_UNTIL:
		return wrap_delimited(framing->delimiter, framing->delimiter_size, ret_wrapping);
	case WARD_FRAMING_FIXED:
		return size == framing->size;
	case WARD_FRAMING_FOUND:
		return false;
	case WARD_FRAMING_RAW:
	case WARD_FRAMING_COUNTED:
	default:
		return true;
	}
}
