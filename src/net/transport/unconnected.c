/* SPDX-License-Identifier: MIT
 *
 * unconnected.c - the transport of a stream that has no connection: it takes and gives nothing.
 */
#include "net/transport/unconnected.h"

#include <errno.h>

static ssize_t move_nothing(ward_stream *stream, const struct iovec *bytes, int count)
{
	(void)stream, (void)bytes, (void)count;
	errno = EAGAIN;
	return -1;
}

static ward_err want(ward_self *self, ward_stream *stream, uint32_t events)
{
	(void)self, (void)stream, (void)events;
	return WARD_OK;
}

static uint32_t told(const ward_stream *stream, const ward_msg *msg)
{
	(void)stream, (void)msg;
	return 0;
}

static int no_error(ward_stream *stream)
{
	(void)stream;
	return 0;
}

static void finish(ward_self *self, ward_stream *stream)
{
	(void)self, (void)stream; /* when it is connected: see net/stream/opened.c */
}

static void close_nothing(ward_stream *stream, bool reset)
{
	(void)stream, (void)reset;
}

const struct wardi_transport wardi_unconnected = {
	.receive = move_nothing,
	.send = move_nothing,
	.want = want,
	.told = told,
	.error = no_error,
	.finish = finish,
	.close = close_nothing,
};
