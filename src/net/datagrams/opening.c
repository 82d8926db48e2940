/* SPDX-License-Identifier: MIT
 *
 * opening.c - from an address to a descriptor for datagrams.
 *
 * Without SO_REUSEADDR: of datagrams it would let a second process take the port over, silently.
 */
#include "net/datagrams/opening.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "net/address/unix_path.h"
#include "net/datagrams/family.h"
#include "net/datagrams/net_address.h"

static bool set(int fd, int level, int option, int value, struct wardi_net_refusal *ret_refusal)
{
	if (setsockopt(fd, level, option, &value, sizeof value) == 0)
		return true;
	return wardi_refuse(ret_refusal, errno, "setsockopt", NULL) == 0;
}

static bool set_options(int fd, int family, bool dual, const ward_datagram_options *options,
			struct wardi_net_refusal *ret_refusal)
{
	if (family == AF_INET6 && !set(fd, IPPROTO_IPV6, IPV6_V6ONLY, !dual, ret_refusal))
		return false;
	if (options->reuse_port && !set(fd, SOL_SOCKET, SO_REUSEPORT, 1, ret_refusal))
		return false;
	if (options->broadcast && !set(fd, SOL_SOCKET, SO_BROADCAST, 1, ret_refusal))
		return false;
	if (options->receive_buffer != 0 &&
	    !set(fd, SOL_SOCKET, SO_RCVBUF, (int)options->receive_buffer, ret_refusal))
		return false;
	return options->send_buffer == 0 ||
	       set(fd, SOL_SOCKET, SO_SNDBUF, (int)options->send_buffer, ret_refusal);
}

static const char *bind_hint(int error, int family)
{
	switch (error) {
	case EADDRINUSE:
		return "another socket has it: take another one, or end that";
	case EADDRNOTAVAIL:
		return "no interface of this machine has that address";
	case EACCES:
		return family == AF_UNIX ? NULL
					 : "to a port below 1024 CAP_NET_BIND_SERVICE is needed";
	default:
		return NULL;
	}
}

static bool bind_to(int fd, const struct sockaddr *at, socklen_t size,
		    struct wardi_net_refusal *ret_refusal)
{
	const char *hint;

	if (bind(fd, at, size) == 0)
		return true;
	hint = bind_hint(errno, at->sa_family);
	return wardi_refuse(ret_refusal, errno, "bind", hint != NULL ? "%s" : NULL, hint) == 0;
}

static int open_at(const struct sockaddr *at, socklen_t size, bool dual,
		   const ward_datagram_options *options, struct wardi_net_refusal *ret_refusal)
{
	int fd = socket(at->sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return wardi_refuse(ret_refusal, errno, "socket", NULL);
	if (set_options(fd, at->sa_family, dual, options, ret_refusal) &&
	    bind_to(fd, at, size, ret_refusal))
		return fd;
	close(fd);
	return -1;
}

/* IPv4 alone on a machine without IPv6. */
static int open_any(uint16_t port, bool *ret_dual, const ward_datagram_options *options,
		    struct wardi_net_refusal *ret_refusal)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = open_at((const struct sockaddr *)&v6, sizeof v6, true, options, ret_refusal);

	*ret_dual = fd >= 0;
	if (fd >= 0 || (ret_refusal->error != EAFNOSUPPORT && ret_refusal->error != EADDRNOTAVAIL))
		return fd;
	return open_at((const struct sockaddr *)&v4, sizeof v4, false, options, ret_refusal);
}

static int open_path(ward_datagrams *socket, const struct wardi_address *address,
		     const ward_datagram_options *options, struct wardi_net_refusal *ret_refusal)
{
	const struct wardi_listening how = {.unix_mode = options->unix_mode,
					    .unix_replace = options->unix_replace};
	const char *path = address->socket.un.sun_path;
	int fd = wardi_open_at_path(address, SOCK_DGRAM, &how, ret_refusal);

	if (fd < 0)
		return -1;
	if (!set_options(fd, AF_UNIX, false, options, ret_refusal)) {
		unlink(path);
		close(fd);
		return -1;
	}
	snprintf(socket->path, sizeof socket->path, "%s", path);
	socket->file = wardi_file_at(path);
	return fd;
}

static int open_socket(ward_datagrams *socket, const struct wardi_address *address,
		       const ward_datagram_options *options, struct wardi_net_refusal *ret_refusal)
{
	if (address->kind == WARDI_ADDRESS_UDP_ANY)
		return open_any(address->port, &socket->dual, options, ret_refusal);
	if (address->kind == WARDI_ADDRESS_UNIXGRAM && address->socket.un.sun_path[0] != '\0')
		return open_path(socket, address, options, ret_refusal);
	return open_at(&address->socket.any, address->size, false, options, ret_refusal);
}

static void learn_own(ward_datagrams *socket)
{
	struct sockaddr_storage own;
	socklen_t size = sizeof own;

	if (getsockname(socket->fd, (struct sockaddr *)&own, &size) == 0)
		socket->own = wardi_net_address_of((struct sockaddr *)&own, size);
}

static bool connect_to(ward_datagrams *socket, const ward_net_address *peer,
		       struct wardi_net_refusal *ret_refusal)
{
	ward_net_address to;

	if (!wardi_address_for(socket, peer, &to))
		return wardi_refuse(ret_refusal, EAFNOSUPPORT, "connect",
				    ".peer is of another family than the address") == 0;
	if (connect(socket->fd, (const void *)to.bytes, to.size) != 0)
		return wardi_refuse(ret_refusal, errno, "connect", NULL) == 0;
	socket->has_peer = true;
	return true;
}

bool wardi_datagrams_bind(ward_datagrams *socket, const struct wardi_address *address,
			  const ward_net_address *peer, const ward_datagram_options *options,
			  struct wardi_net_refusal *ret_refusal)
{
	socket->fd = open_socket(socket, address, options, ret_refusal);
	if (socket->fd < 0)
		return false;
	learn_own(socket);
	if (peer == NULL || connect_to(socket, peer, ret_refusal))
		return true;
	if (socket->path[0] != '\0')
		wardi_path_remove(socket->path, socket->file);
	close(socket->fd);
	socket->fd = -1;
	return false;
}
