/* SPDX-License-Identifier: MIT
 *
 * sending.h - from datagrams to the operating system.
 */
#ifndef WARDI_NET_SENDING_H
#define WARDI_NET_SENDING_H

#include "net/datagrams/datagrams.h"

/* Sends what waits. Needs no callback, so it can run at the end of an incarnation. */
void wardi_datagrams_flush(ward_datagrams *socket);
/* Counts a datagram that was not sent, or that has come back. */
void wardi_datagrams_count_error(ward_datagrams *socket, int error);

#endif
