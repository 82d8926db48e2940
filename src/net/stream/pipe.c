/* SPDX-License-Identifier: MIT
 *
 * pipe.c - what comes from one stream goes to another one of the same actor.
 *
 * There is no buffer in between: what was read from `from` stays there, in `in`, and is sent by
 * wardi_stream_push() of `to` behind its own output. While some of it waits `from` is not read. The
 * filter of `to` takes it as far as the wire is taken.
 */
#include "net/stream/pipe.h"

#include <ward/extend.h>
#include <ward/ward.h>

#include "net/stream/limits.h"
#include "net/stream/writing.h"

/* ---- the begin --------------------------------------------------------------------------- */

static ward_err check(const ward_self *self, const ward_stream *from, const ward_stream *to)
{
	if (from == NULL || to == NULL || from == to)
		return ward_refused(WARD_EINVAL, "a pipe: it needs two streams");
	if (!wardi_stream_is_started(self, from) || !wardi_stream_is_started(self, to) ||
	    !from->options->half_close || !to->options->half_close)
		return ward_refused(WARD_EINVAL,
				    "a pipe: set .half_close in the options of both streams");
	if (from->rare->pipe != NULL || to->rare->source != NULL)
		return ward_refused(WARD_EEXIST, "a pipe: one of the streams has one already");
	if (from->dead || to->dead || to->finished)
		return ward_refused(WARD_EDEAD, "a pipe: one of the streams has ended");
	return WARD_OK;
}

ward_err ward_try_stream_pipe(ward_self *self, ward_stream *from, ward_stream *to)
{
	ward_err err = check(self, from, to);

	if (err != WARD_OK)
		return err;
	if (wardi_stream_rare_of(from) == NULL || wardi_stream_rare_of(to) == NULL)
		return ward_refused(WARD_ENOMEM, "a pipe: no memory");
	from->rare->pipe = to;
	to->rare->source = from;
	wardi_stream_unpark(from);
	to->moved = true;
	from->cutter = (struct wardi_cutter){0};
	from->whole = true; /* no frame has begun */
	if (from->msg == NULL && to->msg == NULL)
		wardi_stream_go_on(self, from);
	return WARD_OK;
}

static void unlink_pipe(ward_stream *from)
{
	if (from == NULL || from->rare->pipe == NULL)
		return;
	from->rare->pipe->rare->source = NULL;
	from->rare->pipe = NULL;
	from->whole = true;
}

void wardi_pipes_end(ward_stream *stream)
{
	unlink_pipe(stream);
	unlink_pipe(stream->rare->source);
}

/* ---- moving ------------------------------------------------------------------------------ */

/* While the listener ends, nothing to read is the end: then it is looked for. */
static void run(ward_self *self, ward_stream *from, ward_stream *to)
{
	wardi_stream_flush(self, to);
	if (from->draining && !from->ended && !wardi_stream_held(from))
		wardi_stream_go_on(self, from);
}

/* The other end of a pipe has no message of its own now. */
static void begin(ward_stream *other)
{
	if (other != NULL && other->msg == NULL)
		other->failed = false;
}

static void end(ward_self *self, ward_stream *other)
{
	if (other == NULL)
		return;
	wardi_stream_want(self, other);
	wardi_limits_watch(self, other);
}

void wardi_pipes_run(ward_self *self, ward_stream *stream)
{
	begin(stream->rare->pipe);
	begin(stream->rare->source);
	if (stream->rare->pipe != NULL)
		run(self, stream, stream->rare->pipe);
	if (stream->rare->source != NULL)
		run(self, stream->rare->source, stream);
	end(self, stream->rare->pipe);
	if (stream->rare->source != stream->rare->pipe)
		end(self, stream->rare->source);
}

bool wardi_pipes_failed(const ward_stream *stream)
{
	return stream->failed || (stream->rare->pipe != NULL && stream->rare->pipe->failed) ||
	       (stream->rare->source != NULL && stream->rare->source->failed);
}

static bool is_over(const ward_stream *other)
{
	return other == NULL || other->dead || wardi_stream_over(other);
}

bool wardi_pipes_over(const ward_stream *stream)
{
	return is_over(stream->rare->pipe) && is_over(stream->rare->source);
}
