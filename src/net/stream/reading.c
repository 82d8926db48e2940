/* SPDX-License-Identifier: MIT
 *
 * reading.c - from a readiness to frames.
 */
#include "net/stream/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ward/extend.h>
#include <ward/fd.h>
#include <ward/ward.h>

#include "net/stream/failing.h"
#include "net/stream/filtering.h"
#include "net/stream/limits.h"
#include "net/stream/opened.h"
#include "net/stream/options.h"
#include "net/stream/writing.h"

/* ---- from the transport ------------------------------------------------------------------ */

/* Into an empty buffer, which has a block still where a callback was left early. */
static ssize_t read_first(ward_stream *stream)
{
	struct wardi_bytes *large;
	struct iovec into;
	ssize_t got;

	wardi_buffer_free(&stream->in);
	large = wardi_large_take();
	if (large == NULL) {
		errno = ENOMEM;
		return -1;
	}
	into = (struct iovec){large->at, WARDI_LARGE};
	got = stream->transport->receive(stream, &into, 1);
	if (got > 0) {
		large->to = (uint32_t)got;
		stream->in.block = large;
	} else {
		wardi_large_give(large);
	}
	return got;
}

/* Behind bytes that are there: into their block, and what does not fit into a large one first. A
 * length that the peer names brings no memory that its bytes have not asked for. */
static ssize_t read_further(ward_stream *stream)
{
	struct wardi_buffer *in = &stream->in;
	size_t count = wardi_buffer_count(in), need = stream->cutter.need, room;
	struct wardi_bytes *large = wardi_large_take();
	struct iovec into[2];
	ssize_t got = -1;

	need = need > 2 * count ? count : need > count ? need - count : 1;
	if (large != NULL && wardi_buffer_reserve(in, need)) {
		room = in->block->cap - in->block->to;
		into[0] = (struct iovec){in->block->at + in->block->to, room};
		into[1] = (struct iovec){large->at, WARDI_LARGE};
		got = stream->transport->receive(stream, into, 2);
		if (got > 0)
			wardi_buffer_wrote(in, (size_t)got < room ? (size_t)got : room);
		if (got > 0 && (size_t)got > room) {
			size_t further = (size_t)got - room;

			if (!wardi_buffer_reserve(in, further)) {
				wardi_large_give(large);
				errno = ENOMEM;
				return -1;
			}
			memcpy(in->block->at + in->block->to, large->at, further);
			wardi_buffer_wrote(in, further);
		}
	} else {
		errno = ENOMEM;
	}
	if (large != NULL) {
		int error = errno;

		wardi_large_give(large);
		errno = error;
	}
	return got;
}

/* What comes after ward_stream_close(), or has nowhere to go, is thrown away. */
static ssize_t read_nothing(ward_stream *stream)
{
	ssize_t got;

	wardi_buffer_free(&stream->in);
	got = read_first(stream);
	wardi_buffer_free(&stream->in);
	return got;
}

void wardi_stream_fill(ward_self *self, ward_stream *stream)
{
	ssize_t got;

	if (stream->dead || stream->ended)
		return;
	if (!wardi_stream_discards(stream) && wardi_stream_held(stream))
		return;
	/* What was read is handed out first, or a peer that is faster would fill the memory. */
	if (!wardi_stream_discards(stream) && stream->whole && wardi_stream_has_bytes(stream))
		return;
	if (stream->rare->filtering != NULL)
		got = wardi_filtering_read(stream);
	else if (wardi_stream_discards(stream))
		got = read_nothing(stream);
	else if (wardi_stream_has_bytes(stream))
		got = read_further(stream);
	else
		got = read_first(stream);
	if (got > 0) {
		stream->received += (uint64_t)got;
		stream->active = true;
		stream->whole = true;
		if (stream->rare->pipe != NULL)
			stream->rare->pipe->moved = true;
	} else if (got == 0) {
		stream->ended = true;
		stream->whole = true;
	} else if (errno == EAGAIN) {
		if (stream->draining && !wardi_stream_has_bytes(stream))
			stream->ended = true;
	} else if (errno == ENOMEM) {
		wardi_stream_lose(self, stream, &ward_out_of_memory, "read", ENOMEM, NULL);
	} else {
		wardi_stream_lose(self, stream, &ward_peer_lost, "read", errno, NULL);
	}
	if (stream->rare->filtering != NULL)
		wardi_filtering_follow(self, stream, got);
}

/* A hang-up of a peer that is not read now. The transport would say it again and again: once is
 * enough. What the peer has sent before is read when it is wanted. */
static void hang_up(ward_self *self, ward_stream *stream)
{
	int error;

	if (stream->dead || !(wardi_stream_held(stream) || stream->ended))
		return;
	stream->hung = true;
	error = stream->transport->error(stream);
	if (error != 0)
		wardi_stream_lose(self, stream, &ward_peer_lost, error == EPIPE ? "write" : "read",
				  error, NULL);
}

/* ---- a message --------------------------------------------------------------------------- */

/* A bit that no readiness has when it comes. */
#define TAKEN (UINT32_C(1) << 31)

