/* SPDX-License-Identifier: MIT
 *
 * stash.c - messages that an actor sets aside until it can handle them.
 *
 *	message in hand -- stash --> stashed -- un-stash --> unstashed -- next --> in hand
 *	                                |                        |
 *	                                +-- clear, unwatch       +-- unwatch, end of the life
 *
 * Two lists of messages that are in no lane: un-stashed messages need no room in a mailbox, and are
 * read before it (turn.c). A message of the lane is copied once, when it is stashed; from then on
 * it owns its block, and moves without memory. That is also why a restart and an end can always
 * un-stash.
 *
 * Threads: runs only on the holder's worker; observers read cell->turn_flags.
 */
#include "actor/stash.h"

#include <inttypes.h>

#include <ward/link.h>

#include "actor/rare.h"
#include "base/error.h"

/* ---- lists ------------------------------------------------------------------------------- */

static struct ward_msg *next_of(const struct ward_msg *msg)
{
	/* Relaxed, here and below: the message is in no lane, and the holder's alone. */
	return atomic_load_explicit(&msg->next, memory_order_relaxed);
}

static void set_next(struct ward_msg *msg, struct ward_msg *next)
{
	atomic_store_explicit(&msg->next, next, memory_order_relaxed);
}

static void append(struct wardi_msgs *list, struct ward_msg *msg)
{
	set_next(msg, NULL);
	if (list->last == NULL)
		list->first = msg;
	else
		set_next(list->last, msg);
	list->last = msg;
	list->count++;
}

/* Takes out the one after `before`; NULL: the first. */
static struct ward_msg *take_after(struct wardi_msgs *list, struct ward_msg *before)
{
	struct ward_msg *msg = before == NULL ? list->first : next_of(before);

	if (before == NULL)
		list->first = next_of(msg);
	else
		set_next(before, next_of(msg));
	if (list->last == msg)
		list->last = before;
	list->count--;
	return msg;
}

/* The first one leaves the stash for good. */
static struct ward_msg *leave_first(struct wardi_stash *stash, struct wardi_msgs *list)
{
	struct ward_msg *msg = take_after(list, NULL);

	stash->notices -= wardi_msg_tells_end(msg);
	return msg;
}

/* Drops one that has left the stash. The one that this callback has stashed stays in memory until
 * it returns: it may still ask who sent it, and of what type it was. */
static void discard(struct ward_self *self, struct ward_msg *msg)
{
	if (msg != self->stashed) {
		wardi_msg_destroy(self->from, msg);
		return;
	}
	wardi_msg_drop(self->from, msg);
	wardi_msg_free_body(self->from, msg);
	self->emptied_msg = msg;
}

/* ---- what is un-stashed ------------------------------------------------------------------ */

static struct wardi_stash *stash_of(const struct ward_self *self)
{
	return self->cell->rare->extra == NULL ? NULL : &self->cell->rare->extra->stash;
}

static void tell_unstashed(struct ward_self *self)
{
	_Atomic uint8_t *turn_flags = &self->cell->turn_flags;
	uint8_t others =
		atomic_load_explicit(turn_flags, memory_order_relaxed) & ~WARDI_UNSTASHED_FIRST;
	bool any = stash_of(self)->unstashed.count > 0;

	/* Relaxed: a picture for those who look; the holder reads what it wrote. */
	atomic_store_explicit(turn_flags, others | (any ? WARDI_UNSTASHED_FIRST : 0),
			      memory_order_relaxed);
}

/* Puts a list behind what this callback has un-stashed before, and before all else. */
static void place(struct ward_self *self, struct wardi_stash *stash, struct wardi_msgs list)
{
	struct wardi_msgs *to = &stash->unstashed;

	if (list.count == 0)
		return;
	set_next(list.last, stash->placed == NULL ? to->first : next_of(stash->placed));
	if (stash->placed == NULL)
		to->first = list.first;
	else
		set_next(stash->placed, list.first);
	if (to->last == stash->placed)
		to->last = list.last;
	to->count += list.count;
	stash->placed = list.last;
	tell_unstashed(self);
}

struct ward_msg *wardi_unstashed_next(struct ward_self *self)
{
	struct wardi_stash *stash = stash_of(self);
	struct ward_msg *msg;

	if (!wardi_cell_unstashed(self->cell))
		return NULL;
	msg = leave_first(stash, &stash->unstashed);
	stash->placed = NULL;
	tell_unstashed(self);
	return msg;
}

size_t wardi_unstash_all(struct ward_self *self)
{
	struct wardi_stash *stash = stash_of(self);
	struct wardi_msgs all;

	if (stash == NULL)
		return 0;
	all = stash->stashed;
	stash->stashed = (struct wardi_msgs){NULL, NULL, 0};
	place(self, stash, all);
	return all.count;
}

