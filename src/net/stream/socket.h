/* SPDX-License-Identifier: MIT
 *
 * socket.h - the transport of everything but simulations.
 */
#ifndef WARDI_NET_SOCKET_H
#define WARDI_NET_SOCKET_H

#include "net/transport/transport.h"

extern const struct wardi_transport wardi_socket;

#endif
