/* SPDX-License-Identifier: MIT
 *
 * network.h - packets over a bad wire, by actors that each do something else about what fails.
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
/** It did not get through; the packet is whole, and the sender may try again. */
struct command_failed {
	int id;
};
WARD_MESSAGE_FLAT(command_failed);

/** A packet that the wire has lost: an exception. */
extern const ward_failure_class packet_lost;

enum { WIRE_TEXT = 200 };

/** The wire: outside of all actors, so it stays as it is over their restarts. `weather` says what
 *  becomes of the packets, in turn: '.' it gets through, 'x' it is lost, 'o' nothing is heard of
 *  it. Past its end all get through. */
struct wire {
	const char *weather;
	char log[WIRE_TEXT]; /* "1x 1 2": the first was lost at first */
};
/** The arguments of all three. */
struct wire_args {
	struct wire *wire;
};
WARD_MESSAGE(wire_args);

/** Puts a packet on the wire; gives what became of it. */
char wire_carry(struct wire *wire, int id);

/** Fails of a packet that is lost, and sends it again to itself from pre_restart. */
extern const ward_behavior network_before;
/** Fails of it, with the packet and its sender in the failure, and sends it again from
 *  post_restart. */
extern const ward_behavior network_after;
/** Does not fail: it answers with a command_failed. */
extern const ward_behavior network_unreliable;
/** Has an unreliable one as its child, and tries until a packet is through: one at a time, in
 *  order. Who sent it gets the packet_sent. */
extern const ward_behavior network_reliable;

#endif
