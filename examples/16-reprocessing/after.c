/* SPDX-License-Identifier: MIT
 *
 * after.c - a failed message is sent again from post_restart, out of the data of the failure.
 *
 * The failure carries the packet and its sender, so each supervisor above can read it: to log it,
 * or to decide by it. The packet goes behind the messages that wait, as with pre_restart, and only
 * a restart sends it. When memory is short a failure loses its data: its class and the event
 * remain, the packet does not.
 */
#include <ward/extend.h>

#include "network.h"

struct lost_packet {
	struct packet packet;
	ward_ref sender;
};
WARD_MESSAGE_FLAT(lost_packet);

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct wire_args *args = ward_args(self);
	const struct packet *packet = ward_match(msg, packet);
	struct lost_packet lost;

	(void)state;
	if (!packet)
		return WARD_UNHANDLED;
	if (wire_carry(args->wire, packet->id) == '.')
		return ward_answer(self, msg, packet, .id = packet->id);
	lost = (struct lost_packet){.packet = *packet, .sender = ward_msg_sender(msg)};
	return ward_failed_body(self, &packet_lost, WARD_COPY(lost_packet, &lost), "packet %d",
				packet->id);
}

/* Reads the root of the causes, since a restart may fail in turn. The failure must be its own: with
 * WARD_ALL_FOR_ONE the siblings get the same failure. */
static ward_result post_restart(ward_self *self, void *state, const ward_failure *why)
{
	const ward_failure *root = ward_failure_root(why);
	const struct lost_packet *lost = ward_failure_body(root, lost_packet);
	struct packet *again;

	(void)state;
	if (!lost || !ward_ref_equal(ward_failure_actor(root), ward_self_ref(self)))
		return ward_default_post_restart(self);
	again = ward_make(self, packet, 0);
	if (!again)
		return ward_failed(self, &ward_out_of_memory, "packet %d", lost->packet.id);
	*again = lost->packet;
	ward_give_body_from(self, lost->sender, ward_self_ref(self), &ward_type_packet, again);
	return ward_default_post_restart(self);
}

const ward_behavior network_after = {
	.name = "after",
	.args = &ward_type_wire_args,
	.receive = receive,
	.post_restart = post_restart,
};
