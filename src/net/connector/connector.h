/* SPDX-License-Identifier: MIT
 *
 * connector.h - the state of a connector, and its parts.
 *
 *	connector_args.c	the copy of its arguments
 *	connector_module.c	what a file may say of it
 *	connector.c		the behaviour
 */
#ifndef WARDI_NET_CONNECTOR_H
#define WARDI_NET_CONNECTOR_H

#include <ward/net/connector.h>
#include <ward/ward.h>

#include "net/opening/opening.h"

/* The state of one incarnation. */
struct wardi_connector {
	const struct ward_connector *args;
	struct wardi_opening *opening;
	ward_ref child; /* nobody: there is no connection */
	bool started;   /* the child has; it gets the messages */
	bool noted;     /* a note was published about this row of failures */
};

/* A message to self: the connection has lasted. */
struct wardi_connector_calm {
	unsigned char none_;
};
extern const ward_type wardi_type_connector_calm;

#endif
