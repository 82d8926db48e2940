/* SPDX-License-Identifier: MIT
 *
 * link_record.c - the record of a link: made, freed, found by its pair, sent from end to end.
 *
 * References to the record: an end in a list, LINK and OVER on the way, a message that waits. What
 * is sent to an actor of another place goes to the actor of its association.
 *
 * Threads   in_cell, listed: the holder of that end
 *           all else that is not frozen: under links_mu
 */
#include "watch/link_record.h"

#include "base/assert.h"
#include "base/memory.h"
#include "cell/places.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "mail/outgoing.h"
#include "mail/ref.h"
#include "send/far.h"

/* ---- the record -------------------------------------------------------------------------- */

static __attribute__((noinline)) void free_far(struct wardi_source from, struct wardi_link *link)
{
	struct wardi_far_link *far = wardi_far_link_of(link);

	if (far->order != NULL)
		wardi_msg_hand_over(from, far->order);
	if (far->detour != NULL)
		wardi_msg_free(from, far->detour);
	wardi_memory_put(from, far, sizeof *far);
}

/* The sizes are constants, as in watch_record.c. */
static void free_link(struct wardi_source from, struct wardi_link *link)
{
	if (link->msg != NULL)
		wardi_msg_free(from, link->msg);
	if (link->far_end == WARDI_LINK_ENDS)
		wardi_memory_put(from, link, sizeof *link);
	else
		free_far(from, link);
}

void wardi_link_unlock_unref(ward_system *system, struct wardi_source from, struct wardi_link *link,
			     unsigned count)
{
	bool last;

	wardi_assert(link->refs >= count);
	link->refs = (uint8_t)(link->refs - count);
	last = link->refs == 0;
	wardi_links_unlock(system);
	if (last)
		free_link(from, link);
}

/* The record is zeroed, or NULL. */
static struct wardi_link *fill(struct ward_self *self, struct wardi_link *link, uint32_t far_end)
{
	static const ward_exit_reason none;
	ward_system *system = self->system;
	bool room;

	if (link == NULL)
		return NULL;
	link->far_end = (uint8_t)far_end;
	wardi_links_lock(system);
	room = wardi_hash_reserve(&system->links);
	wardi_links_unlock(system);
	if (room)
		link->msg = wardi_exit_make(self, &none);
	if (link->msg == NULL) {
		wardi_link_free(self, link);
		return NULL;
	}
	/* Relaxed: an actor can know of a link only by a message from the actor that made it. */
	atomic_store_explicit(&system->links_begun, true, memory_order_relaxed);
	link->refs = 2; /* the linker's list, and LINK under way */
	for (uint32_t which = 0; which < WARDI_LINK_ENDS; which++) {
		link->ends[which].in_cell.arrival.node.kind = WARDI_SYS_LINK;
		link->ends[which].in_cell.arrival.which = which;
		link->ends[which].over.node.kind = WARDI_SYS_LINK_OVER;
	}
	return link;
}

struct wardi_link *wardi_link_make(struct ward_self *self)
{
	return fill(self, wardi_memory_get(self->from, sizeof(struct wardi_link)), WARDI_LINK_ENDS);
}

struct wardi_link *wardi_link_make_far(struct ward_self *self, uint32_t far_end, ward_ref far_ref,
				       ward_ref near_ref)
{
	struct wardi_link *link =
		fill(self, wardi_memory_get(self->from, sizeof(struct wardi_far_link)), far_end);
	struct ward_msg *order = NULL;
	uint32_t visit;

	if (link == NULL)
		return NULL;
	if (far_end == WARDI_LINKED)
		order = wardi_outgoing_make(self->from, WARD_CONTROL_LINK, near_ref, far_ref);
	if (far_end == WARDI_LINKED && order == NULL) {
		wardi_link_free(self, link);
		return NULL;
	}
	if (order != NULL)
		wardi_outgoing_of(order)->stand_in = wardi_far_stand_in(self, near_ref, far_ref);
	visit = wardi_visit(self->system, self);
	wardi_far_link_of(link)->owner = wardi_place_owner(self->system, wardi_ref_place(far_ref));
	if (order != NULL)
		wardi_far_address(self->system, order);
	wardi_visited(self->system, self, visit);
	wardi_far_link_of(link)->order = order;
	return link;
}

void wardi_link_free(struct ward_self *self, struct wardi_link *link)
{
	free_link(self->from, link);
}

/* ---- the table --------------------------------------------------------------------------- */

static bool is_pair(const struct wardi_hash_link *found, const void *key)
{
	const struct wardi_link *link = wardi_container_of(found, struct wardi_link, found);
	const struct wardi_link_pair *pair = key;
	ward_ref linker = wardi_link_ref(link, WARDI_LINKER);
	ward_ref linked = wardi_link_ref(link, WARDI_LINKED);

	return (ward_ref_equal(linker, pair->linker) && ward_ref_equal(linked, pair->linked)) ||
	       (ward_ref_equal(linker, pair->linked) && ward_ref_equal(linked, pair->linker));
}

/* The same for both orders of the pair. */
static uint64_t hash_of(const ward_system *system, struct wardi_link_pair pair)
{
	return wardi_hash_u64(system->seed, pair.linker.uid) +
	       wardi_hash_u64(system->seed, pair.linked.uid);
}

