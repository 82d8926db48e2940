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

static ssize_t send_next(ward_stream *stream, const struct wardi_next *next)
{
	if (next->count > 0)
		return stream->transport->send(stream, next->bytes, next->count, next->more);
	return stream->transport->send_file(stream, next->fd, next->offset, next->size);
}

int wardi_stream_push(ward_stream *stream)
{
	struct wardi_next next;

	while (!stream->dead && wardi_output_next(&stream->out, &next)) {
		ssize_t sent = send_next(stream, &next);

		if (sent < 0)
			return errno == EAGAIN ? 0 : errno;
		if (sent == 0)
			return -1;
		wardi_output_sent(&stream->out, (uint64_t)sent);
		stream->sent += (uint64_t)sent;
		stream->active = stream->moved = true;
	}
	return 0;
}

static void note_waiting(ward_stream *stream)
{
	uint64_t waiting = stream->dead ? 0 : stream->out.waiting;

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

	if (error < 0)
		wardi_stream_lose(self, stream, &ward_net_failure, "sendfile", 0,
				  "the file is shorter than what was to be sent");
	else if (error > 0)
		wardi_stream_lose(self, stream, &ward_peer_lost, "write", error, NULL);
	wardi_output_settle(&stream->out);
	note_waiting(stream);
	wardi_stream_set_mailbox(self, stream);
	if (stream->finished && !stream->shut && !stream->dead && stream->out.waiting == 0) {
		stream->transport->finish(stream);
		stream->shut = true;
	}
}

void wardi_stream_want(ward_self *self, ward_stream *stream)
{
	uint32_t events = 0;
	ward_err err;

	if (stream->fd < 0 || !stream->started)
		return;
	if (!stream->dead && !stream->ended &&
	    (stream->closing || (!stream->paused && !stream->full)))
		events |= WARDI_READABLE;
	if (!stream->dead && stream->out.waiting > 0)
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
	return stream != NULL && stream->fd >= 0 && !stream->dead && !stream->finished;
}

/* After something was written: outside the callback of a message of the stream nobody else sends
 * it. */
static void wrote(ward_self *self, ward_stream *stream)
{
	bool full = stream->full;

	if (stream->msg != NULL && stream->out.waiting <= wardi_write_high(stream->options))
		return;
	wardi_stream_flush(self, stream);
	if (stream->out.waiting > wardi_write_max(stream->options)) {
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

/* Room for bytes; NULL: none, or nothing may be written. */
static unsigned char *room(ward_self *self, ward_stream *stream, size_t size)
{
	unsigned char *at;

	if (!takes(stream))
		return NULL;
	if (stream->out.waiting == 0)
		stream->moved = true;
	at = wardi_output_room(&stream->out, size);
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
	wardi_output_wrote(&stream->out, size);
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
	wardi_output_wrote(&stream->out, (size_t)size);
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
	wardi_output_wrote(&stream->out, all);
	wrote(self, stream);
}

ward_err ward_stream_try_write(ward_self *self, ward_stream *stream, const void *bytes, size_t size)
{
	unsigned char *at;

	if (!takes(stream))
		return ward_refused(WARD_EDEAD, "ward_stream_try_write: the stream has ended");
	if (stream->out.waiting > wardi_write_high(stream->options))
		return ward_refused(WARD_EFULL,
				    "ward_stream_try_write: %llu bytes wait for the peer",
				    (unsigned long long)stream->out.waiting);
	if (size == 0)
		return WARD_OK;
	at = wardi_output_room(&stream->out, size);
	if (at == NULL)
		return ward_refused(WARD_ENOMEM, "ward_stream_try_write: no memory");
	memcpy(at, bytes, size);
	wardi_output_wrote(&stream->out, size);
	wrote(self, stream);
	return WARD_OK;
}

size_t ward_stream_unsent(const ward_stream *stream)
{
	return stream != NULL ? stream->out.waiting : 0;
}

bool ward_stream_full(const ward_stream *stream)
{
	return stream != NULL && stream->full;
}
