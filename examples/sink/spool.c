/* SPDX-License-Identifier: MIT
 *
 * spool.c - appending to a spool; see spool.h.
 */
#include "spool.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

bool spool_init(struct spool *spool, int fd, char *bytes, size_t capacity)
{
	struct stat status;
	*spool = (struct spool){.fd = fd, .bytes = bytes, .capacity = capacity};
	if (fstat(fd, &status) != 0)
		return false;
	spool->size = status.st_size;
	return true;
}

bool spool_flush(struct spool *spool)
{
	while (spool->begin < spool->end) {
		ssize_t wrote =
			write(spool->fd, spool->bytes + spool->begin, spool->end - spool->begin);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return false;
		spool->begin += (size_t)wrote;
		spool->size += wrote;
	}
	spool->begin = spool->end = 0;
	return fdatasync(spool->fd) == 0;
}
