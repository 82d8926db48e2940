/* SPDX-License-Identifier: MIT
 *
 * watch.c - death watch: exactly one notice for each watch, whatever races with the end.
 *
 *	watcher                                watched
 *	  table: watch -- WATCH ----------------> list of watchers
 *	                                              | dies: closes its lane first
 *	  NOTICE <------------------------------------+
 *	    | its message is appended to the own mailbox, behind earlier mail of the watched actor
 *	  delivered, if the watch is still in the table
 *
 * One record serves both sides; it is allocated when the watch is made, with the message it will
 * become and the three system messages it may need. References: the watcher's table, the watched
 * side (WATCH, its list, NOTICE: one after the other), and an UNWATCH on the way hold one each. A
 * watch of a question, or of an end that waits, is in no table: it notifies ask.c or represent.c.
 *
 * The watch in the table knows its message that waits in the mailbox. Without a watch the message
 * stays there and says nothing. Where that is not enough (a question, or a message that the runtime
 * handles itself, such as a pill), a token stands in the mailbox and holds a reference to the
 * record. Once delivered, the message no longer belongs to the record. In a stash it has a mark,
 * for unwatch.
 *
 * Threads   active, msg, token: holder of the watcher; in_cell, linked: holder of the watched
 *           ending: written by the sender of NOTICE, read by its receiver
 * Pairs     [W1] unref: release - acquire by the last reference, which frees
 */
#include "watch/watch.h"

#include <string.h>

#include <ward/extend.h>

#include "actor/ask.h"
#include "actor/rare.h"
#include "actor/represent.h"
#include "actor/stash.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cell/ending.h"
#include "cell/path.h"
#include "cell/places.h"
#include "mail/auto_received.h"
#include "mail/ref.h"
#include "send/deliver.h"
#include "send/event.h"
#include "send/far.h"
#include "send/waiter.h"
#include "watch/far_watch.h"
#include "watch/link.h"

/* ---- the record -------------------------------------------------------------------------- */

/* Whether the watched is an actor of another place. */
static enum wardi_watch_role role_for(const ward_system *system, ward_ref who)
{
	return wardi_ref_is_here(system->place, who) ? WARDI_WATCH_NEAR : WARDI_WATCH_FAR;
}

static struct ward_msg *make_token(struct ward_self *self, struct wardi_watch *watch)
{
	struct wardi_token token = {0, watch};

	return wardi_msg_make(self->from, &wardi_type_notice, &token, sizeof token);
}

/* ---- the watched ------------------------------------------------------------------------- */

/* Publishes that the actor is watched, or no longer watched (S85). */
static void say(struct ward_self *self, const struct wardi_watch *watch, const char *how)
{
	ward_system *system = self->system;
	ward_event event;

	if (!wardi_event_wanted(system, WARD_EVENT_WATCH))
		return;
	wardi_event_begin(system, &event, WARD_EVENT_WATCH, WARD_LEVEL_DEBUG, wardi_own_ref(self));
	if (watch->place == system->place) {
		event.sender = wardi_ref_make(watch->watcher, watch->place);
		wardi_path_tail(system, event.sender, event.sender_path, sizeof event.sender_path);
	} else {
		wardi_text_copy(event.sender_path, sizeof event.sender_path, "a thread outside");
	}
	ward_text_format(event.text, sizeof event.text, "%s %s", how, event.sender_path);
	wardi_event_publish(system, self, &event);
}

static inline void begin_here(struct ward_self *self, struct wardi_watch *watch)
{
	wardi_watcher_enter(self->cell, &watch->in_cell);
	watch->linked = true;
	say(self, watch, "now watched by");
}

/* Apart, so that other watches need no look at more than the role. */
static __attribute__((noinline)) void begin_far(struct ward_self *self, struct wardi_watch *watch)
{
	if (wardi_far_enter(self, watch))
		begin_here(self, watch);
	else
		wardi_watch_answer_gone(self, watch);
}

