/* SPDX-License-Identifier: MIT
 *
 * backoff_sender.c - the actor that keeps messages until its child has confirmed them.
 *
 *	message        --> kept; outside a wait: a copy to the child; else sent by the tick
 *	ward_sent      --> forgotten; the waits start over
 *	child ended    --> another child; the tick after a wait, mostly longer than the last
 *	tick           --> copies of all kept messages to the child, in order
 *
 * There is one timer for the tick, so setting it again replaces the old tick (S107). A tick is only
 * ever put off: of two waits the later end counts. Otherwise a draw of 0 would cut a long wait
 * short, and a child that cannot start would use up its retries at once. A message that could not
 * reach the child, because there was no memory or its mailbox was full, is tried again after a slot
 * time, or with the pending tick if that is later; until then the sender is behind, and no message
 * overtakes it.
 *
 * Threads: runs as an actor.
 */
#include "patterns/backoff/backoff_sender.h"

#include <ward/event.h>
#include <ward/extend.h>
#include <ward/timer.h>
#include <ward/watch.h>

#include "common/bodies.h"
#include "patterns/backoff/sender_args.h"
#include "patterns/backoff/sender_pending.h"

enum { TICK = 1, PATIENCE = 2 };

#define QUIET_SIGNAL(name_)                                                                        \
	{                                                                                          \
		name_, 0, 0, 0, WARD_TYPE_QUIET, NULL, NULL, NULL, NULL, NULL,                     \
		{                                                                                  \
			0, 0                                                                       \
		}                                                                                  \
	}

WARD_FIELDS(ward_backoff_dropped, WARD_FIELD(UINT, ward_backoff_dropped, id),
	    WARD_FIELD(REF, ward_backoff_dropped, sender),
	    WARD_FIELD(BOOL, ward_backoff_dropped, handed_over),
	    WARD_FIELD(ENUM, ward_backoff_dropped, why, .names = ward_err_names),
	    WARD_FIELD(UINT, ward_backoff_dropped, dropped));
static const ward_codec dropped_codec = {.version = 1, .fields = ward_fields_ward_backoff_dropped};
const ward_type ward_type_ward_backoff_dropped = {
	.name = "ward_backoff_dropped",
	.size = sizeof(struct ward_backoff_dropped),
	.flags = WARD_TYPE_FLAT,
	.codec = &dropped_codec,
};

static const ward_type tick_type = QUIET_SIGNAL("ward.backoff_tick");
static const ward_type patience_type = QUIET_SIGNAL("ward.backoff_patience");

/* The state of one incarnation. */
struct sender {
	const struct ward_backoff_sender *args;
	ward_exponential back_off;
	ward_deadline due; /* of the tick, if one is set */
	ward_ref child;    /* nobody: the tick spawns one */
	struct wardi_pendings pendings;
	uint64_t dropped;
	uint32_t retries; /* since the last ward_sent */
	bool again;       /* the tick also repeats messages that this child already has */
	bool behind;      /* a message did not reach the child: none may overtake it */
};

/* ---- timers ------------------------------------------------------------------------------ */

static ward_result start_timer(ward_self *self, uint64_t key, int64_t after_ms,
			       const ward_type *type)
{
	const ward_timer timer = {.key = key, .after_ms = after_ms};

	if (ward_try_timer_start(self, &timer, type, NULL, 0) == WARD_OK)
		return WARD_DONE;
	(void)!ward_failed(self, &ward_out_of_memory, "a back-off sender cannot set its timer: %s",
			   ward_err_detail());
	/* If the actor is resumed, it continues at once with this tick instead of the wait. */
	(void)!ward_try_send(self, ward_self_ref(self), &tick_type, NULL, 0);
	return WARD_FAILED;
}

/* Sets the tick, unless a later one is set already. */
static ward_result set_tick(struct sender *me, ward_self *self, int64_t after_ms)
{
	if (ward_timer_open(self, TICK) && ward_deadline_left_ms(self, me->due) >= after_ms)
		return WARD_DONE;
	me->due = ward_deadline_in(self, after_ms);
	ward_status_countdown(self, after_ms, "sends again in {}");
	return start_timer(self, TICK, after_ms, &tick_type);
}

static ward_result set_patience(const struct sender *me, ward_self *self)
{
	if (me->args->patience_ms == 0)
		return WARD_DONE;
	return start_timer(self, PATIENCE, me->args->patience_ms, &patience_type);
}

/* ---- the child --------------------------------------------------------------------------- */

