/* SPDX-License-Identifier: MIT
 *
 * backpressure.c - senders that wait until a full mailbox has drained.
 *
 *	sender   push finds the mailbox full: goes in anyway; a record in the cell and in it
 *	         callback ends; held > 0: the cell is given up with mail unread, as when suspended
 *	reader   pops; half of the maximum is left: takes the records out, sends each to its cell
 *	sender   the record arrives as a system message: held - 1; at 0 user messages run again
 *
 * No wake-up is lost: a record is made only if the mailbox, under its own lock, still has too much
 * in it; it remembers under the same lock that somebody waits, and each pop looks at that. The
 * way back is that of every system message (mailbox.c), and being held is obeyed like a suspension:
 * so the model of the mailbox covers both.
 *
 * Nobody waits forever. Records are the edges of a graph: an actor waits for the owners of the
 * mailboxes that hold it. An actor that would close a circle is not held, and an event says so; nor
 * is an actor that owes a decision about a child (WARD_LATER), since that child may be the one to
 * drain the mailbox. A suspended owner is resumed, restarted or stopped by system messages, which
 * run in held actors; the end of the owner releases all actors that its mailbox holds. Without
 * memory for a record nobody is held.
 *
 * Threads: box->held, the table of records and their fields under holds_mu; a record on its way
 * back belongs to the cell; the holder of the cell writes cell->held.
 */
#include "send/backpressure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/text.h"
#include "cell/path.h"
#include "send/event.h"

enum { CIRCLE_MAX = 6 /* actors named in the event */ };
/* At least this long between two events about circles. */
static const int64_t quiet_ns = INT64_C(60) * 1000000000;

struct wardi_held_sender {
	struct wardi_sysmsg node; /* first: the way back */
	/* frozen */
	struct wardi_cell *cell; /* which is held */
	uint64_t uid;            /* its life */
	struct wardi_bounded *bounded;
	uint64_t owner; /* of the mailbox */
	/* under holds_mu */
	struct wardi_list in_bounded;
	struct wardi_hash_link
		first; /* by uid: of an actor's records the one that was made first */
	struct wardi_held_sender *next; /* of the same actor */
	/* under holds_mu, of the last search that came here */
	uint64_t search;
	struct wardi_held_sender *via;  /* from where; NULL: the start */
	struct wardi_held_sender *todo; /* the next edge to follow */
};

struct circle {
	uint64_t uids[CIRCLE_MAX]; /* each is held for the next */
	uint32_t count;            /* may be more than are named */
	uint64_t untold;           /* earlier circles without an event */
};

/* ---- by actor ---------------------------------------------------------------------------- */

static bool is_of(const struct wardi_hash_link *link, const void *key)
{
	return wardi_container_of(link, struct wardi_held_sender, first)->uid ==
	       *(const uint64_t *)key;
}

/* Under holds_mu: returns the records that hold that life back, oldest first. */
static struct wardi_held_sender *holds_of(ward_system *system, uint64_t uid)
{
	struct wardi_hash_link *link =
		wardi_hash_find(&system->holds, wardi_hash_u64(system->seed, uid), is_of, &uid);

	return link == NULL ? NULL : wardi_container_of(link, struct wardi_held_sender, first);
}

/* Under holds_mu. False: no memory. */
static bool enter(ward_system *system, struct wardi_held_sender *hold)
{
	struct wardi_held_sender *first = holds_of(system, hold->uid);

	if (first == NULL)
		return wardi_hash_insert(&system->holds, &hold->first,
					 wardi_hash_u64(system->seed, hold->uid));
	hold->next = first->next;
	first->next = hold;
	return true;
}

/* Under holds_mu. */
static void leave(ward_system *system, struct wardi_held_sender *hold)
{
	struct wardi_held_sender *at = holds_of(system, hold->uid);

	if (at != hold) {
		while (at->next != hold)
			at = at->next;
		at->next = hold->next;
		return;
	}
	wardi_hash_remove(&system->holds, &hold->first);
	if (hold->next != NULL) /* never refused: the table has buckets */
		(void)wardi_hash_insert(&system->holds, &hold->next->first,
					wardi_hash_u64(system->seed, hold->uid));
}

/* ---- circles ----------------------------------------------------------------------------- */

