/* SPDX-License-Identifier: MIT
 *
 * ward/net/stream.h - a connection in the hands of one actor: frames in, bytes out.
 *
 *	static ward_result session_init(ward_self *self, void *state, const void *args)
 *	{
 *		((struct session *)state)->peer = ward_stream_start(self, args, &by_line);
 *		return WARD_DONE;
 *	}
 *
 * `args` is the ward_connection that a listener gives to each of its children. The receive of such
 * an actor is in net.h: a loop around ward_stream_next(), and ward_stream_result() at its end. All
 * calls are made in callbacks of the actor that has started the stream.
 *
 * A stream belongs to the actor, not to an incarnation, as its mailbox does. Over a restart it
 * keeps the descriptor, the bytes that were read and not handed out, and what was written. Only the
 * frame at hand is gone. The new incarnation calls ward_stream_start() again, and goes on with the
 * next frame. A protocol that cannot go on without the lost frame has the rule WARD_STOP for its
 * actor; the listener's own strategy stops.
 *
 * What is written in the callback of a readiness is collected, and goes out in
 * ward_stream_result(); what is written in any other callback goes out at once. What the operating
 * system does not take waits in the stream, and goes out as soon as it can.
 *
 * A slow peer is not served faster than it reads. While more than write_high bytes wait for it,
 * ward_stream_next() returns no frame and the peer is not read. (So two peers of this kind that
 * write more than that before they read wait for each other, until write_ms ends one.) If the actor
 * itself is busy, or held by the full mailbox of another, nothing is read either. So the peer's own
 * writes block.
 *
 * The end of a connection:
 *
 *	the peer ends		what was written goes out, then the actor stops. With .half_close
 *				it is news (WARD_STREAM_ENDED) instead, and the actor goes on
 *	ward_stream_finish()	what waits goes out, then the peer sees the end; it is read on
 *	ward_stream_close()	the same, but what still comes is thrown away; then the actor stops
 *	ward_stream_abort()	the peer sees a reset, at once
 *	the actor stops		what the operating system takes at once goes out, then the end
 *	the actor fails and	the same, then a reset, so that no peer takes a failure for the
 *	is stopped		regular end of an answer
 *
 * An actor opens a stream of its own with ward_stream_open(). Such a stream belongs to the
 * incarnation: a restart ends it as a failure does, and the new incarnation opens another one.
 */
#ifndef WARD_NET_STREAM_H
#define WARD_NET_STREAM_H

#include <ward/actor.h>
#include <ward/net/error.h>
#include <ward/net/filter.h>
#include <ward/net/framing.h>

WARD_BEGIN

/** A connection with its framing, what was read too far, and what waits to be written. Opaque. */
typedef struct ward_stream ward_stream;

/**
 * The options of a stream. Constant; must outlive the stream, as a behaviour outlives its actors.
 * All zero: the defaults.
 *
 * What waits to be sent is counted where it takes memory: bytes that were copied, and bytes that
 * were given. Files do not count, so a large one alone is not slow; but while a part of
 * one waits the stream is full, as above write_high.
 *
 * The limits of time are watched by one timer of the actor: one that is passed is noticed a quarter
 * of it later at most, and never early. 0: no limit, unless another default is given.
 */
