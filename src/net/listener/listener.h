/* SPDX-License-Identifier: MIT
 *
 * listener.h - the state of a listener, and its parts.
 *
 *	listener_args.c	the copy of its arguments
 *	listener.c	the behaviour: it begins, pauses, ends
 *	accept.c	from a readiness to a child
 *	failures.c	what happens to a child that failed
 *	unstarted.c	a child that does not start its stream
 *	listener_module.c	what a file may say of it
 */
#ifndef WARDI_NET_LISTENER_H
#define WARDI_NET_LISTENER_H

#include <ward/net/listener.h>
#include <ward/ward.h>

#include "net/address/unix_path.h"
#include "net/sim/point.h"
#include "net/stream/tally.h"

enum { WARDI_SOCKETS = 8, WARDI_CLASSES = 8 };

/* One class of failures, and how often it came since it was last reported. */
struct wardi_reported {
	const ward_failure_class *failure_class;
	int64_t said_ns;
	uint64_t unsaid;
};

struct wardi_listening_socket {
	int fd;
	struct wardi_point *point;    /* in the network of a simulation; NULL: a socket */
	char path[WARD_ADDRESS_TEXT]; /* to remove; "": none */
	struct wardi_file file;       /* that it leads to */
	ward_deferred removal;
};

struct wardi_listener {
	const struct ward_listener *args;
	struct wardi_listening_socket sockets[WARDI_SOCKETS];
	uint32_t sockets_count;
	ward_stream *accepting;    /* has no child yet: a spawn was refused; or NULL */
	struct wardi_tally *tally; /* of its connections */
	bool paused, draining;
	bool looks;       /* whether children start their streams */
	bool forgotten;   /* one did not, which was noted */
	bool answered;    /* the shutdown knows that there are no more connections */
	ward_ref drained; /* the task of a shutdown that ends with the connections; or nobody */
	uint64_t accepted, failed, pauses;
	int64_t drain_ms;
	uint64_t seen; /* of those accepted, when it began to look */
	struct wardi_reported reported[WARDI_CLASSES];
	char address[WARD_ADDRESS_TEXT]; /* the first one */
	char addresses[WARD_LISTENER_ADDRESSES];
};

/* A message to self: try again. */
struct wardi_listener_retry {
	unsigned char none_;
};
extern const ward_type wardi_type_listener_retry;

/* Open connections that have a child, or had one. */
static inline uint32_t wardi_listener_connections(const struct wardi_listener *me)
{
	return wardi_tally_read(&me->tally->open) - (me->accepting != NULL);
}

#endif
