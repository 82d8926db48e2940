/* SPDX-License-Identifier: MIT
 *
 * address.h - addresses as text, and as values.
 *
 * Threads: any; no call keeps anything.
 */
#ifndef WARDI_NET_ADDRESS_H
#define WARDI_NET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <ward/net/error.h>

enum wardi_address_kind {
	WARDI_ADDRESS_TCP,  /* `socket` */
	WARDI_ADDRESS_NAME, /* TCP to a `host` that has to be looked up */
	WARDI_ADDRESS_ANY,  /* TCP at all addresses of the machine: `port` */
	WARDI_ADDRESS_UNIX, /* `socket` */
	WARDI_ADDRESS_UDP,  /* as TCP, ANY and UNIX, of datagrams */
	WARDI_ADDRESS_UDP_ANY,
	WARDI_ADDRESS_UNIXGRAM,
	WARDI_ADDRESS_FD,      /* `fd` */
	WARDI_ADDRESS_SYSTEMD, /* `host` is its name; "": any */
	WARDI_ADDRESS_SIM      /* `host` is its name: the network of a simulation */
};

struct wardi_address {
	enum wardi_address_kind kind;
	int fd;
	uint16_t port;  /* in host order */
	socklen_t size; /* of `socket` */
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un un;
	} socket;
	char host[256];
};

/* Reads one address, of all forms in net.h and net/datagrams.h. An IPv4 address that is mapped to
 * IPv6 is read as IPv4. On an error *ret_address must not be used. Errors: WARD_EINVAL;
 * ward_err_detail() quotes the text, and says what is wrong with it and what would be right. */
WARD_MUST_USE ward_err wardi_address_read(struct wardi_address *ret_address, const char *text,
					  size_t size);

/* Families of peers that are no sockets: one in the network of a simulation, whose name is in `ip`,
 * cut to that, and 0 or the number of the connection in `scope`; one behind descriptors: that which
 * is read is in `scope`, that which is written in `ip`. */
enum { WARDI_PEER_SIM = 0xffff, WARDI_PEER_FD = 0xfffe };

/* The address of a peer, in the fewest bytes. */
struct wardi_peer {
	uint16_t family; /* AF_INET, AF_INET6, AF_UNIX, WARDI_PEER_SIM, WARDI_PEER_FD; 0: none */
	uint16_t port;   /* in host order */
	uint32_t scope;  /* of an IPv6 address that is local to a link */
	unsigned char ip[16];
};
/* The peer in the result of accept() or getpeername(); NULL: none. */
struct wardi_peer wardi_peer_of(const struct sockaddr *socket, socklen_t size);
/* The peer behind two descriptors, which may be one. */
struct wardi_peer wardi_peer_behind(int read_fd, int write_fd);
/* The same peer, by the descriptor that is written; any other peer as it is. */
struct wardi_peer wardi_peer_written(const struct wardi_peer *peer);
/* Writes "tcp:10.0.0.7:51234", "tcp:[::1]:80" (an IPv4 address mapped to IPv6 as IPv4), "unix:" for
 * a peer without a name, "sim:server" and "sim:server#3" in a simulation, "fd:0", or "nobody" for
 * none. Returns the buffer. */
const char *wardi_peer_text(const struct wardi_peer *peer, char ret_text[WARD_ADDRESS_TEXT]);
/* Writes a socket address as text, a unix one with its path ("unix:/run/a", "unix:@abstract").
 * Returns the buffer. */
const char *wardi_address_text(const struct sockaddr *socket, socklen_t size,
			       char ret_text[WARD_ADDRESS_TEXT]);

#endif