/* The stream that a message to self is about; NULL: it is another message. */
static ward_stream **of_self(const ward_msg *msg)
{
	static const ward_type *const types[] = {&wardi_type_stream_again, &wardi_type_stream_tick,
						 &wardi_type_stream_ready};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		const struct wardi_stream_word *word = ward_msg_body(msg, types[i]);

		if (word != NULL)
			return (ward_stream **)(uintptr_t)&word->stream;
	}
	return NULL;
}

/* A message that was taken is written on, so that the next one at its address is told from it, also
 * one of the same kind. */
static void note_taken(const ward_msg *msg)
{
	struct ward_fd_ready *ready = (void *)(uintptr_t)ward_match(msg, ward_fd_ready);
	ward_stream **about = of_self(msg);

	if (ready != NULL)
		ready->events |= TAKEN;
	if (about != NULL)
		*about = NULL;
}

/* What a message about another stream, or another descriptor, has not at the same address. */
static uint32_t mark_of(const ward_msg *msg)
{
	const ward_type *type = ward_msg_type(msg);
	uint32_t mark = 0;

	if (ward_msg_size(msg) >= sizeof mark)
		memcpy(&mark, ward_msg_body(msg, type), sizeof mark);
	return mark + (uint32_t)((uintptr_t)type >> 3) * 31;
}

static void begin(ward_self *self, ward_stream *stream, const ward_msg *msg)
{
	if (stream->msg != NULL && !stream->unfinished) {
		stream->unfinished = true;
		ward_note(self, WARD_LEVEL_WARNING,
			  "a stream: ward_stream_result() was not called after ward_stream_next(). "
			  "It has to end each receive, unless that failed");
	}
	stream->msg = msg;
	note_taken(msg);
	stream->mark = mark_of(msg);
	stream->news = stream->late;
	stream->late = 0;
	stream->frames = 0;
	stream->failed = false;
	stream->asked = false;
}

static bool is_closing(const ward_stream *stream, const ward_msg *msg)
{
	return ward_msg_body(msg, &wardi_type_stream_closing) != NULL && !stream->opened;
}

bool wardi_stream_is_about(const ward_stream *stream, const ward_msg *msg)
{
	return stream->mark == mark_of(msg);
}

static bool begins_to_close(const ward_stream *stream, const ward_msg *msg)
{
	return !stream->draining && is_closing(stream, msg);
}

bool wardi_stream_misses(const ward_stream *stream, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);
	ward_stream *const *about = of_self(msg);

	if (ready != NULL)
		return (ready->events & TAKEN) == 0 && stream->fd >= 0 &&
		       stream->transport->told(stream, msg) != 0;
	return (about != NULL && *about == stream) || begins_to_close(stream, msg);
}

/* A message to self: its type says what for. */
static void take_word(ward_self *self, ward_stream *stream, const ward_msg *msg)
{
	begin(self, stream, msg);
	if (ward_msg_body(msg, &wardi_type_stream_tick) != NULL)
		wardi_limits_tick(self, stream);
	else
		stream->again = false;
}

bool wardi_stream_take(ward_self *self, ward_stream *stream, const ward_msg *msg)
{
	uint32_t events = stream->fd < 0 ? 0 : stream->transport->told(stream, msg);
	enum wardi_opening_step step = wardi_stream_step(self, stream, msg);
	ward_stream *const *about = of_self(msg);

	if (step != WARDI_STEP_OTHER) {
		begin(self, stream, msg);
		wardi_stream_stepped(self, stream, step);
		return true;
	}
	if (events != 0) {
		begin(self, stream, msg);
		stream->wanted = 0;
		if (events & WARDI_WRITABLE)
			wardi_stream_flush(self, stream);
		if (events & (WARDI_READABLE | WARDI_HUNG_UP))
			wardi_stream_fill(self, stream);
		if (events & WARDI_HUNG_UP)
			hang_up(self, stream);
		wardi_stream_want(self, stream);
		return true;
	}
	if (about != NULL && *about == stream) {
		take_word(self, stream, msg);
		return true;
	}
	if (begins_to_close(stream, msg)) {
		begin(self, stream, msg);
		stream->draining = true;
		stream->news |= WARD_STREAM_CLOSING;
		wardi_stream_fill(self, stream);
		return true;
	}
	stream->news = 0; /* it was of another callback */
	return false;
}

/* ---- frames ------------------------------------------------------------------------------ */

static const ward_framing *framing_of(const ward_stream *stream)
{
	return stream->rare->framing != NULL ? stream->rare->framing : &stream->options->framing;
}

void wardi_stream_drop_read(ward_stream *stream)
{
	wardi_buffer_drop(&stream->in, wardi_buffer_count(&stream->in));
	if (stream->msg == NULL)
		wardi_buffer_free(&stream->in);
}

void wardi_stream_note_end(ward_stream *stream)
{
	if (!stream->ended || wardi_stream_keeps_end(stream) || wardi_stream_has_bytes(stream) ||
	    stream->reported || wardi_filtering_was_cut(stream) ||
	    wardi_cut_off(framing_of(stream), &stream->cutter, 0))
		return;
	stream->reported = true;
	if (stream->options->half_close)
		stream->news |= WARD_STREAM_ENDED;
}