static bool is_living_pair(const struct wardi_hash_link *found, const void *key)
{
	const struct wardi_link *link = wardi_container_of(found, struct wardi_link, found);

	return link->state == WARDI_LINK_LIVES && is_pair(found, key);
}

static struct wardi_link *find(const ward_system *system, struct wardi_link_pair pair,
			       bool (*is)(const struct wardi_hash_link *found, const void *key))
{
	struct wardi_hash_link *found = NULL;

	if (system->links.count > 0)
		found = wardi_hash_find(&system->links, hash_of(system, pair), is, &pair);
	return found == NULL ? NULL : wardi_container_of(found, struct wardi_link, found);
}

struct wardi_link *wardi_link_find(const ward_system *system, struct wardi_link_pair pair)
{
	return find(system, pair, is_pair);
}

struct wardi_link *wardi_link_find_living(const ward_system *system, struct wardi_link_pair pair)
{
	return find(system, pair, is_living_pair);
}

void wardi_link_enter(ward_system *system, struct wardi_link *link, struct wardi_link_pair pair)
{
	link->ends[WARDI_LINKER].uid = pair.linker.uid;
	link->ends[WARDI_LINKER].over.which = wardi_ref_place(pair.linker);
	link->ends[WARDI_LINKED].uid = pair.linked.uid;
	link->ends[WARDI_LINKED].over.which = wardi_ref_place(pair.linked);
	if (!wardi_hash_insert(&system->links, &link->found, hash_of(system, pair)))
		wardi_fatal("ward: broken invariant: the table of links has lost its room");
}

void wardi_link_move_to_over(ward_system *system, struct wardi_link *link)
{
	wardi_hash_remove(&system->links, &link->found);
	link->state = WARDI_LINK_OVER;
}

bool wardi_link_is_there(ward_system *system, struct wardi_link_pair pair, struct wardi_link *link)
{
	bool there;

	wardi_links_lock(system);
	there = wardi_link_find(system, pair) != NULL;
	if (!there && link != NULL)
		wardi_link_enter(system, link, pair);
	wardi_links_unlock(system);
	return there;
}

/* ---- the list of a cell ------------------------------------------------------------------ */

void wardi_link_enlist(struct wardi_cell *cell, struct wardi_link *link, uint32_t which)
{
	wardi_watcher_enter(cell, &link->ends[which].in_cell);
	link->listed[which] = true;
}

unsigned wardi_link_delist(struct wardi_cell *cell, struct wardi_link *link, uint32_t which)
{
	if (!link->listed[which])
		return 0;
	wardi_watcher_leave(cell, &link->ends[which].in_cell);
	link->listed[which] = false;
	return 1;
}

/* ---- messages between the two ------------------------------------------------------------ */

static bool send_to(struct ward_self *self, struct wardi_link *link, uint32_t which,
		    struct wardi_sysmsg *msg)
{
	ward_system *system = self->system;
	uint64_t uid =
		which == link->far_end ? wardi_far_link_of(link)->owner : link->ends[which].uid;
	uint32_t visit = wardi_visit(system, self);
	struct wardi_cell *cell = wardi_table_open(system, uid);
	bool sent = cell != NULL && wardi_sys_send(self, cell, wardi_uid_gen(uid), msg);

	wardi_visited(system, self, visit); /* the link may be gone */
	return sent;
}

void wardi_link_over_in_vain(struct ward_self *self, struct wardi_link *link)
{
	wardi_links_lock(self->system);
	if (link->state == WARDI_LINK_ENDED)
		wardi_link_move_to_over(self->system, link);
	wardi_link_unlock_unref(self->system, self->from, link, 1);
}

void wardi_link_send_over(struct ward_self *self, struct wardi_link *link, uint32_t to)
{
	if (!send_to(self, link, to, &link->ends[to].over.node))
		wardi_link_over_in_vain(self, link);
}

void wardi_link_end_and_tell(struct ward_self *self, struct wardi_link *link, uint32_t which,
			     const ward_exit_reason *reason)
{
	wardi_links_lock(self->system);
	if (link->state != WARDI_LINK_LIVES) {
		wardi_link_unlock_unref(self->system, self->from, link, 1);
		return;
	}
	link->state = WARDI_LINK_ENDED;
	if (!link->said[which])
		wardi_exit_waiting(link->msg)->reason = *reason;
	wardi_links_unlock(self->system);
	wardi_link_send_over(self, link, 1 - which);
}

void wardi_link_answer_gone(struct ward_self *self, struct wardi_link *link)
{
	ward_exit_reason gone = wardi_exit_plain(link->far_end == WARDI_LINKED ? WARD_EXIT_UNREACHED
									       : WARD_EXIT_NOPROC);

	wardi_link_end_and_tell(self, link, WARDI_LINKED, &gone);
}

void wardi_link_send(struct ward_self *self, struct wardi_link *link)
{
	if (!send_to(self, link, WARDI_LINKED, &link->ends[WARDI_LINKED].in_cell.arrival.node))
		wardi_link_answer_gone(self, link);
}
