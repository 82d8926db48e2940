/* SPDX-License-Identifier: MIT
 *
 * stream.h - the record of a stream, and its parts.
 *
 *	stream.c	the record
 *	life.c		how it begins, what it does between two incarnations, how it ends
 *	options.c	its options: their defaults, and what cannot be
 *	opened.c	one that its actor opens
 *	reading.c	from a readiness to frames
 *	writing.c	from bytes to the operating system
 *	output.c	what waits there
 *	socket.c	its transports: a socket,
 *	wired.c		and an end in the network of a simulation
 *	filtering.c	the filter between the transport and the frames
 *	pipe.c		from one stream to another
 *	give.c		to another actor
 *	tally.c		the count of the listener
 *	result.c	the end of a callback
 *	limits.c	the limits of time
 *	typed_frames.c	bodies of messages as frames
 *
 * It belongs to the arguments of an actor, and is used by the holder of that actor. Between two
 * incarnations nobody uses it. One that was opened, or came in a message, belongs to the
 * incarnation.
 */
#ifndef WARDI_NET_STREAM_H
#define WARDI_NET_STREAM_H

#include <ward/actor.h>
#include <ward/net/stream.h>
#include <ward/resource.h>

#include "net/address/address.h"
#include "net/framing/cut.h"
#include "net/opening/opening.h"
#include "net/stream/output.h"
#include "net/transport/transport.h"

/* Of a stream with a filter. Places in what it sends are counted as `sent` is. */
struct wardi_filtering {
	const ward_stream_filter *filter;
	void *at;                 /* its state */
	struct wardi_buffer wire; /* what it has made of the output, or says itself; this waits */
	uint64_t uncounted;       /* the end of what counts in no limit of bytes: files, pipes */
	uint64_t files;           /* the end of the last piece of a file */
	ward_filtered said;       /* about the last bytes */
	bool open;                /* it has shaken hands */
	bool told;                /* and has told the peer that no more comes */
	bool cut;                 /* the connection has ended, and the filter has not */
	bool parting;             /* it has refused the peer, who is told why */
	char text[WARD_FILTERED_TEXT];
};

/* What few streams have: made with the first of it, and kept. All others share one with their
 * listener, or the constant one, where all but the tally is zero. */
struct wardi_stream_rare {
	bool own;                      /* false: it is shared, and never written */
	struct wardi_tally *tally;     /* of its listener, while it is open; NULL: none */
	ward_framing *framing;         /* set by ward_stream_framing(); NULL: that of the options */
	struct wardi_opening *opening; /* until it is connected; NULL: none */
	struct wardi_filtering *filtering; /* NULL: no filter */
	ward_stream *pipe;   /* to which all goes that is read; NULL: frames are handed out */
	ward_stream *source; /* whose pipe this is; NULL: none */
};
extern const struct wardi_stream_rare wardi_stream_no_rare;
#define WARDI_STREAM_NO_RARE ((struct wardi_stream_rare *)&wardi_stream_no_rare)

struct ward_stream {
	const struct wardi_transport *transport;
	const ward_stream_options *options; /* of its last start; before: its listener's, or NULL */
	const ward_msg *msg; /* about the stream, in a callback that has not ended; NULL: none */
	struct wardi_buffer in;
	struct wardi_output out;
	struct wardi_stream_rare *rare; /* what few have; never NULL */
	struct wardi_cutter cutter;
	uint64_t received, sent;
	struct wardi_peer peer;
	int fd;
	uint32_t mark;        /* of `msg`: see wardi_stream_is_about() */
	uint32_t incarnation; /* that started it last; 0: none */
	/* Milliseconds for which, at least, nothing has happened. */
	uint32_t idle, first, begun, stuck;
	uint32_t tick_ms;    /* the time to the next tick; 0: none is set */
	uint16_t frames;     /* handed out in this callback */
	uint16_t wanted : 3; /* events that the transport was asked for */
	uint16_t news : 6;
	uint16_t late : 6; /* news of the next callback */

	bool own : 1;    /* of the incarnation: it did not come as arguments */
	bool opened : 1; /* own, and by its actor */
	bool given : 1;  /* in a message to another actor */
	bool left : 1;   /* given away: only the pointer of the old holder is left */
	/* for good */
	bool started : 1;    /* by some incarnation */
	bool away : 1;       /* given to another actor than the first one */
	bool dead : 1;       /* failed: nothing can be read or written */
	bool ended : 1;      /* the peer sends no more */
	bool finished : 1;   /* ward_stream_finish(): nothing can be written */
	bool shut : 1;       /* ... and the peer was told */
	bool closing : 1;    /* ward_stream_close(): what comes is thrown away */
	bool draining : 1;   /* the listener ends */
	bool greeted : 1;    /* a first frame was handed out */
	bool reported : 1;   /* the end of the peer was noted */
	bool unfinished : 1; /* the program forgot ward_stream_result(), and was told */
	bool unread : 1;     /* ... ward_stream_next() */
	bool hung : 1;       /* the peer was seen to hang up, while it was not read */
	/* until something happens */
	bool paused : 1;
	bool parked : 1; /* ... not by the program: it did not ask for frames */
	bool full : 1;
	bool closed : 1; /* and has closed the mailbox of its actor */
	bool again : 1;  /* a message to self is under way */
	/* in this callback */
	bool failed : 1;  /* a failure was noted */
	bool asked : 1;   /* ward_stream_next() was called */
	bool aligned : 1; /* the body of the frame at hand was moved: see typed_frames.c */
	/* in what was read */
	bool whole : 1; /* there may be another frame */
	/* since the last tick */
	bool active : 1;    /* a byte came or went */
	bool moved : 1;     /* a byte went, or the first one began to wait */
	bool unchanged : 1; /* all the time within the same frame */
};