/* Puts the records that hold this actor on the list of edges to follow. */
static struct wardi_held_sender *follow(ward_system *system, uint64_t uid,
					struct wardi_held_sender *via,
					struct wardi_held_sender *todo)
{
	for (struct wardi_held_sender *hold = holds_of(system, uid); hold != NULL;
	     hold = hold->next) {
		if (hold->search == system->hold_searches)
			continue;
		hold->search = system->hold_searches;
		hold->via = via;
		hold->todo = todo;
		todo = hold;
	}
	return todo;
}

/* Whether `from` waits for `to`, directly or through others. Returns the last edge of the way, or
 * NULL. */
static struct wardi_held_sender *find_way(ward_system *system, uint64_t from, uint64_t to)
{
	struct wardi_held_sender *todo;

	system->hold_searches++;
	todo = follow(system, from, NULL, NULL);
	while (todo != NULL) {
		struct wardi_held_sender *hold = todo;

		if (hold->owner == to)
			return hold;
		todo = follow(system, hold->owner, hold, hold->todo);
	}
	return NULL;
}

/* Whether a circle would close if `who` waited for `owner`; fills in the actors of the circle. */
static bool closes_circle(ward_system *system, uint64_t who, uint64_t owner, struct circle *circle)
{
	struct wardi_held_sender *last = who == owner ? NULL : find_way(system, owner, who);

	if (who != owner && last == NULL)
		return false;
	/* From the last edge back: each of them leads to the one before it in the list. */
	circle->uids[0] = who;
	circle->count = 1;
	for (; last != NULL; last = last->via) {
		if (circle->count < CIRCLE_MAX)
			circle->uids[circle->count] = last->uid;
		circle->count++;
	}
	return true;
}

/* Under holds_mu: whether an event about the circle is due. */
static bool is_news(ward_system *system, struct circle *circle)
{
	int64_t now_ns = wardi_clock_now(&system->clock);

	circle->untold = system->hold_untold;
	if (system->hold_told && now_ns - system->hold_told_ns < quiet_ns) {
		system->hold_untold++;
		return false;
	}
	system->hold_told = true;
	system->hold_told_ns = now_ns;
	system->hold_untold = 0;
	return true;
}

/* Appends to the text, which is cut to fit. */
static void add_to_way(char way[WARD_EVENT_TEXT], const char *arrow, const char *path)
{
	size_t length = strlen(way);

	snprintf(way + length, WARD_EVENT_TEXT - length, "%s%s", arrow, path);
}

/* A circle of one: the actor would wait for itself. */
static void tell_own(struct ward_self *self, const struct circle *circle)
{
	wardi_event_note(self->system, self, WARD_LEVEL_WARNING, wardi_own_ref(self),
			 "sends to itself while its own mailbox is full, so it is not held: it "
			 "would wait for itself (%" PRIu64 " circles before untold)",
			 circle->untold);
}

/* "a -> b -> a": each is held for the mailbox of the next. */
static void tell(struct ward_self *self, const struct circle *circle)
{
	uint32_t named = circle->count < CIRCLE_MAX ? circle->count : CIRCLE_MAX;
	char way[WARD_EVENT_TEXT] = "";

	if (circle->count == 1) {
		tell_own(self, circle);
		return;
	}
	for (uint32_t i = 0; i <= named; i++) {
		/* The list runs against the arrows. */
		uint64_t uid = circle->uids[(named - i) % named];
		char path[WARD_EVENT_PATH];

		if (i == 1 && circle->count > named)
			add_to_way(way, " -> ", "...");
		wardi_path_tail(self->system, wardi_ref_make(uid, self->system->place), path,
				sizeof path);
		add_to_way(way, i == 0 ? "" : " -> ", path);
	}
	wardi_event_note(self->system, self, WARD_LEVEL_WARNING, wardi_own_ref(self),
			 "full mailboxes would hold their senders in a circle, so it is not held: "
			 "%.*s (%" PRIu64 " circles before untold)",
			 WARD_TEXT_FIT(way, 140), circle->untold);
}

/* ---- being held -------------------------------------------------------------------------- */

static void set_held(struct wardi_cell *cell, uint16_t count)
{
	/* Relaxed: the holder writes it, and is the only thread that obeys it. */
	atomic_store_explicit(&cell->held, count, memory_order_relaxed);
	wardi_cell_judge(cell);
}

static bool is_held_by(ward_system *system, uint64_t uid, const struct wardi_bounded *bounded)
{
	for (const struct wardi_held_sender *hold = holds_of(system, uid); hold != NULL;
	     hold = hold->next)
		if (hold->bounded == bounded)
			return true;
	return false;
}