typedef struct ward_stream_options {
	ward_framing framing;
	size_t frame_max;  /* bytes of a frame, or of a piece of RAW and COUNTED; 64 KiB */
	int64_t idle_ms;   /* without a byte in either direction */
	int64_t first_ms;  /* from the start of the stream, or its opening, to its first frame */
	int64_t frame_ms;  /* from the first byte of a frame to its last one */
	int64_t write_ms;  /* while bytes wait: without one that is taken; 30 s */
	size_t write_high; /* more bytes than this wait: the peer is not read; 64 KiB */
	size_t write_low;  /* at most this many wait: it is read again; a quarter of write_high */
	size_t write_max;  /* more wait: ward_peer_slow; 1 MiB, at least write_high */
	/** While more than write_high bytes wait, the mailbox of the actor is closed
	 *  (ward_mailbox_close()), so that a bounded one holds those who tell it what to write. */
	bool write_closes_mailbox;
	/** The end of the peer is news, and the actor goes on until ward_stream_finish(). */
	bool half_close;
	uint32_t frames_per_turn; /* then other actors have their turns; 64 */
	/** What stands between the connection and the frames: TLS, or one of your own. NULL: none.
	 *  first_ms includes its handshake, the limits in bytes are about what is sent. One that is
	 *  opened is open (WARD_STREAM_OPENED) when the handshake is over. */
	const ward_stream_filter *filter;
	const void *filter_options; /* as `filter` has them; borrowed like these */
	/** The types of frames with bodies (ward/net/typed.h), NULL behind the last one; at most
	 *  255, all flat. Borrowed as the options are. */
	const ward_type *const *types;
	/* of ward_stream_open() */
	uint32_t connect_tries; /* 1 */
	int64_t connect_ms;     /* of each try, with the look-up of the name; 10 s */
	int64_t min_backoff_ms; /* the first pause; each further one is twice as long; 100 ms */
	int64_t max_backoff_ms; /* at most, without a random part of up to a fifth; 10 s */
	uintptr_t reserved[4];  /* zero */
} ward_stream_options;

/** The arguments of an actor that serves a connection, and the message that moves one
 *  (ward_stream_give()). Its drop function closes the connection; it can only be moved. */
struct ward_connection {
	ward_stream *stream;
	/** The arguments in the props of the child of the listener or connector; NULL: none.
	 *  Borrowed for the life of the actor. */
	const void *with;
};
WARD_API extern const ward_type ward_type_ward_connection;

/**
 * Begins to use the stream of a connection, which came as the arguments of the actor, or in the
 * message at hand. Returns NULL after a refusal; all calls accept that.
 *
 * Ownership  the stream stays with the arguments of the actor, and is valid as long as the actor
 *            lives. One that came in a message is taken out of it, and belongs to the incarnation:
 *            a restart resets it, unless pre_restart gives it to self (ward_stream_give()).
 *            Borrows the options for the life of the stream; those of the last call count, but a
 *            framing only at the first one of an actor. NULL: those of the listener or connector
 *            (.stream), or of the last start. The filter is that of the first start, and moves
 *            with the stream; later ones name the same, or none.
 * Cost       O(1), a system call or two, a deferred call, and a timer if there are limits of time.
 * Errors     WARD_EINVAL no options, or options that contradict each other, such as write_low
 *            above write_high, a framing that cannot be, a reserved word that is not zero, options
 *            that the filter refuses, or another filter than the stream has; ward_err_detail() has
 *            the field, its value, and what it may be. WARD_ENOENT no stream, or it was closed or
 *            given away; WARD_EEXIST it was started by this incarnation; WARD_ENOMEM; WARD_ESYS. A
 *            message still has the stream then.
 */
WARD_API WARD_MUST_USE ward_err ward_try_stream_start(ward_self *self,
						      const struct ward_connection *connection,
						      const ward_stream_options *options,
						      ward_stream **ret_stream);
/** Begins to use a stream, and returns it. A refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: as ward_try_stream_start(). */
static inline ward_stream *ward_stream_start(ward_self *self,
					     const struct ward_connection *connection,
					     const ward_stream_options *options)
{
	ward_stream *stream = NULL;

	(void)ward_noted_(self, ward_try_stream_start(self, connection, options, &stream));
	return stream;
}

