/* SPDX-License-Identifier: MIT
 *
 * found.c - frames that a function of the program finds. All its results are checked.
 *
 * The same limit applies to a frame that was found, to the bytes that one needs, and to those in
 * which none was found. So which frames are refused does not depend on how the bytes are cut up.
 */
#include "net/framing/found.h"

#include <ward/text.h>

#include "net/framing/piece.h"

static enum wardi_cut wrong(struct wardi_piece *piece, const char *text)
{
	ward_text_line(piece->wrong, sizeof piece->wrong, text, WARD_TEXT_ALL);
	return WARDI_CUT_WRONG;
}

static enum wardi_cut takes_too_many(struct wardi_piece *piece, size_t limit)
{
	snprintf(piece->wrong, sizeof piece->wrong, "a frame that takes more than %zu bytes in all",
		 limit);
	return WARDI_CUT_WRONG;
}

static enum wardi_cut check(const ward_found *found, size_t frame_max, size_t count,
			    struct wardi_piece *ret_piece)
{
	size_t limit = frame_max + WARDI_FOUND_AROUND;
	size_t used;

	if (found->skip > count || found->count > count - found->skip ||
	    found->after > count - found->skip - found->count)
		return wrong(ret_piece, "a find that reaches beyond the bytes");
	used = found->skip + found->count + found->after;
	if (used > limit)
		return takes_too_many(ret_piece, limit);
	if (found->count > frame_max)
		return wardi_piece_too_large(ret_piece, found->count, frame_max);
	if (used == 0)
		return wrong(ret_piece, "a find that takes no bytes");
	ret_piece->closed = found->after > 0;
	return wardi_piece_frame(ret_piece, found->skip, found->count, used);
}

enum wardi_cut wardi_cut_found(const ward_framing *framing, struct wardi_cutter *cutter,
			       size_t frame_max, const unsigned char *bytes, size_t count,
			       struct wardi_piece *ret_piece)
{
	size_t limit = frame_max + WARDI_FOUND_AROUND;
	ward_found found = {0};
	const char *text = NULL;

	if (count == cutter->scanned)
		return WARDI_CUT_MORE;
	if (framing->find(framing->arg, bytes, count, &found, &text))
		return check(&found, frame_max, count, ret_piece);
	if (text != NULL)
		return wrong(ret_piece, text);
	if (found.need > limit || count >= limit)
		return takes_too_many(ret_piece, limit);
	cutter->scanned = wardi_cutter_number(count);
	cutter->need = found.need > count ? wardi_cutter_number(found.need) : 0;
	return WARDI_CUT_MORE;
}
