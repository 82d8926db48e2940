/* SPDX-License-Identifier: MIT
 *
 * link.c - links: when either of two linked actors ends, the other one gets an exit signal.
 *
 *	linker                                              linked
 *	  list of watchers: its end -- LINK ------------------> list of watchers: its end
 *	                       \                               /
 *	                        one record, in a table by the pair
 *
 *	LINKED --- one of the two ends ---> ENDED - handled, unlinked, or gone --> OVER
 *	   |                                                                        ^
 *	   +------------------------ one of the two unlinks ------------------------+
 *
 * One record serves both actors. It is found by the pair until it is OVER: so there is one link
 * between two actors, no matter which of them made it, and either can unlink it, at once, for both.
 * In the list of a cell it hangs beside the watches: so a life without links pays nothing for them,
 * and a life with links needs no rare record.
 *
 * The end that moves the record from LINKED sends OVER to the other end. The other end takes its
 * part out of its list and, if the link has ENDED, applies the signal (exit.c). A trapped signal
 * becomes a message, which was made with the link. Until receive gets it, the message stands in the
 * mailbox and points to the record. So an unlink only moves the record to OVER: messages on the
 * way, or waiting, find it so.
 *
 * The reason is in that message: written by the actor that ends, read by the other one. An actor
 * that ends by a signal writes the reason at once into all its links, and notifies them when it is
 * gone; links that arrive after that get noproc. All other reasons are known, and written, at the
 * end.
 *
 * References to the record: an end in a list, LINK and OVER on the way, a message that waits.
 *
 * Threads   in_cell, listed: the holder of that end
 *           all else that is not frozen: under links_mu
 */
#include "watch/link.h"

#include "actor/stash.h"
#include "base/error.h"
#include "base/text.h"
#include "cell/path.h"
#include "cell/places.h"
#include "life/spawn.h"
#include "mail/ref.h"
#include "send/event.h"
#include "send/far.h"
#include "watch/far_link.h"
#include "watch/link_record.h"

/* ---- an end ------------------------------------------------------------------------------ */

void wardi_link_tell(struct ward_self *self, struct wardi_watcher *watcher,
		     const struct wardi_ending *ending)
{
	uint32_t which;
	struct wardi_link *link = wardi_link_of_watcher(watcher, &which);
	ward_exit_reason reason = wardi_exit_reason(ending);

	wardi_link_end_and_tell(self, link, which, &reason);
}

void wardi_link_misaddressed(struct ward_self *self, struct wardi_sysmsg *msg)
{
	uint32_t which;

	if (msg->kind == WARDI_SYS_LINK)
		wardi_link_answer_gone(self, wardi_link_of_arrival(msg));
	else
		wardi_link_over_in_vain(self, wardi_link_of_over(msg, &which));
}

/* ---- what arrives ------------------------------------------------------------------------ */

/* Under links_mu: notes the reason of an end. If the other end goes first, its reason replaces this
 * one. */
static void say(struct wardi_link *link, uint32_t which, const ward_exit_reason *reason)
{
	if (link->state != WARDI_LINK_LIVES || link->said[which])
		return;
	wardi_exit_waiting(link->msg)->reason = *reason;
	link->said[which] = true;
}

void wardi_links_say(struct ward_self *self, const ward_exit_reason *reason)
{
	for (struct wardi_watcher *at = self->cell->watchers; at != NULL; at = at->next) {
		struct wardi_link *link;
		uint32_t which;

		if (!wardi_watcher_is_link(at))
			continue;
		link = wardi_link_of_watcher(at, &which);
		if (which == link->far_end)
			continue; /* it is not the actor of the association that is linked */
		wardi_links_lock(self->system);
		say(link, which, reason);
		wardi_links_unlock(self->system);
	}
}

bool wardi_link_arrived(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_link *link = wardi_link_of_arrival(msg);
	ward_exit_reason noproc = wardi_exit_plain(WARD_EXIT_NOPROC);

	if (link->far_end == WARDI_LINKED) {
		wardi_far_link_arrived(self, link);
		return true;
	}
	wardi_links_lock(self->system);
	if (link->state == WARDI_LINK_OVER) {
		wardi_link_unlock_unref(self->system, self->from, link, 1);
		return true;
	}
	/* The actor is about to end; its links are notified when it can send nothing more. */
	if (wardi_cell_state(self->cell) == WARDI_STOPPING)
		say(link, WARDI_LINKED, &noproc);
	wardi_links_unlock(self->system);
	wardi_link_enlist(self->cell, link, WARDI_LINKED);
	return true;
}