/**
 * Connects to an address (net.h), and returns the stream, which may be written to at once. The
 * plain form of ward_stream_open().
 *
 * It is used as any other. While it connects, nothing is read, what is written waits, and of the
 * limits of time only first_ms counts. Once it is connected, ward_stream_news() is
 * WARD_STREAM_OPENED, and what waits goes out. After a try that failed it is WARD_STREAM_RETRY; the
 * next one follows by itself. After the last one self fails with ward_not_connected.
 *
 * A name is looked up by a child of self on WARD_BLOCKING, which stops when it has the answer. Its
 * addresses are tried in turn, with 250 ms for each before the next one is tried, too, or until it
 * is refused; the first that connects is used, and the others are closed. The end of self, or a
 * restart, waits for a look-up that is under way, as for any child.
 *
 * ward_stream_close() of a stream to which nothing was written ends it while it connects;
 * ward_stream_abort() always does.
 *
 * It has no WARD_STREAM_CLOSING, since an opened stream may be needed until the last answer of the
 * accepted one is out: that has the news, and the actor knows what to do with the other. A pipe
 * passes the end on. An actor below no listener joins a phase of the shutdown (ward/shutdown.h).
 *
 * Ownership  the stream belongs to the incarnation, and is valid in its hooks, too. A deferred call
 *            then sends what the operating system takes at once and closes it, after a failure and
 *            before a restart with a reset. Copies the address; borrows the options for the life of
 *            the stream.
 * Cost       O(1): 1.5 KiB while it connects, a deferred call, a timer, and two while it connects;
 *            later two system calls or more for each address that is tried, and for a name a child
 *            and a question.
 * Errors     WARD_EINVAL no address, one that is to listen at, options that contradict each
 *            other, or that the filter refuses; WARD_ENOMEM. All that comes later is a failure:
 *            ward_not_connected, whose text and body have the address as it was given.
 * Contract   S142, S143, S144
 */
WARD_API WARD_MUST_USE ward_err ward_try_stream_open(ward_self *self, const char *address,
						     const ward_stream_options *options,
						     ward_stream **ret_stream);
/** Connects to an address, and returns the stream: `me->peer = ward_stream_open(self,
 *  "tcp:example.org:7000", &lines)`. A refusal makes self fail when the callback returns: see
 *  ward_failed_err(); then it returns NULL, which all calls accept. Cost: as
 *  ward_try_stream_open(). Contract: S142, S143, S144. */
static inline ward_stream *ward_stream_open(ward_self *self, const char *address,
					    const ward_stream_options *options)
{
	ward_stream *stream = NULL;

	(void)ward_noted_(self, ward_try_stream_open(self, address, options, &stream));
	return stream;
}

/* ---- reading ----------------------------------------------------------------------------- */

/**
 * Returns true and the next frame if the message concerns this stream and there is one.
 *
 * The first call for a message reads once. False ends the loop of this callback, not the stream:
 * there is no further frame yet, or frames_per_turn were handed out, or the peer is slow, or the
 * stream has ended or failed. ward_stream_result() must follow, in each case. A loop that is left
 * early, also by a failure, loses nothing but the frame at hand; the rest comes with the next
 * message, or after ward_stream_again().
 *
 * Ownership  the bytes of the frame are lent until the next call and the end of the callback.
 * Cost       O(bytes of the frame); no copy if the frame came whole in one read. The first call of
 *            a callback: a system call.
 * Errors     none here. What went wrong makes ward_stream_result() return WARD_FAILED.
 */
WARD_API WARD_MUST_USE bool ward_stream_next(ward_self *self, ward_stream *stream,
					     const ward_msg *msg, ward_frame *ret_frame);

/**
 * Ends the callback for this stream, and returns its result: the last line of each receive.
 *
 * Sends what was written in this callback, with one system call, and asks for the next readiness.
 * Returns WARD_DONE if the message concerned this stream; WARD_UNHANDLED if not, and then nothing
 * was done; WARD_FAILED if the stream has failed. Stops the actor when the stream has come to its
 * end, also an actor that has others: those end with it. A receive with several streams asks them
 * in turn, until one does not return WARD_UNHANDLED.
 *
 * If bytes wait and ward_stream_next() was not called in this callback, the stream is paused, as
 * by ward_stream_pause(), until ward_stream_again(); a WARD_EVENT_NOTE says so once.
 *
 * If it was not called after ward_stream_next(), the stream goes on with the next message, so that
 * answers come late, and a WARD_EVENT_NOTE says so once; also after a failure that was resumed,
 * where it means nothing.
 *
 * Cost       O(1) and a system call, if something was written; another one if not all was taken.
 * Errors     WARD_FAILED, with a failure of a class of ward/net/error.h.
 */
