/* SPDX-License-Identifier: MIT
 *
 * far.c - sends to other places: puts a message into an outgoing one, for the association's actor.
 *
 *	ward_send -> wardi_deliver -> (not of this place) -> wardi_far_deliver -> outgoing{msg, to}
 *	                                                        -> mailbox of the association's
 * actor
 *
 * That mailbox holds, refuses or takes it like any other. If it is lost there, the message in it
 * becomes the dead letter, for its own receiver.
 *
 * Threads: all functions may run at the same time.
 */
#include "send/far.h"

#include <inttypes.h>

#include <ward/text.h>

#include "cell/supervision_table.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "mail/outgoing.h"
#include "send/backpressure.h"
#include "send/dead_letter.h"
#include "send/deliver.h"

static struct wardi_source source(ward_system *system, struct ward_self *self)
{
	return self == NULL ? wardi_outside_source(system) : self->from;
}

static ward_ref actor_of(const ward_system *system, uint32_t place)
{
	uint64_t uid = wardi_place_owner(system, place);

	return uid == 0 ? ward_nobody() : wardi_ref_make(uid, system->place);
}

/* Whether bodies of this type can leave the process. */
static bool may_leave(const struct wardi_place_row *place, const struct ward_msg *msg)
{
	return atomic_load_explicit(&place->by_value, memory_order_relaxed) ||
	       wardi_msg_type(msg)->codec != NULL || wardi_msg_type(msg)->encode != NULL ||
	       wardi_msg_size(msg) == 0;
}

bool wardi_far_may_leave(ward_system *system, uint32_t place, const struct ward_msg *msg)
{
	uint32_t visit = wardi_visit(system, NULL);
	const struct wardi_place_row *row = wardi_place_find(system, place);
	bool may = row == NULL || may_leave(row, msg); /* unknown: it is lost anyway */

	wardi_visited(system, NULL, visit);
	return may;
}

/* was_taken: by the association at this place. */
static void count_lost(ward_system *system, struct ward_self *self, uint32_t place,
		       const struct ward_msg *msg, bool was_taken)
{
	uint32_t visit = wardi_visit(system, self);
	struct wardi_place_row *row = wardi_place_find(system, place);

	if (row != NULL)
		wardi_flow_add(was_taken ? &row->lost : &row->refused, wardi_msg_size(msg));
	wardi_visited(system, self, visit);
}

void wardi_far_refused(ward_system *system, struct ward_self *self, uint32_t place,
		       const struct ward_msg *msg)
{
	count_lost(system, self, place, msg, false);
}

static uint32_t weight_of(const struct wardi_place_row *place, const struct ward_msg *msg)
{
	uint32_t unit = atomic_load_explicit(&place->bytes_unit, memory_order_relaxed);
	size_t units = wardi_msg_size(msg) / unit;

	return units < UINT32_MAX / 2 ? (uint32_t)units + 1 : UINT32_MAX / 2;
}

void wardi_far_address(const ward_system *system, struct ward_msg *msg)
{
	uint32_t place = wardi_ref_place(wardi_outgoing_to(msg));

	wardi_outgoing_set_life(msg, wardi_place_life(system, place));
}

/* Delivers an envelope to the association's actor. On an error it is the caller's. */
static ward_err deliver(ward_system *system, struct ward_self *self, ward_ref owner,
			struct ward_msg *envelope, ward_reason *ret_reason)
{
	ward_err err = wardi_deliver(system, self, owner, envelope, ret_reason);

	if (err != WARD_EDEAD)
		return err;
	*ret_reason = WARD_REASON_UNREACHED;
	return WARD_EUNREACHED;
}

ward_ref wardi_far_name(const struct ward_self *self, ward_ref sender, ward_ref to)
{
	ward_ref name;

	if (self == NULL || self->cell == NULL || self->cell->rare->extra == NULL)
		return sender;
	name = wardi_supervision.name_abroad(self->cell);
	if (ward_ref_is_nobody(name) ||
	    wardi_ref_place(name) != (wardi_ref_place(to) & ~WARDI_PLACE_FLAGS) ||
	    !ward_ref_equal(sender, wardi_own_ref(self)))
		return sender;
	return name;
}

uint64_t wardi_far_stand_in(const struct ward_self *self, ward_ref watcher, ward_ref to)
{
	ward_ref name = wardi_far_name(self, watcher, to);

	return ward_ref_equal(name, watcher) ? 0 : name.uid;
}

static ward_err send_out(ward_system *system, struct ward_self *self,
			 const struct wardi_place_row *place, ward_ref to, struct ward_msg *msg,
			 ward_reason *ret_reason)
{
	struct wardi_source from = source(system, self);
	ward_ref owner = actor_of(system, wardi_ref_place(to));
	struct ward_msg *envelope;
	ward_err err;

	*ret_reason = WARD_REASON_UNREACHED;
	if (ward_ref_is_nobody(owner))
		return WARD_EUNREACHED;
	*ret_reason = WARD_REASON_LOCAL;
	if (!may_leave(place, msg))
		return WARD_ELOCAL;
	*ret_reason = WARD_REASON_NO_MEMORY;
	envelope = wardi_outgoing_make(from, WARD_CONTROL_SEND,
				       wardi_far_name(self, ward_msg_sender(msg), to), to);
	if (envelope == NULL)
		return WARD_ENOMEM;
	wardi_outgoing_of(envelope)->msg = msg;
	wardi_outgoing_of(envelope)->weight = weight_of(place, msg);
	wardi_far_address(system, envelope);
	err = deliver(system, self, owner, envelope, ret_reason);
	if (err != WARD_OK)
		wardi_msg_hand_over(from, envelope);
	return err;
}

