/* SPDX-License-Identifier: MIT
 *
 * ward/net/connector.h - an actor that connects, again and again, with a child for each connection.
 *
 *	struct ward_connector to = {.address = "tcp:example.org:7000",
 *				    .child = {.behavior = &session},
 *				    .random_factor = 0.2,
 *				    .stash_max = 100};
 *
 *	ward_ref link = ward_spawn(self, &ward_connect, .args = {WARD_COPY(ward_connector, &to)});
 *
 * The child has a ward_connection as its arguments, as one below a listener has (listener.h): the
 * same behaviour serves either side. The ref of the connector stays the same while connections come
 * and go. A message to it goes to the child; while there is none, or it is starting, up to
 * stash_max messages wait, in order, and further ones are dead letters (WARD_REASON_DOWN). Messages
 * in the child's own mailbox end with the child. A message from the child to the connector goes to
 * the connector's parent.
 *
 * When the child has ended, however that was, the connector connects again after a pause, and makes
 * a new child. The pauses are those of a back-off supervisor (backoff.h): the first is
 * min_backoff_ms, each further one twice as long, up to max_backoff_ms, with a random part. After a
 * connection that has lasted auto_reset_ms the next pause is the first one again. Unless the props
 * say otherwise, a child that failed is stopped, and so the connection is ended by a reset.
 *
 * After tries_max tries in a row, without a connection that has lasted, the connector fails with
 * ward_not_connected. Before that each row of failures is one note (WARD_EVENT_NOTE), with the
 * first refusal; the end of a connection is one, too, with how the child ended and when the next
 * try is. ward_system_tree() shows the time to it.
 *
 * Of the messages of backoff.h the connector handles ward_get_current_child,
 * ward_get_restart_count, which is the number of pauses since the last connection that has lasted,
 * and ward_backoff_start, which ends a pause. Its end closes the connection: the child stops first.
 */
#ifndef WARD_NET_CONNECTOR_H
#define WARD_NET_CONNECTOR_H

#include <ward/net/stream.h>

WARD_BEGIN

/** The arguments of a connector. Zero is the default; `address` and `child.behavior` must be set.
 *  They are copied. */
struct ward_connector {
	const char *address;    /* one, as in net.h */
	ward_props child;       /* its name is the same each time; NULL: the behaviour's name */
	int64_t connect_ms;     /* of each try, with the look-up of the name; 10 s */
	int64_t min_backoff_ms; /* the first pause; 100 ms */
	int64_t max_backoff_ms; /* the longest pause, without the random part; 10 s */
	/** 0 to 1: the largest random addition, as a fraction of the pause. */
	double random_factor;
	/** After a connection that has lasted this long the next pause is the first one again;
	 *  min_backoff_ms. */
	int64_t auto_reset_ms;
	uint32_t tries_max; /* in a row; 0: no limit */
	uint32_t stash_max; /* messages that wait for a child; 0: none */
	/** The options with which the children start their streams, as in ward_listener. */
	const ward_stream_options *stream;
	uintptr_t reserved[4]; /* zero */
};
/** The type of the arguments. */
WARD_API extern const ward_type ward_type_ward_connector;

/**
 * The behaviour of a connector. A restart ends the connection and begins again, without a pause;
 * messages that wait stay.
 *
 * Ownership  the spawn copies the arguments.
 * Cost       of a message: as ward_forward(); of a try: as of ward_stream_open(); of a connection
 *            also that of ward_spawn(), ward_watch() and, with a stash, ward_ask_send().
 * Errors     of the spawn: WARD_EINVAL an address that cannot be connected to, or options that
 *            contradict each other; WARD_EUNIQUE the child's arguments have a drop function and no
 *            clone; WARD_ENOMEM. Later it fails with ward_not_connected; with ward_exception or
 *            ward_out_of_memory if a child cannot be spawned, and tries again after a pause if it
 *            is resumed.
 * Contract   S145-S148
 */
WARD_API extern const ward_behavior ward_connect;

WARD_END
#endif
