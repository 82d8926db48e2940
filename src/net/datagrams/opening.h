/* SPDX-License-Identifier: MIT
 *
 * opening.h - from an address to a descriptor for datagrams.
 */
#ifndef WARDI_NET_OPENING_H
#define WARDI_NET_OPENING_H

#include "net/address/refusal.h"
#include "net/datagrams/datagrams.h"

/* Opens a socket at the address: non-blocking, close-on-exec. `peer`: its only one, or NULL. Sets
 * what the record knows of the descriptor: fd, own, path, dual. False: *ret_refusal, and nothing is
 * open. */
bool wardi_datagrams_bind(ward_datagrams *socket, const struct wardi_address *address,
			  const ward_net_address *peer, const ward_datagram_options *options,
			  struct wardi_net_refusal *ret_refusal);

#endif
