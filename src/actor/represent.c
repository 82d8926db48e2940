/* SPDX-License-Identifier: MIT
 *
 * represent.c - an actor that stands in for another one, which lives elsewhere.
 *
 *	suspended, resumed   `to` is told, once for each change
 *	stopped              `to` is told; the end waits for that of `until`
 *	pill, kill           go to receive, which passes them on (auto_receive.c)
 *	exit signals         go there, too, behind the mail before them, as if they were trapped;
 *	                     while it is suspended, and handles no mail, `to` gets them at once;
 *	                     those of `to` end it
 *
 * The messages are made ahead, with what carries them to another place: the one for the stop cannot
 * be lost. If there is no memory for that of a change, the shortage is counted, and each later turn
 * of the actor tries again before it handles a message: so a message that comes late
 * still says what is so.
 *
 * A suspension is looked at in few places, which cost an actor without an extra record nothing:
 * where a parent suspends (command.c), where a receive or a restart fails (turn.c, restart.c),
 * where a suspension is lifted (restart.c), and at each turn after that (turn.c).
 *
 * Threads: runs only on the holder's worker.
 */
#include "actor/represent.h"

#include <ward/codec.h>
#include <ward/extend.h>
#include <ward/link.h>

#include "actor/rare.h"
#include "base/error.h"
#include "base/memory.h"
#include "cell/places.h"
#include "cell/supervision_table.h"
#include "mail/outgoing.h"
#include "send/dead_letter.h"
#include "send/deliver.h"
#include "send/far.h"

/* It goes to other systems, too. */
WARD_FIELDS(ward_represented, WARD_FIELD(UINT, ward_represented, number, .min = 1),
	    WARD_FIELD(UINT, ward_represented, standing, .max = WARD_STANDING_STOPPING));
static const ward_codec represented_codec = {.version = 1, .fields = ward_fields_ward_represented};
const ward_type ward_type_ward_represented = {
	.name = "ward_represented",
	.size = sizeof(struct ward_represented),
	.codec = &represented_codec,
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET | WARD_TYPE_PLAIN_ | WARD_TYPE_CERTAIN_,
};

/* Returns a message for `to`. NULL: no memory. */
static struct ward_msg *make(const struct ward_self *self, ward_ref to)
{
	struct ward_msg *msg = wardi_msg_make(self->from, &ward_type_ward_represented, NULL, 0),
			*envelope;

	if (msg == NULL || wardi_ref_is_here(self->system->place, to))
		return msg;
	wardi_msg_set_sender(msg, wardi_own_ref(self));
	envelope = wardi_outgoing_make(self->from, WARD_CONTROL_SEND,
				       wardi_far_name(self, ward_msg_sender(msg), to), to);
	if (envelope == NULL)
		wardi_msg_free(self->from, msg);
	else
		wardi_outgoing_of(envelope)->msg = msg;
	return envelope;
}

/* Drops a message that was made and not sent; NULL: none. */
static void unmake(const struct ward_self *self, struct ward_msg *msg)
{
	if (msg != NULL)
		wardi_msg_destroy(self->from, msg);
}

/* Takes the message. False: no memory. */
static bool send(struct ward_self *self, struct wardi_represents *me, struct ward_msg *msg)
{
	ward_reason reason;
	ward_err err;

	if (wardi_msg_is_outgoing(msg)) {
		wardi_outgoing_of(msg)->to = me->to;
		wardi_far_send(self->system, self, msg);
		return true;
	}
	wardi_msg_set_sender(msg, wardi_own_ref(self));
	err = wardi_deliver(self->system, self, me->to, msg, &reason);
	if (err == WARD_OK)
		return true;
	wardi_dead_letter(self->system, self, me->to, msg, reason);
	wardi_msg_free(self->from, msg);
	return err != WARD_ENOMEM;
}

static void tell(struct ward_self *self, struct wardi_represents *me, struct ward_msg *msg,
		 ward_standing standing)
{
	struct ward_msg *inner = wardi_msg_is_outgoing(msg) ? wardi_outgoing_of(msg)->msg : msg;

	*(struct ward_represented *)wardi_msg_bytes(inner) =
		(struct ward_represented){++me->number, standing};
	(void)send(self, me, msg); /* it was made ahead, so it needs no memory */
}

/* Tells whether the actor is suspended, unless that was told. */
static void tell_change(struct ward_self *self, bool suspended)
{
	struct wardi_represents *me = self->cell->rare->extra->represents;

	if (me->told_suspended == suspended || wardi_cell_state(self->cell) == WARDI_STOPPING)
		return;
	if (me->change == NULL)
		me->change = make(self, me->to);
	if (me->change == NULL) {
		wardi_count(&self->system->counters.shortages);
		return; /* the next turn tries again */
	}
	me->told_suspended = suspended;
	tell(self, me, me->change, suspended ? WARD_STANDING_SUSPENDED : WARD_STANDING_RUNNING);
	me->change = make(self, me->to);
}

void wardi_represent_changed(struct ward_self *self)
{
	tell_change(self, wardi_cell_suspended(self->cell) > 0);
}

void wardi_represent_handled(struct ward_self *self, bool fails)
{
	if (fails)
		tell_change(self, true);
	else
		self->cell->rare->extra->represents->answered = false;
}

bool wardi_represent_fails(struct wardi_cell *cell)
{
	struct wardi_represents *me = cell->rare->extra->represents;

	me->goes_on = me->answered;
	me->answered = false;
	return me->goes_on;
}

bool wardi_represent_goes_on(const struct wardi_cell *cell)
{
	return cell->rare->extra->represents->goes_on && wardi_cell_suspended(cell) == 0;
}

