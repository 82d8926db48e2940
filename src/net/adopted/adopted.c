/* SPDX-License-Identifier: MIT
 *
 * adopted.c - a stream over descriptors of the program: its transport.
 *
 * A stream waits for one thing at a time to be read, and for one to be written; these may be two
 * descriptors. One that cannot be polled is always ready: in place of a readiness a message to self
 * comes.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <ward/extend.h>
#include <ward/net/adopt.h>
#include <ward/ward.h>

#include "net/adopted/side.h"
#include "net/stream/stream.h"
#include "net/transport/unconnected.h"

struct adopted {
	struct wardi_transport transport; /* the first member: streams lead to it */
	struct wardi_side in, out;
	bool one;    /* `in` is used for both directions */
	int watched; /* the descriptor of `out` while it is watched, or -1 */
};

static struct adopted *adopted_of(const ward_stream *stream)
{
	return (struct adopted *)(uintptr_t)stream->transport;
}

static const struct wardi_side *out_of(const struct adopted *me)
{
	return me->one ? &me->in : &me->out;
}

/* ---- bytes ------------------------------------------------------------------------------- */

/* Of a stream that is written only: the end, once nobody reads it. */
static ssize_t receive_end(const struct adopted *me)
{
	struct pollfd at = {.fd = me->out.fd};

	if (me->out.kind == WARDI_SIDE_NONE || (poll(&at, 1, 0) > 0 && at.revents != 0))
		return 0;
	errno = EAGAIN;
	return -1;
}

static ssize_t receive(ward_stream *stream, const struct iovec *into, int count)
{
	const struct adopted *me = adopted_of(stream);
	struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)into,
			     .msg_iovlen = (size_t)count};
	ssize_t got;

	if (me->in.kind == WARDI_SIDE_NONE)
		return receive_end(me);
	do
		got = me->in.kind == WARDI_SIDE_SOCKET ? recvmsg(me->in.fd, &msg, MSG_DONTWAIT)
						       : readv(me->in.fd, into, count);
	while (got < 0 && errno == EINTR);
	/* Of a pseudoterminal: the other end is closed. */
	return got < 0 && errno == EIO && isatty(me->in.fd) ? 0 : got;
}

/* A write that nobody reads raises SIGPIPE in this thread: consumes it. */
static void take_sigpipe(const sigset_t *pipe)
{
	const struct timespec none = {0, 0};

	while (sigtimedwait(pipe, NULL, &none) < 0 && errno == EINTR)
		;
}

static ssize_t write_quietly(int fd, const struct iovec *from, int count)
{
	sigset_t pipe, before;
	ssize_t sent;
	int error;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigemptyset(&before);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	do
		sent = writev(fd, from, count);
	while (sent < 0 && errno == EINTR);
	error = errno;
	if (sent < 0 && error == EPIPE)
		take_sigpipe(&pipe);
	if (!sigismember(&before, SIGPIPE))
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return sent;
}

static ssize_t send_bytes(ward_stream *stream, const struct iovec *from, int count)
{
	const struct wardi_side *out = out_of(adopted_of(stream));
	struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)from,
			     .msg_iovlen = (size_t)count};
	ssize_t sent;

	if (out->kind != WARDI_SIDE_SOCKET)
		return write_quietly(out->fd, from, count);
	do
		sent = sendmsg(out->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent;
}

/* ---- readiness --------------------------------------------------------------------------- */

static uint64_t key_of(const ward_stream *stream)
{
	return (uint64_t)(uintptr_t)stream + 2; /* the stream has the two before */
}

static uint32_t bits_of(uint32_t events)
{
	return (events & WARDI_READABLE ? WARD_FD_READ : 0) |
	       (events & WARDI_WRITABLE ? WARD_FD_WRITE : 0) |
	       (events & WARDI_HUNG_UP ? WARD_FD_HANGUP : 0);
}

static ward_err want_in(ward_self *self, ward_stream *stream, uint32_t events)
{
	const struct adopted *me = adopted_of(stream);
	ward_timer now = {.key = key_of(stream), .exact = true};
	struct wardi_stream_word ready = {stream};

	if (!me->one)
		events &= WARDI_READABLE | WARDI_HUNG_UP;
	if (me->in.kind == WARDI_SIDE_NONE)
		return WARD_OK;
	if (me->in.kind == WARDI_SIDE_ALWAYS)
		return events & (WARDI_READABLE | WARDI_WRITABLE)
			       ? ward_try_timer_start(self, &now, &wardi_type_stream_ready, &ready,
						      sizeof ready)
			       : WARD_OK;
	if (events != 0)
		return ward_try_fd_watch(self, me->in.fd, bits_of(events) | WARD_FD_KEPT);
	ward_fd_unwatch(self, me->in.fd);
	return WARD_OK;
}

static void unwatch_out(ward_self *self, struct adopted *me)
{
	if (me->watched >= 0)
		ward_fd_unwatch(self, me->watched);
	me->watched = -1;
}

static ward_err want_out(ward_self *self, struct adopted *me, uint32_t events)
{
	uint32_t bits = events & WARDI_WRITABLE ? WARD_FD_WRITE : 0;

	/* Without `in`, all that can be read is the end. */
	if (bits == 0 && events != 0 && me->in.kind == WARDI_SIDE_NONE)
		bits = WARD_FD_HANGUP;
	if (bits != 0 && me->out.kind != WARDI_SIDE_NONE && me->out.kind != WARDI_SIDE_ALWAYS) {
		me->watched = me->out.fd;
		return ward_try_fd_watch(self, me->out.fd, bits);
	}
	unwatch_out(self, me);
	return WARD_OK;
}

