/* SPDX-License-Identifier: MIT
 *
 * fake_calls.c - the system calls of the sink, as the linker wraps them for its simulation.
 *
 * Input, spool and standard input are real files. Their calls are passed on, unless the world has
 * something against it. Nothing is synced: what would survive the machine is not in question.
 */
#include <errno.h>
#include <unistd.h>

#include "world.h"

ssize_t __real_pread(int fd, void *bytes, size_t count, off_t at);
ssize_t __real_read(int fd, void *bytes, size_t count);
ssize_t __real_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t at);
ssize_t __wrap_read(int fd, void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_pread64(int fd, void *bytes, size_t count, off_t at);
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);

static const struct source *source_of(int fd)
{
	for (size_t i = 0; !world.calm && i < world.sources->count; i++)
		if (world.sources->all[i].fd == fd)
			return &world.sources->all[i];
	return NULL;
}

ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t at)
{
	if (source_of(fd) && world_strike(AT_INPUT)) {
		errno = EIO;
		return -1;
	}
	return __real_pread(fd, bytes, count, at);
}

/* The same, by the name that it has where files may be large. */
ssize_t __wrap_pread64(int fd, void *bytes, size_t count, off_t at)
{
	return __wrap_pread(fd, bytes, count, at);
}

ssize_t __wrap_read(int fd, void *bytes, size_t count)
{
	if (fd == STDIN_FILENO && !world.calm && world_strike(AT_STDIN)) {
		errno = EIO;
		return -1;
	}
	ssize_t got = __real_read(fd, bytes, count);
	if (fd == STDIN_FILENO && got > 0)
		world.stdin_taken += got;
	return got;
}

/* A disk that is full takes a part first. */
ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
	const struct hit *hit;
	if (!source_of(fd))
		return __real_write(fd, bytes, count);
	if (!world_spool_is_full() && (hit = world_strike(AT_SPOOL))) {
		world.spool_full_until = world_now() + hit->ms;
		if (count > 1)
			return __real_write(fd, bytes, 1 + dice_roll(&world.dice, count - 1));
	}
	if (world_spool_is_full()) {
		errno = ENOSPC;
		return -1;
	}
	return __real_write(fd, bytes, count);
}

int __wrap_fsync(int fd)
{
	(void)fd;
	return 0;
}

int __wrap_fdatasync(int fd)
{
	(void)fd;
	return 0;
}
