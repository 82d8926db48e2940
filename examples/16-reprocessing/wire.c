/* SPDX-License-Identifier: MIT
 *
 * wire.c - the wire, and an actor that answers what became of a packet.
 */
#include <stdio.h>
#include <string.h>

#include "network.h"

const ward_failure_class packet_lost = {.name = "packet_lost", .parent = &ward_exception};

char wire_carry(struct wire *wire, int id)
{
	char fate = *wire->weather != '\0' ? *wire->weather++ : '.';
	size_t length = strlen(wire->log);

	snprintf(wire->log + length, sizeof wire->log - length, "%s%d%s", length > 0 ? " " : "", id,
		 fate == 'x'   ? "x"
		 : fate == 'o' ? "o"
			       : "");
	return fate;
}

static ward_result unreliable_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct wire_args *args = ward_args(self);
	const struct packet *packet = ward_match(msg, packet);

	(void)state;
	if (!packet)
		return WARD_UNHANDLED;
	switch (wire_carry(args->wire, packet->id)) {
	case '.':
		ward_answer(self, msg, packet, .id = packet->id);
		break;
	case 'x':
		ward_reply(self, msg, command_failed, .id = packet->id);
		break;
	default:
		break;
	}
	return WARD_DONE;
}

const ward_behavior network_unreliable = {
	.name = "unreliable", .args = &ward_type_wire_args, .receive = unreliable_receive};
