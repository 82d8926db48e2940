/* SPDX-License-Identifier: MIT
 *
 * line_server.c - line_server [PORT [IDLE_MS [CONNECTIONS_MAX]]]: a server on loopback.
 *
 * A listener at the top, below it an actor for each connection. SIGTERM ends it in order: nothing
 * more is accepted, each line that has come is answered, status 0. 1: it gave up, also when the
 * port is taken; 2: it could not begin; 3: somebody did not let go.
 */
#include <stdlib.h>

#include "listener.h"

int main(int argc, char **argv)
{
	const struct listen_on on = {.port = argc > 1 ? atoi(argv[1]) : 0,
				     .idle_ms = argc > 2 ? atoi(argv[2]) : WARD_MINUTE,
				     .connections_max = argc > 3 ? atoi(argv[3]) : 500};

	return ward_run(WARD_PROPS(&listener, .args = {WARD_COPY(listen_on, &on)}),
			&(ward_options){.name = "lines",
					.user_strategy = &ward_escalating_strategy,
					.deadline_ms = 20 * WARD_SECOND});
}
