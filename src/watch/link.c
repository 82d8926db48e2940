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

#include <stdio.h>

#include "actor/stash.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cell/path.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "life/spawn.h"
#include "mail/ref.h"
#include "send/event.h"

enum which { LINKER, OTHER, ENDS };
enum state { LINKED, ENDED, OVER };

struct end {
	struct wardi_watcher in_cell; /* that of the other end arrives with LINK */
	struct wardi_addressed over;
	uint64_t uid; /* frozen */
};

struct wardi_link {
	struct end ends[ENDS];
	struct wardi_hash_link found; /* by the pair, until it is OVER */
	struct ward_msg *msg;         /* NULL: the message is in a mailbox */
	uint8_t refs;
	uint8_t state;
	bool said[ENDS];   /* that end is about to go, and msg has its reason */
	bool listed[ENDS]; /* by the holder of that end; so each is a byte of its own */
};

_Static_assert(sizeof(struct wardi_link) <= 144, "a link fits a block of 144");

/* ---- the record -------------------------------------------------------------------------- */

static void lock(ward_system *system)
{
	wardi_mutex_lock(&system->links_mu);
}

static void unlock(ward_system *system)
{
	wardi_mutex_unlock(&system->links_mu);
}

static void free_link(struct wardi_source from, struct wardi_link *link)
{
	if (link->msg != NULL)
		wardi_msg_free(from, link->msg);
	wardi_memory_put(from, link, sizeof *link);
}

/* Releases `count` references; the last one frees the link. */
static void unlock_unref(ward_system *system, struct wardi_source from, struct wardi_link *link,
			 unsigned refs)
{
	bool last;

	wardi_assert(link->refs >= refs);
	link->refs = (uint8_t)(link->refs - refs);
	last = link->refs == 0;
	unlock(system);
	if (last)
		free_link(from, link);
}

static struct wardi_link *of_end(struct end *end, uint32_t *ret_which, uint32_t which)
{
	*ret_which = which;
	return wardi_container_of(end - which, struct wardi_link, ends[0]);
}

static struct wardi_link *of_watcher(struct wardi_watcher *watcher, uint32_t *ret_which)
{
	return of_end(wardi_container_of(watcher, struct end, in_cell), ret_which,
		      watcher->arrival.which);
}

static struct wardi_link *of_over(struct wardi_sysmsg *msg, uint32_t *ret_which)
{
	struct end *end = wardi_container_of(msg, struct end, over.node);

	return of_end(end, ret_which, end->over.which);
}

/* The link of a LINK message, which only the other end gets. */
static struct wardi_link *of_link(struct wardi_sysmsg *msg)
{
	return wardi_container_of(msg, struct wardi_link, ends[OTHER].in_cell.arrival.node);
}

/* ---- the table --------------------------------------------------------------------------- */

struct pair {
	uint64_t a, b;
};

static bool is_pair(const struct wardi_hash_link *found, const void *key)
{
	const struct wardi_link *link = wardi_container_of(found, struct wardi_link, found);
	const struct pair *pair = key;
	uint64_t linker = link->ends[LINKER].uid, other = link->ends[OTHER].uid;

	return (linker == pair->a && other == pair->b) || (linker == pair->b && other == pair->a);
}

/* The same for both orders of the pair. */
static uint64_t hash_of(const ward_system *system, struct pair pair)
{
	return wardi_hash_u64(system->seed, pair.a) + wardi_hash_u64(system->seed, pair.b);
}

/* All three under links_mu. */
static struct wardi_link *find(const ward_system *system, struct pair pair)
{
	struct wardi_hash_link *found = NULL;

	if (system->links.count > 0)
		found = wardi_hash_find(&system->links, hash_of(system, pair), is_pair, &pair);
	return found == NULL ? NULL : wardi_container_of(found, struct wardi_link, found);
}

/* The table has room: see wardi_link_make(). */
static void enter(ward_system *system, struct wardi_link *link, struct pair pair)
{
	link->ends[LINKER].uid = pair.a;
	link->ends[OTHER].uid = pair.b;
	if (!wardi_hash_insert(&system->links, &link->found, hash_of(system, pair)))
		wardi_fatal("ward: broken invariant: the table of links has lost its room");
}

static void move_to_over(ward_system *system, struct wardi_link *link)
{
	wardi_hash_remove(&system->links, &link->found);
	link->state = OVER;
}

struct wardi_link *wardi_link_make(struct ward_self *self)
{
	static const ward_exit_reason none;
	ward_system *system = self->system;
	struct wardi_link *link = wardi_memory_get(self->from, sizeof *link);
	bool room;

	if (link == NULL)
		return NULL;
	lock(system);
	room = wardi_hash_reserve(&system->links);
	unlock(system);
	if (room)
		link->msg = wardi_exit_make(self, &none);
	if (link->msg == NULL) {
		wardi_link_free(self, link);
		return NULL;
	}
	/* Relaxed: an actor can know of a link only by a message from the actor that made it. */
	atomic_store_explicit(&system->links_begun, true, memory_order_relaxed);
	link->refs = 2; /* the linker's list, and LINK under way */
	for (uint32_t which = 0; which < ENDS; which++) {
		link->ends[which].in_cell.arrival.node.kind = WARDI_SYS_LINK;
		link->ends[which].in_cell.arrival.which = which;
		link->ends[which].over.node.kind = WARDI_SYS_LINK_OVER;
		link->ends[which].over.which = which;
	}
	return link;
}

