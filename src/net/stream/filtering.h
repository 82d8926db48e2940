/* SPDX-License-Identifier: MIT
 *
 * filtering.h - a filter between the transport and the frames of a stream.
 *
 *	transport -> came -> in -> frames
 *	transport <- wire <- came, goes <- out <- what the actor writes
 *				     goes <- in of the source of a pipe
 */
#ifndef WARDI_NET_FILTERING_H
#define WARDI_NET_FILTERING_H

#include "net/stream/stream.h"

/* Makes the filter that the options name; NULL: they name none. */
ward_err wardi_filtering_make(const ward_stream_options *options, struct wardi_filtering **ret);
void wardi_filtering_free(struct wardi_filtering *filtering); /* or NULL */
/* The stream is started: at its first start the filter is made, and begins; later, also by another
 * actor, the options name the same one, or none. */
ward_err wardi_filtering_start(ward_stream *stream, const ward_stream_options *options);
/* A stream with a filter is connected: the handshake begins. */
void wardi_filtering_begin(ward_self *self, ward_stream *stream);
/* Frees all of it; the stream has no filter then. */
void wardi_filtering_close(ward_stream *stream);

/* Reads once through the filter. Returns what the transport returned, with errno. */
ssize_t wardi_filtering_read(ward_stream *stream);
/* After it: what follows from what the filter said. */
void wardi_filtering_follow(ward_self *self, ward_stream *stream, ssize_t got);
/* Whether the filter has failed at what goes; then this is the failure of the stream. */
bool wardi_filtering_fail_sent(ward_self *self, ward_stream *stream);
/* All frames were handed out, and the connection has ended, but not its filter: a failure. So is
 * the end of a peer that was refused. */
void wardi_filtering_fail_cut(ward_self *self, ward_stream *stream);

/* Why a peer was refused. Returns the class. */
const ward_failure_class *wardi_filtering_cause(const ward_stream *stream, const char **ret_call,
						const char **ret_text);

/* wardi_stream_push() of a stream with a filter. */
int wardi_filtering_push(ward_stream *stream);

/* The following ones are about streams without a filter, too. */

/* Bytes that count in the limits, before the filter and behind it. */
uint64_t wardi_filtering_waiting(const ward_stream *stream);
/* Whether a part of a file waits. */
bool wardi_filtering_has_file(const ward_stream *stream);
/* Whether nothing is left to be sent, or ever can be. */
bool wardi_filtering_all_sent(const ward_stream *stream);

#endif
