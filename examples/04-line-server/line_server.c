/* SPDX-License-Identifier: MIT
 *
 * line_server.c - a server on loopback: sockets, a limit, an end in order.
 *
 *	cd examples/04-line-server && cc *.c $(pkg-config --cflags --libs ward) -o line_server
 *
 * A listener is at the top, with an actor for each connection below it. Prints its port; `nc
 * localhost PORT` talks to it. SIGTERM ends it in order: it accepts no more connections, and
 * answers each line that has come.
 *
 * Exit status: 0 ended in order; 1 gave up, or the port is taken; 2 could not start; 3 an actor did
 * not stop in time.
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
