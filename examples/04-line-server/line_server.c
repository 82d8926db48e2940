/* SPDX-License-Identifier: MIT
 *
 * line_server.c - line_server IDLE_MS: a server on a free port of loopback, which it prints.
 *
 * A listener at the top, below it an actor for each connection. SIGTERM ends it in order: status
 * 0; 1: it gave up; 2: it could not begin; 3: somebody did not let go.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"

struct listener {
	int fd;
	int idle_ms;
};
WARD_MESSAGE(listener); /* also its arguments, without fd */

static ward_result listener_init(ward_self *self, void *state, const void *args)
{
	struct listener *me = state;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;

	me->idle_ms = ((const struct listener *)args)->idle_ms;
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
	struct conn_args args = {.idle_ms = me->idle_ms};

	if (!ward_match(msg, ward_fd_ready))
		return WARD_UNHANDLED;
	while ((args.fd = accept(me->fd, NULL, NULL)) >= 0) {
		const ward_body own = {&conn_args_type, &args, sizeof args};

		if (ward_try_spawn(self, WARD_PROPS(&connection, .args = own), NULL))
			fprintf(stderr, "line_server: %s\n", ward_err_detail());
		close(args.fd); /* the child has its own */
	}
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static const ward_strategy on_trouble = {.rules = {{&bad_line, WARD_RESTART}},
					 .otherwise = WARD_STOP,
					 .restarts_max = 5,
					 .window_ms = WARD_MINUTE};
static const ward_behavior listener = {.name = "listener",
				       .state_size = sizeof(struct listener),
				       .args = &ward_type_listener,
				       .child_strategy = &on_trouble,
				       .init = listener_init,
				       .receive = listener_receive};

int main(int argc, char **argv)
{
	return ward_run(WARD_PROPS(&listener,
				   .args = WARD_ARGS(listener,
						     .idle_ms = argc > 1 ? atoi(argv[1]) : 60000)),
			&(ward_options){.name = "lines",
					.user_strategy = &ward_escalating_strategy,
					.deadline_ms = 10 * WARD_SECOND});
}
