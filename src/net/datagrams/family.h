/* SPDX-License-Identifier: MIT
 *
 * family.h - addresses as a socket takes them.
 */
#ifndef WARDI_NET_FAMILY_H
#define WARDI_NET_FAMILY_H

#include "net/datagrams/datagrams.h"

/* AF_UNSPEC: nobody. */
sa_family_t wardi_family_of(const ward_net_address *address);

/* Writes an address as this socket takes it: IPv4 is mapped to IPv6 for a socket of both. False: it
 * is of another family, or nobody. */
bool wardi_address_for(const ward_datagrams *socket, const ward_net_address *address,
		       ward_net_address *ret_address);

#endif
