/* SPDX-License-Identifier: MIT
 *
 * ward/net/framing.h - how the bytes of a stream become frames.
 *
 *	static const ward_stream_options of_lines = {.framing = WARD_LINES, .frame_max = 4096};
 *
 * A framing is a value: WARD_RAW, WARD_LINES, WARD_PREFIX(4), WARD_UNTIL("\r\n\r\n"),
 * WARD_FIXED(512), WARD_COUNTED(size), or one with a `find` function of your own. In an initializer
 * as above; elsewhere with a cast: (ward_framing)WARD_COUNTED(size).
 */
#ifndef WARD_NET_FRAMING_H
#define WARD_NET_FRAMING_H

#include <ward/types.h>

WARD_BEGIN

/** The kinds of framings. */
typedef enum ward_framing_kind {
	WARD_FRAMING_RAW = 0,     /* what has come, at least one byte */
	WARD_FRAMING_LINES = 1,   /* up to "\n" or "\r\n", which are not in the frame */
	WARD_FRAMING_PREFIX = 2,  /* a length of `size` bytes, most significant first; not in it */
	WARD_FRAMING_UNTIL = 3,   /* up to `delimiter`, which is not in the frame */
	WARD_FRAMING_FIXED = 4,   /* `size` bytes */
	WARD_FRAMING_COUNTED = 5, /* `size` bytes in pieces as they come; then it is over */
	WARD_FRAMING_FOUND = 6    /* as `find` decides */
} ward_framing_kind;

/** What a `find` has found. All zero at the call. */
typedef struct ward_found {
	size_t skip;  /* bytes in front of the frame */
	size_t count; /* bytes of the frame */
	size_t after; /* bytes behind it that belong to none */
	size_t need;  /* no frame: the bytes it needs in all, from the first one on; 0: not known */
} ward_found;

/** A framing. All zero is WARD_RAW. */
typedef struct ward_framing {
	ward_framing_kind kind;
	uint32_t delimiter_size; /* of WARD_FRAMING_UNTIL, 1 to 64 */
	uint64_t size;           /* PREFIX: 1, 2, 4 or 8; FIXED and COUNTED: 1 or more */
	const char *delimiter;   /* of WARD_FRAMING_UNTIL; borrowed */
	/** Of WARD_FRAMING_FOUND. Looks at the bytes in front of the stream. Returns true if there
	 *  is a whole frame, and where. Returns false if more bytes are needed, how many if it
	 *  knows; or if they cannot be a frame, with a text in *ret_wrong, a constant. It is called
	 *  again only when there are more bytes, and `need` of them if it said so; without `need`
	 *  for each piece that comes, with all before it. A frame takes at least one byte, and with
	 *  what is around it at most frame_max + 4096. It must not call ward. */
	bool (*find)(void *arg, const unsigned char *bytes, size_t count, ward_found *ret_found,
		     const char **ret_wrong) WARD_NOEXCEPT;
	void *arg; /* of `find` */
} ward_framing;

/** What has come, as it comes. */
#define WARD_RAW                                                                                   \
	{                                                                                          \
		.kind = WARD_FRAMING_RAW                                                           \
	}
/** Lines that end with "\n" or "\r\n". The last one of a stream may be without an end; a "\r" there
 *  is one of its bytes. */
#define WARD_LINES                                                                                 \
	{                                                                                          \
		.kind = WARD_FRAMING_LINES                                                         \
	}
/** Frames behind their length: 1, 2, 4 or 8 bytes, the most significant one first. */
#define WARD_PREFIX(bytes_of_length)                                                               \
	{                                                                                          \
		.kind = WARD_FRAMING_PREFIX, .size = (bytes_of_length)                             \
	}
/** Frames that end with this string literal. */
#define WARD_UNTIL(literal)                                                                        \
	{                                                                                          \
		.kind = WARD_FRAMING_UNTIL, .delimiter_size = sizeof(literal) - 1,                 \
		.delimiter = "" literal                                                            \
	}
/** Frames of one size. */
#define WARD_FIXED(bytes)                                                                          \
	{                                                                                          \
		.kind = WARD_FRAMING_FIXED, .size = (bytes)                                        \
	}
/** A number of bytes in pieces, as they come; then WARD_STREAM_COUNTED, and no frames until
 *  another framing is set. */
#define WARD_COUNTED(bytes)                                                                        \
	{                                                                                          \
		.kind = WARD_FRAMING_COUNTED, .size = (bytes)                                      \
	}

/** A frame. The stream owns the bytes, and lends them until the next ward_stream_next() and the end
 *  of the callback. They may be written to. Behind a line or a delimited frame there is a 0. */
typedef struct ward_frame {
	char *text;
	size_t size;
} ward_frame;

/** The arguments of "%.*s" for a frame. */
#define WARD_TEXT(frame) (int)(frame).size, (frame).text

WARD_END
#endif