void wardi_watch_arrived(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_watch *watch =
		wardi_container_of(msg, struct wardi_watch, in_cell.arrival.node);

	if (watch->role == WARDI_WATCH_FAR)
		begin_far(self, watch);
	else
		begin_here(self, watch);
}

void wardi_unwatch_arrived(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_watch *watch = wardi_container_of(msg, struct wardi_watch, unwatch_node.node);

	if (watch->linked) {
		wardi_watcher_leave(self->cell, &watch->in_cell);
		watch->linked = false;
		if (watch->role == WARDI_WATCH_FAR)
			wardi_far_left(self, watch);
		say(self, watch, "no longer watched by");
		wardi_watch_unref(self, watch);
	}
	wardi_watch_unref(self, watch);
}

static void tell(struct ward_self *self, struct wardi_watcher *watcher,
		 const struct wardi_ending *ending)
{
	struct wardi_watch *watch = wardi_container_of(watcher, struct wardi_watch, in_cell);

	if (wardi_watcher_is_link(watcher)) {
		wardi_link_tell(self, watcher, ending);
		return;
	}
	watch->linked = false;
	watch->ending = ending->shown;
	wardi_watch_send_notice(self, watch);
}

void wardi_watch_tell_all(struct ward_self *self, struct wardi_watcher *watchers,
			  const struct wardi_ending *ending)
{
	struct wardi_watcher *oldest = NULL;

	/* The list has the newest first; the oldest watcher is notified first. */
	while (watchers != NULL) {
		struct wardi_watcher *next = watchers->next;

		watchers->next = oldest;
		oldest = watchers;
		watchers = next;
	}
	while (oldest != NULL) {
		struct wardi_watcher *next = oldest->next;

		tell(self, oldest, ending);
		oldest = next;
	}
}

void wardi_watch_answer_dead(struct ward_self *self, struct wardi_sysmsg *msg)
{
	switch (msg->kind) {
	case WARDI_SYS_WATCH:
		wardi_watch_answer_gone(
			self, wardi_container_of(msg, struct wardi_watch, in_cell.arrival.node));
		break;
	case WARDI_SYS_UNWATCH:
		wardi_watch_unref(self,
				  wardi_container_of(msg, struct wardi_watch, unwatch_node.node));
		break;
	case WARDI_SYS_NOTICE:
		wardi_watch_unref(self,
				  wardi_container_of(msg, struct wardi_watch, notice_node.node));
		break;
	default:
		wardi_fatal("ward: broken invariant: a message of kind %d is for another life",
			    (int)msg->kind);
	}
}

/* ---- the watcher's table ----------------------------------------------------------------- */

static bool is_target(const struct wardi_hash_link *link, const void *key)
{
	const ward_ref *who = key;

	return ward_ref_equal(
		wardi_watch_target(wardi_container_of(link, struct wardi_watch, found)), *who);
}

static uint64_t hash_of(const struct ward_self *self, ward_ref who)
{
	return wardi_hash_u64(self->system->seed, who.uid);
}

static struct wardi_watch *find_hashed(const struct ward_self *self, ward_ref target, uint64_t hash)
{
	const struct wardi_hash *table = self->cell->rare->watching;
	struct wardi_hash_link *link =
		table == NULL ? NULL : wardi_hash_find(table, hash, is_target, &target);

	return link == NULL ? NULL : wardi_container_of(link, struct wardi_watch, found);
}

static struct wardi_watch *find(const struct ward_self *self, ward_ref target)
{
	return find_hashed(self, target, hash_of(self, target));
}

static bool enter(struct ward_self *self, struct wardi_watch *watch, uint64_t hash)
{
	struct wardi_cell *cell = self->cell;

	if (cell->rare->watching == NULL) {
		struct wardi_rare *rare = wardi_rare_of(self);

		if (rare != NULL)
			rare->watching =
				wardi_alloc_zeroed(&self->system->alloc, sizeof *rare->watching);
		if (cell->rare->watching == NULL)
			return false;
		wardi_hash_init(cell->rare->watching, &self->system->alloc);
	}
	watch->active = wardi_hash_insert(cell->rare->watching, &watch->found, hash);
	return watch->active;
}

