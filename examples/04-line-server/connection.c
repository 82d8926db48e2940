/* SPDX-License-Identifier: MIT
 *
 * connection.c - answers each line of one client with its number.
 *
 * It reads the next line when its last answer is sent. So a client that does not read its answers
 * is not read either, and is closed by the receive timeout. At the line "fail" the actor fails. Its
 * pre_restart gives the socket to the next incarnation, which goes on with the same client, and
 * counts from 1.
 */
#include "connection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

const ward_failure_class bad_line = {.name = "bad_line", .parent = &ward_exception};
const ward_failure_class line_too_long = {.name = "line_too_long", .parent = &ward_exception};

struct conn {
	int fd; /* -1: not given yet */
	int count;
	size_t used, unsent;
	char line[256]; /* `used` bytes of one that has not ended yet */
	char text[256 + 16];
};

static ward_result conn_init(ward_self *self, void *state, const void *args)
{
	((struct conn *)state)->fd = -1;
	ward_receive_timeout_set(self, ((const struct conn_args *)args)->idle_ms);
	return WARD_DONE;
}

static ward_result conn_pre_restart(ward_self *self, void *state, const ward_failure *why,
				    const ward_msg *msg)
{
	struct conn *me = state;

	(void)why, (void)msg;
	if (me->fd >= 0)
		ward_fd_give(self, ward_self_ref(self), me->fd);
	return WARD_DONE;
}

/* The end of a client is not a failure of the actor. */
static ward_result lost(ward_self *self, const char *what)
{
	ward_note(self, WARD_LEVEL_INFO, "%s: %s", what, strerror(errno));
	return ward_stop_self(self);
}

/* Sends as much as the socket takes, then waits until it takes more, or for the next line. */
static ward_result send_rest(ward_self *self, struct conn *me)
{
	ssize_t sent = send(me->fd, me->text, me->unsent, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0 && errno != EAGAIN)
		return lost(self, "send");
	if (sent > 0)
		memmove(me->text, me->text + sent, me->unsent -= (size_t)sent);
	ward_fd_watch(self, me->fd, me->unsent > 0 ? WARD_FD_WRITE : WARD_FD_READ);
	return WARD_DONE;
}

/* Reads the rest of one line. The next line stays in the socket, also for the next incarnation. */
static ssize_t read_line(struct conn *me)
{
	char *to = me->line + me->used;
	ssize_t got = recv(me->fd, to, sizeof me->line - me->used, MSG_DONTWAIT | MSG_PEEK);
	char *end = got > 0 ? memchr(to, '\n', (size_t)got) : NULL;

	if (end)
		got = end + 1 - to;
	return got > 0 ? recv(me->fd, to, (size_t)got, MSG_DONTWAIT) : got;
}

static ward_result conn_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct conn *me = state;
	ssize_t got;

	if (ward_match(msg, ward_fd)) {
		me->fd = ward_fd_take(self);
		ward_fd_watch(self, me->fd, WARD_FD_READ);
		return WARD_DONE;
	}
	if (ward_match(msg, finish)) { /* recv() returns 0 after the last line */
		shutdown(me->fd, SHUT_RD);
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_fd_ready)) /* ward_receive_timeout */
		return ward_stop_self(self);
	if (me->unsent > 0)
		return send_rest(self, me);
	got = read_line(me);
	if (got == 0)
		return ward_stop_self(self);
	if (got < 0 && errno != EAGAIN)
		return lost(self, "recv");
	me->used += got > 0 ? (size_t)got : 0;
	if (me->used > 0 && me->line[me->used - 1] == '\n') {
		me->line[me->used - 1] = '\0';
		me->used = 0;
		if (strcmp(me->line, "fail") == 0)
			return ward_failed(self, &bad_line, "line %d says so", me->count + 1);
		me->unsent = (size_t)sprintf(me->text, "%d: %s\n", ++me->count, me->line);
	}
	if (me->used == sizeof me->line)
		return ward_failed(self, &line_too_long, "%zu bytes or more", me->used);
	return send_rest(self, me);
}

const ward_behavior connection = {.name = "connection",
				  .state_size = sizeof(struct conn),
				  .args = &ward_type_conn_args,
				  .init = conn_init,
				  .pre_restart = conn_pre_restart,
				  .receive = conn_receive};
