/* SPDX-License-Identifier: MIT
 *
 * watch_record.c - the record of a watch: made, freed, and sent from one side to the other.
 *
 * References: the watcher's table, the watched side (WATCH, its list, NOTICE: one after the other),
 * and an UNWATCH on the way hold one each. What is sent to an actor of another place goes to the
 * actor of its association.
 *
 * Threads   all functions may run at the same time, for different records
 * Pairs     [W1] unref: release - acquire by the last reference, which frees
 */
#include "watch/watch_record.h"

#include "base/assert.h"
#include "base/memory.h"
#include "cell/places.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "mail/outgoing.h"
#include "mail/ref.h"
#include "send/waiter.h"

static struct wardi_source source(ward_system *system, struct ward_self *self)
{
	return self == NULL ? wardi_outside_source(system) : self->from;
}

/* The sizes are constants where memory is taken and put back: a size that is not known costs a
 * search and a call each time. */
static __attribute__((noinline)) void free_far(struct wardi_source from, struct wardi_watch *watch)
{
	struct wardi_far_watch *far = wardi_far_of(watch);

	if (far->order != NULL)
		wardi_msg_hand_over(from, far->order);
	wardi_memory_put(from, far, sizeof *far);
}

void wardi_watch_unref(struct ward_self *self, struct wardi_watch *watch)
{
	struct wardi_source from;

	/* The only reference has nobody to race with: only its owner could take another one. */
	if (atomic_load_explicit(&watch->refs, memory_order_acquire) != 1 &&       /* [W1] */
	    atomic_fetch_sub_explicit(&watch->refs, 1, memory_order_acq_rel) != 1) /* [W1] */
		return;
	from = source(watch->system, self);
	wardi_assert(watch->msg == NULL); /* it went with the watcher's reference */
	if (watch->token != NULL)
		wardi_msg_free(from, watch->token);
	if (watch->role == WARDI_WATCH_NEAR)
		wardi_memory_put(from, watch, sizeof *watch);
	else
		free_far(from, watch);
}

/* Returns the actor of the association; 0: it is closed. */
static __attribute__((noinline)) uint64_t owner_of(ward_system *system, struct ward_self *self,
						   uint32_t place)
{
	uint32_t visit = wardi_visit(system, self);
	uint64_t uid = wardi_place_owner(system, place);

	wardi_visited(system, self, visit);
	return uid;
}

/* False: no memory. */
static bool make_far(ward_system *system, struct ward_self *self, struct wardi_watch *watch,
		     ward_ref watcher, ward_ref target)
{
	struct wardi_far_watch *far = wardi_far_of(watch);

	far->owner = owner_of(system, self, wardi_ref_place(target));
	far->order = wardi_outgoing_make(source(system, self), WARD_CONTROL_WATCH, watcher, target);
	return far->order != NULL;
}

/* Returns zeroed memory for a record. NULL: none. */
static inline struct wardi_watch *take(struct wardi_source from, enum wardi_watch_role role)
{
	struct wardi_far_watch *far;

	if (__builtin_expect(role == WARDI_WATCH_NEAR, 1))
		return wardi_memory_get(from, sizeof(struct wardi_watch));
	far = wardi_memory_get(from, sizeof *far);
	return far == NULL ? NULL : &far->watch;
}

struct wardi_watch *wardi_watch_make(ward_system *system, struct ward_self *self, ward_ref watcher,
				     ward_ref target, enum wardi_watch_role role)
{
	struct wardi_watch *watch = take(source(system, self), role);

	if (watch == NULL)
		return NULL;
	atomic_init(&watch->refs, 2); /* the watcher's table, and WATCH under way */
	watch->system = system;
	watch->watcher = watcher.uid;
	watch->place = wardi_ref_place(watcher);
	watch->target = target.uid;
	watch->unwatch_node.which = wardi_ref_place(target);
	watch->role = (uint8_t)role;
	watch->in_cell.arrival.node.kind = WARDI_SYS_WATCH;
	watch->unwatch_node.node.kind = WARDI_SYS_UNWATCH;
	watch->notice_node.node.kind = WARDI_SYS_NOTICE;
	if (role != WARDI_WATCH_FAR || make_far(system, self, watch, watcher, target))
		return watch;
	free_far(source(system, self), watch);
	return NULL;
}

/* ---- messages between the two ------------------------------------------------------------ */

static bool send_to(struct ward_self *self, struct wardi_watch *watch, uint64_t to,
		    struct wardi_sysmsg *msg)
{
	ward_system *system = watch->system;
	uint32_t visit = wardi_visit(system, self);
	struct wardi_cell *cell = wardi_table_open(system, to);
	bool sent = cell != NULL && wardi_sys_send(self, cell, wardi_uid_gen(to), msg);

	wardi_visited(system, self, visit); /* the watch may be gone */
	return sent;
}

/* Returns the uid of the actor that the watch hangs on. */
static inline uint64_t target_of(struct wardi_watch *watch)
{
	return watch->role == WARDI_WATCH_FAR ? wardi_far_of(watch)->owner : watch->target;
}

void wardi_watch_send_notice(struct ward_self *self, struct wardi_watch *watch)
{
	if (watch->place != watch->system->place) {
		if (watch->ending.end == WARD_END_UNREACHED)
			wardi_waiter_unreached(watch->system, watch->watcher);
		else
			wardi_waiter_gone(watch->system, watch->watcher);
		wardi_watch_unref(self, watch);
	} else if (!send_to(self, watch, watch->watcher, &watch->notice_node.node)) {
		wardi_watch_unref(self, watch); /* the watcher is gone, too */
	}
}

void wardi_watch_answer_gone(struct ward_self *self, struct wardi_watch *watch)
{
	watch->ending = (struct wardi_shown_end){
		.end = watch->role == WARDI_WATCH_FAR ? WARD_END_UNREACHED : WARD_END_UNKNOWN};
	wardi_watch_send_notice(self, watch);
}

void wardi_watch_send(struct ward_self *self, struct wardi_watch *watch)
{
	if (!send_to(self, watch, target_of(watch), &watch->in_cell.arrival.node))
		wardi_watch_answer_gone(self, watch);
}

void wardi_watch_send_unwatch(struct ward_self *self, struct wardi_watch *watch)
{
	/* Relaxed: the caller holds one already. */
	atomic_fetch_add_explicit(&watch->refs, 1, memory_order_relaxed);
	if (!send_to(self, watch, target_of(watch), &watch->unwatch_node.node))
		wardi_watch_unref(self, watch); /* dead: its NOTICE is under way, or was here */
}
