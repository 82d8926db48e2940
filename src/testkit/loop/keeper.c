/* SPDX-License-Identifier: MIT
 *
 * keeper.c - opens a connection, sees that it lives, and opens it again.
 *
 *	DOWN ----> ASKED ----> OPENING ----> UP ----> CLOSING ----> DOWN
 *	  first: HELLO   WELCOME        line open   BYE, BROKEN,
 *	  second: ---- HELLO ->                     no echo, line failed
 *
 * The lease: this end closes lost_after_ms after it has sent the last of its ticks that was echoed.
 * This end got that tick's echo later, so it closes within lost_after_ms of the last frame that it
 * received; and the peer within lost_after_ms of the last tick that this end echoed.
 */
#include "testkit/loop/keeper.h"

#include <stdio.h>

#include <ward/testkit/check.h>
#include <ward/timer.h>
#include <ward/ward.h>

#include "testkit/loop/frame.h"
#include "testkit/loop/line.h"
#include "testkit/loop/network.h"

enum { RETRY = 1, TICK = 2, TICKS_IN_A_LEASE = 4, SENT_MAX = 8 };

struct keeper_args {
	struct wardi_end *end;
};
WARD_MESSAGE(keeper_args);
WARD_SIGNAL(keeper_retry);
WARD_SIGNAL(keeper_tick);

enum phase { DOWN, ASKED, OPENING, UP, CLOSING };

struct keeper {
	struct wardi_end *end;
	enum phase phase;
	uint64_t life;   /* of the connection that it has or asks for */
	uint64_t wanted; /* second: asked for by the peer while the old one closes; 0: none */
	ward_ref line;
	uint64_t ticks, echoed;
	int64_t sent_ns[SENT_MAX]; /* by number of the tick */
};

static void send_note(struct keeper *me, enum wardi_frame_kind kind, uint64_t life, uint64_t number)
{
	struct wardi_frame *frame = wardi_frame_make(kind, life);

	frame->note.number = number;
	wardi_loop_lock(me->end->loop);
	frame->note.guests = ward_ref_number(me->end->node->guests);
	wardi_loop_unlock(me->end->loop);
	wardi_network_send(me->end, frame);
}

static uint64_t next_life(ward_loop *loop)
{
	wardi_loop_lock(loop);
	uint64_t life = ++loop->lives;
	wardi_loop_unlock(loop);
	return life;
}

/* ---- a connection begins and ends --------------------------------------------------------- */

static const ward_loop_options *options_of(const struct keeper *me)
{
	return &me->end->loop->options;
}

static void retry_after(ward_self *self, struct keeper *me, int64_t after_ms)
{
	if (me->end->first)
		ward_after(self, RETRY, after_ms, keeper_retry);
}

static void ask(ward_self *self, struct keeper *me)
{
	int64_t patience_ms = options_of(me)->lost_after_ms;

	me->phase = ASKED;
	me->life = next_life(me->end->loop);
	send_note(me, WARDI_FRAME_HELLO, me->life, 0);
	retry_after(self, me, patience_ms != WARD_FOREVER ? patience_ms : WARD_SECOND);
}

static void open_line(ward_self *self, struct keeper *me, uint64_t life, uint64_t guests)
{
	const ward_loop_options *options = options_of(me);

	me->life = life;
	me->phase = OPENING;
	wardi_loop_lock(me->end->loop);
	me->end->peer_guests = guests;
	wardi_loop_unlock(me->end->loop);
	me->line = ward_spawn_props(
		self, WARD_PROPS(&wardi_line,
				 .args = WARD_ARGS(wardi_line_args, .end = me->end, .life = life),
				 .mailbox = {.messages_max = options->messages_max,
					     .overflow = WARD_OVERFLOW_HOLD_SENDER}));
	if (!ward_ref_is_nobody(me->line))
		ward_watch(self, me->line);
}

static void close_line(ward_self *self, struct keeper *me)
{
	send_note(me, WARDI_FRAME_BYE, me->life, 0);
	if (me->phase == ASKED) {
		me->phase = DOWN;
		retry_after(self, me, options_of(me)->retry_ms);
		return;
	}
	me->phase = CLOSING;
	ward_stop(self, me->line);
}

static void line_ended(ward_self *self, struct keeper *me)
{
	uint64_t wanted = me->wanted;

	if (me->phase != CLOSING)
		send_note(me, WARDI_FRAME_BYE, me->life, 0);
	me->phase = DOWN;
	me->wanted = 0;
	ward_timer_cancel(self, TICK);
	wardi_loop_lock(me->end->loop);
	uint64_t guests = me->end->peer_guests;
	wardi_loop_unlock(me->end->loop);
	if (wanted != 0)
		open_line(self, me, wanted, guests);
	else
		retry_after(self, me, options_of(me)->retry_ms);
}

/* ---- the lease ---------------------------------------------------------------------------- */

static void tick(ward_self *self, struct keeper *me)
{
	int64_t lost_after_ms = options_of(me)->lost_after_ms, now_ns = ward_now_ns(self);

	if (me->phase != UP || lost_after_ms == WARD_FOREVER)
		return;
	if (me->ticks > 0 &&
	    now_ns - me->sent_ns[me->echoed % SENT_MAX] >= lost_after_ms * WARD_NS_PER_MS) {
		close_line(self, me);
		return;
	}
	me->sent_ns[++me->ticks % SENT_MAX] = now_ns;
	send_note(me, WARDI_FRAME_TICK, me->life, me->ticks);
	ward_after(self, TICK, lost_after_ms / TICKS_IN_A_LEASE, keeper_tick);
}

