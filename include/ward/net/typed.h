/* SPDX-License-Identifier: MIT
 *
 * ward/net/typed.h - bodies of messages as the frames of a stream.
 *
 *	static const ward_type *const types[] = {&ward_type_get_balance, &ward_type_balance, NULL};
 *	static const ward_stream_options typed = {.framing = WARD_PREFIX(4), .types = types};
 *
 *	static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
 *	{
 *		struct session *me = state;
 *		ward_frame frame;
 *
 *		while (ward_stream_next(self, me->peer, msg, &frame))
 *			if (ward_frame_match(self, me->peer, &frame, get_balance))
 *				ward_stream_tell(self, me->peer, balance, .cents = 5);
 *		return ward_stream_result(self, me->peer, msg);
 *	}
 *
 * A frame is one byte, the index of the type in the list of the stream, and the bytes of the body.
 * Both ends have the same list, in the same order. Types can be added at its end.
 *
 * The types are flat (WARD_MESSAGE_FLAT, WARD_SIGNAL), and their bytes are sent as they are: in the
 * byte order, with the sizes and the padding of this machine. So the other end is a program for the
 * same kind of machine that was compiled from the same structs, and padding shows it what memory
 * had before. For all others write the bytes yourself.
 */
#ifndef WARD_NET_TYPED_H
#define WARD_NET_TYPED_H

#include <ward/net/stream.h>

WARD_BEGIN

/**
 * Writes a frame with a body of a type of the stream. The plain form of ward_stream_tell(). NULL
 * with size 0 stands for all zeros.
 *
 * Ownership  copies the body.
 * Order      as ward_stream_write().
 * Cost       O(size), two copies, O(types of the stream); as ward_stream_write_frame().
 * Errors     as ward_stream_write(). Also ward_misuse: the options of the stream do not have the
 *            type, a size that no body of it has, or a framing other than WARD_PREFIX and
 *            WARD_FIXED. The actor fails when the callback returns; nothing is written.
 * Contract   S170
 */
WARD_API void ward_stream_send(ward_self *self, ward_stream *stream, const ward_type *type,
			       const void *body, size_t size);

/**
 * Returns the body of the frame at hand if it has this type, otherwise NULL. The plain form of
 * ward_frame_match().
 *
 * The body is aligned for any type. For that it may be moved, within the frame and bytes that were
 * handed out before: what `frame` points to must not be read after a call that returned a body.
 * Further calls for the same frame are allowed.
 *
 * Ownership  lent as the frame: until the next ward_stream_next() and the end of the callback.
 * Cost       O(types of the stream); a move of the body, if it is not aligned.
 * Errors     NULL. A frame that is of no type of the list, or has a size that no body of its type
 *            has, fails the stream with ward_bad_frame: see ward_stream_result(). A type that the
 *            options do not have is ward_misuse, when the callback returns.
 * Contract   S170
 */
WARD_API const void *ward_frame_body(ward_self *self, ward_stream *stream, const ward_frame *frame,
				     const ward_type *type);

WARD_END

#ifndef __cplusplus
/** Writes a frame: `ward_stream_tell(self, me->peer, balance, .cents = 5)`. Cost: as
 *  ward_stream_send(). */
#define ward_stream_tell(self, stream, ...)                                                        \
	ward_stream_send((self), (stream), WARD_BODY(__VA_ARGS__))
/** Returns the body of the frame at hand as a const struct T * if it is a T, otherwise NULL. Cost:
 *  as ward_frame_body(). */
#define ward_frame_match(self, stream, frame, T)                                                   \
	((const struct T *)ward_frame_body((self), (stream), (frame), &ward_type_##T))
#endif
#endif
