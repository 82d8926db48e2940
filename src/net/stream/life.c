/* SPDX-License-Identifier: MIT
 *
 * life.c - a stream begins, passes from one incarnation to the next, and ends.
 *
 *	made		by a listener or connector, as the arguments of a child
 *	started		by each incarnation of the child (ward_stream_start()), or by one alone,
 *			if it came in a message
 *	between two	the descriptor is not watched, and no tick is set: the runtime has ended
 *			watch and timers with the incarnation
 *	freed		with the arguments; with the incarnation; or with a message that nobody took
 */
#include "net/stream/life.h"

#include <stdlib.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "net/stream/filtering.h"
#include "net/stream/limits.h"
#include "net/stream/options.h"
#include "net/stream/pipe.h"
#include "net/stream/tally.h"
#include "net/stream/writing.h"

static void drop_connection(void *body)
{
	struct ward_connection *connection = body;

	if (connection->stream != NULL)
		wardi_stream_free(connection->stream);
	connection->stream = NULL;
}

const ward_type ward_type_ward_connection = {
	.name = "ward_connection",
	.size = sizeof(struct ward_connection),
	.drop = drop_connection,
};
/* Refused, and was told: the connection has ended in both directions. */
static bool parted(const ward_stream *stream)
{
	return wardi_filtering_parts(stream) && wardi_stream_over(stream);
}

void wardi_stream_free(ward_stream *stream)
{
	ward_end end = ward_stop_reason(NULL, NULL);
	bool orderly = end == WARD_END_NORMAL || end == WARD_END_STOPPED ||
		       (end == WARD_END_UNKNOWN && !stream->given);

	if (stream->fd >= 0) {
		(void)wardi_stream_push(stream);
		if (stream->rare->filtering != NULL && orderly) {
			stream->finished = true;
			(void)wardi_stream_push(stream); /* the end of the filter */
		}
		stream->transport->close(stream, (stream->dead || !orderly) && !parted(stream));
		wardi_tally_closed(stream);
	}
	wardi_pipes_end(stream);
	wardi_opening_free(stream->rare->opening);
	wardi_filtering_close(stream);
	wardi_buffer_free(&stream->in);
	wardi_output_free(&stream->out);
	free(stream->rare->framing);
	if (stream->rare->own)
		free(stream->rare);
	free(stream);
}

/* ---- incarnations ------------------------------------------------------------------------ */

static void leave(void *arg) WARD_NOEXCEPT
{
	wardi_stream_free(arg);
}

ward_err wardi_stream_own(ward_self *self, ward_stream *stream)
{
	ward_err err = ward_try_defer(self, leave, stream, NULL);

	stream->own = err == WARD_OK;
	return err;
}

void wardi_stream_enter(ward_self *self, ward_stream *stream, const ward_stream_options *options)
{
	wardi_tally_started(stream);
	stream->incarnation = ward_incarnation(self);
	stream->given = false;
	stream->reported = false; /* the end of the peer is news for each incarnation */
	wardi_pipes_end(stream);  /* of an earlier incarnation */
	stream->paused = false;
	wardi_stream_unpark(stream);
	stream->options = options;
	stream->msg = NULL;
	stream->wanted = 0;
	stream->news = stream->late = 0;
	stream->tick_ms = 0;
	stream->again = false;
	stream->failed = false;
	stream->closed = false; /* a restart opens the mailbox */
	stream->whole = true;
}

ward_err ward_try_stream_start(ward_self *self, const struct ward_connection *connection,
			       const ward_stream_options *options, ward_stream **ret_stream)
{
	ward_stream *stream = connection != NULL ? connection->stream : NULL;
	char peer[WARD_ADDRESS_TEXT];
	ward_err err;

	if (stream == NULL || stream->fd < 0)
		return ward_refused(WARD_ENOENT,
				    "a stream: no connection, or it was aborted or given away");
	if (options == NULL)
		options = stream->options;
	if (options == NULL)
		return ward_refused(WARD_EINVAL,
				    "a stream: no options, and the listener has none (.stream)");
	if (wardi_stream_is_started(self, stream))
		return ward_refused(WARD_EEXIST, "a stream: %s has started already",
				    wardi_peer_text(&stream->peer, peer));
	if (stream->dead)
		return ward_refused(WARD_ENOENT, "a stream: %s was lost by an earlier incarnation",
				    wardi_peer_text(&stream->peer, peer));
	err = wardi_stream_check(options);
	if (err == WARD_OK)
		err = wardi_filtering_start(stream, options);
	if (err != WARD_OK)
		return err;
	if (connection != ward_args(self)) {
		err = wardi_stream_own(self, stream);
		if (err != WARD_OK)
			return err;
		((struct ward_connection *)(uintptr_t)connection)->stream = NULL;
	}
	wardi_stream_enter(self, stream, options);
	if (wardi_stream_has_bytes(stream) || stream->ended || stream->finished)
		wardi_stream_go_on(self, stream);
	wardi_stream_set_mailbox(self, stream);
	wardi_limits_watch(self, stream);
	wardi_stream_want(self, stream);
	*ret_stream = stream;
	return WARD_OK;
}