void wardi_link_free(struct ward_self *self, struct wardi_link *link)
{
	free_link(self->from, link);
}

/* ---- the list of a cell ------------------------------------------------------------------ */

static void enlist(struct wardi_cell *cell, struct wardi_link *link, uint32_t which)
{
	wardi_watcher_enter(cell, &link->ends[which].in_cell);
	link->listed[which] = true;
}

/* Returns how many references to the link the caller has now. */
static unsigned delist(struct wardi_cell *cell, struct wardi_link *link, uint32_t which)
{
	if (!link->listed[which])
		return 0;
	wardi_watcher_leave(cell, &link->ends[which].in_cell);
	link->listed[which] = false;
	return 1;
}

/* ---- messages between the two ------------------------------------------------------------ */

static bool send_to(struct ward_self *self, uint64_t to, struct wardi_sysmsg *msg)
{
	ward_system *system = self->system;
	uint32_t visit = wardi_visit(system, self);
	struct wardi_cell *cell = wardi_table_open(system, to);
	bool sent = cell != NULL && wardi_sys_send(self, cell, wardi_uid_gen(to), msg);

	wardi_visited(system, self, visit); /* the link may be gone */
	return sent;
}

/* OVER has reached nobody. Takes its reference. */
static void over_in_vain(struct ward_self *self, struct wardi_link *link)
{
	lock(self->system);
	if (link->state == ENDED)
		move_to_over(self->system, link);
	unlock_unref(self->system, self->from, link, 1);
}

/* Takes a reference, which travels with the message. */
static void send_over(struct ward_self *self, struct wardi_link *link, uint32_t to)
{
	if (!send_to(self, link->ends[to].uid, &link->ends[to].over.node))
		over_in_vain(self, link);
}

/* One end is gone: notifies the other end, unless the link is over. Takes the reference. */
static void end_and_tell(struct ward_self *self, struct wardi_link *link, uint32_t which,
			 const ward_exit_reason *reason)
{
	lock(self->system);
	if (link->state != LINKED) {
		unlock_unref(self->system, self->from, link, 1);
		return;
	}
	link->state = ENDED;
	if (!link->said[which])
		wardi_exit_waiting(link->msg)->reason = *reason;
	unlock(self->system);
	send_over(self, link, 1 - which);
}

void wardi_link_tell(struct ward_self *self, struct wardi_watcher *watcher,
		     const struct wardi_ending *ending)
{
	uint32_t which;
	struct wardi_link *link = of_watcher(watcher, &which);
	ward_exit_reason reason = wardi_exit_reason(ending);

	end_and_tell(self, link, which, &reason);
}

/* LINK has found nobody. */
static void answer_noproc(struct ward_self *self, struct wardi_link *link)
{
	ward_exit_reason noproc = wardi_exit_plain(WARD_EXIT_NOPROC);

	end_and_tell(self, link, OTHER, &noproc);
}

void wardi_link_misaddressed(struct ward_self *self, struct wardi_sysmsg *msg)
{
	uint32_t which;

	if (msg->kind == WARDI_SYS_LINK)
		answer_noproc(self, of_link(msg));
	else
		over_in_vain(self, of_over(msg, &which));
}

/* ---- what arrives ------------------------------------------------------------------------ */

/* Under links_mu: notes the reason of an end. If the other end goes first, its reason replaces this
 * one. */
static void say(struct wardi_link *link, uint32_t which, const ward_exit_reason *reason)
{
	if (link->state != LINKED || link->said[which])
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
		link = of_watcher(at, &which);
		lock(self->system);
		say(link, which, reason);
		unlock(self->system);
	}
}

bool wardi_link_arrived(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_link *link = of_link(msg);
	ward_exit_reason noproc = wardi_exit_plain(WARD_EXIT_NOPROC);

	lock(self->system);
	if (link->state == OVER) {
		unlock_unref(self->system, self->from, link, 1);
		return true;
	}
	/* The actor is about to end; its links are notified when it can send nothing more. */
	if (wardi_cell_state(self->cell) == WARDI_STOPPING)
		say(link, OTHER, &noproc);
	unlock(self->system);
	enlist(self->cell, link, OTHER);
	return true;
}

