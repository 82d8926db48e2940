/* SPDX-License-Identifier: MIT
 *
 * failing.h - how a stream fails its actor.
 */
#ifndef WARDI_NET_FAILING_H
#define WARDI_NET_FAILING_H

#include "net/stream/stream.h"

/* Notes a failure of self. `error` is an errno, or 0; text: what happened, NULL: the words of
 * errno. */
void wardi_stream_fail(ward_self *self, ward_stream *stream,
		       const ward_failure_class *failure_class, const char *call, int error,
		       const char *text);
/* The same, and nothing can be read or written from then on. What waits to be sent is dropped. */
void wardi_stream_lose(ward_self *self, ward_stream *stream,
		       const ward_failure_class *failure_class, const char *call, int error,
		       const char *text);

#endif
