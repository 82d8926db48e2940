/* SPDX-License-Identifier: MIT
 *
 * network.h - a bad wire, and four actors that send packets over it.
 */
#ifndef NETWORK_H
#define NETWORK_H

#include <ward/ward.h>

struct packet {
	int id;
};
WARD_MESSAGE_FLAT(packet);
struct packet_sent {
	int id;
};
WARD_MESSAGE_FLAT(packet_sent);
WARD_REPLY(packet, packet_sent);
/** The packet did not get through. Its sender may try again. */
struct command_failed {
	int id;
};
WARD_MESSAGE_FLAT(command_failed);

/** A packet that the wire has lost: an exception. */
extern const ward_failure_class packet_lost;

enum { WIRE_TEXT = 200 };

/** The wire. It is outside of all actors, so it outlives their restarts. `weather` has the fate of
 *  each packet in turn: '.' it gets through, 'x' it is lost, 'o' there is no answer. After its end
 *  all packets get through. */
struct wire {
	const char *weather;
	char log[WIRE_TEXT]; /* "1x 1 2": packet 1 was lost the first time */
};
/** The arguments of these actors. */
struct wire_args {
	struct wire *wire;
};
WARD_MESSAGE(wire_args);

/** Puts a packet on the wire; returns its fate. */
char wire_carry(struct wire *wire, int id);

/** Fails when a packet is lost, and sends it to itself again from pre_restart. */
extern const ward_behavior network_before;
/** Fails when a packet is lost, with the packet and its sender in the failure, and sends it again
 *  from post_restart. */
extern const ward_behavior network_after;
/** Does not fail: it answers with a command_failed. */
extern const ward_behavior network_unreliable;
/** Has a network_unreliable as its child, and tries until a packet is through: one at a time, in
 *  order. The sender of the packet gets the packet_sent. */
extern const ward_behavior network_reliable;

#endif
