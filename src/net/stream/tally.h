/* SPDX-License-Identifier: MIT
 *
 * tally.h - the connections of one listener that are open, wherever their streams are.
 *
 * A stream that was given away counts as long as it is open; a child whose stream has gone does
 * not. So the count is that of descriptors, as connections_max is.
 *
 * Threads: any; the listener makes and reads it, the holders of the streams change it.
 */
#ifndef WARDI_NET_TALLY_H
#define WARDI_NET_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

#include "net/stream/stream.h"

struct wardi_tally {
	struct wardi_stream_rare shared; /* of streams that have nothing else that is rare */
	ward_ref listener;     /* to be notified of room that no end of a child makes, or nobody */
	atomic_uint holders;   /* the listener, and the streams that count */
	atomic_uint open;      /* connections */
	atomic_uint away;      /* of these, given to another actor than the listener's child */
	atomic_uint unstarted; /* of these, never started */
};

/* To the listener: look for room again. */
extern const ward_type wardi_type_tally_changed;

/* NULL: no memory. */
struct wardi_tally *wardi_tally_make(ward_ref listener);
void wardi_tally_release(struct wardi_tally *tally);

/* The stream begins to count. */
void wardi_tally_add(struct wardi_tally *tally, ward_stream *stream);
/* What happens to a stream. Without a tally: nothing. */
void wardi_tally_started(ward_stream *stream);
void wardi_tally_given(ward_self *self, ward_stream *stream);
void wardi_tally_aborted(ward_self *self, ward_stream *stream);
void wardi_tally_closed(ward_stream *stream);

/* Numbers only: nothing is read that others have written before they changed them. */
static inline uint32_t wardi_tally_read(const atomic_uint *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

#endif