/* ---- notices ----------------------------------------------------------------------------- */

static bool tells_of(const struct ward_msg *msg, enum wardi_ends ends, ward_ref who)
{
	bool linked = wardi_msg_type(msg) == &ward_type_ward_exited;

	return wardi_msg_tells_end(msg) && linked == (ends == WARDI_ENDS_LINKED) &&
	       (ward_ref_is_nobody(who) || ward_ref_equal(ward_msg_sender(msg), who));
}

static void forget_in(struct ward_self *self, struct wardi_msgs *list, enum wardi_ends ends,
		      ward_ref who)
{
	struct wardi_stash *stash = stash_of(self);
	struct ward_msg *before = NULL;
	struct ward_msg *next;

	for (struct ward_msg *msg = list->first; msg != NULL; msg = next) {
		next = next_of(msg);
		if (!tells_of(msg, ends, who)) {
			before = msg;
			continue;
		}
		if (stash->placed == msg)
			stash->placed = before;
		discard(self, take_after(list, before));
		stash->notices--;
	}
}

void wardi_stash_forget(struct ward_self *self, enum wardi_ends ends, ward_ref who)
{
	struct wardi_stash *stash = stash_of(self);

	if (stash == NULL || stash->notices == 0)
		return;
	forget_in(self, &stash->stashed, ends, who);
	forget_in(self, &stash->unstashed, ends, who);
	tell_unstashed(self);
}

/* ---- for the user ------------------------------------------------------------------------ */

static ward_err check(const struct ward_self *self, const struct wardi_stash *stash)
{
	const struct ward_msg *msg = self->msg;

	if (msg == NULL && self->stashed != NULL)
		return wardi_error(WARD_EEXIST, "ward_stash: this message is stashed already");
	if (msg == NULL)
		return wardi_error(WARD_ENOENT,
				   "ward_stash: there is no message to stash: it was taken or "
				   "forwarded, or this is neither receive nor a hook after a "
				   "failure");
	if (wardi_msg_type(msg) == &ward_type_ward_fd_ready)
		return wardi_error(WARD_EINVAL,
				   "ward_stash: readiness is of the moment: watch the descriptor "
				   "again when it can be read");
	if (stash != NULL && self->cell->rare->stash_max != 0 &&
	    stash->stashed.count >= self->cell->rare->stash_max)
		return wardi_error(WARD_EFULL,
				   "ward_stash: %" PRIu32 " messages are stashed, its "
				   "props.stash_max: drop or un-stash some first",
				   self->cell->rare->stash_max);
	return WARD_OK;
}

ward_err ward_try_stash(ward_self *self)
{
	struct wardi_extra *extra;
	struct ward_msg *msg;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check(self, stash_of(self));
	if (err != WARD_OK)
		return err;
	extra = wardi_extra_of(self);
	msg = self->msg;
	if (extra != NULL && !self->owns_block)
		msg = wardi_msg_move(self->from, msg);
	if (msg != NULL) /* also if its type does not say so: it reports an end */
		msg->type |= self->msg->type & WARDI_MSG_AUTO_RECEIVED;
	if (extra == NULL || msg == NULL)
		return wardi_no_memory(self->system, "no memory to stash message \"%s\"",
				       wardi_msg_type(self->msg)->name);
	if (self->owns_block)
		wardi_self_part_with_msg(self);
	else
		wardi_self_emptied_msg(self);
	self->stashed = msg;
	append(&extra->stash.stashed, msg);
	extra->stash.notices += wardi_msg_tells_end(msg);
	return WARD_OK;
}

size_t ward_unstash_all(ward_self *self)
{
	return wardi_self_usable(self) ? wardi_unstash_all(self) : 0;
}

bool ward_unstash(ward_self *self)
{
	struct wardi_stash *stash = wardi_self_usable(self) ? stash_of(self) : NULL;
	struct wardi_msgs oldest = {NULL, NULL, 1};

	if (stash == NULL || stash->stashed.count == 0)
		return false;
	oldest.first = oldest.last = take_after(&stash->stashed, NULL);
	place(self, stash, oldest);
	return true;
}

size_t ward_stash_count(const ward_self *self)
{
	const struct wardi_stash *stash = wardi_self_usable(self) ? stash_of(self) : NULL;

	return stash == NULL ? 0 : stash->stashed.count;
}

void ward_stash_clear(ward_self *self)
{
	struct wardi_stash *stash = wardi_self_usable(self) ? stash_of(self) : NULL;

	while (stash != NULL && stash->stashed.count > 0)
		discard(self, leave_first(stash, &stash->stashed));
}
