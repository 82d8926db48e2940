/* SPDX-License-Identifier: MIT
 *
 * side.c - one descriptor of an adopted stream.
 *
 * O_NONBLOCK belongs to the open file, which other processes may share: a shell whose terminal is
 * left non-blocking reads "end of file". A second open() of the same pipe or terminal has flags of
 * its own. For the master of a pseudoterminal it would make another terminal.
 */
#include "net/adopted/side.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ward/extend.h>

static ward_err refused(int fd, const char *why)
{
	return ward_refused(WARD_EINVAL, "ward_connection_adopt: descriptor %d %s", fd, why);
}

static ward_err failed(int fd, const char *call)
{
	return ward_refused(WARD_ESYS, "ward_connection_adopt: descriptor %d: %s: %s", fd, call,
			    strerrordesc_np(errno));
}

/* ---- kinds ------------------------------------------------------------------------------- */

static ward_err check_socket(int fd)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof(int), peer_size = sizeof peer;
	int type = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
		return failed(fd, "getsockopt");
	if (type != SOCK_STREAM)
		return refused(fd, "is a socket, but not of a stream");
	if (getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0 && errno == ENOTCONN)
		return refused(fd, "is a socket that is not connected: one that listens is for "
				   "ward_listen");
	return WARD_OK;
}

static bool can_be_polled(int fd)
{
	struct epoll_event event = {.events = 0};
	int poller = epoll_create1(EPOLL_CLOEXEC);
	bool can =
		poller < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) == 0 || errno != EPERM;

	if (poller >= 0)
		close(poller);
	return can;
}

static ward_err kind_of(int fd, const struct stat *is, enum wardi_side_kind *ret_kind)
{
	if (S_ISDIR(is->st_mode))
		return refused(fd, "is a directory");
	if (S_ISSOCK(is->st_mode)) {
		*ret_kind = WARDI_SIDE_SOCKET;
		return check_socket(fd);
	}
	*ret_kind = can_be_polled(fd) ? WARDI_SIDE_POLLED : WARDI_SIDE_ALWAYS;
	return WARD_OK;
}

/* ---- without a wait ---------------------------------------------------------------------- */

static bool can_be_opened_again(int fd, const struct stat *is)
{
	unsigned number;

	if (S_ISFIFO(is->st_mode))
		return true;
	return isatty(fd) && ioctl(fd, TIOCGPTN, &number) != 0;
}

/* -1: it cannot be opened a second time. */
static int open_again(int fd, int mode, const struct stat *is)
{
	char path[40];

	if (!can_be_opened_again(fd, is))
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, mode | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

static ward_err unblock(struct wardi_side *end, int mode, int flags, const struct stat *is)
{
	int again;

	if (flags & O_NONBLOCK)
		return WARD_OK;
	again = open_again(end->fd, mode, is);
	if (again >= 0) {
		end->fd = again;
		return WARD_OK;
	}
	if (fcntl(end->fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return failed(end->fd, "fcntl");
	end->changed = true;
	return WARD_OK;
}

ward_err wardi_side_open(int fd, int mode, struct wardi_side *ret_end)
{
	int flags = fd >= 0 ? fcntl(fd, F_GETFL) : 0;
	struct stat is;
	ward_err err;

	*ret_end = (struct wardi_side){.fd = fd, .given = fd};
	if (fd < 0)
		return WARD_OK;
	if (flags < 0 || fstat(fd, &is) != 0)
		return refused(fd, "is not open");
	if ((flags & O_ACCMODE) != O_RDWR && (flags & O_ACCMODE) != mode)
		return refused(fd, mode == O_RDONLY   ? "is not open for reading"
				   : mode == O_WRONLY ? "is not open for writing"
						      : "is not open for both directions");
	err = kind_of(fd, &is, &ret_end->kind);
	if (err == WARD_OK && ret_end->kind == WARDI_SIDE_POLLED)
		err = unblock(ret_end, mode, flags, &is);
	return err;
}

void wardi_side_undo(struct wardi_side *end)
{
	int flags;

	if (end->changed && (flags = fcntl(end->given, F_GETFL)) >= 0)
		(void)fcntl(end->given, F_SETFL, flags & ~O_NONBLOCK);
	if (end->fd != end->given)
		close(end->fd);
	*end = (struct wardi_side){.fd = -1, .given = -1};
}

/* A standard descriptor must not become free: the next file that is opened would get its number. */
static void close_given(int fd)
{
	int null;

	if (fd > STDERR_FILENO) {
		close(fd);
		return;
	}
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return;
	(void)dup2(null, fd);
	close(null);
}

void wardi_side_close(struct wardi_side *end)
{
	int given = end->given;

	if (end->kind == WARDI_SIDE_NONE)
		return;
	wardi_side_undo(end);
	close_given(given);
}
