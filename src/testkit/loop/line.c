/* SPDX-License-Identifier: MIT
 *
 * line.c - an association over a loop: passes on what it opens, applies what comes in.
 *
 * Its mailbox is bounded and holds its senders; while the window is full it is closed, so that they
 * wait. What comes in is taken in batches: after each the line asks its keeper for the bell, which
 * rings at once if there is more. A local receiver that is full holds the line, which then neither
 * sends nor receives; the ticks are the keeper's, so the connection lives.
 */
#include "testkit/loop/line.h"

#include <ward/ask.h>

#include "testkit/check/shortage.h"
#include "testkit/loop/frame.h"
#include "testkit/loop/network.h"

enum { BELL = 1, BATCH = 64 };

struct line {
	struct wardi_end *end;
	uint64_t life;
	uint64_t sent, received;
};

static ward_err wait_for_bell(ward_self *self)
{
	bool before = wardi_shortage_spare(true);
	ward_err err = ward_try_ask(self, ward_parent(self), BELL, WARD_FOREVER, wardi_line_wait);

	(void)wardi_shortage_spare(before);
	return err;
}

static ward_result line_init(ward_self *self, void *state, const void *args)
{
	const struct wardi_line_args *given = args;
	struct line *me = state;

	(void)self;
	me->end = given->end;
	me->life = given->life;
	return WARD_DONE;
}

static ward_result line_start(ward_self *self, void *state)
{
	struct line *me = state;
	struct wardi_end *end = me->end, *peer = wardi_loop_peer(end);
	ward_loop *loop = end->loop;
	uint32_t place;

	wardi_loop_lock(loop);
	const ward_association_options options = {
		.name = peer->node->name,
		.bytes_unit = loop->options.bytes_unit,
		.by_value = wardi_loop_same_refs(loop) ? peer->node->system : NULL,
		.bodies_written = wardi_loop_writes(loop),
		.guests = end->peer_guests,
		.lost_after_ms = loop->options.lost_after_ms,
	};
	bool crashed = peer->node->system == NULL;
	wardi_loop_unlock(loop);
	if (crashed)
		return ward_failed(self, &ward_exception, "the node has crashed");
	wardi_network_begin(end);
	ward_err err = ward_association_open(self, &options, &place);
	if (err == WARD_OK)
		err = ward_try_tell(self, ward_parent(self), wardi_line_open, .life = me->life);
	if (err == WARD_OK)
		err = wait_for_bell(self);
	if (err != WARD_OK)
		return ward_failed_err(self, err);
	wardi_loop_lock(loop);
	end->open = true;
	end->place = place;
	end->life = me->life;
	loop->stats.opened++;
	pthread_cond_broadcast(&loop->changed);
	wardi_loop_unlock(loop);
	return WARD_DONE;
}

static void close_when_full(ward_self *self, const struct line *me)
{
	if (wardi_network_has_room(me->end))
		ward_mailbox_open(self);
	else
		ward_mailbox_close(self);
}

static ward_result pass_on(ward_self *self, struct line *me, const struct ward_outgoing *out)
{
	struct wardi_frame *frame = wardi_frame_of(self, me->end, out);

	if (frame == NULL)
		return WARD_DONE;
	frame->note.life = me->life;
	frame->note.number = ++me->sent;
	wardi_network_send(me->end, frame);
	close_when_full(self, me);
	return WARD_DONE;
}

/* Whether the far end would wait forever if this message is not applied. */
static bool may_not_be_lost(ward_control kind)
{
	return kind != WARD_CONTROL_SEND && kind != WARD_CONTROL_SELECT;
}

static ward_result apply_batch(ward_self *self, struct line *me)
{
	struct wardi_frame *frame;

	for (int i = 0; i < BATCH && (frame = wardi_network_receive(me->end, me->life)); i++) {
		ward_control kind = frame->out.kind;

		if (frame->note.number != ++me->received) {
			wardi_frame_free(frame);
			return ward_failed(self, &ward_exception, "a frame is missing");
		}
		ward_err err = wardi_frame_apply(self, me->end, frame);
		if (err != WARD_OK && may_not_be_lost(kind))
			return ward_failed_err(self, err);
	}
	return WARD_DONE;
}

static ward_result carry(ward_self *self, struct line *me, const ward_msg *msg)
{
	struct ward_outgoing out;

	if (ward_ask_tag(self) == BELL) {
		ward_result result = apply_batch(self, me);

		if (result == WARD_DONE) {
			close_when_full(self, me);
			return ward_failed_err(self, wait_for_bell(self));
		}
		return result;
	}
	return ward_outgoing_open(self, msg, &out) ? pass_on(self, me, &out) : WARD_DONE;
}

static ward_result line_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct line *me = state;
	bool before = wardi_shortage_spare(me->end->loop->spared);
	ward_result result = carry(self, me, msg);

	(void)wardi_shortage_spare(before);
	return result;
}

static ward_result line_stop(ward_self *self, void *state)
{
	struct line *me = state;
	ward_loop *loop = me->end->loop;

	(void)self;
	wardi_loop_lock(loop);
	loop->stats.closed += me->end->open;
	me->end->open = me->end->full = false;
	me->end->question = ward_nobody();
	pthread_cond_broadcast(&loop->changed);
	wardi_loop_unlock(loop);
	return WARD_DONE;
}

const ward_behavior wardi_line = {
	.name = "line",
	.state_size = sizeof(struct line),
	.args = &ward_type_wardi_line_args,
	.init = line_init,
	.pre_start = line_start,
	.receive = line_receive,
	.post_stop = line_stop,
};
