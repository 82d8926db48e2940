/* SPDX-License-Identifier: MIT
 *
 * bounded.c - a mailbox with a policy: messages in an order, under a lock.
 *
 *	push:  rank (the program's function, under no lock) -> full? -> overflow policy
 *	                                                       else -> its place in the order
 *
 * Auto-received messages (pills, ticks, notices, ...) are never counted, refused or dropped. So a
 * full mailbox still takes them, and may hold that many above its maximum; if it holds its senders,
 * it may also exceed the maximum by all messages that each held sender sent in one callback.
 *
 * Pairs   release                              acquire
 *   [B1]  open: priority, after owner was 0    push: priority, before owner
 */
#include "mail/bounded.h"

#include "base/assert.h"
#include "base/foreign_call.h"
#include "mail/auto_received.h"
#include "mail/outgoing.h"

bool wardi_bounded_needed(const ward_mailbox *options)
{
	return options->messages_max > 0 || options->priority != NULL || options->control_first ||
	       options->counted;
}

static bool counted(const struct ward_msg *msg)
{
	return !wardi_msg_is_auto_received(msg);
}

/* What the message adds to the count. */
static uint32_t weight_of(const struct ward_msg *msg)
{
	return counted(msg) ? wardi_msg_weight(msg) : 0;
}

static uint64_t owner_of(const struct wardi_bounded *bounded)
{
	/* Relaxed: under mu; or after [B1]. */
	return atomic_load_explicit(&bounded->owner, memory_order_relaxed);
}

/* Returns the priority by the owner's function. The function of another owner is not called: it was
 * stored after the change of owner, so a reader of it sees that change. */
static int32_t priority_of(const struct wardi_bounded *bounded, uint64_t owner,
			   const struct ward_msg *msg)
{
	wardi_priority *priority =
		atomic_load_explicit(&bounded->priority, memory_order_acquire); /* [B1] */

	int32_t rank;

	if (priority == NULL || wardi_msg_is_auto_received(msg) || owner_of(bounded) != owner)
		return 0;
	wardi_foreign_call_begin();
	rank = priority(msg);
	wardi_foreign_call_end();
	return rank;
}

static int64_t rank_of_special(struct wardi_bounded *bounded, const struct ward_msg *msg)
{
	if (!wardi_msg_passes(msg))
		return 0;
	if (bounded->closed)
		return WARDI_RANK_PASSING;
	bounded->order.mixed = true;
	return 0;
}

/* Under mu: returns the rank of a message. */
static int64_t rank_of(struct wardi_bounded *bounded, const struct ward_msg *msg, int32_t priority)
{
	if (wardi_msg_is_auto_received(msg))
		return rank_of_special(bounded, msg);
	if (bounded->control_first && (wardi_msg_type(msg)->flags & WARD_TYPE_CONTROL) != 0)
		return WARDI_RANK_CONTROL;
	return priority;
}

static enum wardi_bounded_verdict put(struct wardi_bounded *bounded, struct wardi_source from,
				      struct ward_msg *msg, int64_t rank)
{
	if (!wardi_priority_reserve(&bounded->order, from.pool->alloc, rank))
		return WARDI_BOUNDED_NO_MEMORY;
	wardi_priority_push(&bounded->order, msg, rank);
	bounded->count += weight_of(msg);
	return WARDI_BOUNDED_TAKEN;
}

/* Drops the oldest message of the least importance, which may be the new one. */
static enum wardi_bounded_verdict drop_oldest(struct wardi_bounded *bounded,
					      struct wardi_source from, struct ward_msg *msg,
					      int64_t rank, struct ward_msg **ret_dropped)
{
	if (!wardi_priority_reserve(&bounded->order, from.pool->alloc, rank))
		return WARDI_BOUNDED_NO_MEMORY;
	bounded->dropped++;
	*ret_dropped = wardi_priority_make_room(&bounded->order, rank);
	if (*ret_dropped == NULL)
		*ret_dropped = msg;
	else
		wardi_priority_push(&bounded->order, msg, rank);
	return WARDI_BOUNDED_DROPPED;
}

static enum wardi_bounded_verdict push_full(struct wardi_bounded *bounded, struct wardi_source from,
					    struct ward_msg *msg, int64_t rank, bool may_go_over,
					    struct ward_msg **ret_dropped)
{
	enum wardi_bounded_verdict verdict;

	switch (bounded->overflow) {
	case WARD_OVERFLOW_DROP_NEWEST:
		bounded->dropped++;
		*ret_dropped = msg;
		return WARDI_BOUNDED_DROPPED;
	case WARD_OVERFLOW_DROP_OLDEST:
		return drop_oldest(bounded, from, msg, rank, ret_dropped);
	case WARD_OVERFLOW_HOLD_SENDER:
		if (!may_go_over)
			break;
		verdict = put(bounded, from, msg, rank);
		return verdict == WARDI_BOUNDED_TAKEN ? WARDI_BOUNDED_OVER : verdict;
	case WARD_OVERFLOW_REFUSE:
	default:
		break;
	}
	bounded->dropped++;
	return WARDI_BOUNDED_REFUSED;
}

enum wardi_bounded_verdict wardi_bounded_push(struct wardi_bounded *bounded,
					      struct wardi_source from, uint64_t owner,
					      struct ward_msg *msg, bool may_go_over,
					      struct ward_msg **ret_dropped)
{
	int32_t priority = priority_of(bounded, owner, msg);
	enum wardi_bounded_verdict verdict;