static void leave(struct ward_self *self, struct wardi_watch *watch)
{
	wardi_hash_remove(self->cell->rare->watching, &watch->found);
	watch->active = false;
}

/* The message is in the mailbox and cannot be taken out: marks it, so that it is skipped. In a
 * bounded mailbox senders look at its type. */
static void silence(struct ward_self *self, struct ward_msg *msg)
{
	/* Relaxed: made in this life, by this thread. */
	struct wardi_bounded *bounded =
		atomic_load_explicit(&self->cell->mailbox.bounded, memory_order_relaxed);

	wardi_msg_drop(self->from, msg);
	wardi_msg_free_body(self->from, msg);
	if (bounded != NULL)
		wardi_mutex_lock(&bounded->mu);
	msg->type = wardi_msg_tagged(&wardi_type_forgotten, wardi_msg_form(msg)) |
		    WARDI_MSG_AUTO_RECEIVED;
	if (bounded != NULL)
		wardi_mutex_unlock(&bounded->mu);
}

static void end(struct ward_self *self, struct wardi_watch *watch)
{
	leave(self, watch);
	if (watch->queued)
		silence(self, watch->msg);
	else
		wardi_msg_destroy(self->from, watch->msg);
	watch->msg = NULL;
	wardi_watch_send_unwatch(self, watch);
	wardi_watch_unref(self, watch);
}

void wardi_watch_end_all(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;
	struct wardi_hash_link *link;

	wardi_stash_forget(self, WARDI_ENDS_WATCHED, ward_nobody());
	if (cell->rare->watching == NULL)
		return;
	while ((link = wardi_hash_any(cell->rare->watching)) != NULL)
		end(self, wardi_container_of(link, struct wardi_watch, found));
	wardi_hash_finish(cell->rare->watching);
	wardi_free(&self->system->alloc, cell->rare->watching, sizeof *cell->rare->watching);
	cell->rare->watching = NULL;
}

void wardi_watch_forget(struct ward_self *self, ward_ref who)
{
	struct wardi_watch *watch;

	wardi_stash_forget(self, WARDI_ENDS_WATCHED, who);
	watch = find(self, who);
	if (watch != NULL)
		end(self, watch);
}

/* ---- a notice ---------------------------------------------------------------------------- */

/* Of a watch without a message for this actor: it stands for an actor of the peer, or waits for the
 * end of another one (represent.c). */
static __attribute__((noinline)) void notice_for_others(struct ward_self *self,
							struct wardi_watch *watch)
{
	if (watch->role == WARDI_WATCH_FOR_FAR) {
		wardi_far_notice(self, watch);
		return;
	}
	wardi_represent_gone(self);
	wardi_watch_unref(self, watch);
}

void wardi_notice_arrived(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_watch *watch = wardi_container_of(msg, struct wardi_watch, notice_node.node);
	struct ward_msg *token = watch->token;

	if (!watch->active) { /* unwatched since then, or stopping (S63, S64) */
		wardi_watch_unref(self, watch);
		return;
	}
	if (token != NULL) {
		watch->token = NULL;
		wardi_deliver_own(self, token);
		return;
	}
	if (__builtin_expect(watch->msg == NULL || watch->role == WARDI_WATCH_FOR_FAR, 0)) {
		notice_for_others(self, watch);
		return;
	}
	if (!watch->custom)
		wardi_end_fill_notice(&watch->ending, wardi_msg_bytes(watch->msg));
	watch->queued = true;
	wardi_deliver_own(self, watch->msg);
	/* Relaxed: the other one is the table's: no UNWATCH was sent. */
	wardi_assert(atomic_load_explicit(&watch->refs, memory_order_relaxed) == 2);
	atomic_store_explicit(&watch->refs, 1, memory_order_relaxed);
}

