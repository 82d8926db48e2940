/* SPDX-License-Identifier: MIT
 *
 * echo.c - a TCP server: an actor for each connection sends lines back.
 *
 *	cc -D_GNU_SOURCE examples/ten/echo.c $(pkg-config --cflags --libs ward) -o echo
 *
 * Prints its port, and runs until SIGTERM.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ward/ward.h>

struct conn {
	int fd;
	size_t used;
	char line[1024];
};

static ward_result conn_start(ward_self *self, void *state)
{
	struct conn *me = state;
	const struct ward_fd *args = ward_args(self);

	me->fd = ward_adopt_fd_copy(self, args->fd);
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static ward_result conn_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct conn *me = state;
	char *end;
	ssize_t got;

	if (!ward_match(msg, ward_fd_ready))
		return WARD_UNHANDLED;
	got = recv(me->fd, me->line + me->used, sizeof me->line - me->used, MSG_DONTWAIT);
	if (got < 0 && errno != EAGAIN)
		return ward_failed_errno(self, "recv");
	if (got == 0)
		return ward_stop_self(self);
	me->used += got > 0 ? (size_t)got : 0;
	while ((end = memchr(me->line, '\n', me->used))) {
		size_t length = (size_t)(end + 1 - me->line);
		ssize_t sent = send(me->fd, me->line, length, MSG_NOSIGNAL);

		if (sent < 0)
			return ward_failed_errno(self, "send");
		if (sent < (ssize_t)length)
			return ward_failed(self, &ward_exception, "the client reads too little");
		memmove(me->line, end + 1, me->used -= length);
	}
	if (me->used == sizeof me->line)
		return ward_failed(self, &ward_exception, "a line of %zu bytes", me->used);
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static const ward_behavior conn = {
	.name = "conn",
	.state_size = sizeof(struct conn),
	.args = &ward_type_ward_fd,
	.pre_start = conn_start,
	.receive = conn_receive,
};

struct listener {
	int fd;
};

static ward_result listener_start(ward_self *self, void *state)
{
	struct listener *me = state;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;

	me->fd =
		ward_adopt_fd(self, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (bind(me->fd, (void *)&at, size) || listen(me->fd, 64) ||
	    getsockname(me->fd, (void *)&at, &size))
		return ward_failed_errno(self, "listen");
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static ward_result listener_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct listener *me = state;
	int fd;

	if (!ward_match(msg, ward_fd_ready))
		return WARD_UNHANDLED;
	while ((fd = accept4(me->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (ward_try_spawn(self, WARD_PROPS(&conn, .args = WARD_ARGS(ward_fd, fd)), NULL))
			ward_note(self, WARD_LEVEL_WARNING, "%s", ward_err_detail());
		close(fd);
	}
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static const ward_behavior listener = {
	.name = "listener",
	.state_size = sizeof(struct listener),
	.child_strategy = &ward_stopping_strategy,
	.pre_start = listener_start,
	.receive = listener_receive,
};

int main(void)
{
	return ward_main(&listener);
}
