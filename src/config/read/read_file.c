/* SPDX-License-Identifier: MIT
 *
 * read_file.c - reads a whole regular file of limited size.
 *
 * Anything but a regular file is refused before the read: a pipe may never end, and libconfig ends
 * the process when it cannot read a directory. The size that the kernel reports may be wrong, so
 * the file is read until its end.
 *
 * Threads: knows nothing but its arguments.
 */
#include "config/read/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ward/config.h>
#include <ward/extend.h>
#include <ward/text.h>
#include <ward/types.h>

enum { BLOCK = 4096 };

static ward_err refused_by_system(const char *path)
{
	int code = errno;

	return ward_refused(code == ENOENT || code == ENOTDIR ? WARD_ENOENT : WARD_ESYS,
			    "%.*s: cannot be read: %s (%s)", WARD_TEXT_FIT(path, 300),
			    strerrordesc_np(code), strerrorname_np(code));
}

static ward_err too_large(const char *path)
{
	return ward_refused(WARD_EINVAL,
			    "%.*s: is larger than the limit of %d bytes, included files counted",
			    WARD_TEXT_FIT(path, 300), WARD_CONFIG_FILE_MAX);
}

static ward_err no_memory(const char *path)
{
	return ward_refused(WARD_ENOMEM, "%.*s: not enough memory to read it",
			    WARD_TEXT_FIT(path, 300));
}

/* The bytes read so far, from malloc(). */
struct content {
	char *bytes;
	size_t size, room;
};

/* Makes room for more, up to `max` bytes plus one that shows that the file has more. */
static bool grow(struct content *content, size_t max)
{
	size_t room = content->room > max / 2 ? max + 1 : 2 * content->room;
	char *bytes = realloc(content->bytes, room);

	if (bytes == NULL)
		return false;
	content->bytes = bytes;
	content->room = room;
	return true;
}

/* Reads until the end of the file: the size from fstat() is 0 in procfs, and too small for a file
 * that grows. */
static ward_err read_all(int fd, const char *path, size_t max, struct content *content)
{
	while (true) {
		ssize_t count;

		if (content->size == content->room && !grow(content, max))
			return no_memory(path);
		count = read(fd, content->bytes + content->size, content->room - content->size);
		if (count == 0)
			return WARD_OK;
		if (count < 0 && errno != EINTR)
			return refused_by_system(path);
		if (count > 0)
			content->size += (size_t)count;
		if (content->size > max)
			return too_large(path);
	}
}

/* A file that has become shorter was being written: the text may be a mix of old and new. */
static ward_err check_shrunk(int fd, const char *path, const struct stat *before)
{
	struct stat after;

	if (fstat(fd, &after) < 0)
		return refused_by_system(path);
	if (after.st_size < before->st_size)
		return ward_refused(WARD_ESYS, "%.*s: became shorter while it was read",
				    WARD_TEXT_FIT(path, 300));
	return WARD_OK;
}

static ward_err read_file(int fd, const char *path, size_t max, char **ret_bytes, size_t *ret_size)
{
	struct content content = {NULL, 0, 0};
	struct stat info;
	ward_err err;

	if (fstat(fd, &info) < 0)
		return refused_by_system(path);
	if (!S_ISREG(info.st_mode))
		return ward_refused(WARD_ESYS, "%.*s: is not a file", WARD_TEXT_FIT(path, 300));
	/* One byte more than the size, so that the end is found without another block. */
	content.room = info.st_size < BLOCK ? BLOCK : (size_t)info.st_size + 1;
	if (content.room > max + 1)
		content.room = max + 1;
	content.bytes = malloc(content.room);
	if (content.bytes == NULL)
		return no_memory(path);
	err = read_all(fd, path, max, &content);
	if (err == WARD_OK)
		err = check_shrunk(fd, path, &info);
	if (err != WARD_OK) {
		free(content.bytes);
		return err;
	}
	*ret_bytes = content.bytes;
	*ret_size = content.size;
	return WARD_OK;
}

ward_err wardi_config_read_file(const char *path, size_t max, char **ret_bytes, size_t *ret_size)
{
	/* O_NONBLOCK: the open of a pipe would wait for the other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ward_err err;

	if (fd < 0)
		return refused_by_system(path);
	err = read_file(fd, path, max, ret_bytes, ret_size);
	close(fd);
	return err;
}