WARD_API WARD_MUST_USE ward_result ward_stream_result(ward_self *self, ward_stream *stream,
						      const ward_msg *msg);

/** What has happened to a stream: a mask. */
enum {
	WARD_STREAM_ENDED = 1,   /* with half_close: the peer sends no more */
	WARD_STREAM_DRAINED = 2, /* write_low or less wait, after more than write_high */
	WARD_STREAM_COUNTED = 4, /* all bytes of WARD_COUNTED were handed out */
	WARD_STREAM_CLOSING = 8, /* the listener ends: finish what has begun, then close */
	WARD_STREAM_OPENED = 16, /* of ward_stream_open(): it is connected, its filter open */
	WARD_STREAM_RETRY = 32   /* ... a try has failed, and another one follows */
};
/** Returns what has happened to a stream in this callback, once it was read: after a
 *  ward_stream_next() that returned false, or after ward_stream_result(); what that brings about is
 *  news of the next callback. 0: nothing. Cost: O(1). */
WARD_API uint32_t ward_stream_news(const ward_stream *stream);

/** Changes the framing, from the next frame on; also of bytes that were read already. The delimiter
 *  is borrowed, the rest is copied. Cost: O(1); in a callback that is not about the stream also a
 *  message to self. Errors: WARD_EINVAL a framing that cannot be; WARD_ENOMEM. The old one stays
 *  then. */
WARD_API WARD_MUST_USE ward_err ward_try_stream_framing(ward_self *self, ward_stream *stream,
							const ward_framing *framing);
/** Calls ward_try_stream_framing(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_stream_framing(ward_self *self, ward_stream *stream,
				       const ward_framing *framing)
{
	(void)ward_noted_(self, ward_try_stream_framing(self, stream, framing));
}

/** Stops reading from the peer until ward_stream_again(), or the next incarnation. Frames that were
 *  read already wait, too, and so does an end of the peer: for an answer that comes later.
 *  Cost: O(1). */
WARD_API void ward_stream_pause(ward_self *self, ward_stream *stream);
/** Goes on reading, also with frames that were left: by a message to self. Cost: as
 *  ward_after(). */
WARD_API void ward_stream_again(ward_self *self, ward_stream *stream);

/* ---- writing ----------------------------------------------------------------------------- */

/**
 * Writes bytes to the peer.
 *
 * Ownership  copies the bytes.
 * Order      all that is written to a stream goes out in the order of the calls.
 * Cost       O(size); outside the callback of a readiness also a system call.
 * Errors     more than write_max bytes would wait: ward_peer_slow; no memory: ward_out_of_memory;
 *            the connection is lost: ward_peer_lost. The actor fails when the callback returns.
 *            After an earlier failure, or once the stream was finished, nothing is written.
 */
WARD_API void ward_stream_write(ward_self *self, ward_stream *stream, const void *bytes,
				size_t size);
/** Writes text, formatted as by printf. Cost and errors: as ward_stream_write(). */
WARD_API WARD_PRINTF(3, 4) void ward_stream_printf(ward_self *self, ward_stream *stream,
						   const char *text, ...);
/** Writes a frame: the bytes with the length in front, or the delimiter or "\n" behind, as the
 *  framing of the stream has it. The bytes are not looked at: a "\n" in a line makes two of it for
 *  the peer. Cost and errors: as ward_stream_write(); also ward_misuse for a size that the framing
 *  does not allow, and for any with a `find`. */
