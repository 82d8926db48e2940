/* SPDX-License-Identifier: MIT
 *
 * connecting.c - sockets that connect to an address.
 */
#include "net/address/connecting.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "net/address/address.h"

static const char *hint(int error, int family)
{
	switch (error) {
	case ECONNREFUSED:
		return "nobody listens there";
	case EAGAIN:
		return family == AF_UNIX ? "the queue of the listener is full: try again later"
					 : "no port is left to connect from";
	case ENOENT:
		return "the path does not exist: nobody listens there";
	case EPROTOTYPE:
		return "it is a socket of another type";
	default:
		return NULL;
	}
}

static int refuse(struct wardi_net_refusal *ret_refusal, int error, int family)
{
	const char *text = hint(error, family);

	return wardi_refuse(ret_refusal, error, "connect", text != NULL ? "%s" : NULL, text);
}

/* Whether there can be a peer at the address. */
static bool can_connect(const struct sockaddr *to, socklen_t size,
			struct wardi_net_refusal *ret_refusal)
{
	struct wardi_peer peer = wardi_peer_of(to, size);

	if (peer.family != AF_INET && peer.family != AF_INET6 && peer.family != AF_UNIX) {
		wardi_refuse(ret_refusal, EAFNOSUPPORT, "connect",
			     "only TCP and UNIX can be connected to");
		return false;
	}
	if (peer.family != AF_UNIX && peer.port == 0) {
		wardi_refuse(ret_refusal, EADDRNOTAVAIL, "connect",
			     "port 0 is to listen at: to connect it is 1 to 65535");
		return false;
	}
	return true;
}

static bool set_no_delay(int fd, int family, struct wardi_net_refusal *ret_refusal)
{
	int on = 1;

	if (family == AF_UNIX || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0)
		return true;
	wardi_refuse(ret_refusal, errno, "setsockopt", NULL);
	return false;
}

int wardi_connect_begin(const struct sockaddr *to, socklen_t size, bool *ret_connected,
			struct wardi_net_refusal *ret_refusal)
{
	int fd;

	*ret_connected = false;
	if (!can_connect(to, size, ret_refusal))
		return -1;
	fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return wardi_refuse(ret_refusal, errno, "socket", NULL);
	if (!set_no_delay(fd, to->sa_family, ret_refusal)) {
		close(fd);
		return -1;
	}
	if (connect(fd, to, size) == 0) {
		*ret_connected = true;
		return fd;
	}
	/* A signal interrupts the call, not the connecting. */
	if (errno == EINPROGRESS || errno == EINTR)
		return fd;
	refuse(ret_refusal, errno, to->sa_family);
	close(fd);
	return -1;
}

bool wardi_connect_end(int fd, struct wardi_net_refusal *ret_refusal)
{
	struct sockaddr_storage own = {0}, peer = {0};
	socklen_t own_size = sizeof own, peer_size = sizeof peer, size = sizeof(int);
	int error = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		return wardi_refuse(ret_refusal, errno, "getsockopt", NULL) == 0;
	if (error != 0)
		return refuse(ret_refusal, error, AF_UNSPEC) == 0;
	if (getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0)
		return refuse(ret_refusal, errno, AF_UNSPEC) == 0;
	if (getsockname(fd, (struct sockaddr *)&own, &own_size) != 0)
		return wardi_refuse(ret_refusal, errno, "getsockname", NULL) == 0;
	if (own_size != peer_size || memcmp(&own, &peer, own_size) != 0)
		return true;
	return wardi_refuse(ret_refusal, ECONNREFUSED, "connect",
			    "nobody listens there, and the socket met itself") == 0;
}
