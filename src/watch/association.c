/* SPDX-License-Identifier: MIT
 *
 * association.c - opening an association, and its end.
 *
 *	ward_association_open --> a row in the table of places (cell/places.c), a table of watches
 *	the incarnation ends  --> the row is closed, then all that hangs on it ends
 *
 * Threads: runs only on the holder's worker.
 */
#include "watch/association.h"

#include "base/error.h"
#include "base/memory.h"
#include "cell/places.h"
#include "mail/auto_received.h"
#include "mail/bounded.h"
#include "mail/outgoing.h"
#include "send/deliver.h"
#include "watch/far_link.h"
#include "watch/far_watch.h"

/* The runtime adds control messages that nobody can be refused, such as the notice of a watch. */
static ward_err check_mailbox(struct ward_self *self)
{
	/* Relaxed: made in this life, by this thread. */
	struct wardi_bounded *bounded =
		atomic_load_explicit(&self->cell->mailbox.bounded, memory_order_relaxed);
	bool may_refuse;

	if (bounded == NULL)
		return WARD_OK;
	wardi_mutex_lock(&bounded->mu);
	may_refuse =
		(bounded->max != UINT32_MAX && bounded->overflow != WARD_OVERFLOW_HOLD_SENDER) ||
		atomic_load_explicit(&bounded->priority, memory_order_relaxed) != NULL;
	wardi_mutex_unlock(&bounded->mu);
	if (may_refuse)
		return wardi_error(
			WARD_EINVAL,
			"ward_association_open: a mailbox with a maximum must hold its "
			"senders (WARD_OVERFLOW_HOLD_SENDER), and may have no priorities");
	return WARD_OK;
}

static ward_err check(struct ward_self *self, const ward_association_options *options)
{
	ward_err err;

	if (options == NULL)
		return wardi_error(WARD_EINVAL, "ward_association_open: no options");
	err = ward_node_name_check(options->name);
	if (err != WARD_OK)
		return err;
	if (!WARDI_ALL_ZERO(options->reserved))
		return wardi_error(WARD_EINVAL,
				   "ward_association_open: a reserved word is not zero");
	if (options->lost_after_ms < 0)
		return wardi_error(WARD_EINVAL, "ward_association_open: lost_after_ms is negative");
	if (options->by_value == self->system)
		return wardi_error(WARD_EINVAL,
				   "ward_association_open: by_value is this system itself");
	if (wardi_association_of(self) != NULL)
		return wardi_error(WARD_EEXIST, "ward_association_open: this incarnation has an "
						"open association already");
	return check_mailbox(self);
}

static struct wardi_association *make(struct ward_self *self)
{
	struct wardi_extra *extra = wardi_extra_of(self);
	struct wardi_association *association =
		extra == NULL ? NULL : wardi_memory_get(self->from, sizeof *association);

	if (association == NULL)
		return NULL;
	wardi_hash_init(&association->watches, &self->system->alloc);
	/* With its first buckets it refuses no watch. */
	if (wardi_hash_reserve(&association->watches))
		return association;
	wardi_memory_put(self->from, association, sizeof *association);
	return NULL;
}

static void free_association(struct ward_self *self, struct wardi_association *association)
{
	wardi_hash_finish(&association->watches);
	wardi_memory_put(self->from, association, sizeof *association);
}

ward_err ward_association_open(ward_self *self, const ward_association_options *options,
			       uint32_t *ret_place)
{
	struct wardi_association *association;
	uint32_t place;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check(self, options);
	if (err != WARD_OK)
		return err;
	association = make(self);
	if (association == NULL)
		return wardi_no_memory(self->system, "ward_association_open: no memory");
	place = options->by_value == NULL ? 0 : options->by_value->place;
	err = wardi_place_enter(self->system, options, self->cell->uid, place, &place);
	if (err != WARD_OK) {
		free_association(self, association);
		return err;
	}
	association->place = place;
	association->life = wardi_place_life(self->system, place);
	self->cell->rare->extra->association = association;
	*ret_place = place;
	return WARD_OK;
}

/* The row is closed first, so that nothing new comes. What is on its way finds no association. */
void wardi_association_over(struct ward_self *self)
{
	struct wardi_association *association = self->cell->rare->extra->association;

	self->cell->rare->extra->association = NULL;
	wardi_place_close(self->system, association->place);
	wardi_far_watches_over(self, association);
	wardi_far_links_over(self);
	free_association(self, association);
}

void wardi_association_add(struct ward_self *self, struct ward_msg *msg)
{
	wardi_outgoing_set_life(msg, wardi_association_of(self)->life);
	wardi_deliver_own(self, msg);
}

void wardi_association_add_end(struct ward_self *self, struct ward_msg *msg,
			       struct ward_msg *detour)
{
	ward_reason reason;

	if (detour != NULL) {
		((struct wardi_token *)wardi_msg_bytes(detour))->record = msg;
		if (wardi_deliver(self->system, self, ward_msg_sender(detour), detour, &reason) ==
		    WARD_OK)
			return;
		wardi_msg_free(self->from, detour); /* there is nothing before it */
	}
	wardi_association_add(self, msg);
}
