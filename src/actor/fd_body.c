/* SPDX-License-Identifier: MIT
 *
 * fd_body.c - a descriptor as a body: each copy is a descriptor of its own.
 *
 * Threads: all functions may run at the same time.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <ward/fd.h>

static void drop(void *body)
{
	int fd = ((struct ward_fd *)body)->fd;

	if (fd >= 0) /* else it was taken: fd_give.c */
		close(fd);
}

static ward_err clone(void *to, const void *from)
{
	int fd = fcntl(((const struct ward_fd *)from)->fd, F_DUPFD_CLOEXEC, 0);

	((struct ward_fd *)to)->fd = fd;
	return fd < 0 ? WARD_ESYS : WARD_OK;
}

const ward_type ward_type_ward_fd = {
	.name = "ward_fd", .size = sizeof(struct ward_fd), .drop = drop, .clone = clone};
