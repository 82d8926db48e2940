/* SPDX-License-Identifier: MIT
 *
 * far_link.c - links with an actor of another place at one end: there the association's actor has
 * the part of the record that the other actor would have.
 *
 *	linker here   -- LINK --> association   | control LINK -->
 *	linker there                            | control LINK --> association -- LINK --> linked
 *	the end here is gone, or unlinks -- OVER --> association | LINK_EXIT, or UNLINK -->
 *
 * Each system has a record of its own, so both may change at once. An end counts whichever record
 * it finds, since its actor does not come back. An UNLINK does not: it may cross a LINK that was
 * made after it. So each LINK has a number, of the system that made it. If both made one there is
 * one link, with two numbers; an UNLINK names those that it knew, and the link is over when none is
 * left.
 *
 * Threads: runs only on the holder's worker, the association's; numbers under links_mu.
 */
#include "watch/far_link.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mail/outgoing.h"
#include "watch/exit.h"

_Static_assert(offsetof(struct wardi_outgoing_end, reason) ==
		       offsetof(struct wardi_exit_waiting, reason),
	       "the one becomes the other");

static struct wardi_link_pair pair_of(const struct ward_outgoing *in)
{
	return (struct wardi_link_pair){in->from, in->to};
}

/* ---- the end here ------------------------------------------------------------------------ */

void wardi_far_link_arrived(struct ward_self *self, struct wardi_link *link)
{
	struct wardi_far_link *far = wardi_far_link_of(link);
	struct wardi_association *association = wardi_association_of(self);
	struct ward_msg *order = far->order;

	if (association == NULL ||
	    !wardi_is_of_peer(association, wardi_link_ref(link, WARDI_LINKED)) ||
	    wardi_outgoing_life(order) != association->life) {
		wardi_link_answer_gone(self, link);
		return;
	}
	wardi_links_lock(self->system);
	if (link->state == WARDI_LINK_OVER || far->gone) {
		wardi_link_unlock_unref(self->system, self->from, link, 1);
		return;
	}
	/* If the end here is gone, OVER comes behind, and the peer needs the link for its exit. */
	far->number = ++association->links;
	wardi_outgoing_of(order)->number = far->number;
	far->order = NULL;
	wardi_links_unlock(self->system);
	wardi_link_enlist(self->cell, link, WARDI_LINKED);
	wardi_association_add(self, order);
}

/* Makes the control message of the one that was made for the signal: it has the reason already. */
static void become_exit(struct ward_msg *msg, ward_ref near_ref, ward_ref far_ref)
{
	struct wardi_outgoing_end *end = wardi_outgoing_end_of(msg);

	msg->type = wardi_msg_tagged(&wardi_type_outgoing_end, wardi_msg_form(msg));
	end->kind = WARD_CONTROL_LINK_EXIT;
	end->to_place = wardi_ref_place(far_ref);
	end->to_uid = far_ref.uid;
	wardi_msg_set_sender(msg, near_ref);
}

static void become_unlink(struct ward_self *self, struct ward_msg *msg, ward_ref near_ref,
			  ward_ref far_ref, const struct wardi_far_link *far)
{
	struct wardi_outgoing *out = wardi_outgoing_of(msg);

	msg->type = wardi_msg_tagged(&wardi_type_outgoing, wardi_msg_form(msg));
	*out = (struct wardi_outgoing){
		.kind = WARD_CONTROL_UNLINK,
		.weight = 1,
		.to = far_ref,
		.number = far->number,
		.other_number = far->other_number,
		.pool = self->from.pool,
	};
	wardi_payload_made(self->from, &wardi_type_outgoing);
	wardi_msg_set_sender(msg, near_ref);
}

/* Under links_mu: whether the peer has made it, or knows of it. */
static bool is_known_there(const struct wardi_far_link *far)
{
	return far->number != 0 || far->other_number != 0;
}

void wardi_far_link_over(struct ward_self *self, struct wardi_link *link, unsigned refs)
{
	ward_system *system = self->system;
	struct wardi_far_link *far = wardi_far_link_of(link);
	ward_ref far_ref = wardi_link_ref(link, link->far_end);
	ward_ref near_ref = wardi_link_ref(link, 1U - link->far_end);
	struct ward_msg *msg, *detour = NULL;
	bool passed_on = true;

	wardi_links_lock(system);
	msg = link->msg;
	link->msg = NULL;
	if (link->state == WARDI_LINK_ENDED) {
		wardi_link_move_to_over(system, link);
		become_exit(msg, near_ref, far_ref);
		detour = far->detour;
		far->detour = NULL;
	} else if (msg != NULL && is_known_there(far)) {
		become_unlink(self, msg, near_ref, far_ref, far);
	} else {
		passed_on = false;
	}
	wardi_link_unlock_unref(system, self->from, link, refs);
	if (msg != NULL && passed_on && wardi_association_of(self) != NULL) {
		wardi_association_add_end(self, msg, detour);
		return;
	}
	if (msg != NULL)
		wardi_msg_hand_over(self->from, msg);
	if (detour != NULL)
		wardi_msg_free(self->from, detour);
}

