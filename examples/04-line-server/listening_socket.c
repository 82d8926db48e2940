/* SPDX-License-Identifier: MIT
 *
 * listening_socket.c - a socket that listens.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "listener.h"

/* Without SO_REUSEADDR the port would be taken for a minute after each end of the server. */
static int bind_and_listen(int fd, struct sockaddr_in at)
{
	socklen_t size = sizeof at;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) ||
	    bind(fd, (void *)&at, size) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (void *)&at, &size))
		return -1;
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	return 0;
}

int listening_socket(int port)
{
	const struct sockaddr_in at = {.sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && bind_and_listen(fd, at)) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}