bool wardi_notice_here(struct ward_self *self, const struct ward_msg *msg)
{
	struct wardi_watch *watch = find(self, wardi_msg_sender(msg));

	if (watch == NULL || watch->msg != msg)
		return false;
	leave(self, watch);
	watch->msg = NULL;
	wardi_watch_unref(self, watch);
	return true;
}

struct ward_msg *wardi_notice_due(struct ward_self *self, const struct ward_msg *msg)
{
	struct wardi_watch *watch = ((const struct wardi_token *)wardi_msg_bytes(msg))->record;
	struct ward_msg *due = NULL;

	if (watch->active && watch->question != 0) {
		due = wardi_ask_target_gone(
			self, watch->question,
			watch->ending.end == WARD_END_UNREACHED ? WARD_EUNREACHED : WARD_EDEAD);
	} else if (watch->active) {
		leave(self, watch);
		due = watch->msg;
		watch->msg = NULL;
		wardi_watch_unref(self, watch);
	}
	wardi_watch_unref(self, watch);
	return due;
}

void wardi_notice_dropped(struct ward_self *self, const struct ward_msg *msg)
{
	wardi_watch_unref(self, ((const struct wardi_token *)wardi_msg_bytes(msg))->record);
}

/* ---- questions --------------------------------------------------------------------------- */

struct wardi_watch *wardi_watch_asked(struct ward_self *self, ward_ref who, uint64_t number)
{
	struct wardi_watch *watch = wardi_watch_make(self->system, self, wardi_own_ref(self), who,
						     role_for(self->system, who));

	if (watch == NULL)
		return NULL;
	watch->question = number;
	if (number == 0) /* the watcher stops by then; its own stand-in, too, handles no mail */
		wardi_watch_go_straight(watch);
	else
		watch->token = make_token(self, watch);
	if (number != 0 && watch->token == NULL) {
		wardi_watch_unref(self, watch);
		wardi_watch_unref(self, watch);
		return NULL;
	}
	watch->active = true;
	wardi_watch_send(self, watch);
	return watch;
}

void wardi_unwatch_asked(struct ward_self *self, struct wardi_watch *watch)
{
	watch->active = false;
	wardi_watch_send_unwatch(self, watch);
	wardi_watch_unref(self, watch);
}

void wardi_watch_asked_again(struct wardi_watch *watch, uint64_t number)
{
	watch->question = number;
}

/* ---- threads outside --------------------------------------------------------------------- */

ward_err wardi_watch_outside(ward_system *system, ward_ref who, uint64_t waiter_id,
			     struct wardi_watch **ret_watch)
{
	ward_ref waiter = wardi_ref_make(waiter_id, system->place | WARDI_PLACE_WAITER);
	struct wardi_watch *watch =
		wardi_watch_make(system, NULL, waiter, who, role_for(system, who));

	if (watch == NULL)
		return wardi_no_memory(system, "no memory to await an actor");
	*ret_watch = watch;
	wardi_watch_send(NULL, watch);
	return WARD_OK;
}

void wardi_unwatch_outside(ward_system *system, struct wardi_watch *watch)
{
	(void)system;
	wardi_watch_send_unwatch(NULL, watch);
	wardi_watch_unref(NULL, watch);
}

/* ---- for the user ------------------------------------------------------------------------ */

/* Whether the runtime leaves messages of this type alone. A program's flags may look like the
 * library's. */
static bool is_plain(const ward_type *type)
{
	return type == &ward_type_ward_terminated ||
	       ((type->flags & WARDI_TYPE_AUTO) == 0 && wardi_auto_kind(type) == WARDI_AUTO_FORGED);
}

static void send_far(struct ward_self *self, struct wardi_watch *watch)
{
	uint64_t owner = wardi_far_of(watch)->owner;

	wardi_watch_send(self, watch); /* the watch may be gone */
	wardi_far_press(self, owner);
}

