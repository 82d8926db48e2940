/* SPDX-License-Identifier: MIT
 *
 * life.h - a stream begins, passes from one incarnation to the next, and ends.
 */
#ifndef WARDI_NET_LIFE_H
#define WARDI_NET_LIFE_H

#include "net/stream/stream.h"

/* The end of it: sends what the operating system takes at once, and closes; in the drop of the
 * arguments of an actor that failed with a reset. */
void wardi_stream_free(ward_stream *stream);

/* The incarnation frees it at its end. Errors: WARD_ENOMEM: it does not. */
ward_err wardi_stream_own(ward_self *self, ward_stream *stream);
/* A new incarnation begins to use it. */
void wardi_stream_enter(ward_self *self, ward_stream *stream, const ward_stream_options *options);

#endif
