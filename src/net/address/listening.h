/* SPDX-License-Identifier: MIT
 *
 * listening.h - sockets that listen at an address.
 */
#ifndef WARDI_NET_LISTENING_H
#define WARDI_NET_LISTENING_H

#include <limits.h>

#include "net/address/address.h"
#include "net/address/refusal.h"

/* How to listen. Zero is the default. */
struct wardi_listening {
	int backlog;        /* 0: the most that the system allows */
	uint32_t unix_mode; /* 0: 0600; permission bits only */
	bool unix_replace;  /* takes over a path at which nobody listens */
	bool reuse_port;
};

/* Opens a socket that listens: non-blocking, close-on-exec. One for IPv6 and IPv4 at "any address",
 * IPv4 alone where there is no IPv6; tcp:[::]:PORT is IPv6 alone. Of FD and SYSTEMD it is the
 * descriptor itself, checked: a stream socket that listens; the caller owns it from then on, as the
 * others. One of SYSTEMD is returned once in the process, unless wardi_systemd_give_back() says
 * otherwise. NAME and SIM are refused.
 *
 * *ret_path (of `size` WARD_ADDRESS_TEXT; "": none) is a path of the file system that this call
 * made, and that the end has to remove: before it closes the socket, as from then on another
 * process may take the path over.
 *
 * Blocks for 100 ms at most, where another process begins to listen in the same folder. Returns -1:
 * *ret_refusal. */
int wardi_listen_at(const struct wardi_address *address, const struct wardi_listening *how,
		    char *ret_path, size_t size, struct wardi_net_refusal *ret_refusal);

/* Writes the address of a socket that listens; of one for IPv6 and IPv4 at all addresses
 * "tcp:*:7000", since tcp:[::]:7000 is IPv6 alone. Returns the buffer. */
const char *wardi_listening_text(int fd, char ret_text[WARD_ADDRESS_TEXT]);

/* For listen(): the kernel cuts a large number to what net.core.somaxconn allows. */
static inline int wardi_backlog(const struct wardi_listening *how)
{
	return how->backlog > 0 ? how->backlog : INT_MAX;
}

#endif
