/* SPDX-License-Identifier: MIT
 *
 * far_watch.c - watches with an actor of another place at one end; the association's actor is there
 * in its stead.
 *
 *	an actor here watches one of the peer      one of the peer watches an actor here
 *
 *	watcher -- WATCH --> association           association -- WATCH --> watched
 *	                       | control WATCH ->    ^ <- control WATCH
 *	                       ^ <- TERMINATED       | TERMINATED ->
 *	watcher <- NOTICE -----+     or its end    association <- NOTICE -- watched
 *
 * So the end of the association is the end of a watched actor, with one notice for each watch; and
 * a notice comes behind what the watched sent before, on both sides, as all of it goes through one
 * mailbox in order. Two watches of one pair are alike, so a control message ends any or all of
 * them: WATCH and UNWATCH are counted, TERMINATED ends all that are there.
 *
 * Threads: runs only on the holder's worker, the association's.
 */
#include "watch/far_watch.h"

#include <string.h>

#include "base/assert.h"
#include "mail/outgoing.h"

struct pair {
	ward_ref watcher, target;
};

static struct pair pair_of(const struct wardi_watch *watch)
{
	ward_ref watcher = wardi_ref_make(watch->watcher, watch->place);

	if (watch->role == WARDI_WATCH_FOR_FAR)
		watcher = wardi_outgoing_to(watch->msg);
	return (struct pair){watcher, wardi_watch_target(watch)};
}

static bool is_pair(const struct wardi_hash_link *link, const void *key)
{
	const struct wardi_far_watch *far =
		wardi_container_of(link, struct wardi_far_watch, paired);
	const struct pair *wanted = key;
	struct pair pair = pair_of(&far->watch);

	return ward_ref_equal(pair.watcher, wanted->watcher) &&
	       ward_ref_equal(pair.target, wanted->target);
}

static uint64_t hash_of(const struct ward_self *self, struct pair pair)
{
	uint64_t seed = self->system->seed;

	return wardi_hash_u64(seed, pair.watcher.uid) + wardi_hash_u64(~seed, pair.target.uid);
}

static struct wardi_watch *find(struct ward_self *self, ward_ref watcher, ward_ref target)
{
	struct pair pair = {watcher, target};
	struct wardi_hash_link *link = wardi_hash_find(&wardi_association_of(self)->watches,
						       hash_of(self, pair), is_pair, &pair);

	return link == NULL ? NULL
			    : &wardi_container_of(link, struct wardi_far_watch, paired)->watch;
}

static void insert(struct wardi_association *association, struct wardi_far_watch *far,
		   uint64_t hash)
{
	if (!wardi_hash_insert(&association->watches, &far->paired, hash))
		wardi_fatal(
			"ward: broken invariant: the table of an association has lost its room");
	far->in_table = WARDI_FAR_PAIRED;
}

static void enter(struct ward_self *self, struct wardi_watch *watch)
{
	struct wardi_far_watch *far = wardi_far_of(watch);
	struct pair pair = pair_of(watch);
	struct wardi_watch *first = find(self, pair.watcher, pair.target);

	wardi_list_init(&far->alike);
	if (first == NULL) {
		insert(wardi_association_of(self), far, hash_of(self, pair));
		return;
	}
	wardi_list_append(&wardi_far_of(first)->alike, &far->alike);
	far->in_table = WARDI_FAR_ALIKE;
}

/* An actor may have thousands of questions to another: each of them is a watch of that pair. */
static void leave(struct wardi_association *association, struct wardi_watch *watch)
{
	struct wardi_far_watch *far = wardi_far_of(watch);
	struct wardi_list *other;

	if (far->in_table == WARDI_FAR_NOWHERE)
		return;
	other = wardi_list_empty(&far->alike) ? NULL : far->alike.next;
	wardi_list_remove(&far->alike);
	if (far->in_table == WARDI_FAR_PAIRED) {
		wardi_hash_remove(&association->watches, &far->paired);
		if (other != NULL)
			insert(association,
			       wardi_container_of(other, struct wardi_far_watch, alike),
			       far->paired.hash);
	}
	far->in_table = WARDI_FAR_NOWHERE;
}

/* ---- an actor here watches one of the peer ----------------------------------------------- */

bool wardi_far_enter(struct ward_self *self, struct wardi_watch *watch)
{
	struct wardi_association *association = wardi_association_of(self);
	struct wardi_far_watch *far = wardi_far_of(watch);
	struct ward_msg *order = far->order;

	if (association == NULL || !wardi_is_of_peer(association, wardi_watch_target(watch)) ||
	    wardi_outgoing_life(order) != association->life)
		return false;
	far->order = NULL;
	enter(self, watch);
	wardi_association_add(self, order);
	return true;
}

