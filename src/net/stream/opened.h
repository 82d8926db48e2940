/* SPDX-License-Identifier: MIT
 *
 * opened.h - a stream that its actor opens: what it does until it is connected.
 */
#ifndef WARDI_NET_OPENED_H
#define WARDI_NET_OPENED_H

#include "net/stream/stream.h"

/* What a message says about its connecting; OTHER also of a stream that does not connect. */
enum wardi_opening_step wardi_stream_step(ward_self *self, ward_stream *stream,
					  const ward_msg *msg);
/* What follows from that. */
void wardi_stream_stepped(ward_self *self, ward_stream *stream, enum wardi_opening_step step);
/* The stream of an OPEN opening, whose connection it takes on success. NULL: no memory. */
ward_stream *wardi_stream_make_opened(struct wardi_opening *opening);
/* It is to be closed: if nothing was written, a connection is no longer of use. */
void wardi_stream_close_unused(ward_self *self, ward_stream *stream);

#endif
