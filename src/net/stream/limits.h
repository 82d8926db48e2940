/* SPDX-License-Identifier: MIT
 *
 * limits.h - the limits of time of a stream.
 */
#ifndef WARDI_NET_LIMITS_H
#define WARDI_NET_LIMITS_H

#include "net/stream/stream.h"

/* Sets the next tick, if a limit applies and none is set, or one that comes too late. */
void wardi_limits_watch(ward_self *self, ward_stream *stream);
/* A tick: fails the stream if a limit is passed. */
void wardi_limits_tick(ward_self *self, ward_stream *stream);

#endif