/* The last cut has found that more bytes are needed. */
static void wait_for_more(ward_self *self, ward_stream *stream)
{
	stream->whole = false;
	wardi_stream_note_end(stream);
	if (stream->ended &&
	    wardi_cut_off(framing_of(stream), &stream->cutter, wardi_buffer_count(&stream->in)))
		wardi_stream_lose(self, stream, &ward_peer_cut_off, "read", 0,
				  "the connection ended within a frame");
}

static void hand_out(ward_stream *stream, const struct wardi_piece *piece, ward_frame *ret_frame)
{
	char *text = (char *)wardi_buffer_bytes(&stream->in) + piece->at;

	*ret_frame = (ward_frame){text, piece->size};
	if (piece->closed)
		text[piece->size] = '\0';
	wardi_buffer_drop(&stream->in, piece->used);
	stream->frames++;
	stream->greeted = true;
	stream->unchanged = false;
	stream->aligned = false;
}

static bool cut(ward_self *self, ward_stream *stream, ward_frame *ret_frame)
{
	struct wardi_piece piece;

	switch (wardi_cut(framing_of(stream), &stream->cutter, wardi_frame_max(stream->options),
			  wardi_buffer_bytes(&stream->in), wardi_buffer_count(&stream->in),
			  stream->ended && !wardi_filtering_was_cut(stream), &piece)) {
	case WARDI_CUT_FRAME:
		hand_out(stream, &piece, ret_frame);
		return true;
	case WARDI_CUT_MORE:
		wait_for_more(self, stream);
		return false;
	case WARDI_CUT_OVER:
		stream->news |= WARD_STREAM_COUNTED;
		stream->whole = false;
		return false;
	case WARDI_CUT_WRONG:
		break;
	}
	wardi_stream_lose(self, stream, &ward_bad_frame, "frame", 0, piece.wrong);
	return false;
}

/* No byte may come after the last one of COUNTED, so nothing else may tell of the end. */
static void note_counted(ward_stream *stream)
{
	const ward_framing *framing = framing_of(stream);

	if (framing->kind != WARD_FRAMING_COUNTED || stream->cutter.counted < framing->size)
		return;
	stream->news |= WARD_STREAM_COUNTED;
	stream->whole = false;
}

bool ward_stream_next(ward_self *self, ward_stream *stream, const ward_msg *msg,
		      ward_frame *ret_frame)
{
	uint32_t most;

	if (stream == NULL || stream->left ||
	    ((stream->msg != msg || wardi_stream_misses(stream, msg)) &&
	     !wardi_stream_take(self, stream, msg)))
		return false;
	stream->asked = true;
	most = stream->options->frames_per_turn != 0 ? stream->options->frames_per_turn : 64;
	if (!wardi_stream_reads(stream) || !stream->whole)
		return false;
	if (stream->frames < (most < UINT16_MAX ? most : UINT16_MAX))
		return cut(self, stream, ret_frame);
	note_counted(stream);
	return false;
}

uint32_t ward_stream_news(const ward_stream *stream)
{
	return stream != NULL ? stream->news : 0;
}

/* ---- changes ----------------------------------------------------------------------------- */

ward_err ward_try_stream_framing(ward_self *self, ward_stream *stream, const ward_framing *framing)
{
	char why[WARDI_FRAMING_WRONG];
	struct wardi_stream_rare *rare;
	const char *wrong;

	if (stream == NULL || framing == NULL)
		return ward_refused(WARD_EINVAL, "ward_stream_framing: no stream, or no framing");
	if (stream->left)
		return ward_refused(WARD_EDEAD, "ward_stream_framing: the stream was given away");
	wrong = wardi_framing_wrong(framing, wardi_frame_max(stream->options), why);
	if (wrong != NULL)
		return ward_refused(WARD_EINVAL, "ward_stream_framing: %s", wrong);
	rare = wardi_stream_rare_of(stream);
	if (rare != NULL && rare->framing == NULL)
		rare->framing = malloc(sizeof *rare->framing);
	if (rare == NULL || rare->framing == NULL)
		return ward_refused(WARD_ENOMEM, "ward_stream_framing: no memory");
	*rare->framing = *framing;
	stream->cutter = (struct wardi_cutter){0};
	stream->whole = true;
	/* Outside its callback nothing else makes it look at bytes that were read already. */
	if (stream->msg == NULL && wardi_stream_has_bytes(stream))
		wardi_stream_go_on(self, stream);
	return WARD_OK;
}

void ward_stream_pause(ward_self *self, ward_stream *stream)
{
	if (stream == NULL)
		return;
	stream->paused = true;
	stream->parked = false;
	if (stream->msg == NULL)
		wardi_stream_want(self, stream);
}

void ward_stream_again(ward_self *self, ward_stream *stream)
{
	if (stream == NULL || stream->left || !stream->paused)
		return;
	stream->paused = stream->parked = false;
	wardi_stream_go_on(self, stream);
	if (stream->msg == NULL)
		wardi_stream_want(self, stream);
}