static void line_is_open(ward_self *self, struct keeper *me, uint64_t life)
{
	if (me->phase != OPENING || life != me->life)
		return;
	me->phase = UP;
	me->ticks = me->echoed = 0;
	me->sent_ns[0] = ward_now_ns(self);
	ward_timer_cancel(self, RETRY);
	if (!me->end->first)
		send_note(me, WARDI_FRAME_WELCOME, life, 0);
	tick(self, me);
}

/* ---- what the peer sends ------------------------------------------------------------------ */

static bool has_line(const struct keeper *me)
{
	return me->phase == OPENING || me->phase == UP;
}

static void on_hello(ward_self *self, struct keeper *me, const struct wardi_loop_note *note)
{
	if (me->end->first || note->life <= me->life || note->life <= me->wanted)
		return;
	if (me->phase == DOWN) {
		open_line(self, me, note->life, note->guests);
		return;
	}
	me->wanted = note->life;
	wardi_loop_lock(me->end->loop);
	me->end->peer_guests = note->guests;
	wardi_loop_unlock(me->end->loop);
	if (has_line(me))
		close_line(self, me);
}

static void on_welcome(ward_self *self, struct keeper *me, const struct wardi_loop_note *note)
{
	if (me->phase == ASKED && note->life == me->life)
		open_line(self, me, note->life, note->guests);
}

static void on_tick(struct keeper *me, const struct wardi_loop_note *note)
{
	if (has_line(me) && note->life == me->life)
		send_note(me, WARDI_FRAME_ECHO, note->life, note->number);
	else
		send_note(me, WARDI_FRAME_BYE, note->life, 0);
}

static void on_echo(struct keeper *me, const struct wardi_loop_note *note)
{
	if (note->life == me->life && note->number > me->echoed)
		me->echoed = note->number;
}

static void on_note(ward_self *self, struct keeper *me, const struct wardi_loop_note *note)
{
	bool mine = me->phase == ASKED || has_line(me);

	switch (note->kind) {
	case WARDI_FRAME_HELLO:
		on_hello(self, me, note);
		break;
	case WARDI_FRAME_WELCOME:
		on_welcome(self, me, note);
		break;
	case WARDI_FRAME_TICK:
		on_tick(me, note);
		break;
	case WARDI_FRAME_ECHO:
		on_echo(me, note);
		break;
	case WARDI_FRAME_BYE:
		if (mine && note->life == me->life)
			close_line(self, me);
		break;
	case WARDI_FRAME_BROKEN:
		if (mine && note->life >= me->life)
			close_line(self, me);
		break;
	case WARDI_FRAME_CONTROL:
		break;
	}
}

/* ---- the actor ---------------------------------------------------------------------------- */

static ward_result keeper_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	((struct keeper *)state)->end = ((const struct keeper_args *)args)->end;
	return WARD_DONE;
}

static ward_result keeper_start(ward_self *self, void *state)
{
	struct keeper *me = state;

	wardi_loop_lock(me->end->loop);
	me->end->keeper = ward_self_ref(self);
	wardi_loop_unlock(me->end->loop);
	if (me->end->first)
		ask(self, me);
	return WARD_DONE;
}

static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct wardi_loop_note *note = ward_match(msg, wardi_loop_note);
	const struct wardi_line_open *opened = ward_match(msg, wardi_line_open);
	struct keeper *me = state;

	if (note != NULL)
		on_note(self, me, note);
	else if (opened != NULL)
		line_is_open(self, me, opened->life);
	else if (ward_match(msg, wardi_line_wait))
		wardi_network_arm(me->end, ward_msg_sender(msg));
	else if (ward_match(msg, keeper_tick))
		tick(self, me);
	else if (ward_match(msg, keeper_retry))
		(me->phase == DOWN || me->phase == ASKED) ? ask(self, me) : (void)0;
	else if (ward_match(msg, ward_terminated))
		line_ended(self, me);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static ward_result keeper_stop(ward_self *self, void *state)
{
	struct keeper *me = state;

	(void)self;
	if (me->phase != DOWN && me->phase != CLOSING)
		send_note(me, WARDI_FRAME_BYE, me->life, 0);
	wardi_loop_lock(me->end->loop);
	me->end->keeper = ward_nobody();
	wardi_network_forget_locked(me->end);
	wardi_loop_unlock(me->end->loop);
	return WARD_DONE;
}

static const ward_behavior keeper = {
	.name = "keeper",
	.state_size = sizeof(struct keeper),
	.args = &ward_type_keeper_args,
	.child_strategy = &ward_stopping_strategy,
	.init = keeper_init,
	.pre_start = keeper_start,
	.receive = keeper_receive,
	.post_stop = keeper_stop,
};

void wardi_keeper_start(struct wardi_end *end, struct wardi_location place)
{
	char name[WARD_NODE_NAME + 8];
	ward_ref who;

	snprintf(name, sizeof name, "loop-%s", wardi_loop_peer(end)->node->name);
	ward_err err = ward_system_spawn_service(
		end->node->system,
		WARD_PROPS(&keeper, .name = name, .args = WARD_ARGS(keeper_args, .end = end)),
		&who);
	if (err != WARD_OK)
		ward_test_fail(place.file, place.line,
			       "the end of a connection at %s was refused: %s", end->node->name,
			       ward_err_detail());
	wardi_loop_lock(end->loop);
	end->last_keeper = who;
	if (end->loop->simulated)
		end->keeper = who; /* not when it runs: the peer may ask before */
	wardi_loop_unlock(end->loop);
}