/* Makes the watch and sends it. The body stays the caller's on an error. */
static ward_err begin(struct ward_self *self, ward_ref who, uint64_t hash, const ward_type *type,
		      const void *body, size_t size)
{
	struct wardi_watch *watch = wardi_watch_make(self->system, self, wardi_own_ref(self), who,
						     role_for(self->system, who));

	if (watch == NULL)
		return wardi_no_memory(self->system, "no memory for a watch");
	watch->custom = type != &ward_type_ward_terminated;
	if (!is_plain(type))
		watch->token = make_token(self, watch);
	watch->msg = wardi_msg_make(self->from, type, body, size);
	if ((watch->token == NULL && !is_plain(type)) || watch->msg == NULL ||
	    !enter(self, watch, hash)) {
		if (watch->msg != NULL) /* its body is still the caller's */
			wardi_msg_hand_over(self->from, watch->msg);
		watch->msg = NULL;
		wardi_watch_unref(self, watch);
		wardi_watch_unref(self, watch);
		return wardi_no_memory(self->system, "no memory for a watch");
	}
	watch->msg->type |= WARDI_MSG_AUTO_RECEIVED;
	watch->msg->sender_uid = who.uid;
	wardi_msg_set_sender_place(watch->msg, wardi_ref_place(who));
	if (watch->role == WARDI_WATCH_FAR)
		send_far(self, watch);
	else
		wardi_watch_send(self, watch);
	return WARD_OK;
}

static bool same_message(const struct wardi_watch *watch, const ward_type *type, const void *body)
{
	const struct ward_msg *msg = watch->msg;

	return ward_type_same(wardi_msg_type(msg), type) &&
	       (!watch->custom || body == NULL ||
		memcmp(wardi_msg_bytes(msg), body, wardi_msg_size(msg)) == 0);
}

static ward_err check(const struct ward_self *self, ward_ref who)
{
	if (ward_ref_is_nobody(who))
		return wardi_error(WARD_EINVAL, "ward_watch: nobody cannot be watched");
	if (!wardi_place_has_actor(self->system, who))
		return wardi_error(WARD_EFOREIGN, "ward_watch: the actor is of another system");
	return WARD_OK;
}

/* The body fits the type. */
static ward_err watch_with(struct ward_self *self, ward_ref who, const ward_type *type,
			   const void *body, size_t size, bool *ret_taken)
{
	struct wardi_watch *old;
	uint64_t hash;
	ward_err err = check(self, who);

	*ret_taken = false;
	if (err != WARD_OK)
		return err;
	if (__builtin_expect(who.uid == self->cell->uid, 0) &&
	    ward_ref_equal(who, wardi_own_ref(self)))
		return WARD_OK;
	hash = hash_of(self, who);
	old = find_hashed(self, who, hash);
	if (old != NULL && same_message(old, type, body))
		return WARD_OK;
	if (old != NULL)
		return wardi_error(WARD_EEXIST,
				   "ward_watch: it is watched with another message: ward_unwatch "
				   "it first");
	err = begin(self, who, hash, type, body, size);
	*ret_taken = err == WARD_OK;
	return err;
}

ward_err wardi_watch(struct ward_self *self, ward_ref who)
{
	struct ward_terminated body = {.who = who};
	bool taken;

	return watch_with(self, who, &ward_type_ward_terminated, &body, sizeof body, &taken);
}

ward_err ward_try_watch(ward_self *self, ward_ref who)
{
	return wardi_self_usable(self) ? wardi_watch(self, who) : WARD_EINVAL;
}

ward_err ward_try_watch_with_send(ward_self *self, ward_ref who, const ward_type *type,
				  const void *body, size_t size)
{
	bool taken = false;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = wardi_type_refuse(type, body, size);
	if (err == WARD_OK)
		err = watch_with(self, who, type, body, size, &taken);
	if (!taken)
		wardi_body_drop(type, body, size);
	return err;
}

void ward_unwatch(ward_self *self, ward_ref who)
{
	if (wardi_self_usable(self) && !ward_ref_is_nobody(who)) /* else all that is stashed */
		wardi_watch_forget(self, who);
}