/* ---- the end there ----------------------------------------------------------------------- */

/* Returns the link, with one reference for the caller, if it lives; it is no longer in the list of
 * the association. Under links_mu. */
static struct wardi_link *take_living(struct ward_self *self, const struct ward_outgoing *in)
{
	struct wardi_link *link = wardi_link_find_living(self->system, pair_of(in));

	if (link == NULL)
		return NULL;
	if (wardi_link_delist(self->cell, link, link->far_end) == 0)
		link->refs++; /* LINK has the other one, under way to here */
	return link;
}

ward_err wardi_far_link_exit(struct ward_self *self, const struct ward_outgoing *in)
{
	ward_exit_reason reason = in->reason;
	struct wardi_link *link;

	if (reason.kind == WARD_EXIT_KILL) /* no end has it: only ward_exit() cannot be trapped */
		reason.kind = WARD_EXIT_KILLED;
	wardi_links_lock(self->system);
	link = take_living(self, in);
	wardi_links_unlock(self->system);
	if (link == NULL)
		return WARD_OK;
	wardi_far_link_of(link)->gone = true;
	wardi_link_end_and_tell(self, link, link->far_end, &reason);
	return WARD_OK;
}

/* Under links_mu: whether no number is left. A LINK of the end here that has not left yet has none,
 * so the peer could not know it. */
static bool forget_numbers(struct wardi_far_link *far, const struct ward_outgoing *in)
{
	if (in->number == far->other_number)
		far->other_number = 0;
	if (in->other_number == far->number)
		far->number = 0;
	return !is_known_there(far) && far->order == NULL;
}

ward_err wardi_far_unlink(struct ward_self *self, const struct ward_outgoing *in)
{
	struct wardi_link *link;

	wardi_links_lock(self->system);
	link = wardi_link_find_living(self->system, pair_of(in));
	if (link != NULL && !forget_numbers(wardi_far_link_of(link), in))
		link = NULL;
	if (link != NULL)
		link = take_living(self, in);
	if (link != NULL)
		wardi_link_move_to_over(self->system, link);
	wardi_links_unlock(self->system);
	if (link != NULL)
		wardi_link_send_over(self, link, 1U - link->far_end);
	return WARD_OK;
}

/* Whether the pair has a link already, which the peer has now made, too. */
static bool joins(struct ward_self *self, const struct ward_outgoing *in, struct wardi_link *made)
{
	struct wardi_link *link;

	wardi_links_lock(self->system);
	link = wardi_link_find_living(self->system, pair_of(in));
	if (link != NULL)
		wardi_far_link_of(link)->other_number = in->number;
	else if (made != NULL)
		wardi_link_enter(self->system, made, pair_of(in));
	wardi_links_unlock(self->system);
	return link != NULL;
}

ward_err wardi_far_link(struct ward_self *self, const struct ward_outgoing *in)
{
	struct wardi_far_link *far;
	struct wardi_link *link;

	if (joins(self, in, NULL))
		return WARD_OK;
	link = wardi_link_make_far(self, WARDI_LINKER, in->from, in->to);
	if (link == NULL)
		return wardi_no_memory(self->system, "ward_incoming: no memory for a link");
	far = wardi_far_link_of(link);
	far->other_number = in->number;
	if (!ward_ref_is_nobody(in->stand_in))
		far->detour = wardi_detour_make(self->from, in->stand_in);
	if (far->detour == NULL && !ward_ref_is_nobody(in->stand_in)) {
		wardi_link_free(self, link);
		return wardi_no_memory(self->system, "ward_incoming: no memory for a link");
	}
	if (joins(self, in, link)) {
		wardi_link_free(self, link);
		return WARD_OK;
	}
	wardi_link_enlist(self->cell, link, WARDI_LINKER);
	wardi_link_send(self, link);
	return WARD_OK;
}

/* ---- the end of the association ---------------------------------------------------------- */

void wardi_far_links_over(struct ward_self *self)
{
	ward_exit_reason unreached = wardi_exit_plain(WARD_EXIT_UNREACHED);
	struct wardi_watcher *next;

	for (struct wardi_watcher *at = self->cell->watchers; at != NULL; at = next) {
		struct wardi_link *link;
		uint32_t which;

		next = at->next;
		if (!wardi_watcher_is_link(at))
			continue;
		link = wardi_link_of_watcher(at, &which);
		if (which != link->far_end)
			continue;
		(void)wardi_link_delist(self->cell, link, which);
		wardi_link_end_and_tell(self, link, which, &unreached);
	}
}
