/* SPDX-License-Identifier: MIT
 *
 * opened.c - a stream that its actor opens.
 *
 *	connecting	`opening` is set, and the transport is that of the unconnected: what is
 *			written waits, what is finished is kept in mind
 *	connected	has the transport of the socket, or of a simulation, as any other stream; a
 *			filter begins its handshake then, and the stream is open when that is over
 *
 * The incarnation owns it: a deferred call frees it.
 */
#include "net/stream/opened.h"

#include <ward/extend.h>
#include <ward/ward.h>

#include "net/stream/failing.h"
#include "net/stream/filtering.h"
#include "net/stream/life.h"
#include "net/stream/limits.h"
#include "net/stream/options.h"
#include "net/stream/socket.h"
#include "net/stream/wired.h"
#include "net/transport/unconnected.h"

static const double share_at_random = 0.2;

/* NULL: no memory. */
static ward_stream *make_unconnected(void)
{
	static const struct wardi_peer nobody;

	return wardi_stream_make_over(&wardi_unconnected, -1, &nobody);
}

/* ---- it connects ------------------------------------------------------------------------- */

enum wardi_opening_step wardi_stream_step(ward_self *self, ward_stream *stream, const ward_msg *msg)
{
	if (!wardi_stream_connects(stream))
		return WARDI_STEP_OTHER;
	return wardi_opening_take(self, stream->rare->opening, msg);
}

static void carry(ward_stream *stream, struct wardi_opening *opening)
{
	struct wardi_end *end = wardi_opening_take_end(opening);

	if (end != NULL) {
		wardi_wired_carry(stream, end);
		return;
	}
	stream->fd = wardi_opening_take_fd(opening, &stream->peer);
	stream->transport = &wardi_socket;
}

ward_stream *wardi_stream_make_opened(struct wardi_opening *opening)
{
	ward_stream *stream = make_unconnected();

	if (stream != NULL)
		carry(stream, opening);
	return stream;
}

/* ward_stream_result() sends what waits. With a filter, its handshake begins. */
static void connected(ward_self *self, ward_stream *stream)
{
	carry(stream, stream->rare->opening);
	wardi_opening_free(stream->rare->opening);
	stream->rare->opening = NULL;
	/* The limits begin now. */
	stream->active = stream->moved = true;
	if (stream->rare->filtering != NULL)
		wardi_filtering_begin(self, stream);
	else
		stream->news |= WARD_STREAM_OPENED;
	if (stream->shut)
		stream->transport->finish(self, stream);
}

void wardi_stream_stepped(ward_self *self, ward_stream *stream, enum wardi_opening_step step)
{
	const struct wardi_opening *opening = stream->rare->opening;
	char why[WARDI_OPENING_WHY];

	if (step == WARDI_STEP_OPEN)
		connected(self, stream);
	else if (step == WARDI_STEP_RETRY)
		stream->news |= WARD_STREAM_RETRY;
	else if (step == WARDI_STEP_OVER)
		wardi_stream_lose(self, stream, &ward_not_connected, opening->refusal.call,
				  opening->refusal.error, wardi_opening_why(opening, why));
}

void wardi_stream_close_unused(ward_self *self, ward_stream *stream)
{
	if (!wardi_stream_connects(stream) || wardi_stream_unsent(stream) > 0)
		return;
	wardi_opening_cancel(self, stream->rare->opening);
	stream->ended = true;
}

/* ---- it begins --------------------------------------------------------------------------- */

static ward_err check(const ward_stream_options *options, struct wardi_opening_how *ret_how)
{
	ward_err err;

	if (options == NULL)
		return ward_refused(WARD_EINVAL, "a stream: no options");
	err = wardi_stream_check(options);
	if (err != WARD_OK)
		return err;
	*ret_how = (struct wardi_opening_how){
		.connect_ms = options->connect_ms,
		.min_backoff_ms = options->min_backoff_ms,
		.max_backoff_ms = options->max_backoff_ms,
		.random_factor = share_at_random,
		.tries_max = options->connect_tries != 0 ? options->connect_tries : 1,
	};
	return wardi_opening_check(ret_how, "a stream");
}

/* A stream that connects, and belongs to the incarnation. NULL: no memory. */
static ward_stream *make(ward_self *self)
{
	ward_stream *stream = make_unconnected();

	if (stream == NULL) {
		(void)!ward_refused(WARD_ENOMEM, "a stream: no memory");
		return NULL;
	}
	stream->opened = true;
	if (wardi_stream_rare_of(stream) == NULL)
		(void)!ward_refused(WARD_ENOMEM, "a stream: no memory");
	else if (wardi_stream_own(self, stream) == WARD_OK)
		return stream;
	wardi_stream_free(stream);
	return NULL;
}

ward_err ward_try_stream_open(ward_self *self, const char *address,
			      const ward_stream_options *options, ward_stream **ret_stream)
{
	struct wardi_filtering *filtering = NULL;
	struct wardi_opening *opening;
	struct wardi_opening_how how;
	ward_err err = check(options, &how);
	ward_stream *stream;

	if (err == WARD_OK)
		err = wardi_filtering_make(options, &filtering);
	if (err == WARD_OK)
		err = wardi_opening_begin(self, address, &how, &opening);
	if (err != WARD_OK) {
		wardi_filtering_free(filtering);
		return err;
	}
	stream = make(self);
	if (stream == NULL) {
		wardi_opening_cancel(self, opening);
		wardi_opening_free(opening);
		wardi_filtering_free(filtering);
		return WARD_ENOMEM;
	}
	stream->rare->opening = opening;
	stream->rare->filtering = filtering;
	wardi_stream_enter(self, stream, options);
	wardi_limits_watch(self, stream);
	*ret_stream = stream;
	return WARD_OK;
}
