/* SPDX-License-Identifier: MIT
 *
 * transport.h - what carries the bytes of a stream: a socket, or the network of a simulation.
 *
 * A transport that needs a record beside the stream begins that record with its table, a copy, so
 * that stream->transport leads to both.
 */
#ifndef WARDI_NET_TRANSPORT_H
#define WARDI_NET_TRANSPORT_H

#include <sys/types.h>
#include <sys/uio.h>
#include <ward/net/stream.h>

/* What a stream waits for, and what has come about: a mask. */
enum { WARDI_READABLE = 1, WARDI_WRITABLE = 2, WARDI_HUNG_UP = 4 };

/* receive and send are as readv() and sendmsg(): -1 and errno, EAGAIN where they would block; they
 * do not return EINTR. */
struct wardi_transport {
	ssize_t (*receive)(ward_stream *stream, const struct iovec *into, int count);
	ssize_t (*send)(ward_stream *stream, const struct iovec *from, int count);
	/* Sends bytes, and behind them as much of a part of a file as goes. Returns the sum, as
	 * send does; 0: the file has no more. NULL: the stream reads files, and sends bytes. */
	ssize_t (*send_file)(ward_stream *stream, const struct iovec *head, int count, int file_fd,
			     int64_t offset, uint64_t size);
	/* Asks for a message when one of `events` comes about; 0: for none. */
	ward_err (*want)(ward_self *self, ward_stream *stream, uint32_t events);
	/* Returns what the message says about the stream; 0: it is not about this one. */
	uint32_t (*told)(const ward_stream *stream, const ward_msg *msg);
	/* Returns what went wrong since the last call: an errno, or 0. */
	int (*error)(ward_stream *stream);
	/* The end of what is sent. */
	void (*finish)(ward_self *self, ward_stream *stream);
	/* The end of both directions, with a reset if wanted. Never waits. */
	void (*close)(ward_stream *stream, bool reset);
};

#endif
