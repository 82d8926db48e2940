/* SPDX-License-Identifier: MIT
 *
 * writing.h - from bytes to the operating system.
 */
#ifndef WARDI_NET_WRITING_H
#define WARDI_NET_WRITING_H

#include "net/stream/stream.h"

/* Sends what waits, as far as it goes, and of files a piece. Returns 0, or an errno; a negative one
 * of a file. */
int wardi_stream_push(ward_stream *stream);
/* The same, and what follows from it. */
void wardi_stream_flush(ward_self *self, ward_stream *stream);
/* Closes the mailbox of self while the peer is slow, if the options say so; opens it again. */
void wardi_stream_set_mailbox(ward_self *self, ward_stream *stream);
/* Asks the transport for what the stream waits for. */
void wardi_stream_want(ward_self *self, ward_stream *stream);
/* Goes on by a tick, after the messages that wait. */
void wardi_stream_go_on(ward_self *self, ward_stream *stream);

#endif
