/* SPDX-License-Identifier: MIT
 *
 * stream.c - the record of a stream: how it is made, what is rare in it, its name.
 */
#include "net/stream/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "net/stream/socket.h"

const ward_type wardi_type_stream_closing = {
	.name = "ward.stream_closing",
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET,
};
const ward_type wardi_type_stream_again = {
	.name = "ward.stream_again",
	.size = sizeof(struct wardi_stream_word),
	.flags = WARD_TYPE_QUIET,
};
const ward_type wardi_type_stream_tick = {
	.name = "ward.stream_tick",
	.size = sizeof(struct wardi_stream_word),
	.flags = WARD_TYPE_QUIET | WARD_TYPE_NOT_INFLUENCING,
};
const ward_type wardi_type_stream_ready = {
	.name = "ward.stream_ready",
	.size = sizeof(struct wardi_stream_word),
	.flags = WARD_TYPE_QUIET,
};

ward_stream *wardi_stream_make(int fd, const struct wardi_peer *peer)
{
	return wardi_stream_make_over(&wardi_socket, fd, peer);
}

ward_stream *wardi_stream_make_over(const struct wardi_transport *transport, int fd,
				    const struct wardi_peer *peer)
{
	ward_stream *stream = calloc(1, sizeof *stream);

	if (stream == NULL)
		return NULL;
	stream->transport = transport;
	stream->rare = WARDI_STREAM_NO_RARE;
	stream->fd = fd;
	stream->peer = *peer;
	return stream;
}

const struct wardi_stream_rare wardi_stream_no_rare;

struct wardi_stream_rare *wardi_stream_rare_of(ward_stream *stream)
{
	struct wardi_stream_rare *rare = stream->rare;

	if (rare->own)
		return rare;
	rare = calloc(1, sizeof *rare);
	if (rare == NULL)
		return NULL;
	*rare = (struct wardi_stream_rare){.own = true, .tally = stream->rare->tally};
	stream->rare = rare;
	return rare;
}

const char *wardi_stream_peer(const ward_stream *stream, char ret_text[WARD_ADDRESS_TEXT])
{
	if (stream->rare->opening == NULL)
		return wardi_peer_text(&stream->peer, ret_text);
	memcpy(ret_text, stream->rare->opening->text, WARD_ADDRESS_TEXT);
	return ret_text;
}

const char *ward_stream_peer(const ward_stream *stream, char ret_text[WARD_ADDRESS_TEXT])
{
	static const ward_stream nobody = {.rare = WARDI_STREAM_NO_RARE};

	return wardi_stream_peer(stream != NULL ? stream : &nobody, ret_text);
}
