/* SPDX-License-Identifier: MIT
 *
 * bounded.c - a mailbox with a maximum: a list under a lock.
 *
 * Never counted nor dropped: special messages (pills, ticks, notices, readiness). So a full box
 * still takes them, and the list may be longer than its maximum by these.
 */
#include "core/bounded.h"

#include "base/assert.h"

static bool counted(const struct ward_msg *msg)
{
	return !wardi_msg_special(msg);
}

static struct ward_msg *next_of(const struct ward_msg *msg)
{
	/* Relaxed: all under the lock of the box. */
	return atomic_load_explicit(&msg->next, memory_order_relaxed);
}

static void append(struct wardi_bounded *box, struct ward_msg *msg)
{
	atomic_store_explicit(&msg->next, NULL, memory_order_relaxed);
	if (box->last == NULL)
		box->first = msg;
	else
		atomic_store_explicit(&box->last->next, msg, memory_order_relaxed);
	box->last = msg;
	box->count += counted(msg);
}

/* Takes the longest waiting counted message out of a full box. */
static struct ward_msg *remove_oldest(struct wardi_bounded *box)
{
	struct ward_msg *before = NULL;
	struct ward_msg *msg = box->first;

	while (!counted(msg)) {
		before = msg;
		msg = next_of(msg);
	}
	if (before == NULL)
		box->first = next_of(msg);
	else
		atomic_store_explicit(&before->next, next_of(msg), memory_order_relaxed);
	if (box->last == msg)
		box->last = before;
	box->count--;
	return msg;
}

static enum wardi_bounded_verdict push_full(struct wardi_bounded *box, struct ward_msg *msg,
					    struct ward_msg **ret_dropped)
{
	switch (box->overflow) {
	case WARD_DROP_NEWEST:
		box->dropped++;
		*ret_dropped = msg;
		return WARDI_BOUNDED_DROPPED;
	case WARD_DROP_OLDEST:
		box->dropped++;
		*ret_dropped = remove_oldest(box);
		append(box, msg);
		return WARDI_BOUNDED_DROPPED;
	case WARD_REFUSE:
	default:
		box->dropped++;
		return WARDI_BOUNDED_REFUSED;
	}
}

enum wardi_bounded_verdict wardi_bounded_push(struct wardi_bounded *box, uint64_t owner,
					      struct ward_msg *msg, struct ward_msg **ret_dropped)
{
	enum wardi_bounded_verdict verdict = WARDI_BOUNDED_TAKEN;

	pthread_mutex_lock(&box->mu);
	if (box->owner != owner)
		verdict = WARDI_BOUNDED_DEAD;
	else if (counted(msg) && box->count >= box->max)
		verdict = push_full(box, msg, ret_dropped);
	else
		append(box, msg);
	pthread_mutex_unlock(&box->mu);
	return verdict;
}

static void free_current(struct wardi_bounded *box, struct wardi_source from)
{
	if (box->current != NULL)
		wardi_msg_free(from, box->current);
	box->current = NULL;
}

struct ward_msg *wardi_bounded_pop(struct wardi_bounded *box, struct wardi_source from)
{
	struct ward_msg *msg;

	free_current(box, from);
	pthread_mutex_lock(&box->mu);
	msg = box->first;
	if (msg != NULL) {
		box->first = next_of(msg);
		if (box->first == NULL)
			box->last = NULL;
		box->count -= counted(msg);
	}
	pthread_mutex_unlock(&box->mu);
	box->current = msg;
	return msg;
}

bool wardi_bounded_empty(struct wardi_bounded *box)
{
	pthread_mutex_lock(&box->mu);
	bool empty = box->first == NULL;
	pthread_mutex_unlock(&box->mu);
	return empty;
}

void wardi_bounded_open(struct wardi_bounded *box, uint64_t owner, const ward_mailbox *options)
{
	pthread_mutex_lock(&box->mu);
	wardi_assert(box->owner == 0 && box->first == NULL);
	box->owner = owner;
	box->max = options->messages_max;
	box->overflow = options->overflow;
	box->dropped = 0;
	pthread_mutex_unlock(&box->mu);
}

struct ward_msg *wardi_bounded_close(struct wardi_bounded *box, struct wardi_source from)
{
	struct ward_msg *rest;

	free_current(box, from);
	pthread_mutex_lock(&box->mu);
	rest = box->first;
	box->first = box->last = NULL;
	box->count = 0;
	box->owner = 0;
	pthread_mutex_unlock(&box->mu);
	return rest;
}

void wardi_bounded_look(struct wardi_bounded *box, uint64_t owner, int64_t *ret_count,
			uint64_t *ret_dropped, bool *ret_unread)
{
	pthread_mutex_lock(&box->mu);
	if (box->owner == owner) {
		*ret_count = box->count;
		*ret_dropped = box->dropped;
		*ret_unread = box->first != NULL;
	}
	pthread_mutex_unlock(&box->mu);
}
