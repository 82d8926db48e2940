/* SPDX-License-Identifier: MIT
 *
 * reliable.c - an actor of its own tries again: one packet in flight, the others wait in order.
 *
 *	idle --packet--> asks the unreliable actor --> in flight <--packet: into the stash
 *	in flight --sent: tells the sender, un-stashes the next packet--> idle
 *	          --failed, or no answer: asks again, later--> in flight
 *
 * The actor of the wire only says what happened, so this works with any strategy. A question with a
 * timeout also notices an answer that was lost. In that case the packet may have been sent: at
 * least once, not exactly once.
 */
#include "network.h"

enum { HEAD = 1, AGAIN = 2 };
#define ANSWER_MS 500
#define AGAIN_MS 20

WARD_SIGNAL(try_again);

struct reliable {
	ward_ref network;
	struct packet head; /* in flight */
	ward_ref commander; /* its sender */
	bool busy;
};

static ward_result start(ward_self *self, void *state)
{
	struct reliable *me = state;

	me->network = ward_spawn(self, &network_unreliable,
				 .args = {WARD_COPY(wire_args, ward_args(self))});
	return WARD_DONE;
}

static ward_result later(ward_self *self)
{
	ward_after(self, AGAIN, AGAIN_MS, try_again);
	return WARD_DONE;
}

static ward_result send_head(ward_self *self, struct reliable *me)
{
	const ward_question question = {.to = me->network, .timeout_ms = ANSWER_MS, .tag = HEAD};

	if (ward_try_ask_send(self, &question, WARD_COPY(packet, &me->head)))
		return later(self);
	return WARD_DONE;
}

/* When the stash is full the sender gets a command_failed, and decides. */
static ward_result take(ward_self *self, struct reliable *me, const ward_msg *msg)
{
	const struct packet *packet = ward_match(msg, packet);

	if (me->busy) {
		if (ward_try_stash(self))
			ward_reply(self, msg, command_failed, .id = packet->id);
		return WARD_DONE;
	}
	me->head = *packet;
	me->commander = ward_msg_sender(msg);
	me->busy = true;
	return send_head(self, me);
}

static ward_result reliable_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct reliable *me = state;
	const struct packet_sent *sent = ward_match(msg, packet_sent);

	if (ward_match(msg, packet))
		return take(self, me, msg);
	if (ward_match(msg, try_again))
		return send_head(self, me);
	if (ward_ask_tag(self) != HEAD)
		return WARD_UNHANDLED;
	if (!sent) /* a command_failed, or a ward_ask_failed: the time is up */
		return later(self);
	ward_send(self, me->commander, WARD_COPY(packet_sent, sent));
	me->busy = false;
	(void)ward_unstash(self);
	return WARD_DONE;
}

/* At its end and in a restart. The stashed packets come again, or are dead letters; the packet in
 * flight is not among them. */
static ward_result give_up_head(ward_self *self, void *state)
{
	struct reliable *me = state;

	if (me->busy)
		ward_tell(self, me->commander, command_failed, .id = me->head.id);
	return WARD_DONE;
}

const ward_behavior network_reliable = {
	.name = "reliable",
	.state_size = sizeof(struct reliable),
	.args = &ward_type_wire_args,
	.pre_start = start,
	.receive = reliable_receive,
	.post_stop = give_up_head,
};
