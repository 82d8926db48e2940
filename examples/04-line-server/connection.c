/* SPDX-License-Identifier: MIT
 *
 * connection.c - answers each line of one client with its number.
 *
 * At the line "fail" it fails. The descriptor that it adopted is closed then, but the one in its
 * arguments is not: the next incarnation goes on with the same client, and counts from 1.
 */
#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const ward_failure_class bad_line = {.name = "bad_line", .parent = &ward_exception};
const ward_failure_class conn_lost = {.name = "conn_lost", .parent = &ward_exception};

WARD_SIGNAL(idle);

static void drop_args(void *args)
{
	close(((struct conn_args *)args)->fd);
}

static ward_err clone_args(void *to, const void *from)
{
	int fd = fcntl(((const struct conn_args *)from)->fd, F_DUPFD_CLOEXEC, 0);

	((struct conn_args *)to)->fd = fd;
	return fd < 0 ? WARD_ESYS : WARD_OK;
}

const ward_type conn_args_type = {.name = "conn_args",
				  .size = sizeof(struct conn_args),
				  .drop = drop_args,
				  .clone = clone_args};

struct conn {
	int fd;
	int count;
	size_t used;
	char bytes[256]; /* of a line that has not ended yet */
};

static ward_result wait_for_more(ward_self *self, struct conn *me)
{
	const struct conn_args *args = ward_args(self);

	ward_fd_watch(self, me->fd, WARD_FD_READ);
	ward_after(self, 1, args->idle_ms, idle);
	return WARD_DONE;
}

static ward_result conn_init(ward_self *self, void *state, const void *args)
{
	struct conn *me = state;

	me->fd = ward_adopt_fd_copy(self, ((const struct conn_args *)args)->fd);
	return wait_for_more(self, me);
}

static void answer(ward_self *self, struct conn *me, const char *line)
{
	char text[sizeof me->bytes + 16];
	int length = snprintf(text, sizeof text, "%d: %s\n", ++me->count, line);

	if (strcmp(line, "fail") == 0)
		ward_fail(self, &bad_line, "line %d says so", me->count);
	if (send(me->fd, text, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) != length)
		ward_fail(self, &conn_lost, "the other side does not read its answers");
}

/* Takes the rest of one line. The next one stays in the socket, for the next incarnation, too. */
static ssize_t read_line(struct conn *me)
{
	char *to = me->bytes + me->used;
	ssize_t got = recv(me->fd, to, sizeof me->bytes - me->used, MSG_DONTWAIT | MSG_PEEK);
	char *end = got > 0 ? memchr(to, '\n', (size_t)got) : NULL;

	if (end != NULL)
		got = end + 1 - to;
	return got > 0 ? recv(me->fd, to, (size_t)got, MSG_DONTWAIT) : got;
}

static ward_result conn_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct conn *me = state;
	ssize_t got = 0; /* idle for too long, or the other side is done */

	if (ward_match(msg, ward_fd_ready))
		got = read_line(me);
	if (got < 0 && errno != EAGAIN)
		return ward_failed_errno(self, "recv");
	if (got == 0)
		return ward_stop_self(self);
	me->used += got > 0 ? (size_t)got : 0;
	if (me->used > 0 && me->bytes[me->used - 1] == '\n') {
		me->bytes[me->used - 1] = '\0';
		me->used = 0;
		answer(self, me, me->bytes);
	}
	if (me->used == sizeof me->bytes)
		return ward_failed(self, &conn_lost, "a line of %zu bytes or more", me->used);
	return wait_for_more(self, me);
}

const ward_behavior connection = {
	.name = "connection",
	.state_size = sizeof(struct conn),
	.args = &conn_args_type,
	.init = conn_init,
	.receive = conn_receive,
};