static ward_err want(ward_self *self, ward_stream *stream, uint32_t events)
{
	struct adopted *me = adopted_of(stream);
	ward_err err = want_in(self, stream, events);

	if (err == WARD_OK && !me->one)
		err = want_out(self, me, events);
	if (events == 0)
		ward_timer_cancel(self, key_of(stream));
	return err;
}

static uint32_t told_of(const struct ward_fd_ready *ready)
{
	return (ready->events & WARD_FD_READ ? WARDI_READABLE : 0) |
	       (ready->events & WARD_FD_WRITE ? WARDI_WRITABLE : 0) |
	       (ready->events & WARD_FD_HANGUP ? WARDI_HUNG_UP : 0);
}

static uint32_t told(const ward_stream *stream, const ward_msg *msg)
{
	const struct adopted *me = adopted_of(stream);
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);
	const struct wardi_stream_word *always;

	if (ready == NULL) {
		always = ward_msg_body(msg, &wardi_type_stream_ready);
		return always != NULL && always->stream == stream ? WARDI_READABLE | WARDI_WRITABLE
								  : 0;
	}
	if (me->in.kind != WARDI_SIDE_NONE && ready->fd == me->in.fd)
		return told_of(ready);
	if (me->out.kind != WARDI_SIDE_NONE && ready->fd == me->out.fd)
		return me->in.kind != WARDI_SIDE_NONE ? WARDI_WRITABLE
						      : WARDI_WRITABLE | WARDI_READABLE;
	return 0;
}

static int error_of(ward_stream *stream)
{
	const struct wardi_side *out = out_of(adopted_of(stream));
	struct pollfd at = {.fd = out->fd};
	socklen_t size = sizeof(int);
	int error = 0;

	if (out->kind == WARDI_SIDE_SOCKET)
		return getsockopt(out->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error
										     : errno;
	if (out->kind != WARDI_SIDE_POLLED || poll(&at, 1, 0) <= 0)
		return 0;
	return at.revents & POLLERR ? EPIPE : 0;
}

/* ---- the end ----------------------------------------------------------------------------- */

static void finish(ward_self *self, ward_stream *stream)
{
	struct adopted *me = adopted_of(stream);

	if (me->one) {
		if (me->in.kind == WARDI_SIDE_SOCKET)
			shutdown(me->in.fd, SHUT_WR);
		return;
	}
	if (me->out.kind == WARDI_SIDE_SOCKET)
		shutdown(me->out.fd, SHUT_WR);
	unwatch_out(self, me); /* or the next one of this number could not be watched */
	wardi_side_close(&me->out);
	if (me->in.kind == WARDI_SIDE_NONE)
		stream->ended = true;
}

static void reset_socket(const struct wardi_side *end)
{
	if (end->kind == WARDI_SIDE_SOCKET)
		setsockopt(end->fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0},
			   sizeof(struct linger));
}

static void close_all(ward_stream *stream, bool reset)
{
	struct adopted *me = adopted_of(stream);

	if (reset) {
		reset_socket(&me->in);
		reset_socket(&me->out);
	}
	wardi_side_close(&me->in);
	wardi_side_close(&me->out);
	free(me);
	stream->transport = &wardi_unconnected;
	stream->fd = -1;
}

static const struct wardi_transport transport = {
	.receive = receive,
	.send = send_bytes,
	.want = want,
	.told = told,
	.error = error_of,
	.finish = finish,
	.close = close_all,
};

/* ---- the begin --------------------------------------------------------------------------- */

static ward_err open_ends(struct adopted *me, int read_fd, int write_fd)
{
	ward_err err;

	me->one = read_fd == write_fd;
	err = wardi_side_open(read_fd, me->one ? O_RDWR : O_RDONLY, &me->in);
	if (err != WARD_OK || me->one)
		return err;
	err = wardi_side_open(write_fd, O_WRONLY, &me->out);
	if (err != WARD_OK)
		wardi_side_undo(&me->in);
	return err;
}

static struct wardi_peer peer_of(const struct adopted *me)
{
	const struct wardi_side *in = me->in.kind != WARDI_SIDE_NONE ? &me->in : &me->out;
	const struct wardi_side *out = me->out.kind != WARDI_SIDE_NONE ? &me->out : &me->in;
	const struct wardi_side *end = in->kind == WARDI_SIDE_SOCKET ? in : out;
	struct sockaddr_storage peer;
	socklen_t size = sizeof peer;

	if (end->kind == WARDI_SIDE_SOCKET &&
	    getpeername(end->fd, (struct sockaddr *)&peer, &size) == 0)
		return wardi_peer_of((struct sockaddr *)&peer, size);
	return wardi_peer_behind(in->given, out->given);
}

ward_err ward_connection_adopt(int read_fd, int write_fd, struct ward_connection *ret_connection)
{
	struct adopted *me;
	struct wardi_peer peer;
	ward_stream *stream;
	ward_err err;

	if (read_fd < 0 && write_fd < 0)
		return ward_refused(WARD_EINVAL, "ward_connection_adopt: no descriptor");
	me = malloc(sizeof *me);
	if (me == NULL)
		return ward_refused(WARD_ENOMEM, "ward_connection_adopt: no memory");
	*me = (struct adopted){.transport = transport, .watched = -1};
	err = open_ends(me, read_fd, write_fd);
	if (err != WARD_OK) {
		free(me);
		return err;
	}
	peer = peer_of(me);
	stream = wardi_stream_make_over(&me->transport, read_fd >= 0 ? read_fd : write_fd, &peer);
	if (stream == NULL) {
		wardi_side_undo(&me->in);
		wardi_side_undo(&me->out);
		free(me);
		return ward_refused(WARD_ENOMEM, "ward_connection_adopt: no memory");
	}
	stream->finished = stream->shut = write_fd < 0;
	*ret_connection = (struct ward_connection){stream, NULL};
	return WARD_OK;
}
