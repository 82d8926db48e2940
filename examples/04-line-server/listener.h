/* SPDX-License-Identifier: MIT
 *
 * listener.h - the actor that accepts, and its arguments.
 */
#ifndef LISTENER_H
#define LISTENER_H

#include <ward/ward.h>

struct listen_on {
	int port; /* of loopback; 0: any, which is printed */
	int idle_ms;
	int connections_max; /* the next ones wait in the backlog of the socket */
};
WARD_MESSAGE(listen_on);
extern const ward_behavior listener;

/* Opens it and prints the port. -1: errno says why. */
int listening_socket(int port);

#endif
