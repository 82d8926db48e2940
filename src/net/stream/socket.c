/* SPDX-License-Identifier: MIT
 *
 * socket.c - a stream over a socket: the transport of everything but simulations.
 */
#include "net/stream/socket.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <ward/fd.h>

#include "net/stream/stream.h"

/* Of a file, in one call. */
enum { FILE_PIECE = 1 << 20 };

static ssize_t receive(ward_stream *stream, const struct iovec *into, int count)
{
	ssize_t got;

	do
		got = count == 1 ? recv(stream->fd, into->iov_base, into->iov_len, MSG_DONTWAIT)
				 : readv(stream->fd, into, count);
	while (got < 0 && errno == EINTR);
	return got;
}

/* A list of one takes a socket longer than its bytes do: 7 % of the time of a line of 64 bytes. */
static ssize_t send_flagged(ward_stream *stream, const struct iovec *from, int count, int flags)
{
	struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)from,
			     .msg_iovlen = (size_t)count};
	ssize_t sent;

	flags |= MSG_NOSIGNAL | MSG_DONTWAIT;
	do
		sent = count == 1 ? send(stream->fd, from->iov_base, from->iov_len, flags)
				  : sendmsg(stream->fd, &msg, flags);
	while (sent < 0 && errno == EINTR);
	return sent;
}

static ssize_t send_bytes(ward_stream *stream, const struct iovec *from, int count)
{
	return send_flagged(stream, from, count, 0);
}

/* sendfile() knows no MSG_NOSIGNAL, so SIGPIPE is blocked during the call, and consumed. */
static ssize_t send_quietly(int to, int file_fd, off_t at, size_t size)
{
	const struct timespec none = {0, 0};
	sigset_t pipe, before;
	ssize_t sent;
	int error;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigemptyset(&before);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	do
		sent = sendfile(to, file_fd, &at, size);
	while (sent < 0 && errno == EINTR);
	error = errno;
	if (sent < (ssize_t)size && sigismember(&before, SIGPIPE) == 0)
		while (sigtimedwait(&pipe, NULL, &none) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return sent;
}

static ssize_t send_file(ward_stream *stream, const struct iovec *head, int count, int file_fd,
			 int64_t offset, uint64_t size)
{
	ssize_t of_head = 0, whole = 0, sent;

	for (int i = 0; i < count; i++)
		whole += (ssize_t)head[i].iov_len;
	if (count > 0)
		of_head = send_flagged(stream, head, count, MSG_MORE);
	if (of_head < whole)
		return of_head;
	sent = send_quietly(stream->fd, file_fd, offset, size < FILE_PIECE ? size : FILE_PIECE);
	if (sent < 0)
		return of_head > 0 ? of_head : sent;
	return of_head + sent;
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

static void finish(ward_self *self, ward_stream *stream)
{
	(void)self;
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
	.send_file = send_file,
	.want = want,
	.told = told,
	.error = error_of,
	.finish = finish,
	.close = close_socket,
};
