/* SPDX-License-Identifier: MIT
 *
 * listening.c - sockets that listen at an address.
 */
#include "net/address/listening.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "net/address/inherited.h"
#include "net/address/systemd.h"
#include "net/address/unix_path.h"

static bool begin(int fd, const struct wardi_listening *how, struct wardi_net_refusal *ret_refusal)
{
	if (listen(fd, wardi_backlog(how)) == 0)
		return true;
	wardi_refuse(ret_refusal, errno, "listen",
		     errno == EADDRINUSE ? "another socket listens there" : NULL);
	return false;
}

static bool set(int fd, int level, int option, int value, struct wardi_net_refusal *ret_refusal)
{
	if (setsockopt(fd, level, option, &value, sizeof value) == 0)
		return true;
	wardi_refuse(ret_refusal, errno, "setsockopt", NULL);
	return false;
}

static const char *bind_hint(int error, const struct wardi_listening *how)
{
	switch (error) {
	case EADDRINUSE:
		return how->reuse_port ? "another socket has it without reuse_port (in a file "
					 "reuse-port), or is of another user"
				       : "another socket has it: take another one, or end that";
	case EADDRNOTAVAIL:
		return "no interface of this machine has that address";
	case EACCES:
		return "to a port below 1024 CAP_NET_BIND_SERVICE is needed";
	default:
		return NULL;
	}
}

static bool bind_to(int fd, const struct sockaddr *at, socklen_t size,
		    const struct wardi_listening *how, struct wardi_net_refusal *ret_refusal)
{
	const char *hint;

	if (bind(fd, at, size) == 0)
		return true;
	hint = bind_hint(errno, how);
	wardi_refuse(ret_refusal, errno, "bind", hint != NULL ? "%s" : NULL, hint);
	return false;
}

static bool set_options(int fd, int family, bool v6_only, const struct wardi_listening *how,
			struct wardi_net_refusal *ret_refusal)
{
	if (family == AF_UNIX)
		return true;
	/* Said in both cases, as the default is a setting of the machine. */
	if (family == AF_INET6 && !set(fd, IPPROTO_IPV6, IPV6_V6ONLY, v6_only, ret_refusal))
		return false;
	if (how->reuse_port && !set(fd, SOL_SOCKET, SO_REUSEPORT, 1, ret_refusal))
		return false;
	return set(fd, SOL_SOCKET, SO_REUSEADDR, 1, ret_refusal);
}

static int open_at(const struct sockaddr *at, socklen_t size, bool v6_only,
		   const struct wardi_listening *how, struct wardi_net_refusal *ret_refusal)
{
	int fd = socket(at->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return wardi_refuse(ret_refusal, errno, "socket", NULL);
	if (set_options(fd, at->sa_family, v6_only, how, ret_refusal) &&
	    bind_to(fd, at, size, how, ret_refusal) && begin(fd, how, ret_refusal))
		return fd;
	close(fd);
	return -1;
}

/* A machine without IPv6 has no sockets for it, or no address that can be bound. */
static bool is_without_v6(const struct wardi_net_refusal *refusal)
{
	return refusal->error == EAFNOSUPPORT || refusal->error == EADDRNOTAVAIL;
}

static int open_any(uint16_t port, const struct wardi_listening *how,
		    struct wardi_net_refusal *ret_refusal)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = open_at((const struct sockaddr *)&v6, sizeof v6, false, how, ret_refusal);

	if (fd >= 0 || !is_without_v6(ret_refusal))
		return fd;
	return open_at((const struct sockaddr *)&v4, sizeof v4, false, how, ret_refusal);
}

static int open_unix(const struct wardi_address *address, const struct wardi_listening *how,
		     char *ret_path, size_t size, struct wardi_net_refusal *ret_refusal)
{
	const char *path = address->socket.un.sun_path;
	int fd;

	if (path[0] == '\0') /* abstract */
		return open_at(&address->socket.any, address->size, false, how, ret_refusal);
	fd = wardi_open_at_path(address, SOCK_STREAM, how, ret_refusal);
	if (fd >= 0)
		snprintf(ret_path, size, "%s", path);
	return fd;
}

int wardi_listen_at(const struct wardi_address *address, const struct wardi_listening *how,
		    char *ret_path, size_t size, struct wardi_net_refusal *ret_refusal)
{
	ret_path[0] = '\0';
	switch (address->kind) {
	case WARDI_ADDRESS_TCP:
		return open_at(&address->socket.any, address->size, true, how, ret_refusal);
	case WARDI_ADDRESS_ANY:
		return open_any(address->port, how, ret_refusal);
	case WARDI_ADDRESS_UNIX:
		return open_unix(address, how, ret_path, size, ret_refusal);
	case WARDI_ADDRESS_FD:
		return wardi_inherited_check(address->fd, ret_refusal) ? address->fd : -1;
	case WARDI_ADDRESS_SYSTEMD:
		return wardi_systemd_take(address->host, ret_refusal);
	case WARDI_ADDRESS_NAME:
		return wardi_refuse(
			ret_refusal, 0, "bind",
			"a name is to connect to: listen at an address of this machine, as "
			"tcp:127.0.0.1:%u or tcp:*:%u",
			address->port, address->port);
	case WARDI_ADDRESS_UDP:
	case WARDI_ADDRESS_UDP_ANY:
	case WARDI_ADDRESS_UNIXGRAM:
		return wardi_refuse(ret_refusal, 0, "bind",
				    "that is of datagrams, which have no connections: see "
				    "ward_datagrams_open()");
	case WARDI_ADDRESS_SIM:
	default:
		return wardi_refuse(ret_refusal, 0, "bind",
				    "sim: is for systems that are simulated");
	}
}

static bool takes_v4(int fd, const struct sockaddr_in6 *at)
{
	int v6_only = 1;
	socklen_t size = sizeof v6_only;

	return at->sin6_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&at->sin6_addr) &&
	       getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, &size) == 0 && v6_only == 0;
}

const char *wardi_listening_text(int fd, char ret_text[WARD_ADDRESS_TEXT])
{
	union {
		struct sockaddr any;
		struct sockaddr_in6 v6;
		struct sockaddr_storage room;
	} at = {.room = {0}};
	socklen_t size = sizeof at;

	if (getsockname(fd, &at.any, &size) != 0)
		size = 0;
	if (takes_v4(fd, &at.v6))
		snprintf(ret_text, WARD_ADDRESS_TEXT, "tcp:*:%u", ntohs(at.v6.sin6_port));
	else
		wardi_address_text(&at.any, size, ret_text);
	return ret_text;
}
