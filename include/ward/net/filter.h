/* SPDX-License-Identifier: MIT
 *
 * ward/net/filter.h - what stands between the connection and the frames of a stream: TLS, for one.
 *
 *	static const ward_stream_filter rot13 = {.name = "rot13",
 *						 .open = rot13_open,
 *						 .came = rot13_came,
 *						 .goes = rot13_goes,
 *						 .close = rot13_close};
 *	static const ward_stream_options hidden = {.framing = WARD_LINES, .filter = &rot13};
 *
 * A filter sees memory and no descriptor. What the connection brings goes through `came`, which
 * gives plain bytes, to be cut into frames, and bytes for the wire, such as its side of a
 * handshake. What the actor writes is collected, and goes through `goes` in pieces of up to 16 KiB,
 * a little ahead of what the connection takes; so do given bytes, files and what a pipe passes on,
 * in their order. The state of a filter belongs to the stream: a restart of the actor does not
 * touch it, and ward_stream_give() moves it with the stream.
 *
 * Until the filter has said WARD_FILTERED_OPEN nothing goes through `goes`: it waits, and counts in
 * ward_stream_unsent(). Until then the peer is read even while more than write_high bytes wait. A
 * connection that ends before the filter has seen the end of the peer (WARD_FILTERED_END) was cut
 * off: ward_peer_cut_off.
 *
 * When a filter refuses the peer, or its bytes, what it says about it, such as an alert, goes out,
 * then the end, and what still comes is thrown away. The actor fails when the peer has ended, or
 * after two seconds; at once where the filter says nothing.
 *
 * The library ward-tls has a filter for each side of TLS (ward/tls.h).
 */
#ifndef WARD_NET_FILTER_H
#define WARD_NET_FILTER_H

#include <ward/types.h>

WARD_BEGIN

/** Bytes that a filter gives: its caller has them, and takes what was added. Opaque. */
typedef struct ward_stream_bytes ward_stream_bytes;

/** Makes room for `size` more bytes, and returns where; NULL: no memory. Threads: within `came` and
 *  `goes`. Cost: O(1), amortised. */
WARD_API void *ward_stream_bytes_room(ward_stream_bytes *bytes, size_t size);
/** Adds bytes that were written into the room. Cost: O(1). */
WARD_API void ward_stream_bytes_add(ward_stream_bytes *bytes, size_t size);

/** What a filter says about a step. */
typedef enum ward_filtered {
	WARD_FILTERED_MORE = 0,    /* it goes on */
	WARD_FILTERED_OPEN = 1,    /* the handshake is over, in this step: `goes` can be called */
	WARD_FILTERED_END = 2,     /* the peer has ended in order; so the handshake is over, too */
	WARD_FILTERED_REFUSED = 3, /* by either side: the stream fails with ward_not_trusted */
	WARD_FILTERED_WRONG = 4,   /* these bytes cannot be: it fails with ward_bad_frame */
	WARD_FILTERED_MEMORY = 5   /* no memory: it fails with ward_out_of_memory */
} ward_filtered;

/** The room for the text of a refusal, with its terminating 0. */
enum { WARD_FILTERED_TEXT = 256 };

/**
 * A filter. Its functions are called in the callbacks of the actor that has the stream, one at a
 * time for each stream. They may call ward_stream_bytes_room() and ward_stream_bytes_add(), and
 * nothing else of ward. After a step that failed only `close` is called.
 */
typedef struct ward_stream_filter {
	const char *name;
	/** Makes the state of one stream, at its first start, or when it is opened, from the
	 *  filter_options in ward_stream_options. NULL: it cannot, with the reason in
	 *  ret_text; "": no memory. */
	void *(*open)(const void *options, char ret_text[WARD_FILTERED_TEXT])WARD_NOEXCEPT;
	/** Takes bytes that came, all of them, and gives all that they are. It is called once with
	 *  none when there is a connection, for the side that begins. What is on the wire
	 *  when a step fails is still sent. */
	ward_filtered (*came)(void *at, const void *bytes, size_t size, ward_stream_bytes *plain,
			      ward_stream_bytes *wire,
			      char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT;
	/** Takes bytes that the actor wrote, all of them. end: then tells the peer that there are
	 *  no more. Returns WARD_FILTERED_MORE, or why it failed. */
	ward_filtered (*goes)(void *at, const void *bytes, size_t size, bool end,
			      ward_stream_bytes *wire,
			      char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT;
	/** Frees the state. */
	void (*close)(void *at) WARD_NOEXCEPT;
	uintptr_t reserved[4]; /* zero */
} ward_stream_filter;

WARD_END
#endif
