/* SPDX-License-Identifier: MIT
 *
 * inherited.c - checks a socket that the process was started with.
 */
#include "net/address/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

static bool refuse(struct wardi_net_refusal *ret_refusal, int error, const char *text)
{
	wardi_refuse(ret_refusal, error, "getsockopt", "%s", text);
	return false;
}

static bool is_listening(int fd, struct wardi_net_refusal *ret_refusal)
{
	int type = 0, listens = 0;
	socklen_t size = sizeof type;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
		return refuse(ret_refusal, errno,
			      errno == EBADF ? "the process was started without that descriptor"
					     : "the descriptor must be a socket that listens");
	if (type != SOCK_STREAM)
		return refuse(ret_refusal, EPROTOTYPE, "the descriptor must be a stream socket");
	size = sizeof listens;
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0)
		return refuse(ret_refusal, errno, "the descriptor must be a socket that listens");
	if (listens == 0)
		return refuse(ret_refusal, EINVAL,
			      "the socket does not listen: the starter of the process has to call "
			      "listen() "
			      "(in systemd: Accept=no)");
	return true;
}

bool wardi_inherited_check(int fd, struct wardi_net_refusal *ret_refusal)
{
	int flags, fd_flags;

	if (!is_listening(fd, ret_refusal))
		return false;
	flags = fcntl(fd, F_GETFL);
	fd_flags = fcntl(fd, F_GETFD);
	if (flags >= 0 && fd_flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
	    fcntl(fd, F_SETFD, fd_flags | FD_CLOEXEC) == 0)
		return true;
	wardi_refuse(ret_refusal, errno, "fcntl", NULL);
	return false;
}
