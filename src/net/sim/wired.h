/* SPDX-License-Identifier: MIT
 *
 * wired.h - a stream over one end of a wire.
 */
#ifndef WARDI_SIM_WIRED_H
#define WARDI_SIM_WIRED_H

#include <ward/net/stream.h>

#include "net/address/refusal.h"

struct wardi_end;

/* Takes the end on success. NULL: no memory. */
ward_stream *wardi_wired_make(struct wardi_end *end);

/* Begins to connect to a name of the network of a system, as connect() of a socket that does not
 * block: the stream is connected or refused when it is writable, and its transport's error() tells
 * which. It can be used before. NULL: *ret_refusal. */
ward_stream *wardi_sim_connect(ward_system *system, const char *name,
			       struct wardi_net_refusal *ret_refusal);

#endif
