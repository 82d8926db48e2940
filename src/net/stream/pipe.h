/* SPDX-License-Identifier: MIT
 *
 * pipe.h - what comes from one stream goes to another one of the same actor.
 */
#ifndef WARDI_NET_PIPE_H
#define WARDI_NET_PIPE_H

#include "net/stream/stream.h"

/* In the callback of a message of the stream: moves what can be moved to and from it. */
void wardi_pipes_run(ward_self *self, ward_stream *stream);
/* Whether the stream has failed, or another end of its pipes. */
bool wardi_pipes_failed(const ward_stream *stream);
/* Whether the other ends of its pipes are over. */
bool wardi_pipes_over(const ward_stream *stream);
/* Ends the pipes from and to the stream. What was read stays with the streams. */
void wardi_pipes_end(ward_stream *stream);

#endif
