/* SPDX-License-Identifier: MIT
 *
 * before.c - a failed message is sent again from pre_restart, which has the message.
 *
 * That works for any failure, and without a copy: the message keeps its sender. It goes behind the
 * messages that wait in the mailbox, so the order changes. Only a restart calls pre_restart: a
 * parent that resumes or stops loses the message. A message that can never be handled goes round
 * forever, unless the parent limits restarts.
 */
#include "network.h"

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct wire_args *args = ward_args(self);
	const struct packet *packet = ward_match(msg, packet);

	(void)state;
	if (!packet)
		return WARD_UNHANDLED;
	if (wire_carry(args->wire, packet->id) != '.')
		return ward_failed(self, &packet_lost, "packet %d", packet->id);
	return ward_answer(self, msg, packet, .id = packet->id);
}

/* `msg` is NULL when another actor failed. Without memory the message becomes a dead letter. */
static ward_result pre_restart(ward_self *self, void *state, const ward_failure *why,
			       const ward_msg *msg)
{
	(void)state, (void)why;
	if (msg)
		ward_forward(self, ward_self_ref(self));
	return ward_default_pre_restart(self);
}

const ward_behavior network_before = {
	.name = "before",
	.args = &ward_type_wire_args,
	.receive = receive,
	.pre_restart = pre_restart,
};
