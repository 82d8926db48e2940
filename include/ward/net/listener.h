/* SPDX-License-Identifier: MIT
 *
 * ward/net/listener.h - an actor that accepts connections, and makes a child for each.
 *
 *	struct ward_listener at = {.address = "tcp:127.0.0.1:7000",
 *				   .child = {.behavior = &session}};
 *
 *	return ward_run(WARD_PROPS(&ward_listen, .args = {WARD_COPY(ward_listener, &at)}), NULL);
 *
 * A child has a ward_connection as its arguments (ward/net/stream.h); the arguments in the props of
 * the child are in its `with`. It supervises its children as any actor does. Unless the props say
 * otherwise, it stops a child that failed, and reports of each class of failure one in ten seconds,
 * with the number of the others: ten thousand resets are one line.
 *
 * At connections_max it accepts no more connections until one is closed; further ones wait in the
 * queue of the operating system. A connection counts as long as it is open, also one that a child
 * has given to another actor (ward_stream_give()), whose end is seen within 100 ms; a child that
 * goes on without its connection does not count. If the operating system has no descriptor or no
 * memory left (EMFILE, ENFILE, ENOBUFS, ENOMEM) the same happens, with another try after 100 ms.
 * Each time it says so once (WARD_EVENT_NOTE), and once more when it accepts again. If children do
 * not start their streams, another note says so after 5 s, once.
 *
 * At a shutdown it accepts no more in the phase "service-unbind". In "service-requests-done" each
 * child gets WARD_STREAM_CLOSING: what has come is answered, then the stream ends. Children that
 * have not ended after drain_ms are stopped, and a note has their number. ward_listener_drain does
 * the same without a shutdown. ward_stop() stops the children at once.
 */
#ifndef WARD_NET_LISTENER_H
#define WARD_NET_LISTENER_H

#include <ward/net/stream.h>

WARD_BEGIN

/** The arguments of a listener. Zero is the default; `address` and `child.behavior` must be set.
 *  They are copied. */
struct ward_listener {
	const char *address;      /* as in net.h; several with a space between them */
	ward_props child;         /* without a name: each has that of the behaviour, "session$1" */
	uint32_t connections_max; /* 0: no limit */
	int32_t backlog;          /* of listen(); 0: the most that the system allows */
	uint32_t unix_mode;       /* of a path; 0: 0600 */
	bool unix_replace;        /* takes over a path at which nobody listens */
	bool reuse_port;          /* SO_REUSEPORT: several listeners share a port */
	/** Less than the phase "service-requests-done" has (5 s by default), or the listener does
	 *  not start. 0: four fifths of that, so 4 s. */
	int64_t drain_ms;
	/** The options with which the children start their streams, which then need name none:
	 *  ward_stream_start(self, args, NULL). Borrowed, as there. The spawn refuses what cannot
	 *  be, and what their filter refuses. NULL: that is found out at the first connection. */
	const ward_stream_options *stream;
	uintptr_t reserved[4]; /* zero */
};
/** The type of the arguments. */
WARD_API extern const ward_type ward_type_ward_listener;

/** The behaviour of a listener. If it cannot have an address it fails with ward_not_listening, in
 *  its first start. */
WARD_API extern const ward_behavior ward_listen;

/** Asks a listener for its state; the answer is a ward_listener_state. */
struct ward_listener_look {
	unsigned char none_;
};
WARD_API extern const ward_type ward_type_ward_listener_look;

/** Tells a listener to end in order, as a shutdown does; then it stops. */
struct ward_listener_drain {
	unsigned char none_;
};
WARD_API extern const ward_type ward_type_ward_listener_drain;

/** The room for all addresses of a listener as text, with its terminating 0. */
enum { WARD_LISTENER_ADDRESSES = 512 };

/** The state of a listener. */
struct ward_listener_state {
	uint32_t connections;            /* that are open now */
	bool paused;                     /* accepts none: at the limit, or without descriptors */
	uint64_t accepted;               /* connections since the start */
	uint64_t failed;                 /* children that failed */
	uint64_t pauses;                 /* times it was paused */
	char address[WARD_ADDRESS_TEXT]; /* the first one, with the port that it got */
	/** All of them: "tcp:*:7000, unix:/run/a.sock", or "systemd:web (tcp:*:80)". */
	char addresses[WARD_LISTENER_ADDRESSES];
};
WARD_API extern const ward_type ward_type_ward_listener_state;
WARD_REPLY(ward_listener_look, ward_listener_state);

WARD_END
#endif
