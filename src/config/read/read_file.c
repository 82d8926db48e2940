/* SPDX-License-Identifier: MIT
 *
 * read_file.c - reads a whole file, if it is one, and not too large.
 *
 * What is no regular file is refused before it is read: a pipe may never end, and libconfig ends
 * the process when it cannot read a folder.
 *
 * single-threaded: knows nothing but its arguments.
 */
#include "config/read/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ward/config.h>
#include <ward/types.h>

static ward_err refused_by_system(const char *path)
{
	int code = errno;

	return ward_refused(code == ENOENT || code == ENOTDIR ? WARD_ENOENT : WARD_ESYS,
			    "%.300s: cannot be read: %s", path, strerror(code));
}

/* Reads to the end, at most `room` bytes. Returns -1 if the system refuses. */
static ssize_t read_all(int fd, char *bytes, size_t room)
{
	size_t got = 0;

	while (got < room) {
		ssize_t count = read(fd, bytes + got, room - got);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -1;
		if (count == 0)
			break;
		got += (size_t)count;
	}
	return (ssize_t)got;
}

/* One byte more than is allowed is asked for: the file may grow while it is read. */
static ward_err read_file(int fd, const char *path, size_t max, char **ret_bytes, size_t *ret_size)
{
	struct stat info;
	ssize_t got;
	size_t room;
	char *bytes;

	if (fstat(fd, &info) < 0)
		return refused_by_system(path);
	if (!S_ISREG(info.st_mode))
		return ward_refused(WARD_ESYS, "%.300s: is not a file", path);
	room = info.st_size > (off_t)max ? max + 1 : (size_t)info.st_size + 1;
	bytes = malloc(room);
	if (bytes == NULL)
		return ward_refused(WARD_ENOMEM, "%.300s: there is no memory to read it", path);
	got = read_all(fd, bytes, room);
	if (got < 0 || (size_t)got > max) {
		ward_err err = got < 0 ? refused_by_system(path)
				       : ward_refused(WARD_EINVAL,
						      "%.300s: has more than the %d bytes that "
						      "are allowed, with all that is included",
						      path, WARD_CONFIG_FILE_MAX);
		free(bytes);
		return err;
	}
	*ret_bytes = bytes;
	*ret_size = (size_t)got;
	return WARD_OK;
}

ward_err wardi_config_read_file(const char *path, size_t max, char **ret_bytes, size_t *ret_size)
{
	/* Of a pipe the open would wait for the other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ward_err err;

	if (fd < 0)
		return refused_by_system(path);
	err = read_file(fd, path, max, ret_bytes, ret_size);
	close(fd);
	return err;
}
