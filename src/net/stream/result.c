/* SPDX-License-Identifier: MIT
 *
 * result.c - the end of a callback, and the end of a connection.
 *
 *	ended		the peer sends no more
 *	finished	nothing more is written; what waits goes out
 *	shut		... is out, and the peer was told
 *
 * Ended and shut, the stream is over, and the actor stops; paused, once it has had what was read,
 * and the end; with pipes, when their other ends are over, too.
 */
#include <ward/ward.h>

#include "net/stream/filtering.h"
#include "net/stream/limits.h"
#include "net/stream/opened.h"
#include "net/stream/pipe.h"
#include "net/stream/reading.h"
#include "net/stream/tally.h"
#include "net/stream/writing.h"

/* The peer has ended, and all its frames were handed out: without half_close that is the end. */
static void follow_end(ward_self *self, ward_stream *stream)
{
	if (wardi_filtering_was_cut(stream) && !wardi_stream_keeps_end(stream))
		wardi_filtering_fail_cut(self, stream);
	wardi_stream_note_end(stream);
	if (!stream->reported || stream->options->half_close || stream->finished)
		return;
	stream->finished = true;
	wardi_stream_flush(self, stream);
}

static bool is_over(const ward_stream *stream)
{
	return wardi_stream_over(stream) && !stream->again && wardi_pipes_over(stream) &&
	       !(wardi_stream_keeps_end(stream) &&
		 (wardi_stream_has_bytes(stream) || !stream->reported));
}

/* The next turn goes on where this one has left the loop. Without a loop it would be as this one:
 * that program gets no further turns for what it does not read. */
static void wait_for_reader(ward_self *self, ward_stream *stream)
{
	char peer[WARD_ADDRESS_TEXT];

	if (stream->asked) {
		wardi_stream_go_on(self, stream);
		return;
	}
	stream->paused = stream->parked = true;
	if (stream->unread)
		return;
	stream->unread = true;
	ward_note(
		self, WARD_LEVEL_WARNING,
		"a stream: bytes of %s came, and the callback called ward_stream_result() without "
		"ward_stream_next(): the stream is paused until ward_stream_again(). An actor that "
		"is not ready for frames calls ward_stream_pause()",
		wardi_stream_peer(stream, peer));
}

/* What has come about since the program looked is news of the next callback. */
static void put_off_news(ward_self *self, ward_stream *stream, uint8_t known)
{
	uint8_t late = stream->news & (uint8_t)~known;

	if (late == 0)
		return;
	stream->late |= late;
	stream->news = known;
	wardi_stream_go_on(self, stream);
}

ward_result ward_stream_result(ward_self *self, ward_stream *stream, const ward_msg *msg)
{
	bool at_hand, about = true;
	uint8_t known;

	if (stream == NULL)
		return WARD_UNHANDLED;
	if (stream->left)
		return stream->own ? WARD_UNHANDLED : ward_stop_self(self);
	at_hand = stream->msg == msg && !wardi_stream_misses(stream, msg);
	if (at_hand)
		about = wardi_stream_is_about(stream, msg);
	else if (!wardi_stream_take(self, stream, msg))
		return WARD_UNHANDLED;
	known = stream->news;
	wardi_stream_flush(self, stream);
	if (stream->draining && !wardi_stream_has_bytes(stream))
		wardi_stream_fill(self, stream);
	wardi_pipes_run(self, stream);
	follow_end(self, stream);
	stream->msg = NULL;
	put_off_news(self, stream, known);
	if (wardi_stream_reads(stream) && stream->whole && wardi_stream_has_bytes(stream))
		wait_for_reader(self, stream);
	wardi_buffer_settle(&stream->in);
	if (wardi_pipes_failed(stream))
		return WARD_FAILED;
	if (is_over(stream))
		return ward_stop_self(self);
	wardi_stream_want(self, stream);
	wardi_limits_watch(self, stream);
	if (stream->failed)
		return WARD_FAILED;
	return about ? WARD_DONE : WARD_UNHANDLED;
}

static void end_writing(ward_self *self, ward_stream *stream)
{
	stream->finished = true;
	stream->moved = true;
	wardi_stream_flush(self, stream);
	if (stream->msg != NULL)
		return;
	wardi_stream_want(self, stream);
	wardi_limits_watch(self, stream);
	if (wardi_stream_over(stream))
		wardi_stream_go_on(self, stream);
}

void ward_stream_finish(ward_self *self, ward_stream *stream)
{
	if (stream != NULL && wardi_stream_exists(stream) && !stream->finished)
		end_writing(self, stream);
}

void ward_stream_close(ward_self *self, ward_stream *stream)
{
	if (stream == NULL || !wardi_stream_exists(stream) || stream->closing)
		return;
	stream->closing = true;
	wardi_stream_drop_read(stream);
	wardi_stream_close_unused(self, stream);
	end_writing(self, stream);
}

void ward_stream_abort(ward_self *self, ward_stream *stream)
{
	if (stream == NULL || !wardi_stream_exists(stream))
		return;
	if (stream->rare->opening != NULL)
		wardi_opening_cancel(self, stream->rare->opening);
	else if (wardi_stream_is_started(self, stream))
		(void)stream->transport->want(self, stream, 0);
	ward_timer_cancel(self, (uint64_t)(uintptr_t)stream);
	ward_timer_cancel(self, (uint64_t)(uintptr_t)stream + 1);
	stream->transport->close(stream, true);
	wardi_tally_aborted(self, stream);
	stream->dead = true;
	wardi_stream_drop_read(stream);
	wardi_output_free(&stream->out);
	wardi_filtering_close(stream);
	stream->full = false;
	wardi_stream_set_mailbox(self, stream);
	if (stream->rare->pipe != NULL || stream->rare->source != NULL)
		wardi_stream_go_on(self, stream->rare->pipe != NULL ? stream->rare->pipe
								    : stream->rare->source);
}
