/* SPDX-License-Identifier: MIT
 *
 * listener.c - accepts clients, up to a limit, and ends in order.
 *
 * While the socket is not watched nothing is accepted, and the kernel keeps new clients in its
 * backlog. So the listener waits while it is full, and after an error such as EMFILE.
 */
#define _GNU_SOURCE 1 /* accept4() */
#include "listener.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "connection.h"

enum { RETRY = 1, RETRY_MS = 100 };
WARD_SIGNAL(retry);

struct listener {
	struct listen_on on;
	int fd;         /* -1: accepts nothing more */
	int client;     /* accepted, but without an actor so far; or -1 */
	int open;       /* connections that have not ended: counted by ward_terminated */
	ward_ref asker; /* gets an answer when the last connection has ended; or nobody */
};

static ward_result listener_init(ward_self *self, void *state, const void *args)
{
	struct listener *me = state;

	me->on = *(const struct listen_on *)args;
	me->fd = ward_adopt_fd(self, listening_socket(me->on.port));
	me->client = -1;
	ward_shutdown_join(self, "service-unbind", "accept nothing more");
	ward_shutdown_join(self, "service-requests-done", "let connections finish");
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

/* When the spawn is refused, for instance without memory, the client is kept for a retry. */
static ward_err serve(ward_self *self, struct listener *me)
{
	const ward_body args = WARD_ARGS(conn_args, me->on.idle_ms);
	ward_ref child;
	ward_err err = ward_try_spawn(self, WARD_PROPS(&connection, .args = args), &child);

	if (err)
		return err;
	ward_fd_give(self, child, me->client); /* the child's alone from now on */
	me->client = -1;
	me->open++;
	ward_watch(self, child);
	return WARD_OK;
}

static ward_result accept_all(ward_self *self, struct listener *me)
{
	while (me->open < me->on.connections_max) {
		if (me->client < 0)
			me->client = accept4(me->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (me->client < 0 && errno == EAGAIN) {
			ward_fd_watch(self, me->fd, WARD_FD_READ);
			break;
		}
		if (me->client < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (me->client < 0 || serve(self, me)) {
			ward_note(self, WARD_LEVEL_WARNING, "accept: %s",
				  me->client < 0 ? strerror(errno) : ward_err_detail());
			ward_after(self, RETRY, RETRY_MS, retry);
			break;
		}
	}
	return WARD_DONE; /* full: it goes on when a connection has ended */
}

static ward_result shut_down(ward_self *self, struct listener *me, const ward_msg *msg)
{
	int fd = me->fd;

	me->fd = -1;
	if (fd >= 0) /* the first task */
		return ward_close_fd(self, fd) ? ward_failed_errno(self, "close")
					       : ward_reply(self, msg, ward_shutdown_done);
	if (me->open == 0)
		return ward_reply(self, msg, ward_shutdown_done);
	me->asker = ward_msg_sender(msg);
	ward_select_tell(self, "*", finish); /* to all children */
	return WARD_DONE;
}

static ward_result listener_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct listener *me = state;

	if (ward_match(msg, ward_shutdown_task))
		return shut_down(self, me, msg);
	if (ward_match(msg, ward_terminated))
		me->open--;
	else if (!ward_match(msg, ward_fd_ready) && !ward_match(msg, retry))
		return WARD_UNHANDLED;
	if (me->fd >= 0)
		return accept_all(self, me);
	if (me->open == 0 && !ward_ref_is_nobody(me->asker))
		ward_tell(self, me->asker, ward_shutdown_done); /* once: there are no new clients */
	return WARD_DONE;
}

static const ward_strategy on_trouble = {.rules = {{&bad_line, WARD_RESTART}},
					 .otherwise = WARD_STOP,
					 .restarts_max = 5,
					 .window_ms = WARD_MINUTE};
const ward_behavior listener = {.name = "listener",
				.state_size = sizeof(struct listener),
				.args = &ward_type_listen_on,
				.child_strategy = &on_trouble,
				.init = listener_init,
				.receive = listener_receive};