WARD_API void ward_stream_write_frame(ward_self *self, ward_stream *stream, const void *bytes,
				      size_t size);
/**
 * Writes bytes that are not copied: they must stay as they are until `release` has run. For many
 * bytes at once, since a few are copied faster.
 *
 * Ownership  takes the bytes: release(arg) runs once, when all of them are out or were dropped,
 *            also if nothing can be written. NULL: nothing runs, as for constants. It must not
 *            fail, jump or call ward.
 * Threads    release runs in this call or a later callback of self, or on the thread on which the
 *            stream ends; after ward_stream_give() in one of its next actor.
 * Order      as ward_stream_write().
 * Cost       O(1), and an allocation. With bytes that were written before or behind it is one
 *            system call.
 * Errors     as ward_stream_write().
 * Contract   S149
 */
WARD_API void ward_stream_write_given(ward_self *self, ward_stream *stream, const void *bytes,
				      size_t size, void (*release)(void *arg) WARD_NOEXCEPT,
				      void *arg);
/**
 * Writes a part of a file: `size` bytes from `offset` on. Over a socket they do not pass through
 * the process (sendfile()); elsewhere 64 KiB at most are in memory.
 *
 * While some of it waits the stream is full: ward_stream_next() returns no frame. A file on a disk
 * is waited for: give actors with such files a dispatcher of their own, as WARD_BLOCKING.
 *
 * Ownership  takes file_fd, which is closed once, when all bytes are out or were dropped, also if
 *            nothing can be written.
 * Order      as ward_stream_write(). Each MiB others have their turns.
 * Cost       O(1), and an allocation. What was written before goes out at once, with the file
 *            behind it.
 * Errors     as ward_stream_write(); a negative descriptor or offset: ward_misuse; the file is
 *            shorter, or cannot be read: ward_net_failure, and the peer sees a reset.
 * Contract   S150
 */
WARD_API void ward_stream_write_file(ward_self *self, ward_stream *stream, int file_fd,
				     int64_t offset, uint64_t size);
/** Writes bytes like ward_stream_write(), or returns why it cannot. Cost: the same. Errors:
 *  WARD_EFULL more than write_high bytes wait, or a file; WARD_EDEAD the stream has ended, was
 *  finished or has failed; WARD_ENOMEM. Nothing is written then. */
WARD_API WARD_MUST_USE ward_err ward_stream_try_write(ward_self *self, ward_stream *stream,
						      const void *bytes, size_t size);

/** Returns the number of bytes that wait to be taken by the operating system, those of files and
 *  of a pipe among them. Cost: O(1). */
WARD_API size_t ward_stream_unsent(const ward_stream *stream);
/** Returns true while the peer is slow: from more than write_high bytes that wait, or a file, to
 *  write_low. Cost: O(1). */
WARD_API bool ward_stream_full(const ward_stream *stream);

/* ---- to other streams, and other actors -------------------------------------------------- */

/**
 * From now on sends what comes from one stream to another one of self, unframed; first what was
 * read already and not handed out. For a proxy call it once for each direction. Its receive is
 *
 *	static ward_result proxy_receive(ward_self *self, void *state, const ward_msg *msg)
 *	{
 *		struct proxy *me = state;
 *		ward_result result = ward_stream_result(self, me->client, msg);
 *
 *		if (result != WARD_UNHANDLED)
 *			return result;
 *		return ward_stream_result(self, me->server, msg);
 *	}
 *
 * `from` is read only while nothing that came from it waits in `to`, so a pipe holds what one read
 * brought, 64 KiB at most. The end of `from` finishes `to`, once all is out. ward_stream_result()
 * stops self when both streams have ended in both directions. If `to` is finished by the program,
 * or aborted, what still comes is thrown away. A pipe ends with the incarnation, or when one of its
 * streams is given away; what waits is handed out as frames then, if it was not sent. A proxy that
 * has no second stream yet pauses the first one until then (ward_stream_pause()).
 *
 * Order      what the program writes to `to` goes out in front of what waits in the pipe.
 * Cost       O(1), and a message to self. Then a read and a write for each message of a stream.
 * Errors     WARD_EINVAL no two streams of self, or one without half_close; WARD_EEXIST there is a
 *            pipe from `from`, or to `to`; WARD_EDEAD one has failed, or `to` is finished;
 *            WARD_ENOMEM.
 * Contract   S151, S152
 */
