/* SPDX-License-Identifier: MIT
 *
 * bounded.h - a mailbox with a policy: a maximum, an order of its own, or a count, beside the lane.
 *
 * All user messages of such a cell go here, counted or not, so that their order is one. It is
 * type-stable: a sender that comes too late finds it with another owner and is refused.
 *
 * Safe together: everything.
 */
#ifndef WARDI_BOUNDED_H
#define WARDI_BOUNDED_H

#include <ward/actor.h>

#include "base/list.h"
#include "base/lock.h"
#include "mail/priority.h"

typedef int32_t wardi_priority(const ward_msg *msg);

struct wardi_bounded {
	struct wardi_mutex mu;
	_Atomic uint64_t owner;             /* the uid; 0: free. Written under mu */
	_Atomic(wardi_priority *) priority; /* the owner's; written under mu */
	/* under mu */
	struct wardi_priority_queue order;
	uint32_t count; /* of those that are not auto-received */
	uint32_t max;
	ward_overflow overflow;
	bool control_first;
	bool holds; /* senders wait until it has drained, or are about to */
	uint64_t dropped;
	/* holder only */
	struct ward_msg *current; /* popped, freed at the next pop */
	/* under the system's lock for held senders */
	struct wardi_list held; /* backpressure.c */
	/* under the system's lock for bounded mailboxes */
	struct wardi_bounded *next; /* free, or all of them */
	struct wardi_bounded *all;
};

enum wardi_bounded_verdict {
	WARDI_BOUNDED_TAKEN,
	WARDI_BOUNDED_OVER,      /* taken, though it is full: its sender is to be held */
	WARDI_BOUNDED_DEAD,      /* another owner */
	WARDI_BOUNDED_REFUSED,   /* full; the message is the caller's */
	WARDI_BOUNDED_DROPPED,   /* full; a message to drop is in *ret_dropped */
	WARDI_BOUNDED_NO_MEMORY, /* none for its place; the message is the caller's */
};

/* Whether it takes one to do what the options say. */
bool wardi_bounded_needed(const ward_mailbox *options);

/* A message is counted unless it is auto-received. may_go_over: somebody can be held for it. */
enum wardi_bounded_verdict wardi_bounded_push(struct wardi_bounded *bounded,
					      struct wardi_source from, uint64_t owner,
					      struct ward_msg *msg, bool may_go_over,
					      struct ward_msg **ret_dropped);
/* Holder. The message stays valid until the next pop or close. NULL: empty. *ret_drained: see
 * wardi_bounded_lets_go(). */
struct ward_msg *wardi_bounded_pop(struct wardi_bounded *bounded, struct wardi_source from,
				   bool *ret_drained);
bool wardi_bounded_empty(struct wardi_bounded *bounded);

void wardi_bounded_open(struct wardi_bounded *bounded, uint64_t owner, const ward_mailbox *options);
/* Refuses from now on and gives the rest, in the order in which it would have been handled. */
struct ward_msg *wardi_bounded_close(struct wardi_bounded *bounded, struct wardi_source from);
/* Writes nothing if it has another owner by now. *ret_unread: any wait, counted or not. */
void wardi_bounded_look(struct wardi_bounded *bounded, uint64_t owner, int64_t *ret_count,
			uint64_t *ret_dropped, bool *ret_unread);

/* Whether a sender has to wait for this owner to go on, since more than half of the maximum is
 * still there; then it remembers that. Under the system's lock for held senders. */
bool wardi_bounded_holds_back(struct wardi_bounded *bounded, uint64_t owner);
/* Whether those that it holds may go on: it has drained to half, or has no owner any more. Then it
 * forgets them. Under the same lock. */
bool wardi_bounded_lets_go(struct wardi_bounded *bounded);

#endif
