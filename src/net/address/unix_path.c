/* SPDX-License-Identifier: MIT
 *
 * unix_path.c - sockets that listen, or receive datagrams, at a path of the file system.
 *
 * The mode: a path is connected to only after listen(); until then connect() is refused. So what is
 * set between bind() and listen() is set before anybody can connect. umask() would be shorter, but
 * it is of the whole process, and other threads create files at the same time. On Linux the path
 * gets the mode of the socket, less the umask: fchmod() before bind(), and there is no moment at
 * which the path allows more than it should. Only if the umask has taken bits away the mode is set
 * by path, without following a link that somebody has put there.
 *
 * The socket is not bound under another name and renamed, which would let the path appear when it
 * listens already: the peers would then be told the other name by getpeername().
 *
 * Taking over a path: between "nobody listens here" and unlink() another process could do the same
 * and begin to listen, and its path would be removed. So all that listen at a path lock its folder
 * from bind() to listen(); the lock is of the kernel and leaves no file behind. Programs without
 * ward do not take it; against these the time between the two calls is all that can be lost. A
 * socket for datagrams is in use from bind() on.
 */
#include "net/address/unix_path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	MODE = 0600,
	MODE_BITS = 0777,
	LOCK_TRIES = 100, /* one each ms; a lock is held for some system calls */
	TRY_NS = 1000000
};

/* ---- the lock of a folder -------------------------------------------------------------------- */

static int open_folder(const char *path)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	size_t size = (size_t)(strrchr(path, '/') - path);

	if (size == 0)
		size = 1; /* "/" itself */
	memcpy(folder, path, size);
	folder[size] = '\0';
	return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Returns errno; 0: locked. */
static int try_lock(int folder)
{
	const struct timespec pause = {.tv_nsec = TRY_NS};

	for (int try = 0; flock(folder, LOCK_EX | LOCK_NB) != 0; try++) {
		if (errno != EWOULDBLOCK || try == LOCK_TRIES)
			return errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* *ret_folder is -1 where there is nothing that can be locked: the folder does not exist, may not
 * be read, or is of a file system without locks. */
static bool lock_folder(const char *path, int *ret_folder, struct wardi_net_refusal *ret_refusal)
{
	int folder = open_folder(path), error;

	*ret_folder = folder;
	if (folder < 0) {
		if (errno != EMFILE && errno != ENFILE && errno != ENOMEM)
			return true;
		wardi_refuse(ret_refusal, errno, "open", NULL);
		return false;
	}
	error = try_lock(folder);
	if (error == 0)
		return true;
	*ret_folder = -1;
	close(folder);
	if (error != EWOULDBLOCK)
		return true;
	wardi_refuse(ret_refusal, error, "flock", "another process keeps the folder locked");
	return false;
}

static void unlock_folder(int folder)
{
	if (folder < 0)
		return;
	flock(folder, LOCK_UN); /* a fork has the same lock, and may live longer */
	close(folder);
}

/* ---- a path that exists ---------------------------------------------------------------------- */

/* Connects to the path. Returns errno; 0: somebody listens, or receives. */
static int try_connect(const struct wardi_address *address, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, &address->socket.any, address->size) != 0)
		error = errno;
	close(fd);
	return error;
}

#define in_use(ret_refusal, ...) (wardi_refuse((ret_refusal), EADDRINUSE, "bind", __VA_ARGS__) == 0)

static bool remove_dead(const char *path, const struct wardi_listening *how,
			struct wardi_net_refusal *ret_refusal)
{
	if (!how->unix_replace)
		return in_use(ret_refusal,
			      "the path is a socket that nobody has open: remove it, or set "
			      "unix_replace (in a file unix-replace)");
	if (unlink(path) == 0 || errno == ENOENT)
		return true;
	wardi_refuse(ret_refusal, errno, "unlink", "nobody has the path open, but it stays");
	return false;
}

