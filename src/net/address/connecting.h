/* SPDX-License-Identifier: MIT
 *
 * connecting.h - sockets that connect to an address.
 */
#ifndef WARDI_NET_CONNECTING_H
#define WARDI_NET_CONNECTING_H

#include <stdbool.h>
#include <sys/socket.h>

#include "net/address/refusal.h"

/* Opens a socket and begins to connect to an address of TCP or UNIX: non-blocking, close-on-exec,
 * and of TCP with TCP_NODELAY. If *ret_connected is false, it is connected or refused when it can
 * be written to, and wardi_connect_end() tells which. Returns -1: *ret_refusal. */
int wardi_connect_begin(const struct sockaddr *to, socklen_t size, bool *ret_connected,
			struct wardi_net_refusal *ret_refusal);

/* True: the socket is connected. False: it is not, and *ret_refusal says why; the caller closes it.
 * Also for a socket that was connected at once. One that is connected to itself counts as not
 * connected: if nobody listens at an ephemeral port of this machine, the kernel may choose that
 * port for the socket, and TCP lets it connect to itself. */
bool wardi_connect_end(int fd, struct wardi_net_refusal *ret_refusal);

#endif
