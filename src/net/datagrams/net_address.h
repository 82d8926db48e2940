/* SPDX-License-Identifier: MIT
 *
 * net_address.h - addresses of datagrams as values.
 */
#ifndef WARDI_NET_NET_ADDRESS_H
#define WARDI_NET_NET_ADDRESS_H

#include <sys/socket.h>
#include <ward/net/datagrams.h>

#include "net/address/address.h"

/* The address in the result of a system call; IPv4 mapped to IPv6 as IPv4. */
ward_net_address wardi_net_address_of(const struct sockaddr *socket, socklen_t size);
/* Reads an address to receive at, or to send to. */
ward_err wardi_datagram_address_read(struct wardi_address *ret_address, const char *text);

#endif
