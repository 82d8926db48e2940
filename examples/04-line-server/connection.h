/* SPDX-License-Identifier: MIT
 *
 * connection.h - the actor that serves one client, and how it gets its descriptor.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <fcntl.h>
#include <unistd.h>
#include <ward/ward.h>

/* Owns its descriptor: the copy that the actor keeps has a descriptor of its own. */
struct conn_args {
	int fd;
	int idle_ms;
};

static inline void conn_args_drop(struct conn_args *args)
{
	close(args->fd);
}

static inline ward_err conn_args_clone(struct conn_args *to, const struct conn_args *from)
{
	to->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
	return to->fd < 0 ? WARD_ESYS : WARD_OK;
}
WARD_MESSAGE_CLONE(conn_args, conn_args_drop, conn_args_clone);

/* The connection answers the lines that have come, and ends. */
WARD_SIGNAL(finish);

/* The first leads to a restart, the second to a stop. */
extern const ward_failure_class bad_line, line_too_long;
extern const ward_behavior connection;

#endif
