/* SPDX-License-Identifier: MIT
 *
 * deliver.c - delivers a message into a mailbox, or to a thread or question that waits for it, or
 * on its way to another place.
 *
 * Threads: all functions may run at the same time.
 */
#include "send/deliver.h"

#include <stddef.h>

#include "base/assert.h"
#include "cell/ready.h"
#include "cell/reply_ref.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "mail/auto_received.h"
#include "mail/bounded.h"
#include "send/backpressure.h"
#include "send/dead_letter.h"
#include "send/far.h"
#include "send/waiter.h"

/* A full mailbox dropped a message. If an event caused that there is no event about it: that could
 * go on forever. */
static void drop_overflow(ward_system *system, struct ward_self *self, ward_ref to,
			  struct ward_msg *dropped, bool for_an_event)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;

	if (for_an_event)
		wardi_dead_letter_quiet(system, self, dropped);
	else
		wardi_dead_letter(system, self, to, dropped, WARD_REASON_FULL);
	wardi_msg_free(from, dropped);
}

static __attribute__((noinline)) ward_err
deliver_in_bounded(ward_system *system, struct ward_self *self, ward_ref to,
		   struct wardi_cell *cell, struct wardi_bounded *bounded, struct ward_msg *msg,
		   ward_reason *ret_reason)
{
	struct ward_msg *dropped = NULL;
	bool over = false;
	bool event = wardi_msg_type(msg) == &ward_type_ward_event; /* soon the receiver owns it */
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	/* Nobody is held for an event: the actor that caused it did not send it. */
	bool may_go_over = self != NULL && !event;

	switch (wardi_bounded_push(bounded, from, to.uid, msg, may_go_over, &dropped)) {
	case WARDI_BOUNDED_DEAD:
		*ret_reason = WARD_REASON_DEAD;
		return WARD_EDEAD;
	case WARDI_BOUNDED_REFUSED:
		*ret_reason = WARD_REASON_FULL;
		return WARD_EFULL;
	case WARDI_BOUNDED_NO_MEMORY:
		*ret_reason = WARD_REASON_NO_MEMORY;
		return WARD_ENOMEM;
	case WARDI_BOUNDED_DROPPED:
		drop_overflow(system, self, to, dropped, event);
		break;
	case WARDI_BOUNDED_OVER:
		over = true;
		break;
	case WARDI_BOUNDED_TAKEN:
	default:
		break;
	}
	if (wardi_mailbox_wake(&cell->mailbox))
		wardi_cell_ready(self, cell);
	if (over)
		wardi_backpressure_hold(self, bounded, to.uid);
	return WARD_OK;
}

/* An answer goes to the present owner of the asker's cell, which knows the open questions. */
static ward_err deliver_answer(ward_system *system, struct ward_self *self, ward_ref question,
			       struct ward_msg *msg, ward_reason *ret_reason)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	ward_ref owner = wardi_ask_owner(system, question);
	struct ward_msg *envelope;

	*ret_reason = WARD_REASON_STALE;
	if (ward_ref_is_nobody(owner))
		return WARD_EDEAD;
	wardi_table_expect(system, owner.uid); /* while the envelope is made */
	envelope = wardi_answer_wrap(from, owner, question, msg);
	if (envelope == NULL) {
		*ret_reason = WARD_REASON_NO_MEMORY;
		return WARD_ENOMEM;
	}
	if (wardi_deliver(system, self, owner, envelope, ret_reason) == WARD_OK)
		return WARD_OK;
	wardi_msg_free(from, envelope);
	*ret_reason = WARD_REASON_STALE;
	return WARD_EDEAD;
}

/* Delivers to a ref that is not an actor of this system: nobody, a waiting thread, a question, or
 * what belongs to another system. */
