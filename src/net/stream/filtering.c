/* SPDX-License-Identifier: MIT
 *
 * filtering.c - a filter between the transport and the frames of a stream.
 *
 * The filter takes all that is read, and gives all that it is, so no plain byte is left in it when
 * the transport has no more. What it wants to be sent, at any time, is appended to the wire: a
 * handshake that writes while it reads needs nothing else.
 */
#include "net/stream/filtering.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "common/reserved.h"
#include "net/stream/failing.h"
#include "net/stream/reading.h"
#include "net/stream/writing.h"

/* ---- bytes that a filter gives ----------------------------------------------------------- */

static ward_stream_bytes *given(struct wardi_buffer *buffer)
{
	return (ward_stream_bytes *)buffer;
}

void *ward_stream_bytes_room(ward_stream_bytes *bytes, size_t size)
{
	return wardi_buffer_room((struct wardi_buffer *)bytes, size);
}

void ward_stream_bytes_add(ward_stream_bytes *bytes, size_t size)
{
	if (size > 0)
		wardi_buffer_wrote((struct wardi_buffer *)bytes, size);
}

/* ---- begin and end ----------------------------------------------------------------------- */

static void pass(ward_stream *stream, const void *bytes, size_t size)
{
	struct wardi_filtering *filtering = stream->rare->filtering;

	filtering->said = filtering->filter->came(filtering->at, bytes, size, given(&stream->in),
						  given(&filtering->wire), filtering->text);
	if (filtering->open ||
	    (filtering->said != WARD_FILTERED_OPEN && filtering->said != WARD_FILTERED_END))
		return;
	filtering->open = true;
	if (stream->opened)
		stream->news |= WARD_STREAM_OPENED;
}

static ward_err refused(const ward_stream_filter *filter, const char *text)
{
	if (text[0] == '\0')
		return ward_refused(WARD_ENOMEM, "a stream: no memory for %s", filter->name);
	return ward_refused(WARD_EINVAL, "a stream: %s: %s", filter->name, text);
}

ward_err wardi_filtering_make(const ward_stream_options *options, struct wardi_filtering **ret)
{
	const ward_stream_filter *filter = options->filter;
	struct wardi_filtering *filtering;
	ward_err err = WARD_OK;

	*ret = NULL;
	if (filter == NULL)
		return WARD_OK;
	if (!WARDI_RESERVED_ZERO(filter->reserved))
		return ward_refused(WARD_EINVAL, "a stream: .filter: " WARDI_RESERVED_WRONG);
	if (filter->name == NULL || filter->open == NULL || filter->came == NULL ||
	    filter->goes == NULL || filter->close == NULL)
		return ward_refused(WARD_EINVAL, "a stream: a filter without a name, or without "
						 "one of its functions");
	filtering = calloc(1, sizeof *filtering);
	if (filtering == NULL)
		return refused(filter, "");
	filtering->filter = filter;
	filtering->at = filter->open(options->filter_options, filtering->text);
	if (filtering->at == NULL) {
		err = refused(filter, filtering->text);
		free(filtering);
		return err;
	}
	*ret = filtering;
	return WARD_OK;
}

static ward_err open_first(ward_stream *stream, const ward_stream_options *options)
{
	struct wardi_filtering *filtering;
	ward_err err = wardi_filtering_make(options, &filtering);

	if (filtering == NULL)
		return err;
	if (wardi_stream_rare_of(stream) == NULL) {
		wardi_filtering_free(filtering);
		return refused(options->filter, "");
	}
	stream->rare->filtering = filtering;
	pass(stream, NULL, 0);
	if (filtering->said > WARD_FILTERED_OPEN) {
		err = refused(options->filter,
			      filtering->said == WARD_FILTERED_MEMORY ? "" : filtering->text);
		wardi_filtering_close(stream);
	}
	return err;
}

ward_err wardi_filtering_start(ward_stream *stream, const ward_stream_options *options)
{
	const ward_stream_filter *has = NULL;

	if (stream->rare->filtering != NULL)
		has = stream->rare->filtering->filter;
	else if (!stream->started)
		return open_first(stream, options);
	if (options->filter == NULL || options->filter == has)
		return WARD_OK;
	return ward_refused(WARD_EINVAL,
			    "a stream: its filter is that of its first start, %s: it cannot be %s",
			    has != NULL ? has->name : "none",
			    options->filter->name != NULL ? options->filter->name : "another");
}

void wardi_filtering_free(struct wardi_filtering *filtering)
{
	if (filtering == NULL)
		return;
	filtering->filter->close(filtering->at);
	wardi_buffer_free(&filtering->wire);
	free(filtering);
}

void wardi_filtering_close(ward_stream *stream)
{
	if (stream->rare->filtering == NULL)
		return;
	wardi_filtering_free(stream->rare->filtering);
	stream->rare->filtering = NULL;
}

