/* SPDX-License-Identifier: MIT
 *
 * socket.c - a stream over a socket: the transport of everything but simulations.
 */
#include "net/stream/socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>
#include <ward/fd.h>

#include "net/stream/stream.h"

static ssize_t receive(ward_stream *stream, const struct iovec *into, int count)
{
	ssize_t got;

	do
		got = readv(stream->fd, into, count);
	while (got < 0 && errno == EINTR);
	return got;
}

static ssize_t send_bytes(ward_stream *stream, const struct iovec *from, int count)
{
	struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)from,
			     .msg_iovlen = (size_t)count};
	ssize_t sent;

	do
		sent = sendmsg(stream->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent;
}

static ward_err want(ward_self *self, ward_stream *stream, uint32_t events)
{
	uint32_t bits = (events & WARDI_READABLE ? WARD_FD_READ : 0) |
			(events & WARDI_WRITABLE ? WARD_FD_WRITE : 0) |
			(events & WARDI_HUNG_UP ? WARD_FD_HANGUP : 0);

	if (bits != 0)
		return ward_try_fd_watch(self, stream->fd, bits | WARD_FD_KEPT);
	ward_fd_unwatch(self, stream->fd);
	return WARD_OK;
}

static uint32_t told(const ward_stream *stream, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);

	if (ready == NULL || ready->fd != stream->fd)
		return 0;
	return (ready->events & WARD_FD_READ ? WARDI_READABLE : 0) |
	       (ready->events & WARD_FD_WRITE ? WARDI_WRITABLE : 0) |
	       (ready->events & WARD_FD_HANGUP ? WARDI_HUNG_UP : 0);
}

static int error_of(ward_stream *stream)
{
	socklen_t size = sizeof(int);
	int error = 0;

	return getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

static void finish(ward_stream *stream)
{
	shutdown(stream->fd, SHUT_WR);
}

static void close_socket(ward_stream *stream, bool reset)
{
	if (reset)
		setsockopt(stream->fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0},
			   sizeof(struct linger));
	close(stream->fd);
	stream->fd = -1;
}

const struct wardi_transport wardi_socket = {
	.receive = receive,
	.send = send_bytes,
	.want = want,
	.told = told,
	.error = error_of,
	.finish = finish,
	.close = close_socket,
};
