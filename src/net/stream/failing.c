/* SPDX-License-Identifier: MIT
 *
 * failing.c - the classes of failures of connections, and how a stream fails its actor.
 */
#include "net/stream/failing.h"

#include <stdio.h>
#include <string.h>
#include <ward/ward.h>

#include "net/stream/filtering.h"

#define CLASS(name_, parent_)                                                                      \
	const ward_failure_class name_ = {                                                         \
		.name = #name_, .parent = &(parent_), .reserved = {WARD_CLASS_OWN_}}

CLASS(ward_net_failure, ward_exception);
CLASS(ward_peer_lost, ward_net_failure);
CLASS(ward_peer_cut_off, ward_peer_lost);
CLASS(ward_peer_idle, ward_net_failure);
CLASS(ward_peer_slow, ward_net_failure);
CLASS(ward_bad_frame, ward_net_failure);
CLASS(ward_not_trusted, ward_net_failure);
CLASS(ward_not_listening, ward_net_failure);
CLASS(ward_not_connected, ward_initialization);

const ward_type ward_type_ward_net_error = {
	.name = "ward_net_error",
	.size = sizeof(struct ward_net_error),
	.flags = WARD_TYPE_FLAT,
};

void wardi_stream_fail(ward_self *self, ward_stream *stream,
		       const ward_failure_class *failure_class, const char *call, int error,
		       const char *text)
{
	struct ward_net_error body = {
		.error = error,
		.received = stream->received,
		.sent = stream->sent,
		.unsent = wardi_stream_unsent(stream),
	};

	if (stream->failed)
		return;
	stream->failed = true;
	/* Whatever the end of a peer that was refused looks like. */
	if (wardi_filtering_parts(stream)) {
		failure_class = wardi_filtering_cause(stream, &call, &text);
		body.error = 0;
	}
	snprintf(body.call, sizeof body.call, "%s", call);
	if (stream->rare->opening == NULL && strcmp(call, "write") == 0) {
		struct wardi_peer written = wardi_peer_written(&stream->peer);

		wardi_peer_text(&written, body.address);
	} else {
		wardi_stream_peer(stream, body.address);
	}
	(void)!ward_failed_body(self, failure_class, WARD_COPY(ward_net_error, &body), "%s: %s: %s",
				body.address, call, text != NULL ? text : strerrordesc_np(error));
}

void wardi_stream_lose(ward_self *self, ward_stream *stream,
		       const ward_failure_class *failure_class, const char *call, int error,
		       const char *text)
{
	wardi_stream_fail(self, stream, failure_class, call, error, text);
	stream->dead = true;
	if (stream->rare->opening != NULL)
		wardi_opening_cancel(self, stream->rare->opening);
	wardi_output_free(&stream->out);
	if (stream->rare->filtering != NULL)
		wardi_buffer_free(&stream->rare->filtering->wire);
}
