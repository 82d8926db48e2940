/* SPDX-License-Identifier: MIT
 *
 * children_few.c - the notice that an actor has few children.
 *
 *	asked for:     the message is made, so that it cannot be lost to a shortage later
 *	a child goes:  fewer than `below` are left? the message goes to the mailbox
 *	it arrives:    with the number of the last call, or it is dropped
 *
 * Threads: runs only on the parent's holder.
 */
#include "actor/children_few.h"

#include "actor/rare.h"
#include "base/error.h"
#include "base/memory.h"
#include "mail/auto_received.h"
#include "send/deliver.h"

static uint32_t count_of(const struct wardi_cell *cell)
{
	return wardi_has_children(cell) ? cell->rare->children->count : 0;
}

/* Only `count` children are left, or will be at once. */
static void notify(struct ward_self *self, struct wardi_children_few *few, uint32_t count)
{
	struct ward_msg *msg = few->ahead;
	struct ward_children_few *body = wardi_msg_bytes(msg);

	*body = (struct ward_children_few){count, few->below};
	msg->sender_uid = few->number;
	few->below = 0;
	few->ahead = NULL;
	wardi_deliver_own(self, msg);
}

void wardi_children_few_child_goes(struct ward_self *self)
{
	struct wardi_children_few *few = self->cell->rare->extra->few;

	if (few != NULL && self->cell->rare->children->count - 1 < few->below)
		notify(self, few, self->cell->rare->children->count - 1);
}

bool wardi_children_few_due(const struct ward_self *self, struct ward_msg *msg)
{
	const struct wardi_extra *extra = self->cell->rare->extra;

	/* A forged message has a sender, or comes from a thread outside and has no number. */
	if (extra == NULL || extra->few == NULL || wardi_msg_sender_place(msg) != 0 ||
	    msg->sender_uid == 0 || msg->sender_uid != extra->few->number)
		return false;
	msg->sender_uid = 0;
	return true;
}

void wardi_children_few_cancel(struct ward_self *self)
{
	struct wardi_children_few *few = self->cell->rare->extra->few;

	if (few == NULL)
		return;
	few->below = 0;
	few->number++;
}

void wardi_children_few_finish(struct ward_self *self)
{
	struct wardi_children_few *few = self->cell->rare->extra->few;

	if (few == NULL)
		return;
	if (few->ahead != NULL)
		wardi_msg_free(self->from, few->ahead);
	wardi_memory_put(self->from, few, sizeof *few);
	self->cell->rare->extra->few = NULL;
}

/* ---- for the user ------------------------------------------------------------------------ */

/* Returns the record, with a notice made for the next time. NULL: no memory; nothing has
 * changed. */
static struct wardi_children_few *prepare(struct ward_self *self)
{
	struct wardi_extra *extra = wardi_extra_for_asks(self);

	if (extra == NULL)
		return NULL;
	if (extra->few == NULL)
		extra->few = wardi_memory_get(self->from, sizeof *extra->few);
	if (extra->few == NULL)
		return NULL;
	if (extra->few->ahead == NULL)
		extra->few->ahead =
			wardi_msg_make(self->from, &ward_type_ward_children_few, NULL, 0);
	return extra->few->ahead == NULL ? NULL : extra->few;
}

ward_err ward_try_children_notify(ward_self *self, uint32_t below)
{
	struct wardi_children_few *few;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (below == 0) {
		if (self->cell->rare->extra != NULL)
			wardi_children_few_cancel(self);
		return WARD_OK;
	}
	few = prepare(self);
	if (few == NULL)
		return wardi_no_memory(self->system, "no memory for a notice of few children");
	few->number++;
	few->below = below;
	if (count_of(self->cell) < below)
		notify(self, few, count_of(self->cell));
	return WARD_OK;
}
