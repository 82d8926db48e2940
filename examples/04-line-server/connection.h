/* SPDX-License-Identifier: MIT
 *
 * connection.h - the actor that serves the client whose socket it is given (ward_fd_give()).
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <ward/ward.h>

struct conn_args {
	int idle_ms;
};
WARD_MESSAGE(conn_args);

/* The connection answers the lines that have come, and ends. */
WARD_SIGNAL(finish);

/* The first leads to a restart, the second to a stop. */
extern const ward_failure_class bad_line, line_too_long;
extern const ward_behavior connection;

#endif