static bool make_child(struct sender *me, ward_self *self)
{
	ward_ref child;

	if (ward_try_spawn(self, &me->args->child, &child) != WARD_OK)
		return false;
	if (ward_try_watch(self, child) != WARD_OK) {
		ward_stop(self, child);
		return false;
	}
	me->child = child;
	return true;
}

static ward_ref owner(const struct sender *me, const ward_self *self)
{
	return ward_ref_is_nobody(me->args->owner) ? ward_parent(self) : me->args->owner;
}

static ward_result give_up(const struct sender *me, ward_self *self)
{
	ward_tell(self, owner(me, self), ward_backoff_gave_up, .retries = me->retries,
		  .pending = me->pendings.count);
	ward_stop_self(self);
	return WARD_DONE;
}

static bool may_retry(const struct sender *me)
{
	int32_t max = me->args->retries_max;

	return max == 0 || (max > 0 && me->retries < (uint32_t)max);
}

/* The child has ended, or could not be spawned. Waits for at least shortest_ms. */
static ward_result lost_child(struct sender *me, ward_self *self, int64_t shortest_ms)
{
	int64_t wait_ms;

	if (!may_retry(me))
		return give_up(me, self);
	me->retries++;
	me->back_off = ward_exponential_next(self, me->back_off);
	wait_ms = me->back_off.wait_ms;
	me->again = true;
	return set_tick(me, self, wait_ms > shortest_ms ? wait_ms : shortest_ms);
}

/* If a tick is set, the next child is spawned by that tick; see the header. */
static ward_result child_gone(struct sender *me, ward_self *self)
{
	bool waiting = ward_timer_open(self, TICK);

	me->child = ward_nobody();
	ward_timer_cancel(self, PATIENCE);
	wardi_pendings_unsent(&me->pendings);
	if (may_retry(me) && !waiting)
		(void)make_child(me, self); /* if refused, the tick tries again */
	return lost_child(me, self, 0);
}

/* ---- sending ----------------------------------------------------------------------------- */

/* Drops a message and notifies the owner. */
static void drop_one(struct sender *me, ward_self *self, struct wardi_pending *one, ward_err why)
{
	wardi_pendings_take(&me->pendings, one);
	me->dropped++;
	ward_tell(self, owner(me, self), ward_backoff_dropped, .id = one->id, .sender = one->sender,
		  .handed_over = one->sent, .why = why, .dropped = me->dropped);
	if (one->sent)
		ward_discard(self, one->body);
	else
		ward_give_body_from(self, one->sender, ward_nobody(), one->type, one->body);
}

/* This message and all behind it have to wait. */
static ward_result fall_behind(struct sender *me, ward_self *self)
{
	me->behind = true;
	return set_tick(me, self, me->back_off.options.slot_time_ms);
}

/* WARD_FAILED: no memory for a timer. *ret_next: whether the next message may be sent now. */
static ward_result send_one(struct sender *me, ward_self *self, struct wardi_pending *pending,
			    bool *ret_next)
{
	void *copy = NULL;
	ward_err err = wardi_pending_copy(pending, self, &copy);

	*ret_next = err != WARD_ENOMEM;
	if (err == WARD_ENOMEM)
		return fall_behind(me, self);
	if (err != WARD_OK) { /* the clone refuses for good */
		drop_one(me, self, pending, err);
		return WARD_DONE;
	}
	err = wardi_pending_send(pending, self, me->child, copy);
	*ret_next = err == WARD_OK;
	if (err == WARD_EDEAD) /* the notice of its end, or a tick, is on its way */
		return WARD_DONE;
	if (err != WARD_OK)
		return fall_behind(me, self);
	return ward_timer_open(self, PATIENCE) ? WARD_DONE : set_patience(me, self);
}

/* Also for messages that were not sent just now: earlier ones may have been confirmed or
 * dropped. */
static ward_result keep_patience(const struct sender *me, ward_self *self)
{
	if (me->pendings.count == 0 || ward_timer_open(self, TICK) ||
	    ward_timer_open(self, PATIENCE))
		return WARD_DONE;
	return set_patience(me, self);
}

static ward_result tick(struct sender *me, ward_self *self)
{
	struct wardi_pending *next;
	bool go_on = true;

	ward_status_clear(self);
	if (ward_ref_is_nobody(me->child) && !make_child(me, self))
		return lost_child(me, self, me->back_off.options.slot_time_ms);
	if (me->again)
		wardi_pendings_unsent(&me->pendings);
	me->again = me->behind = false;
	for (struct wardi_pending *at = me->pendings.first; at != NULL && go_on; at = next) {
		next = at->next;
		if (!at->sent && send_one(me, self, at, &go_on) == WARD_FAILED)
			return WARD_FAILED;
	}
	return keep_patience(me, self);
}

