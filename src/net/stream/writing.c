/* SPDX-License-Identifier: MIT
 *
 * writing.c - from bytes to the operating system.
 */
#include "net/stream/writing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "net/stream/failing.h"
#include "net/stream/limits.h"

/* ---- sending ----------------------------------------------------------------------------- */

int wardi_stream_push(ward_stream *stream)
{
	struct wardi_buffer *out = &stream->out;

	while (!stream->dead && wardi_buffer_count(out) > 0) {
		struct iovec from = {wardi_buffer_bytes(out), wardi_buffer_count(out)};
		ssize_t sent = stream->transport->send(stream, &from, 1);

		if (sent < 0)
			return errno == EAGAIN ? 0 : errno;
		wardi_buffer_drop(out, (size_t)sent);
		stream->sent += (uint64_t)sent;
		stream->active = stream->moved = true;
	}
	return 0;
}

static void note_waiting(ward_stream *stream)
{
	uint64_t waiting = stream->dead ? 0 : wardi_buffer_count(&stream->out);

	if (waiting > wardi_write_high(stream->options)) {
		stream->full = true;
	} else if (stream->full && waiting <= wardi_write_low(stream->options)) {
		stream->full = false;
		stream->whole = true;
		stream->news |= WARD_STREAM_DRAINED;
	}
}

void wardi_stream_set_mailbox(ward_self *self, ward_stream *stream)
{
	bool closed = stream->full && stream->options->write_closes_mailbox;

	if (closed == stream->closed)
		return;
	stream->closed = closed;
	if (closed)
		ward_mailbox_close(self);
	else
		ward_mailbox_open(self);
}

void wardi_stream_flush(ward_self *self, ward_stream *stream)
{
	int error = wardi_stream_push(stream);

	if (error != 0)
		wardi_stream_lose(self, stream, &ward_peer_lost, "write", error, NULL);
	wardi_buffer_settle(&stream->out);
	note_waiting(stream);
	wardi_stream_set_mailbox(self, stream);
	if (stream->finished && !stream->shut && !stream->dead &&
	    wardi_buffer_count(&stream->out) == 0) {
		stream->transport->finish(stream);
		stream->shut = true;
	}
}

void wardi_stream_want(ward_self *self, ward_stream *stream)
{
	uint32_t events = 0;
	ward_err err;

	if (stream->fd < 0 || !wardi_stream_is_started(self, stream))
		return;
	if (!stream->dead && !stream->ended &&
	    (stream->closing || (!stream->paused && !stream->full)))
		events |= WARDI_READABLE;
	if (!stream->dead && wardi_buffer_count(&stream->out) > 0)
		events |= WARDI_WRITABLE;
	if (!stream->dead && events == 0 && !stream->hung && !(stream->ended && stream->shut))
		events = WARDI_HUNG_UP;
	if (events == stream->wanted)
		return;
	err = stream->transport->want(self, stream, events);
	stream->wanted = err == WARD_OK ? (uint8_t)events : 0;
	if (err != WARD_OK)
		wardi_stream_lose(self, stream, &ward_net_failure, "watch", 0, ward_err_detail());
}

void wardi_stream_go_on(ward_self *self, ward_stream *stream)
{
	/* No mailbox refuses or drops a tick; an exact one does not wait for its millisecond. */
	ward_timer now = {.key = (uint64_t)(uintptr_t)stream, .exact = true};
	struct wardi_stream_again again = {stream};

	if (stream->again)
		return;
	stream->again = ward_noted_(self, ward_try_timer_start(self, &now, &wardi_type_stream_again,
							       &again, sizeof again));
}

/* ---- writing ----------------------------------------------------------------------------- */

static bool takes(const ward_stream *stream)
{
	return stream != NULL && wardi_stream_exists(stream) && !stream->dead && !stream->finished;
}

/* After something was written: outside the callback of a message of the stream nobody else sends
 * it. */
static void wrote(ward_self *self, ward_stream *stream)
{
	bool full = stream->full;

	if (stream->msg != NULL &&
	    wardi_buffer_count(&stream->out) <= wardi_write_high(stream->options))
		return;
	wardi_stream_flush(self, stream);
	if (wardi_buffer_count(&stream->out) > wardi_write_max(stream->options)) {
		wardi_stream_lose(self, stream, &ward_peer_slow, "write", 0,
				  "it does not read: more than write_max bytes wait");
		return;
	}
	if (stream->msg != NULL)
		return;
	wardi_stream_want(self, stream);
	wardi_limits_watch(self, stream);
	if (full && !stream->full)
		wardi_stream_go_on(self, stream);
}

