/* SPDX-License-Identifier: MIT
 *
 * sockets.h - what the tests of addresses share: addresses read, descriptors counted, a folder for
 * paths, and what this machine has.
 */
#ifndef UNIT_NET_SOCKETS_H
#define UNIT_NET_SOCKETS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ward/testkit.h>

#include "net/address/listening.h"

/* The descriptors of the process. */
static inline int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	ward_assert(dir != NULL);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/* Whether there is an IPv6 address to listen at. */
static inline bool has_v6(void)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool has = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;

	if (fd >= 0)
		close(fd);
	return has;
}

static inline struct wardi_address read_address(const char *text)
{
	struct wardi_address address;

	ward_assert_ok(wardi_address_read(&address, text, strlen(text)));
	return address;
}

static inline int listen_at(const char *text, const struct wardi_listening *how,
			    char ret_path[WARD_ADDRESS_TEXT], struct wardi_net_refusal *ret_refusal)
{
	static const struct wardi_listening none;
	struct wardi_address address = read_address(text);

	return wardi_listen_at(&address, how != NULL ? how : &none, ret_path, WARD_ADDRESS_TEXT,
			       ret_refusal);
}

/* Listens; it must succeed, and make no path. */
static inline int listens_at(const char *text, const struct wardi_listening *how)
{
	struct wardi_net_refusal refusal = {.text = ""};
	char path[WARD_ADDRESS_TEXT];
	int fd = listen_at(text, how, path, &refusal);

	ward_assert_str(refusal.text, "");
	ward_assert(fd >= 0);
	ward_assert_str(path, "");
	return fd;
}

/* The address of the socket, as text. */
static inline const char *own_address(int fd, char ret_text[WARD_ADDRESS_TEXT])
{
	struct sockaddr_storage at = {0};
	socklen_t size = sizeof at;

	ward_assert_eq(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	return wardi_address_text((struct sockaddr *)&at, size, ret_text);
}

static inline unsigned own_port(int fd)
{
	struct sockaddr_storage at = {0};
	socklen_t size = sizeof at;

	ward_assert_eq(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	return wardi_peer_of((struct sockaddr *)&at, size).port;
}

static inline int int_option(int fd, int level, int option)
{
	int value = -1;
	socklen_t size = sizeof value;

	ward_assert_eq(getsockopt(fd, level, option, &value, &size), 0);
	return value;
}

/* Checks the flags that each socket has. */
static inline void check_flags(int fd)
{
	ward_assert(fcntl(fd, F_GETFL) & O_NONBLOCK);
	ward_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

/* Connects, blocking. Returns the descriptor, or -errno. */
static inline int reach(const struct sockaddr *to, socklen_t size)
{
	int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ward_assert(fd >= 0);
	if (connect(fd, to, size) == 0)
		return fd;
	int error = errno;
	close(fd);
	return -error;
}

static inline int reach_text(const char *text)
{
	struct wardi_address address = read_address(text);

	return reach(&address.socket.any, address.size);
}

/* Checks that a peer reaches the listener by this address, and that it can be accepted. */
static inline void check_reached(int listener, const char *text)
{
	int client = reach_text(text), peer;

	ward_assert(client >= 0);
	peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ward_assert(peer >= 0);
	close(peer);
	close(client);
}

/* ---- a folder for paths ---- */

struct folder {
	char name[40];
	char path[60];    /* of a file in it: "a" */
	char address[70]; /* the same as an address */
};

static inline struct folder make_folder(void)
{
	struct folder folder;

	snprintf(folder.name, sizeof folder.name, "/tmp/ward-net-XXXXXX");
	ward_assert(mkdtemp(folder.name) != NULL);
	snprintf(folder.path, sizeof folder.path, "%s/a", folder.name);
	snprintf(folder.address, sizeof folder.address, "unix:%s", folder.path);
	return folder;
}

/* Removes the folder, which must be empty. */
static inline void remove_folder(const struct folder *folder)
{
	ward_assert_eq(rmdir(folder->name), 0);
}

#endif