bool wardi_link_over(struct ward_self *self, struct wardi_sysmsg *msg)
{
	ward_system *system = self->system;
	uint32_t which;
	struct wardi_link *link = of_over(msg, &which);
	uint64_t from = link->ends[1 - which].uid;
	unsigned refs = 1 + delist(self->cell, link, which);
	enum wardi_fate fate = WARDI_FATE_NONE;
	ward_exit_reason reason = wardi_exit_plain(WARD_EXIT_NORMAL);
	struct ward_msg *trapped = NULL;

	lock(system);
	if (link->state == ENDED) {
		reason = wardi_exit_waiting(link->msg)->reason;
		fate = wardi_exit_fate(self, from, reason.kind);
		if (fate != WARDI_FATE_TRAPPED)
			move_to_over(system, link);
	}
	if (fate == WARDI_FATE_TRAPPED) { /* it takes a reference along */
		trapped = link->msg;
		link->msg = NULL;
		wardi_exit_waiting(trapped)->link = link;
		refs--;
	}
	unlock_unref(system, self->from, link, refs);
	if (trapped != NULL)
		wardi_exit_trapped(self, from, trapped);
	return fate != WARDI_FATE_ENDS || wardi_exit_ends(self, from, &reason);
}

/* ---- a message that waits ---------------------------------------------------------------- */

/* The message leaves the mailbox. Returns whether its link still counts. */
static bool heard(ward_system *system, struct wardi_source from, struct wardi_link *link)
{
	bool ended;

	lock(system);
	ended = link->state == ENDED;
	if (ended)
		move_to_over(system, link);
	unlock_unref(system, from, link, 1);
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
static void tell(struct ward_self *self, const char *how, uint64_t with)
{
	ward_system *system = self->system;
	ward_event event;

	if (!wardi_event_wanted(system, WARD_EVENT_WATCH))
		return;
	wardi_event_begin(system, &event, WARD_EVENT_WATCH, WARD_LEVEL_DEBUG, wardi_own_ref(self));
	event.sender = (ward_ref){with, system->place, 0};
	wardi_path_tail(system, event.sender, event.sender_path, sizeof event.sender_path);
	ward_text_format(event.text, sizeof event.text, "%s %s", how, event.sender_path);
	wardi_event_publish(system, self, &event);
}

/* Whether the two are linked already; if not, and `link` is not NULL, enters it. */
static bool is_linked(struct ward_self *self, uint64_t uid, struct wardi_link *link)
{
	ward_system *system = self->system;
	struct pair pair = {self->cell->uid, uid};
	bool linked;

	lock(system);
	linked = find(system, pair) != NULL;
	if (!linked && link != NULL)
		enter(system, link, pair);
	unlock(system);
	return linked;
}

/* The link is known before the child runs. */
static void born(struct ward_self *self, void *arg, struct wardi_cell *child)
{
	struct wardi_link *link = arg;

	(void)is_linked(self, child->uid, link);
	enlist(self->cell, link, LINKER);
	if (!wardi_sys_send(self, child, wardi_uid_gen(child->uid),
			    &link->ends[OTHER].in_cell.arrival.node))
		wardi_fatal("ward: broken invariant: a child that has not begun is closed");
	tell(self, "now linked with", child->uid);
}

static ward_err check(const struct ward_self *self, ward_ref who)
{
	if (ward_ref_is_nobody(who))
		return wardi_error(WARD_EINVAL, "ward_link: nobody cannot be linked");
	if (who.place != self->system->place)
		return wardi_error(WARD_EFOREIGN, "ward_link: the actor is of another system");
	if (wardi_cell_state(self->cell) == WARDI_STOPPING && who.uid != self->cell->uid)
		return wardi_error(WARD_ESTOPPING, "ward_link: a stopping actor makes no links");
	return WARD_OK;
}

ward_err ward_try_link(ward_self *self, ward_ref who)
{
	struct wardi_link *link;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check(self, who);
	if (err != WARD_OK || who.uid == self->cell->uid || is_linked(self, who.uid, NULL))
		return err;
	link = wardi_link_make(self);
	if (link == NULL)
		return wardi_no_memory(self->system, "no memory for a link");
	if (is_linked(self, who.uid, link)) { /* the other one was first */
		wardi_link_free(self, link);
		return WARD_OK;
	}
	enlist(self->cell, link, LINKER);
	tell(self, "now linked with", who.uid);
	if (!send_to(self, who.uid, &link->ends[OTHER].in_cell.arrival.node))
		answer_noproc(self, link);
	return WARD_OK;
}

void wardi_unlink(struct ward_self *self, ward_ref who)
{
	ward_system *system = self->system;
	struct wardi_link *link;
	bool was_linked = false;
	uint32_t which = 0;

	/* Relaxed: see wardi_link_make(). */
	if (!atomic_load_explicit(&system->links_begun, memory_order_relaxed))
		return;
	wardi_stash_forget(self, WARDI_ENDS_LINKED, who);
	lock(system);
	link = find(system, (struct pair){self->cell->uid, who.uid});
	if (link != NULL) {
		which = link->ends[LINKER].uid == self->cell->uid ? LINKER : OTHER;
		was_linked = link->state == LINKED;
		move_to_over(system, link);
		if (was_linked && delist(self->cell, link, which) == 0)
			link->refs++; /* LINK has the other one, under way to here */
	}
	unlock(system);
	if (!was_linked)
		return; /* what is under way, or waits, finds it so */
	tell(self, "no longer linked with", who.uid);
	send_over(self, link, 1 - which);
}

void ward_unlink(ward_self *self, ward_ref who)
{
	/* In another system the same uid belongs to another actor. */
	if (wardi_self_usable(self) && who.place == self->system->place)
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