/* Collected writes begin in a large block. NULL: no memory. */
static unsigned char *make_room(struct wardi_buffer *out, size_t size)
{
	if (out->at == NULL && size <= WARDI_LARGE) {
		out->at = wardi_large_take();
		out->cap = out->at == NULL ? 0 : WARDI_LARGE;
	}
	return wardi_buffer_reserve(out, size) ? out->at + out->to : NULL;
}

/* Room for bytes; NULL: none, or nothing may be written. */
static unsigned char *room(ward_self *self, ward_stream *stream, size_t size)
{
	unsigned char *at;

	if (!takes(stream))
		return NULL;
	if (wardi_buffer_count(&stream->out) == 0)
		stream->moved = true;
	at = make_room(&stream->out, size);
	if (at == NULL)
		wardi_stream_fail(self, stream, &ward_out_of_memory, "write", ENOMEM, NULL);
	return at;
}

void ward_stream_write(ward_self *self, ward_stream *stream, const void *bytes, size_t size)
{
	unsigned char *at = size > 0 ? room(self, stream, size) : NULL;

	if (at == NULL)
		return;
	memcpy(at, bytes, size);
	stream->out.to += (uint32_t)size;
	wrote(self, stream);
}

void ward_stream_printf(ward_self *self, ward_stream *stream, const char *text, ...)
{
	enum { GUESS = 256 };
	va_list args, again;
	unsigned char *at = room(self, stream, GUESS);
	int size;

	if (at == NULL)
		return;
	va_start(args, text);
	va_copy(again, args);
	size = vsnprintf((char *)at, GUESS, text, args);
	va_end(args);
	if (size >= GUESS) {
		at = room(self, stream, (size_t)size + 1);
		if (at != NULL)
			vsnprintf((char *)at, (size_t)size + 1, text, again);
	}
	va_end(again);
	if (size <= 0 || at == NULL)
		return;
	stream->out.to += (uint32_t)size;
	wrote(self, stream);
}

void ward_stream_write_frame(ward_self *self, ward_stream *stream, const void *bytes, size_t size)
{
	struct wardi_wrapping wrap;
	unsigned char *at;
	size_t all;

	if (!takes(stream))
		return;
	if (!wardi_wrap(stream->framing != NULL ? stream->framing : &stream->options->framing, size,
			&wrap)) {
		(void)!ward_failed(
			self, &ward_misuse,
			"ward_stream_write_frame: the framing has no frames of %zu bytes", size);
		return;
	}
	all = wrap.head_size + size + wrap.tail_size;
	at = all > 0 ? room(self, stream, all) : NULL;
	if (at == NULL)
		return;
	memcpy(at, wrap.head, wrap.head_size);
	if (size > 0)
		memcpy(at + wrap.head_size, bytes, size);
	if (wrap.tail_size > 0)
		memcpy(at + wrap.head_size + size, wrap.tail, wrap.tail_size);
	stream->out.to += (uint32_t)all;
	wrote(self, stream);
}

ward_err ward_stream_try_write(ward_self *self, ward_stream *stream, const void *bytes, size_t size)
{
	unsigned char *at;

	if (!takes(stream))
		return ward_refused(WARD_EDEAD, "ward_stream_try_write: the stream has ended");
	if (wardi_buffer_count(&stream->out) > wardi_write_high(stream->options))
		return ward_refused(WARD_EFULL,
				    "ward_stream_try_write: %llu bytes wait for the peer",
				    (unsigned long long)wardi_buffer_count(&stream->out));
	if (size == 0)
		return WARD_OK;
	at = make_room(&stream->out, size);
	if (at == NULL)
		return ward_refused(WARD_ENOMEM, "ward_stream_try_write: no memory");
	memcpy(at, bytes, size);
	stream->out.to += (uint32_t)size;
	wrote(self, stream);
	return WARD_OK;
}

size_t ward_stream_unsent(const ward_stream *stream)
{
	return stream != NULL ? wardi_buffer_count(&stream->out) : 0;
}

bool ward_stream_full(const ward_stream *stream)
{
	return stream != NULL && stream->full;
}
