/* SPDX-License-Identifier: MIT
 *
 * cut.h - cuts the next frame off the bytes of a stream. Functions of bytes: no actor, no memory.
 *
 * A cut looks at the `count` bytes that are there, writes to none of them, and takes nothing: the
 * caller takes `used` bytes off the front, and asks for the next frame. Whatever the pieces in
 * which the bytes come, the frames are the same (of RAW and COUNTED: their bytes), and the work is
 * O(bytes) in all, except that a `find` which names no `need` looks at its bytes again.
 */
#ifndef WARDI_NET_CUT_H
#define WARDI_NET_CUT_H

#include <ward/net/framing.h>

/* What the framing of one stream keeps between two cuts. All zero at its begin, and after a change
 * of the framing. Only wardi_cut() writes it. */
struct wardi_cutter {
	uint64_t counted; /* COUNTED: bytes that were handed out */
	uint32_t scanned; /* bytes in front that need no second search */
	uint32_t need;    /* bytes without which a cut is in vain; 0: not known */
};

enum wardi_cut {
	WARDI_CUT_MORE,  /* more bytes are needed; at the end: see wardi_cut_off() */
	WARDI_CUT_FRAME, /* a frame; `used` is at least 1, `size` at most frame_max */
	WARDI_CUT_OVER,  /* COUNTED: all were handed out; the bytes that are left are none of it */
	WARDI_CUT_WRONG  /* these bytes are no frame; the cutter is as before */
};

/* A cut: where it is in the bytes. All zero, unless it is a frame. */
struct wardi_piece {
	size_t at, size; /* of the frame */
	size_t used;     /* bytes that the cut takes off the front, the frame's among them */
	/* The byte at `at + size` may be set to 0. It is one of `used`; of a last line without an
	 * end it is the byte behind all that are there, for which the caller has to have room. */
	bool closed;
	char wrong[96]; /* WRONG: what is wrong with it, one line; "": nothing */
};

/* A frame of FOUND takes at most frame_max bytes and these. */
enum { WARDI_FOUND_AROUND = 4096 };

/* Looks for the next frame in `count` bytes: all since the last frame, those of the last cut among
 * them. `ended`: no more will come. frame_max may change from cut to cut. */
enum wardi_cut wardi_cut(const ward_framing *framing, struct wardi_cutter *cutter, size_t frame_max,
			 const unsigned char *bytes, size_t count, bool ended,
			 struct wardi_piece *ret_piece);

/* After MORE at the end: whether the end is within a frame, with `count` bytes left. COUNTED is one
 * frame here, so it is cut off until all its bytes were there. */
bool wardi_cut_off(const ward_framing *framing, const struct wardi_cutter *cutter, size_t count);

/* NULL: the framing can be used; otherwise ret_text, which says why not, with values. frame_max: no
 * default, so 0 is refused; any large value will do. */
enum { WARDI_FRAMING_WRONG = 96 };
const char *wardi_framing_wrong(const ward_framing *framing, size_t frame_max,
				char ret_text[WARDI_FRAMING_WRONG]);

/* What stands before and behind a frame of `size` bytes that is written. */
struct wardi_wrapping {
	unsigned char head[8];
	size_t head_size;
	const char *tail; /* borrowed from the framing, or a constant; NULL: none */
	size_t tail_size;
};
/* False: the framing does not allow that size. FOUND allows none, since what `find` takes off is
 * not known; RAW and COUNTED allow all, with nothing around. The bytes of a frame are not looked
 * at: a line with "\n" in it will be two. */
bool wardi_wrap(const ward_framing *framing, size_t size, struct wardi_wrapping *ret_wrapping);

#endif
