/* SPDX-License-Identifier: MIT
 *
 * datagrams.h - the record of a socket for datagrams, and its parts.
 *
 *	opening.c	from an address to a descriptor
 *	datagrams.c	how it begins and ends
 *	receiving.c	from a readiness to datagrams
 *	sending.c	from datagrams to the operating system
 *	net_address.c	addresses as values
 *
 * It belongs to one incarnation, and is used by the holder of its actor.
 */
#ifndef WARDI_NET_DATAGRAMS_H
#define WARDI_NET_DATAGRAMS_H

#include <sys/socket.h>
#include <ward/net/datagrams.h>
#include <ward/resource.h>

#include "net/address/unix_path.h"
#include "net/stream/buffer.h"

/* What one recvmmsg() has brought. */
struct wardi_batch {
	struct mmsghdr *heads;
	struct iovec *places;
	struct sockaddr_storage *from;
	char *bytes; /* size_max + 1 for each */
	uint32_t next, count;
};

struct ward_datagrams {
	const ward_msg *msg; /* about the socket, in a callback that has not ended; NULL: none */
	ward_deferred end;
	struct wardi_batch batch;
	struct wardi_buffer out; /* records that wait to be sent: see sending.c */
	uint32_t waiting;        /* so many */
	uint32_t size_max, batch_size;
	int fd;
	ward_datagram_counts counts;
	ward_net_address own;
	char path[WARD_ADDRESS_TEXT]; /* to remove; "": none */
	struct wardi_file file;       /* that it leads to */
	bool dual;                    /* an IPv6 socket that reaches IPv4 addresses */
	bool has_peer;
	bool again;      /* a message to self is under way */
	bool failed;     /* in this callback, a failure was noted */
	bool unfinished; /* the program forgot ward_datagrams_result(), and was told */
};

/* A message to self: go on. */
struct wardi_datagrams_again {
	ward_datagrams *socket;
};
extern const ward_type wardi_type_datagrams_again;

/* Notes a ward_net_failure of self. */
void wardi_datagrams_fail(ward_self *self, ward_datagrams *socket, const char *call, int error);

#endif