bool wardi_represent_stops(struct ward_self *self)
{
	struct wardi_represents *me = self->cell->rare->extra->represents;
	struct ward_msg *end = me->end;

	me->end = NULL;
	me->stops = me->watch != NULL;
	if (end != NULL)
		tell(self, me, end, WARD_STANDING_STOPPING);
	return me->stops;
}

bool wardi_represent_waits(const struct wardi_cell *cell)
{
	return wardi_represents(cell) && cell->rare->extra->represents->stops;
}

bool wardi_represent_is_told(const struct wardi_cell *cell, ward_ref from)
{
	return wardi_represents(cell) && ward_ref_equal(cell->rare->extra->represents->to, from);
}

bool wardi_represent_takes_exits(const struct wardi_cell *cell)
{
	return wardi_represents(cell) && cell->rare->extra->represents->watch != NULL;
}

bool wardi_represent_pass_exit(struct ward_self *self, ward_ref from, struct ward_msg *msg)
{
	((struct ward_exited *)wardi_msg_bytes(msg))->who = from;
	msg->type = wardi_msg_tagged(&ward_type_ward_exited, wardi_msg_form(msg));
	return send(self, self->cell->rare->extra->represents, msg);
}

static void end_watch(struct ward_self *self, struct wardi_represents *me)
{
	if (me->watch != NULL)
		wardi_supervision.unwatch_asked(self, me->watch);
	me->watch = NULL;
}

void wardi_represent_gone(struct ward_self *self)
{
	struct wardi_represents *me = self->cell->rare->extra->represents;

	end_watch(self, me); /* the notice has a reference of its own */
	me->over = me->stops;
	me->stops = false;
}

bool wardi_represent_over(struct wardi_cell *cell)
{
	struct wardi_represents *me = cell->rare->extra->represents;
	bool over = me->over;

	me->over = false;
	return over;
}

ward_ref wardi_represent_name(const struct wardi_cell *cell)
{
	const struct wardi_represents *me = cell->rare->extra->represents;

	return me == NULL ? ward_nobody() : me->name;
}

static void set_flag(struct wardi_cell *cell, bool on)
{
	uint8_t flags = wardi_cell_turn_flags(cell);

	/* Relaxed: a picture for those who look; the holder reads what it wrote. */
	atomic_store_explicit(&cell->turn_flags,
			      (uint8_t)(on ? flags | WARDI_REPRESENTS : flags & ~WARDI_REPRESENTS),
			      memory_order_relaxed);
}

void wardi_represent_finish(struct ward_self *self)
{
	struct wardi_extra *extra = self->cell->rare->extra;
	struct wardi_represents *me = extra->represents;

	if (me == NULL)
		return;
	end_watch(self, me);
	set_flag(self->cell, false);
	unmake(self, me->change);
	unmake(self, me->end);
	wardi_memory_put(self->from, me, sizeof *me);
	extra->represents = NULL;
}

/* ---- for the user ------------------------------------------------------------------------ */

/* Whether it was made, and for an actor of this system or of another one, as `to` is. */
static bool fits(const struct ward_self *self, const struct ward_msg *msg, ward_ref to)
{
	return msg != NULL &&
	       wardi_msg_is_outgoing(msg) != wardi_ref_is_here(self->system->place, to);
}

/* Has both messages made for `to`. False: no memory; all is as it was. */
static bool make_messages(struct ward_self *self, struct wardi_represents *me, ward_ref to)
{
	struct ward_msg *change = fits(self, me->change, to) ? me->change : make(self, to);
	struct ward_msg *end = fits(self, me->end, to) ? me->end : make(self, to);
	bool made = change != NULL && end != NULL;

	if (change != me->change)
		unmake(self, made ? me->change : change);
	if (end != me->end)
		unmake(self, made ? me->end : end);
	if (!made)
		return false;
	me->change = change;
	me->end = end;
	if (!ward_ref_equal(me->to, to))
		me->told_suspended = false;
	me->to = to;
	return true;
}

static struct wardi_represents *record(struct ward_self *self)
{
	struct wardi_extra *extra = wardi_extra_of(self);

	if (extra == NULL)
		return NULL;
	if (extra->represents == NULL)
		extra->represents = wardi_memory_get(self->from, sizeof *extra->represents);
	return extra->represents;
}

static ward_err no_memory(const struct ward_self *self)
{
	return wardi_no_memory(self->system, "no memory to represent another actor");
}

ward_err ward_try_represent(ward_self *self, ward_ref to, ward_ref until)
{
	struct wardi_watch *watch = NULL;
	struct wardi_represents *me;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (ward_ref_is_nobody(to))
		return wardi_error(WARD_EINVAL, "ward_represent: nobody to tell");
	if (!wardi_place_has_actor(self->system, to) ||
	    (!ward_ref_is_nobody(until) && !wardi_place_has_actor(self->system, until)))
		return wardi_error(WARD_EFOREIGN, "ward_represent: an actor of another system");
	me = record(self);
	if (me == NULL)
		return no_memory(self);
	if (!ward_ref_is_nobody(until) &&
	    !(me->watch != NULL && ward_ref_equal(until, me->until))) {
		watch = wardi_supervision.watch_asked(self, until, 0);
		if (watch == NULL)
			return no_memory(self);
	}
	if (!make_messages(self, me, to)) {
		if (watch != NULL)
			wardi_supervision.unwatch_asked(self, watch);
		return no_memory(self);
	}
	if (watch != NULL || ward_ref_is_nobody(until)) {
		end_watch(self, me);
		me->watch = watch;
	}
	me->until = until;
	set_flag(self->cell, true);
	return WARD_OK;
}

void ward_represent_answered(ward_self *self)
{
	if (wardi_self_receives(self) && wardi_represents(self->cell))
		self->cell->rare->extra->represents->answered = true;
}
