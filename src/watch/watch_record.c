/* SPDX-License-Identifier: MIT
 *
 * watch_record.c - the record of a watch: made, freed, and sent from one side to the other.
 *
 * References: the watcher's table, the watched side (WATCH, its list, NOTICE: one after the other),
 * and an UNWATCH on the way hold one each. What is sent to an actor of another place goes to the
 * actor of its association.
 *
 * What each watch costs is in the header, the rest is here.
 *
 * Threads: all functions may run at the same time, for different records.
 */
#include "watch/watch_record.h"

#include "base/memory.h"
#include "cell/places.h"
#include "cell/visit.h"
#include "mail/outgoing.h"
#include "send/far.h"

void wardi_watch_free_far(struct wardi_source from, struct wardi_watch *watch)
{
	struct wardi_far_watch *far = wardi_far_of(watch);

	if (far->order != NULL)
		wardi_msg_hand_over(from, far->order);
	if (far->detour != NULL)
		wardi_msg_free(from, far->detour);
	wardi_memory_put(from, far, sizeof *far);
}

/* Returns the actor of the association, for which the order is; 0: it is closed. */
static __attribute__((noinline)) uint64_t address(ward_system *system, struct ward_self *self,
						  struct ward_msg *order)
{
	uint32_t visit = wardi_visit(system, self);
	uint64_t uid = wardi_place_owner(system, wardi_ref_place(wardi_outgoing_to(order)));

	wardi_far_address(system, order);
	wardi_visited(system, self, visit);
	return uid;
}

bool wardi_watch_make_far(ward_system *system, struct ward_self *self, struct wardi_watch *watch,
			  ward_ref watcher, ward_ref target)
{
	struct wardi_far_watch *far = wardi_far_of(watch);

	far->order = wardi_outgoing_make(wardi_watch_source(system, self), WARD_CONTROL_WATCH,
					 watcher, target);
	if (far->order == NULL)
		return false;
	wardi_outgoing_of(far->order)->stand_in = wardi_far_stand_in(self, watcher, target);
	far->owner = address(system, self, far->order);
	return true;
}

void wardi_watch_go_straight(struct wardi_watch *watch)
{
	if (watch->role == WARDI_WATCH_FAR)
		wardi_outgoing_of(wardi_far_of(watch)->order)->stand_in = 0;
}

void wardi_watch_answer_gone(struct ward_self *self, struct wardi_watch *watch)
{
	watch->ending = (struct wardi_shown_end){
		.end = watch->role == WARDI_WATCH_FAR ? WARD_END_UNREACHED : WARD_END_UNKNOWN};
	wardi_watch_send_notice(self, watch);
}

void wardi_watch_send_unwatch(struct ward_self *self, struct wardi_watch *watch)
{
	/* Relaxed: the caller holds one already. */
	atomic_fetch_add_explicit(&watch->refs, 1, memory_order_relaxed);
	if (!wardi_watch_send_to(self, watch, wardi_watch_owner(watch), &watch->unwatch_node.node))
		wardi_watch_unref(self, watch); /* dead: its NOTICE is under way, or was here */
}