/* ---- messages ---------------------------------------------------------------------------- */

/* Makes the current message a dead letter. */
static ward_result refuse(ward_self *self, ward_reason reason)
{
	ward_dead_letter(self, ward_self_ref(self), reason);
	return WARD_DONE;
}

static ward_result track(struct sender *me, ward_self *self, const ward_msg *msg)
{
	uint64_t id = 0;
	bool sent;

	if (!me->args->id(msg, &id))
		return WARD_UNHANDLED;
	if (!wardi_copyable(ward_msg_type(msg)))
		return refuse(self, WARD_REASON_UNIQUE);
	if (!wardi_pendings_keep(&me->pendings, self, msg, id))
		return refuse(self, WARD_REASON_NO_MEMORY);
	if (me->args->pending_max != 0 && me->pendings.count > me->args->pending_max)
		drop_one(me, self, me->pendings.first, WARD_OK);
	if (!ward_exponential_started(&me->back_off) && !me->behind &&
	    (!me->again || ward_timer_open(self, TICK))) /* else the tick found no memory */
		return send_one(me, self, me->pendings.last, &sent);
	if (ward_timer_open(self, TICK))
		return WARD_DONE;
	me->again = true;
	return set_tick(me, self, me->back_off.wait_ms);
}

/* Patience starts over for the messages that the child still has. */
static ward_result done(struct sender *me, ward_self *self, uint64_t id)
{
	wardi_pendings_done(&me->pendings, self, id);
	me->back_off = ward_exponential_reset(me->back_off);
	me->retries = 0;
	ward_timer_cancel(self, PATIENCE);
	return keep_patience(me, self);
}

static ward_result tell_sending(const struct sender *me, ward_self *self, const ward_msg *msg)
{
	ward_answer(self, msg, ward_get_sending, .child = me->child, .pending = me->pendings.count,
		    .dropped = me->dropped, .retries = me->retries,
		    .waiting = ward_timer_open(self, TICK), .slot = me->back_off.slot,
		    .slot_retries = me->back_off.retries, .wait_ms = me->back_off.wait_ms,
		    .resets = me->back_off.resets, .total_retries = me->back_off.total_retries);
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_sent *sent;
	struct sender *me = state;

	if ((sent = ward_match(msg, ward_sent)) != NULL)
		return done(me, self, sent->id);
	if (ward_msg_body(msg, &tick_type) != NULL)
		return tick(me, self);
	if (ward_match(msg, ward_terminated) != NULL)
		return child_gone(me, self);
	if (ward_match(msg, ward_get_sending) != NULL)
		return tell_sending(me, self, msg);
	if (ward_msg_body(msg, &patience_type) != NULL) {
		ward_stop(self, me->child);
		return WARD_DONE;
	}
	return track(me, self, msg);
}

/* ---- each incarnation -------------------------------------------------------------------- */

static ward_result init(ward_self *self, void *state, const void *args)
{
	struct sender *me = state;

	me->args = args;
	wardi_pendings_init(&me->pendings);
	if (ward_try_exponential_init(&me->back_off, &me->args->back_off) != WARD_OK)
		return ward_failed(self, &ward_misuse, "%s", ward_err_detail());
	return WARD_DONE;
}

static ward_result start(ward_self *self, void *state)
{
	if (!make_child(state, self))
		return ward_failed(self, &ward_exception,
				   "a back-off sender cannot start its child: %s",
				   ward_err_detail());
	return WARD_DONE;
}

/* Sends them to itself: after a restart the next incarnation keeps them again; at the end of the
 * actor they become dead letters from the mailbox, in order and with their senders. */
static ward_result let_go(ward_self *self, void *state)
{
	struct sender *me = state;
	const struct wardi_pending *oldest;

	while ((oldest = wardi_pendings_shift(&me->pendings)) != NULL)
		ward_give_body_from(self, oldest->sender, ward_self_ref(self), oldest->type,
				    oldest->body);
	return WARD_DONE;
}

const ward_behavior ward_backoff_sender = {
	.name = "ward_backoff_sender",
	.state_size = sizeof(struct sender),
	.args = &wardi_type_backoff_sender,
	.child_strategy = &ward_stopping_strategy,
	.init = init,
	.receive = receive,
	.pre_start = start,
	.post_stop = let_go,
};