	wardi_mutex_lock(&bounded->mu);
	if (owner_of(bounded) != owner)
		verdict = WARDI_BOUNDED_DEAD;
	else if (counted(msg) && bounded->count >= bounded->max)
		verdict = push_full(bounded, from, msg, rank_of(bounded, msg, priority),
				    may_go_over, ret_dropped);
	else
		verdict = put(bounded, from, msg, rank_of(bounded, msg, priority));
	wardi_mutex_unlock(&bounded->mu);
	return verdict;
}

static void free_current(struct wardi_bounded *bounded, struct wardi_source from)
{
	if (bounded->current != NULL)
		wardi_msg_free(from, bounded->current);
	bounded->current = NULL;
}

/* Under mu. A closed mailbox is empty. Half: so that a released sender does not stop again at
 * once. */
static bool drained(const struct wardi_bounded *bounded)
{
	return bounded->count <= bounded->max / 2;
}

struct ward_msg *wardi_bounded_pop(struct wardi_bounded *bounded, struct wardi_source from,
				   bool *ret_drained)
{
	struct ward_msg *msg;

	free_current(bounded, from);
	wardi_mutex_lock(&bounded->mu);
	msg = wardi_priority_pop(&bounded->order, from.pool->alloc);
	if (msg != NULL)
		bounded->count -= weight_of(msg);
	*ret_drained = bounded->holds && drained(bounded);
	wardi_mutex_unlock(&bounded->mu);
	bounded->current = msg;
	return msg;
}

bool wardi_bounded_empty(struct wardi_bounded *bounded)
{
	wardi_mutex_lock(&bounded->mu);
	bool empty = wardi_priority_empty(&bounded->order);
	wardi_mutex_unlock(&bounded->mu);
	return empty;
}

bool wardi_bounded_is_full(struct wardi_bounded *bounded, uint64_t owner)
{
	bool full;

	wardi_mutex_lock(&bounded->mu);
	full = owner_of(bounded) == owner && bounded->count >= bounded->max;
	wardi_mutex_unlock(&bounded->mu);
	return full;
}

void wardi_bounded_set_closed(struct wardi_bounded *bounded, bool closed)
{
	wardi_mutex_lock(&bounded->mu);
	if (closed)
		wardi_priority_part(&bounded->order);
	else
		wardi_priority_join(&bounded->order);
	bounded->closed = closed;
	wardi_mutex_unlock(&bounded->mu);
}

struct ward_msg *wardi_bounded_pop_passing(struct wardi_bounded *bounded, struct wardi_source from)
{
	free_current(bounded, from);
	wardi_mutex_lock(&bounded->mu);
	bounded->current = wardi_priority_pop_passing(&bounded->order);
	wardi_mutex_unlock(&bounded->mu);
	return bounded->current;
}

bool wardi_bounded_has_passing(struct wardi_bounded *bounded)
{
	wardi_mutex_lock(&bounded->mu);
	bool any = bounded->order.passing.first != NULL;
	wardi_mutex_unlock(&bounded->mu);
	return any;
}

void wardi_bounded_open(struct wardi_bounded *bounded, uint64_t owner, const ward_mailbox *options)
{
	wardi_mutex_lock(&bounded->mu);
	wardi_assert(owner_of(bounded) == 0 && wardi_priority_empty(&bounded->order) &&
		     !bounded->holds);
	atomic_store_explicit(&bounded->priority, options->priority,
			      memory_order_release); /* [B1] */
	atomic_store_explicit(&bounded->owner, owner, memory_order_relaxed);
	bounded->max = options->messages_max == 0 ? UINT32_MAX : options->messages_max;
	bounded->overflow = options->overflow;
	bounded->control_first = options->control_first;
	bounded->closed = bounded->order.mixed = false;
	bounded->dropped = 0;
	wardi_mutex_unlock(&bounded->mu);
}

struct ward_msg *wardi_bounded_close(struct wardi_bounded *bounded, struct wardi_source from)
{
	struct wardi_line rest = {NULL, NULL};
	struct ward_msg *msg;

	free_current(bounded, from);
	wardi_mutex_lock(&bounded->mu);
	while ((msg = wardi_priority_pop(&bounded->order, from.pool->alloc)) != NULL)
		wardi_line_append(&rest, msg);
	wardi_priority_finish(&bounded->order, from.pool->alloc);
	bounded->count = 0;
	atomic_store_explicit(&bounded->owner, 0, memory_order_relaxed);
	wardi_mutex_unlock(&bounded->mu);
	return rest.first;
}

void wardi_bounded_look(struct wardi_bounded *bounded, uint64_t owner, int64_t *ret_count,
			uint64_t *ret_dropped, bool *ret_unread)
{
	wardi_mutex_lock(&bounded->mu);
	if (owner_of(bounded) == owner) {
		*ret_count = bounded->count;
		*ret_dropped = bounded->dropped;
		*ret_unread = !wardi_priority_empty(&bounded->order) ||
			      bounded->order.passing.first != NULL;
	}
	wardi_mutex_unlock(&bounded->mu);
}

/* ---- held senders ------------------------------------------------------------------------ */

bool wardi_bounded_holds_back(struct wardi_bounded *bounded, uint64_t owner)
{
	bool back;

	wardi_mutex_lock(&bounded->mu);
	back = owner_of(bounded) == owner && !drained(bounded);
	bounded->holds = bounded->holds || back;
	wardi_mutex_unlock(&bounded->mu);
	return back;
}

bool wardi_bounded_lets_go(struct wardi_bounded *bounded)
{
	bool goes;

	wardi_mutex_lock(&bounded->mu);
	goes = bounded->holds && drained(bounded);
	bounded->holds = bounded->holds && !goes;
	wardi_mutex_unlock(&bounded->mu);
	return goes;
}
