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
#include "net/stream/filtering.h"
#include "net/stream/limits.h"
#include "net/stream/options.h"

/* ---- sending ----------------------------------------------------------------------------- */

static int send_bytes(ward_stream *stream, const struct iovec *from, int count, ssize_t *ret_sent)
{
	*ret_sent = stream->transport->send(stream, from, count);
	return *ret_sent < 0 ? errno : 0;
}

/* Errors that a read of the file tells better. */
static bool is_of_file(int error)
{
	return error == EINVAL || error == ENOSYS || error == EBADF || error == EIO ||
	       error == EISDIR || error == EOVERFLOW || error == ESPIPE;
}

/* Where the transport takes no file, it is read, and there are bytes to send the next time. */
static int send_file(ward_stream *stream, const struct wardi_next *next, ssize_t *ret_sent)
{
	const struct wardi_transport *transport = stream->transport;
	const struct wardi_part *file = next->file;
	ssize_t sent = 0;

	if (transport->send_file != NULL)
		sent = transport->send_file(stream, next->bytes, next->count, file->fd,
					    file->offset, file->size);
	*ret_sent = sent > 0 ? sent : 0;
	if (sent > 0)
		return 0;
	if (sent < 0 && !is_of_file(errno))
		return errno;
	return -wardi_part_read(next->file);
}

static void note_sent(ward_stream *stream, ssize_t sent)
{
	stream->sent += (uint64_t)sent;
	stream->active = stream->moved = true;
}

/* What was read from the source. */
static int push_piped(ward_stream *stream)
{
	while (!stream->dead && wardi_stream_piped(stream) > 0) {
		struct wardi_buffer *in = &stream->rare->source->in;
		struct iovec from = {wardi_buffer_bytes(in), wardi_buffer_count(in)};
		ssize_t sent;
		int error = send_bytes(stream, &from, 1, &sent);

		if (error != 0)
			return error;
		wardi_buffer_drop(in, (size_t)sent);
		note_sent(stream, sent);
	}
	return 0;
}

static int push_output(ward_stream *stream)
{
	struct wardi_output *out = &stream->out;
	uint64_t of_files = 0;
	struct wardi_next next;

	while (!stream->dead && of_files < WARDI_FILES_OF_TURN && wardi_output_next(out, &next)) {
		bool has_file = wardi_output_has_file(out);
		ssize_t sent;
		int error = next.file != NULL ? send_file(stream, &next, &sent)
					      : send_bytes(stream, next.bytes, next.count, &sent);

		if (error != 0)
			return error;
		wardi_output_sent(out, (uint64_t)sent);
		note_sent(stream, sent);
		of_files += has_file ? (uint64_t)sent : 0;
	}
	return 0;
}

int wardi_stream_push(ward_stream *stream)
{
	int error;

	if (stream->rare->filtering != NULL)
		return wardi_filtering_push(stream);
	error = push_output(stream);
	if (error == 0 && wardi_output_waiting(&stream->out) == 0)
		error = push_piped(stream);
	return error == EAGAIN ? 0 : error;
}

/* While a file waits nothing is asked of the peer that would wait behind it. */
static bool above_high(const ward_stream *stream)
{
	return wardi_filtering_waiting(stream) > wardi_write_high(stream->options) ||
	       wardi_filtering_has_file(stream);
}

/* Outside a callback of the stream, its next one has the news. */
static void note_drained(ward_self *self, ward_stream *stream)
{
	stream->full = false;
	stream->whole = true;
	if (stream->msg != NULL) {
		stream->news |= WARD_STREAM_DRAINED;
	} else {
		stream->late |= WARD_STREAM_DRAINED;
		wardi_stream_go_on(self, stream);
	}
}

