/* SPDX-License-Identifier: MIT
 *
 * wire.h - a connection of a network: two lanes of bytes between two ends.
 *
 *	          sent             arrived            read
 *	end 0 ----------> pieces ----------> bytes ---------> end 1		lane 0
 *	end 1 ----------> pieces ----------> bytes ---------> end 0		lane 1
 *
 * A piece is what one write has brought, and the time at which it arrives; no piece arrives before
 * an earlier one. Behind the last one comes an end, or a reset. What an end sees is what a socket
 * would see: receive and send are as readv() and sendmsg().
 */
#ifndef WARDI_SIM_WIRE_H
#define WARDI_SIM_WIRE_H

#include <sys/types.h>
#include <sys/uio.h>

#include "net/address/refusal.h"
#include "net/sim/network.h"
#include "net/transport/transport.h"

enum { WARDI_PIECES = 64 };

struct wardi_piece_under_way {
	int64_t at_ns;
	uint64_t to; /* `arrived`, once it is there */
	bool resets; /* only a part of it comes, then a reset of the network */
};

enum wardi_lane_end { WARDI_LANE_OPEN, WARDI_LANE_ENDS, WARDI_LANE_RESETS };

struct wardi_lane {
	unsigned char *bytes; /* a ring of `window` */
	uint32_t window;
	uint32_t first, count; /* of the pieces, a ring */
	struct wardi_piece_under_way pieces[WARDI_PIECES];
	uint64_t sent, arrived, read;
	int64_t last_ns;         /* when the newest piece arrives */
	enum wardi_lane_end end; /* what comes behind the last piece, at end_ns */
	int64_t end_ns;
	bool broken; /* the network has ended it, and the sender does not know */
	bool ended;  /* the end has arrived */
};

struct wardi_end {
	struct wardi_transport transport; /* of its stream: net/stream/wired.c */
	struct wardi_wire *wire;
	struct wardi_bell bell; /* something that is wanted has come about */
	uint32_t wanted;        /* a mask of WARDI_READABLE, ... */
	int error;              /* an errno that the end has not seen yet; 0: none */
	bool closed;
};

struct wardi_wire {
	struct wardi_network *network; /* NULL: it has ended */
	struct wardi_wire *next, *before;
	struct wardi_wire *next_waiting; /* at the same point */
	uint64_t number;
	bool connecting; /* the connect arrives at connect_ns */
	bool dead;       /* reset, or refused */
	int64_t connect_ns;
	struct wardi_lane lanes[2];
	struct wardi_end ends[2]; /* who connects, and the listener */
	char name[];              /* of the point */
};

/* Begins to connect to a name of the network of a system, as connect() of a socket that does not
 * block: it is connected or refused when it is writable, and wardi_end_error() tells which. It can
 * be used before. `lacks`: there may be no descriptor for it, by the faults of the network. NULL:
 * *ret_refusal. */
struct wardi_end *wardi_end_connect(ward_system *system, const char *name, bool lacks,
				    struct wardi_net_refusal *ret_refusal);

ssize_t wardi_end_receive(struct wardi_end *end, const struct iovec *into, int count);
ssize_t wardi_end_send(struct wardi_end *end, const struct iovec *from, int count);
/* What has come about, wanted or not. */
uint32_t wardi_end_events(const struct wardi_end *end);
void wardi_end_want(struct wardi_end *end, uint32_t events);
/* The error that was not seen yet, or 0. */
int wardi_end_error(struct wardi_end *end);
void wardi_end_finish(struct wardi_end *end);
/* Unread bytes make a reset of it. With both ends closed the wire is gone. */
void wardi_end_close(struct wardi_end *end, bool reset);

/* Moves what is due. Returns when something is due next; INT64_MAX: never. */
int64_t wardi_wires_move(struct wardi_network *network);
/* The network ends: resets all of them. */
void wardi_wires_end(struct wardi_network *network);

#endif