ward_err wardi_far_deliver(ward_system *system, struct ward_self *self,
			   struct wardi_place_row *place, ward_ref to, struct ward_msg *msg,
			   ward_reason *ret_reason)
{
	size_t bytes = wardi_msg_size(msg); /* the association's actor may free it at once */
	ward_err err = send_out(system, self, place, to, msg, ret_reason);

	wardi_flow_add(err == WARD_OK ? &place->taken : &place->refused, bytes);
	return err;
}

/* Delivers to the association of its receiver. On an error the message is the caller's. */
static ward_err deliver_out(ward_system *system, struct ward_self *self, struct ward_msg *msg,
			    ward_reason *ret_reason)
{
	uint32_t visit = wardi_visit(system, self);
	ward_ref to = wardi_outgoing_to(msg);
	ward_ref owner = actor_of(system, wardi_ref_place(to));
	ward_err err = WARD_EUNREACHED;

	*ret_reason = WARD_REASON_UNREACHED;
	wardi_far_address(system, msg);
	if (!ward_ref_is_nobody(owner))
		err = deliver(system, self, owner, msg, ret_reason);
	wardi_visited(system, self, visit);
	return err;
}

void wardi_far_send(ward_system *system, struct ward_self *self, struct ward_msg *envelope)
{
	struct wardi_outgoing *out = wardi_outgoing_of(envelope);
	uint32_t visit = wardi_visit(system, self);
	struct wardi_place_row *place = wardi_place_find(system, wardi_ref_place(out->to));
	ward_reason reason;

	if (place != NULL) {
		out->weight = weight_of(place, out->msg);
		/* If it is not taken, it is lost below. */
		wardi_flow_add(&place->taken, wardi_msg_size(out->msg));
	}
	wardi_visited(system, self, visit);
	if (deliver_out(system, self, envelope, &reason) == WARD_OK)
		return;
	wardi_far_lost(system, self, envelope, reason);
	wardi_msg_free(source(system, self), envelope);
}

bool wardi_far_submit(ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	ward_reason reason;

	if (deliver_out(system, self, msg, &reason) == WARD_OK)
		return true;
	wardi_msg_hand_over(source(system, self), msg);
	return false;
}

void wardi_far_press(struct ward_self *self, uint64_t owner)
{
	uint32_t visit = wardi_visit(self->system, self);
	struct wardi_cell *cell = wardi_table_open(self->system, owner);
	struct wardi_bounded *bounded =
		cell == NULL ? NULL
			     : atomic_load_explicit(&cell->mailbox.bounded,
						    memory_order_acquire); /* [P5] */

	if (bounded != NULL && wardi_bounded_is_full(bounded, owner))
		wardi_backpressure_hold(self, bounded, owner);
	wardi_visited(self->system, self, visit);
}

/* ---- what is not sent -------------------------------------------------------------------- */

static void select_lost(ward_system *system, struct ward_self *self, struct wardi_outgoing *out,
			ward_reason reason)
{
	char node[WARD_NODE_NAME] = "", path[WARD_EVENT_PATH];
	struct wardi_dead dead = {.path = path, .reason = reason};

	(void)ward_node_name(system, wardi_ref_place(out->to), node);
	if (out->path[0] == '/')
		ward_text_format(path, sizeof path, "ward://%s%s", node, out->path);
	else
		ward_text_format(path, sizeof path, "ward://%s/#%" PRIx64 "/%s", node, out->to.uid,
				 out->path);
	if (!wardi_auto_dropped(system, self, out->msg, reason))
		wardi_dead_message(system, self, &dead, out->msg);
}

void wardi_far_lost(ward_system *system, struct ward_self *self, struct ward_msg *msg,
		    ward_reason reason)
{
	struct wardi_source from = source(system, self);
	struct wardi_outgoing *out = wardi_outgoing_of(msg);

	if (wardi_msg_type(msg) != &wardi_type_outgoing)
		return;
	if (reason == WARD_REASON_DEAD)
		reason = WARD_REASON_UNREACHED;
	if ((out->kind == WARD_CONTROL_SEND || out->kind == WARD_CONTROL_SELECT) &&
	    out->msg != NULL) {
		count_lost(system, self, wardi_ref_place(out->to), out->msg, true);
		if (out->kind == WARD_CONTROL_SEND)
			wardi_dead_letter(system, self, out->to, out->msg, reason);
		else
			select_lost(system, self, out, reason);
		wardi_msg_free(from, out->msg);
		out->msg = NULL;
	}
	wardi_outgoing_free_path(out);
	wardi_payload_gone(from, &wardi_type_outgoing);
	out->kind = 0; /* a drop finds nothing */
}

void wardi_far_unheard(ward_system *system, struct ward_self *self, ward_ref asker, ward_ref last,
		       ward_reason reason)
{
	struct ward_msg *msg =
		wardi_outgoing_make(source(system, self), WARD_CONTROL_UNHEARD, last, asker);

	if (msg == NULL) { /* then it ends by its timeout */
		wardi_count(&system->counters.shortages);
		return;
	}
	wardi_outgoing_of(msg)->dead = reason;
	(void)wardi_far_submit(system, self, msg);
}
