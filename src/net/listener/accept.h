/* SPDX-License-Identifier: MIT
 *
 * accept.h - from a readiness of a listening socket to a child with a connection.
 */
#ifndef WARDI_NET_ACCEPT_H
#define WARDI_NET_ACCEPT_H

#include "net/listener/listener.h"

/* Accepts what waits at a socket, as far as it goes; asks for the next readiness. */
void wardi_listener_accept(ward_self *self, struct wardi_listener *me,
			   const struct wardi_listening_socket *at);

#endif