bool wardi_link_over(struct ward_self *self, struct wardi_sysmsg *over)
{
	ward_system *system = self->system;
	uint32_t which;
	struct wardi_link *link = wardi_link_of_over(over, &which);
	ward_ref from = wardi_link_ref(link, 1 - which);
	unsigned refs = 1 + wardi_link_delist(self->cell, link, which);
	enum wardi_fate fate = WARDI_FATE_NONE;
	ward_exit_reason reason = wardi_exit_plain(WARD_EXIT_NORMAL);
	struct ward_msg *msg = NULL;

	if (which == link->far_end) {
		wardi_far_link_over(self, link, refs);
		return true;
	}

	wardi_links_lock(system);
	if (link->state == WARDI_LINK_ENDED) {
		reason = wardi_exit_waiting(link->msg)->reason;
		fate = wardi_exit_fate(self, from, reason.kind);
		if (fate != WARDI_FATE_TRAPPED)
			wardi_link_move_to_over(system, link);
	}
	if (fate == WARDI_FATE_TRAPPED || fate == WARDI_FATE_PASSED) {
		msg = link->msg;
		link->msg = NULL;
	}
	if (fate == WARDI_FATE_TRAPPED) { /* it takes a reference along */
		wardi_exit_waiting(msg)->link = link;
		refs--;
	}
	wardi_link_unlock_unref(system, self->from, link, refs);
	if (msg != NULL)
		fate = wardi_exit_delivered(self, fate, from, msg);
	return fate != WARDI_FATE_ENDS || wardi_exit_ends(self, from, &reason);
}

/* ---- a message that waits ---------------------------------------------------------------- */

/* The message leaves the mailbox. Returns whether its link still counts. */
static bool heard(ward_system *system, struct wardi_source from, struct wardi_link *link)
{
	bool ended;

	wardi_links_lock(system);
	ended = link->state == WARDI_LINK_ENDED;
	if (ended)
		wardi_link_move_to_over(system, link);
	wardi_link_unlock_unref(system, from, link, 1);
	return ended;
}

bool wardi_exited_due(struct ward_self *self, struct ward_msg *msg)
{
	struct wardi_link *link = wardi_exit_waiting(msg)->link;

	if (link != NULL && !heard(self->system, self->from, link))
		return false;
	((struct ward_exited *)wardi_msg_bytes(msg))->who = ward_msg_sender(msg);
	msg->type = wardi_msg_tagged(&ward_type_ward_exited, wardi_msg_form(msg));
	if (link != NULL)
		msg->type |= WARDI_MSG_AUTO_RECEIVED; /* an unlink finds it in the stash, too */
	return true;
}

void wardi_exited_dropped(ward_system *system, struct ward_self *self, const struct ward_msg *msg)
{
	struct wardi_link *link = wardi_exit_waiting(msg)->link;

	if (link != NULL)
		(void)heard(system, self == NULL ? wardi_outside_source(system) : self->from, link);
}

/* ---- linking and unlinking --------------------------------------------------------------- */

/* Publishes that the running actor is linked, or no longer linked (S85). */
static void tell(struct ward_self *self, const char *how, ward_ref with)
{
	ward_system *system = self->system;
	ward_event event;

	if (!wardi_event_wanted(system, WARD_EVENT_WATCH))
		return;
	wardi_event_begin(system, &event, WARD_EVENT_WATCH, WARD_LEVEL_DEBUG, wardi_own_ref(self));
	event.sender = with;
	wardi_path_tail(system, event.sender, event.sender_path, sizeof event.sender_path);
	ward_text_format(event.text, sizeof event.text, "%s %s", how, event.sender_path);
	wardi_event_publish(system, self, &event);
}

static bool is_linked(struct ward_self *self, ward_ref who, struct wardi_link *link)
{
	return wardi_link_is_there(self->system, (struct wardi_link_pair){wardi_own_ref(self), who},
				   link);
}

