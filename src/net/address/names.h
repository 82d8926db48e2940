/* SPDX-License-Identifier: MIT
 *
 * names.h - looks names up: the addresses to try, in their order.
 */
#ifndef WARDI_NET_NAMES_H
#define WARDI_NET_NAMES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "net/address/refusal.h"

/* Of a name with more addresses the others are not tried. */
enum { WARDI_NAMES_MAX = 16 };

struct wardi_socket_address {
	socklen_t size;
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} socket;
};

/* At least one, each once. IPv6 and IPv4 alternate while there are both, beginning with the family
 * that getaddrinfo() has first; within a family its order (RFC 6724) stays. So a
 * machine without a route for one family loses one try, not several in a row (RFC 8305, 4). */
struct wardi_names {
	size_t count;
	struct wardi_socket_address list[WARDI_NAMES_MAX];
};

/* Looks a name up. Blocks, for many seconds if no server answers: not for a worker. False:
 * *ret_refusal, with the words of gai_strerror(); EAGAIN: may succeed later. */
bool wardi_names_find(const char *host, uint16_t port, struct wardi_names *ret_names,
		      struct wardi_net_refusal *ret_refusal);

#endif