/* The peer keeps its watch if there is no memory to say so: what it says then finds none here. */
void wardi_far_left(struct ward_self *self, struct wardi_watch *watch)
{
	struct pair pair = pair_of(watch);
	struct ward_msg *order;

	leave(wardi_association_of(self), watch);
	order = wardi_outgoing_make(self->from, WARD_CONTROL_UNWATCH, pair.watcher, pair.target);
	if (order == NULL)
		wardi_count(&self->system->counters.shortages);
	else
		wardi_association_add(self, order);
}

/* Ends the watch with a notice. */
static void notify(struct ward_self *self, struct wardi_association *association,
		   struct wardi_watch *watch, const struct wardi_shown_end *ending)
{
	leave(association, watch);
	wardi_watcher_leave(self->cell, &watch->in_cell);
	watch->linked = false;
	watch->ending = *ending;
	wardi_watch_send_notice(self, watch);
}

ward_err wardi_far_terminated(struct ward_self *self, const struct ward_outgoing *in)
{
	struct wardi_shown_end ending = {.failure_class = in->failure_class, .end = in->end};
	struct wardi_watch *watch;

	memcpy(ending.name, in->name, sizeof ending.name);
	while ((watch = find(self, in->to, in->from)) != NULL)
		notify(self, wardi_association_of(self), watch, &ending);
	return WARD_OK;
}

/* ---- an actor of the peer watches one here ----------------------------------------------- */

/* Ends the watch; its notice may be under way. */
static void end(struct ward_self *self, struct wardi_association *association,
		struct wardi_watch *watch)
{
	leave(association, watch);
	watch->active = false;
	wardi_msg_hand_over(self->from, watch->msg);
	watch->msg = NULL;
	wardi_watch_send_unwatch(self, watch);
	wardi_watch_unref(self, watch);
}

/* Makes it, and the detour that it takes if the watcher has a stand-in here. False: no memory. */
static bool make_notice(struct ward_self *self, struct wardi_watch *watch,
			const struct ward_outgoing *in)
{
	struct wardi_far_watch *far = wardi_far_of(watch);

	if (!ward_ref_is_nobody(in->stand_in)) {
		far->detour = wardi_detour_make(self->from, in->stand_in);
		if (far->detour == NULL)
			return false;
	}
	watch->msg = wardi_outgoing_end_make(self->from, WARD_CONTROL_TERMINATED, in->to, in->from);
	return watch->msg != NULL;
}

ward_err wardi_far_watch(struct ward_self *self, const struct ward_outgoing *in)
{
	struct wardi_watch *watch = wardi_watch_make(self->system, self, wardi_own_ref(self),
						     in->to, WARDI_WATCH_FOR_FAR);

	if (watch == NULL)
		return wardi_no_memory(self->system, "ward_incoming: no memory for a watch");
	if (!make_notice(self, watch, in)) {
		wardi_watch_unref(self, watch);
		wardi_watch_unref(self, watch);
		return wardi_no_memory(self->system, "ward_incoming: no memory for a watch");
	}
	watch->active = true;
	enter(self, watch);
	wardi_watch_send(self, watch);
	return WARD_OK;
}

ward_err wardi_far_unwatch(struct ward_self *self, const struct ward_outgoing *in)
{
	struct wardi_watch *watch = find(self, in->from, in->to);

	if (watch != NULL)
		end(self, wardi_association_of(self), watch);
	return WARD_OK;
}

void wardi_far_notice(struct ward_self *self, struct wardi_watch *watch)
{
	struct wardi_outgoing_end *end = wardi_outgoing_end_of(watch->msg);
	struct ward_msg *msg = watch->msg, *detour = wardi_far_of(watch)->detour;

	leave(wardi_association_of(self), watch);
	watch->active = false;
	watch->msg = NULL;
	wardi_far_of(watch)->detour = NULL;
	end->end = watch->ending.end;
	end->failure_class = watch->ending.failure_class;
	memcpy(end->name, watch->ending.name, sizeof end->name);
	wardi_association_add_end(self, msg, detour);
	wardi_watch_unref(self, watch); /* the table's */
	wardi_watch_unref(self, watch); /* that of NOTICE */
}

/* ---- the end ----------------------------------------------------------------------------- */

void wardi_far_watches_over(struct ward_self *self, struct wardi_association *association)
{
	static const struct wardi_shown_end unreached = {.end = WARD_END_UNREACHED};
	struct wardi_hash_link *link;

	while ((link = wardi_hash_any(&association->watches)) != NULL) {
		struct wardi_watch *watch =
			&wardi_container_of(link, struct wardi_far_watch, paired)->watch;

		if (watch->role == WARDI_WATCH_FAR)
			notify(self, association, watch, &unreached);
		else
			end(self, association, watch);
	}
}
