/* SPDX-License-Identifier: MIT
 *
 * sender_pending.c - the messages that a back-off sender keeps until they are confirmed.
 *
 *	first -> [oldest] <-> ... <-> [newest] <- last		spare -> [] -> []
 *	rows:  [] -> [] -> NULL		those whose numbers have this hash
 *
 * The bodies were taken from their messages, and belong to the incarnation. The child gets copies.
 * Without memory for more rows the present ones stay: slower, but correct.
 *
 * Threads: in the sender's callbacks.
 */
#include "patterns/backoff/sender_pending.h"

#include <ward/extend.h>
#include <ward/resource.h>

#include "patterns/backoff/backoff_sender.h"
#include "patterns/common/kept_body.h"

/* Ensures a spare record. False: no memory. */
static bool reserve(struct wardi_pendings *all, ward_self *self)
{
	if (all->spare == NULL)
		all->spare = ward_try_alloc(self, sizeof *all->spare);
	return all->spare != NULL;
}

static void put_away(struct wardi_pendings *all, struct wardi_pending *pending)
{
	pending->next = all->spare;
	all->spare = pending;
}

/* ---- the table --------------------------------------------------------------------------- */

static struct wardi_pending **row_of(const struct wardi_pendings *all, uint64_t id)
{
	uint64_t hash = id * UINT64_C(0x9e3779b97f4a7c15);

	return &all->rows[(hash >> 32) & (all->rows_count - 1)];
}

static void enter(struct wardi_pendings *all, struct wardi_pending *pending)
{
	struct wardi_pending **row = row_of(all, pending->id);

	pending->same = *row;
	*row = pending;
}

static void leave(struct wardi_pendings *all, struct wardi_pending *pending)
{
	struct wardi_pending **link = row_of(all, pending->id);

	while (*link != pending)
		link = &(*link)->same;
	*link = pending->same;
}

static void grow(struct wardi_pendings *all, ward_self *self)
{
	struct wardi_pending **rows = ward_try_alloc(self, 4 * all->rows_count * sizeof *all->rows);

	if (rows == NULL)
		return;
	all->rows = rows;
	all->rows_count *= 4;
	for (struct wardi_pending *at = all->first; at != NULL; at = at->next)
		enter(all, at);
}

void wardi_pendings_init(struct wardi_pendings *all)
{
	all->rows = all->few;
	all->rows_count = WARDI_PENDINGS_FEW;
}

/* ---- in and out -------------------------------------------------------------------------- */

static void append(struct wardi_pendings *all, struct wardi_pending *pending)
{
	pending->before = all->last;
	if (all->last == NULL)
		all->first = pending;
	else
		all->last->next = pending;
	all->last = pending;
	all->count++;
	enter(all, pending);
}

void wardi_pendings_take(struct wardi_pendings *all, struct wardi_pending *pending)
{
	leave(all, pending);
	if (pending->before != NULL)
		pending->before->next = pending->next;
	else
		all->first = pending->next;
	if (pending->next != NULL)
		pending->next->before = pending->before;
	else
		all->last = pending->before;
	all->count--;
	put_away(all, pending);
}

bool wardi_pendings_keep(struct wardi_pendings *all, ward_self *self, const ward_msg *msg,
			 uint64_t id)
{
	struct wardi_pending made = {.type = ward_msg_type(msg),
				     .size = ward_msg_size(msg),
				     .sender = ward_msg_sender(msg),
				     .id = id};
	struct wardi_pending *pending;

	if (!reserve(all, self))
		return false;
	made.body = ward_take_body(self, made.type);
	if (made.body == NULL)
		return false;
	pending = all->spare;
	all->spare = pending->next;
	*pending = made;
	if (all->count >= all->rows_count)
		grow(all, self);
	append(all, pending);
	return true;
}

void wardi_pendings_done(struct wardi_pendings *all, ward_self *self, uint64_t id)
{
	struct wardi_pending *next;

	for (struct wardi_pending *at = *row_of(all, id); at != NULL; at = next) {
		next = at->same;
		if (at->id != id)
			continue;
		ward_discard(self, at->body);
		wardi_pendings_take(all, at);
	}
}

const struct wardi_pending *wardi_pendings_shift(struct wardi_pendings *all)
{
	struct wardi_pending *oldest = all->first;

	if (oldest != NULL)
		wardi_pendings_take(all, oldest);
	return oldest;
}

void wardi_pendings_unsent(struct wardi_pendings *all)
{
	for (struct wardi_pending *at = all->first; at != NULL; at = at->next)
		at->sent = false;
}

ward_err wardi_pending_copy(const struct wardi_pending *pending, ward_self *self, void **ret_copy)
{
	return wardi_copy_try(self, pending->type, pending->body, pending->size, ret_copy);
}

ward_err wardi_pending_send(struct wardi_pending *pending, ward_self *self, ward_ref to, void *copy)
{
	ward_err err = ward_try_give_body_from(self, pending->sender, to, pending->type, copy);

	if (err == WARD_OK)
		pending->sent = true;
	else
		ward_discard(self, copy);
	return err;
}
