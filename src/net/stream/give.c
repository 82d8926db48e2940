/* SPDX-License-Identifier: MIT
 *
 * give.c - a stream moves to another actor.
 */
#include <stdlib.h>
#include <ward/ward.h>

#include "net/stream/pipe.h"
#include "net/stream/writing.h"

/* Nothing of self knows the stream from then on: no watch, no timer, no deferred call, and not its
 * arguments. */
static void let_go(ward_self *self, ward_stream *stream)
{
	if (stream->fd >= 0)
		(void)stream->transport->want(self, stream, 0);
	ward_timer_cancel(self, (uint64_t)(uintptr_t)stream);
	ward_timer_cancel(self, (uint64_t)(uintptr_t)stream + 1);
	if (stream->source != NULL)
		wardi_stream_go_on(self, stream->source); /* its frames are handed out again */
	wardi_pipes_end(stream);
	stream->full = false;
	wardi_stream_set_mailbox(self, stream);
	if (stream->own)
		ward_undefer(self, stream->at_end);
	else
		((struct ward_connection *)(uintptr_t)ward_args(self))->stream = NULL;
}

/* What the next holder begins with: the bytes, and the ends that were reached. */
static void forget(ward_stream *stream)
{
	wardi_buffer_settle(&stream->in);
	free(stream->framing);
	stream->framing = NULL;
	stream->cutter = (struct wardi_cutter){0};
	stream->msg = NULL;
	stream->incarnation = 0;
	stream->own = stream->opened = false;
	stream->paused = stream->draining = stream->reported = stream->hung = false;
	stream->greeted = stream->unfinished = false;
	stream->idle = stream->first = stream->begun = stream->stuck = 0;
	stream->active = stream->moved = true;
	stream->unchanged = false;
	stream->given = true;
}

void ward_stream_give(ward_self *self, ward_stream *stream, ward_ref to)
{
	struct ward_connection connection = {stream, NULL};

	if (stream == NULL || !wardi_stream_is_started(self, stream))
		return;
	if (wardi_stream_connects(stream)) {
		(void)!ward_failed(self, &ward_misuse,
				   "ward_stream_give: the stream is not connected yet: wait for "
				   "WARD_STREAM_OPENED");
		return;
	}
	let_go(self, stream);
	forget(stream);
	if (stream->dead)
		wardi_stream_free(stream);
	else
		ward_send(self, to, WARD_COPY(ward_connection, &connection));
}