WARD_API WARD_MUST_USE ward_err ward_try_stream_pipe(ward_self *self, ward_stream *from,
						     ward_stream *to);
/** Calls ward_try_stream_pipe(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_stream_pipe(ward_self *self, ward_stream *from, ward_stream *to)
{
	(void)ward_noted_(self, ward_try_stream_pipe(self, from, to));
}

/**
 * Moves a stream to another actor, in a message of type ward_connection, with all that was read and
 * not handed out, and all that was written and not sent. The receiver starts it with options of its
 * own:
 *
 *	if (ward_match(msg, ward_connection))
 *		me->peer = ward_stream_start(self, ward_match(msg, ward_connection), &by_line);
 *
 * Its framing is that of these options, from the first byte that was not handed out; its limits of
 * time start again. It keeps its filter. A message that nobody takes resets the connection,
 * wherever it ends: as a dead letter, in a mailbox, after a callback that did not start it.
 *
 * For self it is as if the connection had ended: ward_stream_next() returns false, and
 * ward_stream_result() stops the actor whose arguments had the stream; of any other actor it
 * returns WARD_UNHANDLED. A session that goes on returns WARD_DONE instead, and uses the stream no
 * more. What it writes is a ward_misuse. Its listener counts the connection until that is closed;
 * ends in order that the listener asks for do not reach it.
 *
 * Ownership  takes the stream, with the frame at hand. No restart, stop or limit of self affects
 *            it. The pointer stays valid as long as that of an aborted stream: with the arguments
 *            of the actor, or until the end of the incarnation. One that has failed or was aborted
 *            is closed, and not sent.
 * Order      as ward_send().
 * Cost       as ward_send(), and a system call. 0.3 KiB stay behind the pointer.
 * Errors     ward_misuse one that was given away already, or is not connected yet; no memory:
 *            ward_out_of_memory. Then the stream is still self's.
 * Contract   S153, S154
 */
WARD_API void ward_stream_give(ward_self *self, ward_stream *stream, ward_ref to);

/* ---- the end ----------------------------------------------------------------------------- */

/** Sends what waits, then the end of the stream; the peer is still read. Nothing can be written
 *  after it. Cost: as ward_stream_write(). */
WARD_API void ward_stream_finish(ward_self *self, ward_stream *stream);
/** Sends what waits, then the end of the stream, and throws away what still comes until the peer
 *  ends, or write_ms has passed; then self stops. No further frame is handed out. Cost: as
 *  ward_stream_write(). */
WARD_API void ward_stream_close(ward_self *self, ward_stream *stream);
/** Closes the connection at once; the peer gets a reset. self goes on, until it stops itself.
 *  Cost: a system call. */
WARD_API void ward_stream_abort(ward_self *self, ward_stream *stream);

/** Writes the address of the peer, such as "tcp:10.0.0.7:51234", and returns the buffer. Of a
 *  stream that is not connected yet it is the address as it was given. Cost: O(1). */
WARD_API const char *ward_stream_peer(const ward_stream *stream, char ret_text[WARD_ADDRESS_TEXT]);
/** Returns the state that the `open` of this filter has made for a stream; NULL: it has another
 *  filter, or none. For functions of a filter about a stream. Threads: the callbacks of its actor.
 *  Cost: O(1). */
WARD_API void *ward_stream_filter_state(const ward_stream *stream,
					const ward_stream_filter *filter);

WARD_END
#endif
