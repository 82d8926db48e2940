/* SPDX-License-Identifier: MIT
 *
 * ward/net/sim.h - the network of a simulation: connections at "sim:NAME", with faults from a seed.
 *
 *	static const struct ward_net_sim_options bad = {.cut = 300, .delay = 500, .reset = 5};
 *	struct ward_listener at = {.address = "sim:server", .child = {.behavior = &session}};
 *	struct ward_connector to = {.address = "sim:server", .child = {.behavior = &client}};
 *
 *	ward_kit_spawn(kit, &ward_net_sim, .args = {WARD_COPY(ward_net_sim_options, &bad)});
 *	ward_kit_run(kit);
 *	ward_kit_spawn(kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)});
 *	ward_kit_run(kit);
 *	ward_kit_spawn(kit, &ward_connect, .args = {WARD_COPY(ward_connector, &to)});
 *
 * The network is an actor of a simulated system (ward/simulation.h). A listener whose address is
 * "sim:NAME" listens there, and ward_stream_open() and connectors with that address connect to it:
 * over wires within the system, in its own time. Streams, framings, limits, tries, pauses and
 * failures are those of sockets; the actors do not know the difference. So a server, its clients
 * and a proxy between them run in one simulation: only their addresses are others.
 *
 * What goes wrong is drawn from the seed of the system, so a run can be repeated. Each fault has a
 * chance of so many in 1,000 in ward_net_sim_options, and a number in ward_net_sim_counts: a run in
 * which none came proves nothing about faults. Each reset, end, stall and refusal that the network
 * has brought about is also a WARD_EVENT_NOTE of it.
 *
 * A wire keeps the order of bytes, brings none twice, and loses none, except by a reset. It takes
 * as many bytes as `window` says until the other end has read them.
 *
 * All calls are for the thread of the simulation, in callbacks and outside. Not included by
 * ward/net.h.
 */
#ifndef WARD_NET_SIM_H
#define WARD_NET_SIM_H

#include <ward/net/stream.h>

WARD_BEGIN

/**
 * The arguments of a network: what goes wrong. All zero: nothing, and all bytes come at once.
 *
 * A chance is in 1,000, and is drawn for each write that takes bytes, unless another occasion is
 * given. What comes late holds up what was written behind it.
 */
struct ward_net_sim_options {
	uint32_t cut;        /* fewer bytes are taken than there is room for */
	uint32_t delay;      /* the bytes come up to delay_ms later; also the answer to a connect */
	uint32_t stall;      /* the bytes, or that answer, come up to stall_ms later */
	uint32_t reset;      /* only a part of the bytes comes; then both ends see a reset */
	uint32_t half_close; /* behind the bytes comes an end; a reset answers later writes */
	uint32_t narrow;     /* of a connection: its window is 1 to 64 bytes */
	uint32_t refuse;     /* of a connect: refused, as if nobody listened */
	uint32_t descriptors;  /* of an accept, or of a try to connect: none is left, EMFILE */
	uint32_t window;       /* bytes that one end may be ahead of the other; 64 KiB */
	int64_t delay_ms;      /* 20 ms */
	int64_t stall_ms;      /* 10 s */
	uintptr_t reserved[4]; /* zero */
};
/** The type of the arguments. */
WARD_API extern const ward_type ward_type_ward_net_sim_options;

/**
 * The behaviour of a network. A system has at most one at a time. It fails with ward_misuse in its
 * start if the system is not simulated, has a network, or if a chance is more than 1,000.
 *
 * When it ends or is restarted all its connections are reset, and nobody listens at its names.
 * Contract: S155-S159.
 */
WARD_API extern const ward_behavior ward_net_sim;

/** What a network has done so far. */
struct ward_net_sim_counts {
	uint64_t connects; /* that were begun; each has a wire, whose number is its count */
	uint64_t accepts;  /* that a listener took */
	uint64_t bytes;    /* that were read from a wire */
	uint64_t wires;    /* open now; one is open until both ends have closed it */
	/* faults, as in ward_net_sim_options */
	uint64_t cuts;
	uint64_t delays;
	uint64_t stalls;
	uint64_t resets;
	uint64_t half_closes;
	uint64_t narrows;
	uint64_t refusals;
	uint64_t descriptors;
};

/** Reads the counts of the network of a system. Returns false, and all zero, if there is none.
 *  Cost: O(1). Contract: S157. */
WARD_API bool ward_net_sim_look(const ward_system *system, struct ward_net_sim_counts *ret_counts);

/** Ends the faults of the network of a system: from here on it draws none, so that what was begun
 *  comes to its end. Without a network it does nothing. Cost: O(1). Contract: S157. */
WARD_API void ward_net_sim_faults_end(ward_system *system);

/**
 * Begins to connect to an address "sim:NAME" of the network of a system, and returns a connection
 * for an actor: as its arguments, given (props.args_given), or in a message. It is for tests of a
 * behaviour that is given a connection; an actor that connects uses ward_stream_open().
 *
 * There is one try. The connection can be used at once; what is written waits until it is there. If
 * nobody listens at the name when the connect arrives, or the network refuses it, the stream fails
 * with ward_peer_lost and ECONNREFUSED.
 *
 * Ownership  *ret_connection is the caller's, until it is moved into arguments or a message; it is
 *            written on success only.
 * Cost       O(1), a system call.
 * Errors     WARD_EINVAL not an address of this form; WARD_ENOENT the system has no network;
 *            WARD_ENOMEM; WARD_ESYS no descriptor.
 * Contract   S158
 */
WARD_API WARD_MUST_USE ward_err ward_net_sim_connect(ward_system *system, const char *address,
						     struct ward_connection *ret_connection);

WARD_END
#endif