void *ward_stream_filter_state(const ward_stream *stream, const ward_stream_filter *filter)
{
	if (stream == NULL || stream->rare->filtering == NULL ||
	    stream->rare->filtering->filter != filter)
		return NULL;
	return stream->rare->filtering->at;
}

/* ---- what comes -------------------------------------------------------------------------- */

ssize_t wardi_filtering_read(ward_stream *stream)
{
	struct wardi_bytes *large = wardi_large_take();
	struct iovec into;
	ssize_t got;
	int error;

	if (large == NULL) {
		errno = ENOMEM;
		return -1;
	}
	into = (struct iovec){large->at, WARDI_LARGE};
	got = stream->transport->receive(stream, &into, 1);
	error = errno;
	if (got > 0 && !wardi_filtering_parts(stream))
		pass(stream, large->at, (size_t)got);
	wardi_large_give(large);
	if (wardi_stream_discards(stream))
		wardi_buffer_free(&stream->in);
	errno = error;
	return got;
}

static const ward_failure_class *class_of(ward_filtered said)
{
	switch (said) {
	case WARD_FILTERED_REFUSED:
		return &ward_not_trusted;
	case WARD_FILTERED_WRONG:
		return &ward_bad_frame;
	case WARD_FILTERED_MEMORY:
		return &ward_out_of_memory;
	case WARD_FILTERED_MORE:
	case WARD_FILTERED_OPEN:
	case WARD_FILTERED_END:
	default:
		return NULL;
	}
}

const ward_failure_class *wardi_filtering_cause(const ward_stream *stream, const char **ret_call,
						const char **ret_text)
{
	*ret_call = stream->rare->filtering->filter->name;
	*ret_text = stream->rare->filtering->text;
	return class_of(stream->rare->filtering->said);
}

/* What the filter has to say about it goes out, then the end. What still comes is thrown away until
 * the peer has ended: a close with unread bytes is a reset, which overtakes what was said. */
static void part(ward_self *self, ward_stream *stream)
{
	stream->rare->filtering->parting = true;
	stream->rare->filtering->told = true; /* other than by an end */
	stream->closing = stream->finished = stream->moved = true;
	wardi_stream_drop_read(stream);
	wardi_output_free(&stream->out);
	wardi_stream_flush(self, stream);
}

static void fail(ward_self *self, ward_stream *stream, const ward_failure_class *failure_class)
{
	struct wardi_filtering *filtering = stream->rare->filtering;
	bool memory = filtering->said == WARD_FILTERED_MEMORY;

	if (!memory && !filtering->parting && !stream->dead &&
	    wardi_buffer_count(&filtering->wire) > 0) {
		part(self, stream);
		return;
	}
	(void)wardi_stream_push(stream);
	wardi_stream_lose(self, stream, failure_class, filtering->filter->name, memory ? ENOMEM : 0,
			  memory ? NULL : filtering->text);
}

void wardi_filtering_begin(ward_self *self, ward_stream *stream)
{
	const ward_failure_class *failure_class;

	pass(stream, NULL, 0);
	failure_class = class_of(stream->rare->filtering->said);
	if (failure_class != NULL)
		fail(self, stream, failure_class);
}

void wardi_filtering_follow(ward_self *self, ward_stream *stream, ssize_t got)
{
	struct wardi_filtering *filtering = stream->rare->filtering;
	const ward_failure_class *failure_class = class_of(filtering->said);

	filtering->cut = got == 0 && !stream->closing;
	if (got <= 0 || filtering->parting)
		return;
	if (filtering->said == WARD_FILTERED_END)
		stream->ended = true;
	if (stream->shut)
		wardi_buffer_free(&filtering->wire); /* the peer was told that no more comes */
	if (failure_class != NULL)
		fail(self, stream, failure_class);
	else if (wardi_buffer_count(&filtering->wire) > 0)
		wardi_stream_flush(self, stream); /* before the transport is asked when it can */
}

bool wardi_filtering_fail_sent(ward_self *self, ward_stream *stream)
{
	const ward_failure_class *failure_class =
		stream->rare->filtering != NULL ? class_of(stream->rare->filtering->said) : NULL;

	if (failure_class == NULL || stream->dead)
		return false;
	fail(self, stream, failure_class);
	return true;
}

void wardi_filtering_fail_cut(ward_self *self, ward_stream *stream)
{
	struct wardi_filtering *filtering = stream->rare->filtering;
	char text[96];

	if (wardi_stream_has_bytes(stream) || stream->dead ||
	    (filtering->parting && !wardi_stream_over(stream)))
		return;
	snprintf(text, sizeof text, "the connection ended %s %.32s",
		 filtering->open ? "without an end of" : "within the handshake of",
		 filtering->filter->name);
	wardi_stream_lose(self, stream, &ward_peer_cut_off, "read", 0, text);
}

