/* SPDX-License-Identifier: MIT
 *
 * reliable.c - an actor of its own tries again: one packet in flight, the others wait in order.
 *
 *	idle --packet--> asks the unreliable one --> in flight <--packet: into the stash
 *	in flight --sent: tells who sent it, un-stashes the next--> idle
 *	          --failed, or no answer: asks again, later--> in flight
 *
 * The wire's actor stays what it is: it says what happened, and no strategy has to be as somebody
 * thinks it is. A question with a timeout hears also of an answer that was lost. Then the packet
 * may have been sent: at least once, not exactly once.
 */
#include "network.h"

enum { HEAD = 1, AGAIN = 2 };
#define ANSWER_MS 500
#define AGAIN_MS 20

WARD_SIGNAL(try_again);

struct reliable {
	ward_ref network;
	struct packet head; /* in flight */
	ward_ref commander; /* who sent it */
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

/* One that cannot wait is told so: the sender decides again. */
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

/* At the end and in a restart: what waits comes again, or is a dead letter; the head is in neither
 * place any more. */
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