static __attribute__((noinline)) ward_err deliver_elsewhere(ward_system *system,
							    struct ward_self *self, ward_ref to,
							    struct ward_msg *msg,
							    ward_reason *ret_reason)
{
	struct wardi_place_row *place;

	if (wardi_is_question(system, to))
		return deliver_answer(system, self, to, msg, ret_reason);
	if (wardi_ref_is_waiter(system->place, to)) {
		if (wardi_waiter_answer(system, to, msg))
			return WARD_OK;
		*ret_reason = WARD_REASON_STALE;
		return WARD_EDEAD;
	}
	place = wardi_place_find(system, wardi_ref_place(to) & ~WARDI_PLACE_FLAGS);
	if (place != NULL)
		return wardi_far_deliver(system, self, place, to, msg, ret_reason);
	*ret_reason = WARD_REASON_NOBODY;
	return ward_ref_is_nobody(to) ? WARD_EDEAD : WARD_EFOREIGN;
}

static ward_err deliver(ward_system *system, struct ward_self *self, ward_ref to,
			struct ward_msg *msg, ward_reason *ret_reason)
{
	struct wardi_cell *cell;
	struct wardi_bounded *bounded;

	if (!wardi_ref_is_here(system->place, to))
		return deliver_elsewhere(system, self, to, msg, ret_reason);
	cell = wardi_table_open(system, to.uid);
	if (cell == NULL) {
		*ret_reason = WARD_REASON_DEAD;
		return WARD_EDEAD;
	}
	msg->target_gen = wardi_uid_gen(to.uid);
	/* The mailbox may belong to a later life: then its owner differs, and it refuses. */
	bounded = atomic_load_explicit(&cell->mailbox.bounded, memory_order_acquire); /* [P5] */
	if (bounded != NULL)
		return deliver_in_bounded(system, self, to, cell, bounded, msg, ret_reason);
	if (wardi_mailbox_push(&cell->mailbox, msg))
		wardi_cell_ready(self, cell);
	return WARD_OK;
}

ward_err wardi_deliver(ward_system *system, struct ward_self *self, ward_ref to,
		       struct ward_msg *msg, ward_reason *ret_reason)
{
	uint32_t visit = wardi_visit(system, self);
	ward_err err = deliver(system, self, to, msg, ret_reason);

	wardi_visited(system, self, visit);
	return err;
}

void wardi_deliver_own(struct ward_self *self, struct ward_msg *msg)
{
	struct wardi_cell *cell = self->cell;
	ward_reason reason;

	/* Relaxed: this thread wrote it. And the holder need not wake its own cell. */
	if (atomic_load_explicit(&cell->mailbox.bounded, memory_order_relaxed) == NULL) {
		msg->target_gen = wardi_uid_gen(cell->uid);
		(void)wardi_mailbox_push(&cell->mailbox, msg);
		return;
	}
	if (wardi_deliver(self->system, self, wardi_own_ref(self), msg, &reason) != WARD_OK)
		wardi_fatal("ward: broken invariant: an actor cannot reach itself");
}

ward_ref wardi_ask_owner(const ward_system *system, ward_ref question)
{
	struct wardi_cell *cell = wardi_table_cell(system, wardi_question_slot(question.uid));
	uint32_t gen;

	if (cell == NULL)
		return ward_nobody();
	/* Acquire: as wardi_table_open() does. [S2] */
	gen = atomic_load_explicit(&cell->open_gen, memory_order_acquire);
	if (gen == 0)
		return ward_nobody();
	return (ward_ref){(uint64_t)gen << 32 | wardi_question_slot(question.uid), system->place,
			  0};
}

struct ward_msg *wardi_answer_wrap(struct wardi_source from, ward_ref owner, ward_ref question,
				   struct ward_msg *answer)
{
	struct wardi_token token = {question.uid, answer};
	struct ward_msg *envelope = wardi_msg_make(from, &wardi_type_answer, &token, sizeof token);

	if (envelope != NULL)
		envelope->target_gen = wardi_uid_gen(owner.uid);
	return envelope;
}