_Static_assert(sizeof(struct ward_stream) <= 152, "a block of 160: docs/internals/memory.md");

/* Makes the stream of a connected socket, and takes the descriptor. NULL: no memory, and fd is
 * still the caller's. */
ward_stream *wardi_stream_make(int fd, const struct wardi_peer *peer);
/* The same over another transport. fd: not negative, from a connection to its close. */
ward_stream *wardi_stream_make_over(const struct wardi_transport *transport, int fd,
				    const struct wardi_peer *peer);
/* Returns its rare record for writing. NULL: no memory. */
struct wardi_stream_rare *wardi_stream_rare_of(ward_stream *stream);
/* The address of the peer; while it is not connected, that which was given. */
const char *wardi_stream_peer(const ward_stream *stream, char ret_text[WARD_ADDRESS_TEXT]);

/* The listener tells its children: the end of the system is near. */
struct wardi_stream_closing {
	unsigned char none_;
};
extern const ward_type wardi_type_stream_closing;

/* The body of the messages to self. */
struct wardi_stream_word {
	ward_stream *stream; /* NULL: it was taken */
};
extern const ward_type wardi_type_stream_again; /* go on */
extern const ward_type wardi_type_stream_tick;  /* of the limits of time */
extern const ward_type wardi_type_stream_ready; /* a descriptor that is always ready */

static inline bool wardi_stream_is_started(const ward_self *self, const ward_stream *stream)
{
	return stream->incarnation == ward_incarnation(self);
}
/* Bytes that were read and not handed out. */
static inline bool wardi_stream_has_bytes(const ward_stream *stream)
{
	return wardi_buffer_count(&stream->in) > 0;
}
/* Neither connected nor lost. */
static inline bool wardi_stream_connects(const ward_stream *stream)
{
	return stream->rare->opening != NULL && !stream->dead;
}
/* Whether it has a connection, or will. */
static inline bool wardi_stream_exists(const ward_stream *stream)
{
	return stream->fd >= 0 || wardi_stream_connects(stream);
}
/* Something has changed: what comes may be wanted now. */
static inline void wardi_stream_unpark(ward_stream *stream)
{
	if (stream->parked)
		stream->paused = stream->parked = false;
}
/* Whether frames may be handed out. */
static inline bool wardi_stream_reads(const ward_stream *stream)
{
	return !stream->dead && !stream->failed && !stream->paused && !stream->full &&
	       !stream->closing && stream->rare->pipe == NULL;
}
/* Whether an end of the peer that was read waits, as frames do. */
static inline bool wardi_stream_keeps_end(const ward_stream *stream)
{
	return stream->paused && !stream->closing;
}
/* Whether a handshake is under way, or waits for a connection. */
static inline bool wardi_filtering_shakes(const ward_stream *stream)
{
	return stream->rare->filtering != NULL && !stream->rare->filtering->open;
}
/* Whether the filter has refused the peer, who is told why: the actor fails when that is over. */
static inline bool wardi_filtering_parts(const ward_stream *stream)
{
	return stream->rare->filtering != NULL && stream->rare->filtering->parting;
}
/* Whether the connection has ended, or will, and its filter has not. */
static inline bool wardi_filtering_was_cut(const ward_stream *stream)
{
	return (stream->rare->filtering != NULL && stream->rare->filtering->cut) ||
	       wardi_filtering_parts(stream);
}
/* Whether the peer is not to be read now. What is in the way must not keep a handshake from its
 * end, for which it may wait. */
static inline bool wardi_stream_held(const ward_stream *stream)
{
	return (stream->paused || stream->full ||
		(stream->rare->pipe != NULL &&
		 (wardi_stream_has_bytes(stream) || stream->rare->pipe->full))) &&
	       !wardi_filtering_shakes(stream);
}
/* Whether what comes is thrown away. */
static inline bool wardi_stream_discards(const ward_stream *stream)
{
	return stream->closing || (stream->rare->pipe != NULL &&
				   (stream->rare->pipe->finished || stream->rare->pipe->dead));
}
/* Bytes of its source that were read and wait to be sent. */
static inline uint32_t wardi_stream_piped(const ward_stream *stream)
{
	return stream->rare->source == NULL || stream->rare->source->paused || stream->finished
		       ? 0
		       : wardi_buffer_count(&stream->rare->source->in);
}
/* What waits behind the filter. */
static inline uint32_t wardi_stream_wire(const ward_stream *stream)
{
	return stream->rare->filtering != NULL ? wardi_buffer_count(&stream->rare->filtering->wire)
					       : 0;
}
/* All that waits to be sent, or waits for a handshake. */
static inline uint64_t wardi_stream_unsent(const ward_stream *stream)
{
	return stream->dead ? 0
			    : wardi_output_waiting(&stream->out) + wardi_stream_piped(stream) +
				      wardi_stream_wire(stream);
}
/* Whether some of it can be sent now. */
static inline bool wardi_stream_sends(const ward_stream *stream)
{
	if (wardi_filtering_shakes(stream))
		return !stream->dead && wardi_stream_wire(stream) > 0;
	return wardi_stream_unsent(stream) > 0;
}
/* Nothing more comes for the stream whose source this is. */
static inline bool wardi_stream_dry(const ward_stream *stream)
{
	/* Aborted. One that has failed, such as to connect, is no end: a reset follows. */
	bool gone = !wardi_stream_exists(stream) && !stream->failed;

	return (stream->ended || gone) && !wardi_stream_has_bytes(stream) &&
	       !wardi_filtering_was_cut(stream);
}
/* Neither direction has anything to come. */
static inline bool wardi_stream_over(const ward_stream *stream)
{
	return stream->ended && stream->shut;
}

#endif