/* Makes room for the path, if it may: true if there is nothing there. */
static bool make_room(const struct wardi_address *address, int type,
		      const struct wardi_listening *how, struct wardi_net_refusal *ret_refusal)
{
	const char *path = address->socket.un.sun_path;
	struct stat is;
	int error;

	if (lstat(path, &is) != 0) {
		if (errno == ENOENT)
			return true;
		wardi_refuse(ret_refusal, errno, "lstat", NULL);
		return false;
	}
	if (!S_ISSOCK(is.st_mode))
		return in_use(ret_refusal,
			      "the path exists and is not a socket, so it is never removed: "
			      "take another one");
	error = try_connect(address, type);
	switch (error) {
	case ENOENT:
		return true;
	case ECONNREFUSED:
		return remove_dead(path, how, ret_refusal);
	case 0:
	case EAGAIN: /* its queue is full */
	case EPERM:  /* it receives from another one only */
		return in_use(ret_refusal, "somebody %s at the path: take another one, or end that",
			      type == SOCK_STREAM ? "listens" : "receives");
	case EPROTOTYPE:
		return in_use(ret_refusal, "the path is a socket of another type that is in use");
	default:
		wardi_refuse(
			ret_refusal, error, "connect",
			"the path exists, and it cannot be found out whether somebody has it open");
		return false;
	}
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool bind_path(int fd, const struct wardi_address *address, int type,
		      const struct wardi_listening *how, struct wardi_net_refusal *ret_refusal)
{
	for (int try = 0; bind(fd, &address->socket.any, address->size) != 0; try++) {
		if (errno == EADDRINUSE && try == 0) {
			if (!make_room(address, type, how, ret_refusal))
				return false;
			continue;
		}
		wardi_refuse(ret_refusal, errno, "bind", "%s",
			     errno == ENOENT    ? "the folder of the path does not exist"
			     : errno == EACCES  ? "the folder of the path must allow to write"
			     : errno == ENOTDIR ? "a part of the path is not a folder"
						: "the path cannot be created");
		return false;
	}
	return true;
}

static bool set_mode(const char *path, mode_t mode, struct wardi_net_refusal *ret_refusal)
{
	struct stat is;

	if (lstat(path, &is) == 0 && (is.st_mode & MODE_BITS) == mode)
		return true;
	if (fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	wardi_refuse(ret_refusal, errno, "chmod", "the path cannot get the mode %03o",
		     (unsigned)mode);
	return false;
}

static bool begin(int fd, const struct wardi_address *address, int type,
		  const struct wardi_listening *how, mode_t mode,
		  struct wardi_net_refusal *ret_refusal)
{
	const char *path = address->socket.un.sun_path;

	(void)fchmod(fd, mode); /* where this does nothing, set_mode() does it */
	if (!bind_path(fd, address, type, how, ret_refusal))
		return false;
	if (set_mode(path, mode, ret_refusal)) {
		if (type != SOCK_STREAM || listen(fd, wardi_backlog(how)) == 0)
			return true;
		wardi_refuse(ret_refusal, errno, "listen", NULL);
	}
	unlink(path);
	return false;
}

int wardi_open_at_path(const struct wardi_address *address, int type,
		       const struct wardi_listening *how, struct wardi_net_refusal *ret_refusal)
{
	mode_t mode = how->unix_mode != 0 ? how->unix_mode : MODE;
	int folder, fd;

	if ((mode & ~(mode_t)MODE_BITS) != 0)
		return wardi_refuse(ret_refusal, EINVAL, "chmod",
				    "unix_mode is %#o, and can be up to 0777", (unsigned)mode);
	if (!lock_folder(address->socket.un.sun_path, &folder, ret_refusal))
		return -1;
	fd = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		wardi_refuse(ret_refusal, errno, "socket", NULL);
	} else if (!begin(fd, address, type, how, mode, ret_refusal)) {
		close(fd);
		fd = -1;
	}
	unlock_folder(folder);
	return fd;
}

/* ---- the end --------------------------------------------------------------------------------- */

struct wardi_file wardi_file_at(const char *path)
{
	struct stat is;

	if (lstat(path, &is) != 0)
		return (struct wardi_file){0};
	return (struct wardi_file){is.st_dev, is.st_ino};
}

void wardi_path_remove(const char *path, struct wardi_file file)
{
	struct wardi_file now = wardi_file_at(path);

	if (now.number != 0 && now.number == file.number && now.device == file.device)
		unlink(path);
}