/* The link is known before the child runs. */
static void born(struct ward_self *self, void *arg, struct wardi_cell *child)
{
	struct wardi_link *link = arg;
	ward_ref who = wardi_cell_ref(child);

	(void)is_linked(self, who, link);
	wardi_link_enlist(self->cell, link, WARDI_LINKER);
	if (!wardi_sys_send(self, child, wardi_uid_gen(child->uid),
			    &link->ends[WARDI_LINKED].in_cell.arrival.node))
		wardi_fatal("ward: broken invariant: a child that has not begun is closed");
	tell(self, "now linked with", who);
}

static bool is_near(const struct ward_self *self, ward_ref who)
{
	return wardi_ref_is_here(self->system->place, who);
}

static ward_err check(const struct ward_self *self, ward_ref who)
{
	if (ward_ref_is_nobody(who))
		return wardi_error(WARD_EINVAL, "ward_link: nobody cannot be linked");
	if (!wardi_place_has_actor(self->system, who))
		return wardi_error(WARD_EFOREIGN, "ward_link: the actor is of another system");
	if (wardi_cell_state(self->cell) == WARDI_STOPPING &&
	    !ward_ref_equal(who, wardi_own_ref(self)))
		return wardi_error(WARD_ESTOPPING, "ward_link: a stopping actor makes no links");
	return WARD_OK;
}

ward_err ward_try_link(ward_self *self, ward_ref who)
{
	struct wardi_link *link;
	uint64_t owner;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check(self, who);
	if (err != WARD_OK || ward_ref_equal(who, wardi_own_ref(self)) ||
	    is_linked(self, who, NULL))
		return err;
	link = is_near(self, who)
		       ? wardi_link_make(self)
		       : wardi_link_make_far(self, WARDI_LINKED, who, wardi_own_ref(self));
	if (link == NULL)
		return wardi_no_memory(self->system, "no memory for a link");
	if (is_linked(self, who, link)) { /* the other one was first */
		wardi_link_free(self, link);
		return WARD_OK;
	}
	wardi_link_enlist(self->cell, link, WARDI_LINKER);
	tell(self, "now linked with", who);
	owner = is_near(self, who) ? 0 : wardi_far_link_of(link)->owner;
	wardi_link_send(self, link); /* the link may be gone */
	if (owner != 0)
		wardi_far_press(self, owner);
	return WARD_OK;
}

/* Under links_mu: ends all that the pair has. Returns the one that lived; NULL:
 * none, and what is under way, or waits, finds it so. */
static struct wardi_link *end_all(struct ward_self *self, struct wardi_link_pair pair)
{
	struct wardi_link *link, *living = wardi_link_find_living(self->system, pair);

	while ((link = wardi_link_find(self->system, pair)) != NULL)
		wardi_link_move_to_over(self->system, link);
	return living;
}

void wardi_unlink(struct ward_self *self, ward_ref who)
{
	ward_system *system = self->system;
	struct wardi_link *link;
	uint32_t which = 0;

	/* Relaxed: see wardi_link_make(). */
	if (!atomic_load_explicit(&system->links_begun, memory_order_relaxed))
		return;
	wardi_stash_forget(self, WARDI_ENDS_LINKED, who);
	wardi_links_lock(system);
	link = end_all(self, (struct wardi_link_pair){wardi_own_ref(self), who});
	if (link != NULL) {
		which = ward_ref_equal(wardi_link_ref(link, WARDI_LINKER), who) ? WARDI_LINKED
										: WARDI_LINKER;
		if (wardi_link_delist(self->cell, link, which) == 0)
			link->refs++; /* LINK has the other one, under way to here */
	}
	wardi_links_unlock(system);
	if (link == NULL)
		return;
	tell(self, "no longer linked with", who);
	wardi_link_send_over(self, link, 1 - which);
}

void ward_unlink(ward_self *self, ward_ref who)
{
	if (wardi_self_usable(self) && !ward_ref_is_nobody(who)) /* else all that is stashed */
		wardi_unlink(self, who);
}

ward_err ward_try_spawn_link(ward_self *self, const ward_props *props, ward_ref *ret_child)
{
	struct wardi_link *link;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	link = wardi_link_make(self);
	if (link == NULL)
		return wardi_no_memory(self->system, "no memory for a link");
	err = wardi_spawn_child(self, props, born, link, ret_child);
	if (err != WARD_OK)
		wardi_link_free(self, link);
	return err;
}