/* ---- what goes --------------------------------------------------------------------------- */

/* Pieces are those of TLS at most. Little is sealed ahead of what the transport takes. */
enum { PIECE = 16 * 1024, AHEAD = 32 * 1024 };

static size_t piece_of(size_t size)
{
	return size < PIECE ? size : PIECE;
}

static int seal(ward_stream *stream, const void *bytes, size_t size, bool end)
{
	struct wardi_filtering *filtering = stream->rare->filtering;
	ward_filtered said = filtering->filter->goes(filtering->at, bytes, size, end,
						     given(&filtering->wire), filtering->text);

	if (class_of(said) == NULL)
		return 0;
	filtering->said = said;
	return said == WARD_FILTERED_MEMORY ? ENOMEM : EPROTO;
}

static uint64_t end_of_wire(const ward_stream *stream)
{
	return stream->sent + wardi_stream_wire(stream);
}

static int seal_output(ward_stream *stream, uint64_t *of_files)
{
	struct wardi_output *out = &stream->out;
	bool has_file = wardi_output_has_file(out);
	struct wardi_next next;
	size_t size;
	int error;

	(void)wardi_output_next(out, &next);
	if (next.count == 0)
		return -wardi_part_read(next.file);
	size = piece_of(next.bytes[0].iov_len);
	error = seal(stream, next.bytes[0].iov_base, size, false);
	if (error != 0)
		return error;
	wardi_output_sent(out, size);
	if (has_file) {
		stream->rare->filtering->files = stream->rare->filtering->uncounted =
			end_of_wire(stream);
		*of_files += size;
	}
	return 0;
}

static int seal_piped(ward_stream *stream)
{
	struct wardi_buffer *in = &stream->rare->source->in;
	size_t size = piece_of(wardi_buffer_count(in));
	int error = seal(stream, wardi_buffer_bytes(in), size, false);

	if (error != 0)
		return error;
	wardi_buffer_drop(in, size);
	stream->rare->filtering->uncounted = end_of_wire(stream);
	return 0;
}

static int seal_end(ward_stream *stream)
{
	if (!stream->finished || stream->rare->filtering->told)
		return 0;
	stream->rare->filtering->told = true;
	return seal(stream, NULL, 0, true);
}

/* Returns 0; an errno; or one of a file, negative. */
static int seal_some(ward_stream *stream, uint64_t *of_files)
{
	int error = 0;

	if (!stream->rare->filtering->open || class_of(stream->rare->filtering->said) != NULL)
		return 0;
	while (error == 0 && wardi_stream_wire(stream) < AHEAD) {
		if (*of_files >= WARDI_FILES_OF_TURN)
			return 0;
		if (wardi_output_waiting(&stream->out) > 0)
			error = seal_output(stream, of_files);
		else if (wardi_stream_piped(stream) > 0)
			error = seal_piped(stream);
		else
			return seal_end(stream);
	}
	return error;
}

int wardi_filtering_push(ward_stream *stream)
{
	struct wardi_buffer *wire = &stream->rare->filtering->wire;
	uint64_t of_files = 0;
	int error = 0;

	while (!stream->dead && (error = seal_some(stream, &of_files)) == 0 &&
	       wardi_buffer_count(wire) > 0) {
		struct iovec from = {wardi_buffer_bytes(wire), wardi_buffer_count(wire)};
		ssize_t sent = stream->transport->send(stream, &from, 1);

		if (sent < 0)
			return errno == EAGAIN ? 0 : errno;
		wardi_buffer_drop(wire, (size_t)sent);
		stream->sent += (uint64_t)sent;
		stream->active = stream->moved = true;
	}
	return error;
}

uint64_t wardi_filtering_waiting(const ward_stream *stream)
{
	const struct wardi_filtering *filtering = stream->rare->filtering;
	uint64_t before = wardi_output_bytes(&stream->out);

	if (filtering == NULL)
		return before;
	return before + (filtering->uncounted > stream->sent
				 ? end_of_wire(stream) - filtering->uncounted
				 : wardi_stream_wire(stream));
}

bool wardi_filtering_has_file(const ward_stream *stream)
{
	return wardi_output_has_file(&stream->out) ||
	       (stream->rare->filtering != NULL && stream->rare->filtering->files > stream->sent);
}

bool wardi_filtering_all_sent(const ward_stream *stream)
{
	const struct wardi_filtering *filtering = stream->rare->filtering;

	if (filtering == NULL)
		return wardi_output_waiting(&stream->out) == 0;
	if (wardi_buffer_count(&filtering->wire) > 0)
		return false;
	if (filtering->open)
		return filtering->told;
	/* Without a handshake nothing can be sent, and this one is over. */
	return stream->ended || (stream->closing && wardi_output_waiting(&stream->out) == 0);
}
