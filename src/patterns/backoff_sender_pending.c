/* SPDX-License-Identifier: MIT
 *
 * backoff_sender_pending.c - the messages that a back-off sender keeps until they are done.
 *
 *	first -> [oldest] -> ... -> [newest] <- last		spare -> [] -> []
 *
 * The bodies were taken from their messages, and hang on the incarnation. The child gets copies.
 *
 * single-threaded: in the sender's callbacks.
 */
#include <ward/resource.h>

#include "patterns/backoff_sender.h"
#include "patterns/copy.h"

/* At least one spare. False: no memory. */
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

static void append(struct wardi_pendings *all, struct wardi_pending *pending)
{
	if (all->last == NULL)
		all->first = pending;
	else
		all->last->next = pending;
	all->last = pending;
	all->count++;
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
	append(all, pending);
	return true;
}

void wardi_pendings_done(struct wardi_pendings *all, ward_self *self, uint64_t id)
{
	struct wardi_pending *before = NULL, **link = &all->first;

	while (*link != NULL) {
		struct wardi_pending *pending = *link;

		if (pending->id != id) {
			before = pending;
			link = &pending->next;
			continue;
		}
		*link = pending->next;
		if (all->last == pending)
			all->last = before;
		all->count--;
		ward_discard(self, pending->body);
		put_away(all, pending);
	}
}

const struct wardi_pending *wardi_pendings_shift(struct wardi_pendings *all)
{
	struct wardi_pending *oldest = all->first;

	if (oldest == NULL)
		return NULL;
	all->first = oldest->next;
	if (all->first == NULL)
		all->last = NULL;
	all->count--;
	put_away(all, oldest);
	return oldest;
}

void wardi_pendings_unsent(struct wardi_pendings *all)
{
	for (struct wardi_pending *at = all->first; at != NULL; at = at->next)
		at->sent = false;
}

ward_err wardi_pending_send(struct wardi_pending *pending, ward_self *self, ward_ref to)
{
	void *copy = wardi_copy_of(self, pending->type, pending->body, pending->size);
	ward_err err;

	if (copy == NULL)
		return WARD_ENOMEM;
	err = ward_try_give_body_from(self, pending->sender, to, pending->type, copy);
	if (err == WARD_OK)
		pending->sent = true;
	else
		ward_discard(self, copy);
	return err;
}
