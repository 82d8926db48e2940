/* SPDX-License-Identifier: MIT
 *
 * wired.h - a stream over one end of a wire.
 */
#ifndef WARDI_SIM_WIRED_H
#define WARDI_SIM_WIRED_H

#include <ward/net/stream.h>

struct wardi_end;

/* The end, which it takes, carries a stream that has no connection. */
void wardi_wired_carry(ward_stream *stream, struct wardi_end *end);

/* The stream of an end, which it takes on success. NULL: no memory. */
ward_stream *wardi_wired_make(struct wardi_end *end);

#endif