static void note_waiting(ward_self *self, ward_stream *stream)
{
	if (above_high(stream)) {
		stream->full = true;
	} else if (stream->full &&
		   wardi_filtering_waiting(stream) <= wardi_write_low(stream->options)) {
		note_drained(self, stream);
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

static void lose_file(ward_self *self, ward_stream *stream, int error)
{
	if (error == ENODATA)
		wardi_stream_lose(self, stream, &ward_net_failure, "file", 0,
				  "it is shorter than what was to be sent");
	else
		wardi_stream_lose(self, stream,
				  error == ENOMEM ? &ward_out_of_memory : &ward_net_failure, "file",
				  error, NULL);
}

static void push(ward_self *self, ward_stream *stream)
{
	int error = wardi_stream_push(stream);

	if (error != 0 && wardi_filtering_fail_sent(self, stream))
		return;
	if (error > 0)
		wardi_stream_lose(self, stream,
				  error == ENOMEM ? &ward_out_of_memory : &ward_peer_lost, "write",
				  error, NULL);
	else if (error < 0)
		lose_file(self, stream, -error);
}

/* The end of a pipe is the end of what it passes on. */
static void follow_source(ward_self *self, ward_stream *stream)
{
	if (stream->finished || stream->rare->source == NULL ||
	    !wardi_stream_dry(stream->rare->source))
		return;
	stream->finished = true;
	if (stream->rare->filtering != NULL)
		push(self, stream); /* the filter tells the peer */
}

void wardi_stream_flush(ward_self *self, ward_stream *stream)
{
	push(self, stream);
	follow_source(self, stream);
	wardi_output_settle(&stream->out);
	if (stream->rare->filtering != NULL)
		wardi_buffer_settle(&stream->rare->filtering->wire);
	if (stream->rare->source != NULL &&
	    stream->rare->source->msg == NULL) /* no frame of it is at hand */
		wardi_buffer_settle(&stream->rare->source->in);
	note_waiting(self, stream);
	wardi_stream_set_mailbox(self, stream);
	if (stream->finished && !stream->shut && !stream->dead &&
	    wardi_filtering_all_sent(stream)) {
		stream->transport->finish(self, stream);
		stream->shut = true;
	}
}

static void want(ward_self *self, ward_stream *stream)
{
	uint32_t events = 0;
	ward_err err;

	if (stream->fd < 0 || !wardi_stream_is_started(self, stream))
		return;
	if (!stream->dead && !stream->ended &&
	    (wardi_stream_discards(stream) || !wardi_stream_held(stream)))
		events |= WARDI_READABLE;
	if (wardi_stream_sends(stream))
		events |= WARDI_WRITABLE;
	if (!stream->dead && events == 0 && !stream->hung && !wardi_stream_over(stream))
		events = WARDI_HUNG_UP;
	if (events == stream->wanted)
		return;
	err = stream->transport->want(self, stream, events);
	stream->wanted = err == WARD_OK ? (uint16_t)(events & 7) : 0;
	if (err != WARD_OK)
		wardi_stream_lose(self, stream, &ward_net_failure, "watch", 0, ward_err_detail());
}

void wardi_stream_want(ward_self *self, ward_stream *stream)
{
	want(self, stream);
	if (stream->rare->source != NULL)
		want(self, stream->rare->source);
}

void wardi_stream_go_on(ward_self *self, ward_stream *stream)
{
	/* No mailbox refuses or drops a tick; an exact one does not wait for its millisecond. */
	ward_timer now = {.key = (uint64_t)(uintptr_t)stream, .exact = true};
	struct wardi_stream_word again = {stream};

	if (stream->again)
		return;
	stream->again = ward_noted_(self, ward_try_timer_start(self, &now, &wardi_type_stream_again,
							       &again, sizeof again));
}

/* ---- writing ----------------------------------------------------------------------------- */

static bool is_open(const ward_stream *stream)
{
	return stream != NULL && wardi_stream_exists(stream) && !stream->dead && !stream->finished;
}

/* What is written after ward_stream_give() would be lost without a word. */
static bool takes(ward_self *self, const ward_stream *stream)
{
	char peer[WARD_ADDRESS_TEXT];

	if (stream != NULL && stream->left)
		(void)!ward_failed(self, &ward_misuse,
				   "a write: the stream of %s was given away: only its next actor "
				   "writes to it",
				   wardi_stream_peer(stream, peer));
	return is_open(stream);
}

/* After something was written: outside the callback of a message of the stream nobody else sends
 * it. */
static void wrote(ward_self *self, ward_stream *stream)
{
	if (stream->msg != NULL && !above_high(stream))
		return;
	wardi_stream_flush(self, stream);
	if (wardi_filtering_waiting(stream) > wardi_write_max(stream->options)) {
		wardi_stream_lose(self, stream, &ward_peer_slow, "write", 0,
				  "it does not read: more than write_max bytes wait");
		return;
	}
	if (stream->msg != NULL)
		return;
	wardi_stream_want(self, stream);
	wardi_limits_watch(self, stream);
	if (wardi_stream_over(stream))
		wardi_stream_go_on(self, stream);
}

/* Room for bytes; NULL: none, or nothing may be written. */
static unsigned char *room(ward_self *self, ward_stream *stream, size_t size)
{
	unsigned char *at;

	if (!takes(self, stream))
		return NULL;
	if (wardi_stream_unsent(stream) == 0)
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

	if (!takes(self, stream))
		return;
	if (!wardi_wrap(stream->rare->framing != NULL ? stream->rare->framing
						      : &stream->options->framing,
			size, &wrap)) {
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

/* The part is the stream's, also where it cannot be written. */
static void write_part(ward_self *self, ward_stream *stream, struct wardi_part *part)
{
	bool waits = stream != NULL && wardi_stream_unsent(stream) > 0;

	if (!takes(self, stream) || part->size == 0) {
		wardi_part_release(part);
		return;
	}
	if (!wardi_output_add(&stream->out, part)) {
		wardi_part_release(part);
		wardi_stream_fail(self, stream, &ward_out_of_memory, "write", ENOMEM, NULL);
		return;
	}
	if (!waits)
		stream->moved = true;
	wrote(self, stream);
}

void ward_stream_write_given(ward_self *self, ward_stream *stream, const void *bytes, size_t size,
			     void (*release)(void *arg) WARD_NOEXCEPT, void *arg)
{
	struct wardi_part part = {
		.bytes = bytes,
		.size = bytes != NULL ? size : 0,
		.release = release,
		.arg = arg,
		.fd = -1,
	};

	write_part(self, stream, &part);
}

void ward_stream_write_file(ward_self *self, ward_stream *stream, int file_fd, int64_t offset,
			    uint64_t size)
{
	struct wardi_part part = {.size = size, .offset = offset, .fd = file_fd};

	if (file_fd < 0 || offset < 0) {
		part.size = 0;
		(void)!ward_failed(self, &ward_misuse,
				   "ward_stream_write_file: descriptor %d, offset %lld: neither "
				   "may be negative",
				   file_fd, (long long)offset);
	}
	write_part(self, stream, &part);
}

ward_err ward_stream_try_write(ward_self *self, ward_stream *stream, const void *bytes, size_t size)
{
	unsigned char *at;

	if (!is_open(stream))
		return ward_refused(WARD_EDEAD, "ward_stream_try_write: the stream %s",
				    stream != NULL && stream->left ? "was given away"
								   : "has ended");
	if (above_high(stream))
		return ward_refused(WARD_EFULL,
				    "ward_stream_try_write: %llu bytes wait for the peer",
				    (unsigned long long)wardi_stream_unsent(stream));
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
	return stream != NULL ? wardi_stream_unsent(stream) : 0;
}

bool ward_stream_full(const ward_stream *stream)
{
	return stream != NULL && stream->full;
}
