/* SPDX-License-Identifier: MIT
 *
 * give.c - a stream moves to another actor.
 */
#include <errno.h>
#include <stdlib.h>
#include <ward/ward.h>

#include "net/stream/failing.h"
#include "net/stream/life.h"
#include "net/stream/pipe.h"
#include "net/stream/tally.h"
#include "net/stream/writing.h"
#include "net/transport/unconnected.h"

/* Nothing of self knows the stream from then on: no watch, and no timer. */
static void let_go(ward_self *self, ward_stream *stream)
{
	if (stream->fd >= 0)
		(void)stream->transport->want(self, stream, 0);
	ward_timer_cancel(self, (uint64_t)(uintptr_t)stream);
	ward_timer_cancel(self, (uint64_t)(uintptr_t)stream + 1);
	if (stream->rare->source != NULL)
		wardi_stream_go_on(self,
				   stream->rare->source); /* its frames are handed out again */
	wardi_pipes_end(stream);
	stream->full = false;
	wardi_stream_set_mailbox(self, stream);
}

/* The stream moves to another record, since the program may use its pointer again: the old one
 * stays where it is, with the arguments of self or its incarnation, without a connection. */
static void move(ward_stream *to, ward_stream *from)
{
	*to = *from;
	*from = (ward_stream){
		.transport = &wardi_unconnected,
		.options = to->options,
		.rare = WARDI_STREAM_NO_RARE,
		.peer = to->peer,
		.fd = -1,
		.incarnation = to->incarnation,
		.own = to->own,
		.dead = true,
		.left = true,
	};
}

/* What the next holder begins with: the bytes, and the ends that were reached. */
static void forget(ward_stream *stream)
{
	wardi_buffer_settle(&stream->in);
	if (stream->rare->framing != NULL) {
		free(stream->rare->framing);
		stream->rare->framing = NULL;
	}
	stream->cutter = (struct wardi_cutter){0};
	stream->msg = NULL;
	stream->incarnation = 0;
	stream->own = stream->opened = false;
	stream->paused = stream->draining = stream->reported = stream->hung = false;
	stream->greeted = stream->unfinished = stream->unread = stream->parked = false;
	stream->idle = stream->first = stream->begun = stream->stuck = 0;
	stream->active = stream->moved = true;
	stream->unchanged = false;
	stream->given = true;
}

static const char *wrong(const ward_stream *stream)
{
	if (stream->left)
		return "it was given away already";
	if (wardi_stream_connects(stream))
		return "it is not connected yet: wait for WARD_STREAM_OPENED";
	return NULL;
}

void ward_stream_give(ward_self *self, ward_stream *stream, ward_ref to)
{
	struct ward_connection connection = {NULL, NULL};

	if (stream == NULL || !wardi_stream_is_started(self, stream))
		return;
	if (wrong(stream) != NULL) {
		(void)!ward_failed(self, &ward_misuse, "ward_stream_give: a stream: %s",
				   wrong(stream));
		return;
	}
	connection.stream = malloc(sizeof *connection.stream);
	if (connection.stream == NULL) {
		wardi_stream_fail(self, stream, &ward_out_of_memory, "give", ENOMEM, NULL);
		return;
	}
	let_go(self, stream);
	move(connection.stream, stream);
	forget(connection.stream);
	wardi_tally_given(self, connection.stream);
	if (connection.stream->dead)
		wardi_stream_free(connection.stream);
	else
		ward_send(self, to, WARD_COPY(ward_connection, &connection));
}
