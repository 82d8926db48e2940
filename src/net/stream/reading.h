/* SPDX-License-Identifier: MIT
 *
 * reading.h - from a readiness to frames.
 */
#ifndef WARDI_NET_READING_H
#define WARDI_NET_READING_H

#include "net/stream/stream.h"

/* If the message is about the stream: reads, sends what waits, looks at the limits. False: it is
 * about another one. */
bool wardi_stream_take(ward_self *self, ward_stream *stream, const ward_msg *msg);
/* Whether the message at hand is about the stream. It need not be: a callback that failed, or
 * forgot ward_stream_result(), has left the address of its message, which another one may have. */
bool wardi_stream_is_about(const ward_stream *stream, const ward_msg *msg);
/* Whether it is about the stream, and was not taken for that reason. */
bool wardi_stream_misses(const ward_stream *stream, const ward_msg *msg);
/* Reads once. While the listener ends, nothing to read is the end. */
void wardi_stream_fill(ward_self *self, ward_stream *stream);

/* Forgets what was read and not handed out; the frame at hand stays. */
void wardi_stream_drop_read(ward_stream *stream);
/* Makes news of the end of the peer, once all frames were handed out. */
void wardi_stream_note_end(ward_stream *stream);

#endif
