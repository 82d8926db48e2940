/* SPDX-License-Identifier: MIT
 *
 * connection.h - the actor that serves one client, and how it gets its descriptor.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <ward/ward.h>

/* Owns its descriptor: each copy has one of its own, so a restarted actor finds it open. */
struct conn_args {
	int fd;
	int idle_ms;
};
extern const ward_type conn_args_type;

/* The client sent what a fresh start gets over; the connection itself is lost. */
extern const ward_failure_class bad_line, conn_lost;
extern const ward_behavior connection;

#endif
