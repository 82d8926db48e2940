/* SPDX-License-Identifier: MIT
 *
 * network.h - the network of a simulation, and its parts.
 *
 *	network.c	the actor: it moves what is due, and says what went wrong
 *	point.c		names at which listeners listen
 *	wire.c		a connection: bytes under way, ends, resets
 *
 * The streams over its wires are those of net/stream/wired.c.
 *
 * All of it runs on the thread of the simulation. What an actor does at its end of a wire takes
 * effect at once, or is put off to a time; the actor of the network wakes up at that time. Who
 * waits at an end, at a point or for the network waits for a bell.
 */
#ifndef WARDI_SIM_NETWORK_H
#define WARDI_SIM_NETWORK_H

#include <ward/net/sim.h>

#include "net/sim/bell.h"
#include "net/sim/dice.h"

struct wardi_point;
struct wardi_wire;

enum { WARDI_TOLD = 16 };

/* A fault that the actor is to report. */
struct wardi_told {
	const char *what;
	uint64_t wire;
};

struct wardi_network {
	struct wardi_network *next; /* of this thread */
	ward_system *system;
	const struct ward_net_sim_options *options; /* the arguments of the actor */
	struct wardi_dice dice;
	struct ward_net_sim_counts counts;
	struct wardi_point *points;
	struct wardi_wire *wires;
	struct wardi_bell bell; /* there is something to do for the actor */
	struct wardi_told told[WARDI_TOLD];
	uint32_t told_count; /* more than WARDI_TOLD: some were left out */
};

/* The network of a system; NULL: none. */
struct wardi_network *wardi_network_of(const ward_system *system);

int64_t wardi_network_now_ns(const struct wardi_network *network);
/* Whether a fault of that chance strikes; counts it in *counter then. */
bool wardi_network_strikes(struct wardi_network *network, uint32_t chance, uint64_t *counter);
/* How much later something comes: 0, or what a delay or a stall makes of it. */
int64_t wardi_network_late_ns(struct wardi_network *network, uint64_t wire);
/* Has the actor report a fault. `what` is a constant. */
void wardi_network_tell(struct wardi_network *network, const char *what, uint64_t wire);

#endif