/* Under holds_mu. */
static void link_hold(struct wardi_held_sender *hold)
{
	wardi_list_append(&hold->bounded->held, &hold->in_bounded);
	set_held(hold->cell, (uint16_t)(wardi_cell_held(hold->cell) + 1));
}

/* Under holds_mu. */
static void unlink_hold(ward_system *system, struct wardi_held_sender *hold)
{
	leave(system, hold);
	wardi_list_remove(&hold->in_bounded);
}

/* Under holds_mu. NULL: no memory. */
static struct wardi_held_sender *make(struct ward_self *self, struct wardi_bounded *bounded,
				      uint64_t owner)
{
	struct wardi_held_sender *hold = wardi_memory_get(self->from, sizeof *hold);

	if (hold == NULL)
		return NULL;
	hold->node.kind = WARDI_SYS_RELEASED;
	hold->cell = self->cell;
	hold->uid = self->cell->uid;
	hold->bounded = bounded;
	hold->owner = owner;
	if (enter(self->system, hold))
		return hold;
	wardi_memory_put(self->from, hold, sizeof *hold);
	return NULL;
}

void wardi_backpressure_hold(struct ward_self *self, struct wardi_bounded *bounded, uint64_t owner)
{
	ward_system *system = self->system;
	struct wardi_cell *cell = self->cell;
	struct wardi_held_sender *hold = NULL;
	struct circle circle;
	bool news = false, wanted = false;

	/* Not in a callback: a message that a simulation delays, whose callback is long over. */
	if (!self->callback || wardi_cell_owes_decision(cell))
		return;
	wardi_mutex_lock(&system->holds_mu);
	if (!is_held_by(system, cell->uid, bounded)) {
		if (closes_circle(system, cell->uid, owner, &circle))
			news = is_news(system, &circle);
		else
			wanted = wardi_cell_held(cell) < UINT16_MAX;
	}
	if (wanted && (hold = make(self, bounded, owner)) == NULL)
		wardi_count(&system->counters.shortages);
	if (hold != NULL && wardi_bounded_holds_back(bounded, owner)) {
		link_hold(hold);
		hold = NULL;
	}
	if (hold != NULL) /* it has drained since then */
		leave(system, hold);
	wardi_mutex_unlock(&system->holds_mu);
	if (hold != NULL)
		wardi_memory_put(self->from, hold, sizeof *hold);
	if (news)
		tell(self, &circle);
}

void wardi_backpressure_drained(struct ward_self *self, struct wardi_bounded *bounded)
{
	ward_system *system = self->system;

	wardi_mutex_lock(&system->holds_mu);
	if (wardi_bounded_lets_go(bounded)) {
		while (!wardi_list_empty(&bounded->held)) {
			struct wardi_held_sender *hold = wardi_container_of(
				bounded->held.next, struct wardi_held_sender, in_bounded);

			unlink_hold(system, hold);
			/* A life withdraws its records before its lane is closed. */
			if (!wardi_sys_send(self, hold->cell, wardi_uid_gen(hold->uid),
					    &hold->node))
				wardi_fatal(
					"ward: broken invariant: an actor is held after its end");
		}
	}
	wardi_mutex_unlock(&system->holds_mu);
}

void wardi_backpressure_over(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_held_sender *hold = wardi_container_of(msg, struct wardi_held_sender, node);

	set_held(hold->cell, (uint16_t)(wardi_cell_held(hold->cell) - 1));
	wardi_memory_put(self->from, hold, sizeof *hold);
}

void wardi_backpressure_withdraw(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_held_sender *hold;

	if (wardi_cell_held(cell) == 0)
		return;
	wardi_mutex_lock(&self->system->holds_mu);
	while ((hold = holds_of(self->system, cell->uid)) != NULL) {
		unlink_hold(self->system, hold);
		wardi_backpressure_over(self, &hold->node);
	}
	wardi_mutex_unlock(&self->system->holds_mu);
}

uint64_t wardi_backpressure_by(ward_system *system, struct wardi_cell *cell, uint64_t uid)
{
	const struct wardi_held_sender *first;
	uint64_t owner;

	if (wardi_cell_held(cell) == 0)
		return 0;
	wardi_mutex_lock(&system->holds_mu);
	first = holds_of(system, uid);
	owner = first == NULL ? 0 : first->owner;
	wardi_mutex_unlock(&system->holds_mu);
	return owner;
}
