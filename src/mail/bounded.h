/* SPDX-License-Identifier: MIT
 *
 * bounded.h - a mailbox with a policy: a maximum, an order of its own, or a count, beside the lane.
 *
 * All user messages of such a cell go here, counted or not, so that their order is one. The mailbox
 * is type-stable: a sender that comes too late finds another owner and is refused.
 *
 * Threads: calls may run at the same time, except those of the holder.
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
	uint32_t count; /* messages that are not auto-received */
	uint32_t max;
	ward_overflow overflow;
	bool control_first;
	bool closed; /* by its owner: see closed_mailbox.c */
	bool holds;  /* senders wait until the mailbox has drained, or are about to */
	uint64_t dropped;
	/* holder only */
	struct ward_msg *current; /* popped, freed at the next pop */
	/* under the system's lock for held senders */
	struct wardi_list held; /* backpressure.c */
	/* under the system's lock for bounded mailboxes */
	struct wardi_bounded *next; /* in the list of free mailboxes, or of all */
	struct wardi_bounded *all;
};

enum wardi_bounded_verdict {
	WARDI_BOUNDED_TAKEN,
	WARDI_BOUNDED_OVER,      /* taken, though the mailbox is full: hold its sender */
	WARDI_BOUNDED_DEAD,      /* the mailbox has another owner */
	WARDI_BOUNDED_REFUSED,   /* full; the message is the caller's */
	WARDI_BOUNDED_DROPPED,   /* full; a message to drop is in *ret_dropped */
	WARDI_BOUNDED_NO_MEMORY, /* no memory for its place; the message is the caller's */
};

/* Whether it has its maximum, and this owner. */
bool wardi_bounded_is_full(struct wardi_bounded *bounded, uint64_t owner);

/* Whether these options need a bounded mailbox. */
bool wardi_bounded_needed(const ward_mailbox *options);

/* Counts the message unless it is auto-received. may_go_over: its sender can be held for it. */
enum wardi_bounded_verdict wardi_bounded_push(struct wardi_bounded *bounded,
					      struct wardi_source from, uint64_t owner,
					      struct ward_msg *msg, bool may_go_over,
					      struct ward_msg **ret_dropped);
/* Holder. Returns the next message, valid until the next pop or close. NULL: empty. *ret_drained:
 * see wardi_bounded_lets_go(). */
struct ward_msg *wardi_bounded_pop(struct wardi_bounded *bounded, struct wardi_source from,
				   bool *ret_drained);
bool wardi_bounded_empty(struct wardi_bounded *bounded);
/* Holder: from now on only messages that pass are popped, by the next function; or all again. */
void wardi_bounded_set_closed(struct wardi_bounded *bounded, bool closed);
/* Holder of a closed one. Returns the next message that passes, valid until the next pop or close.
 * NULL: none. */
struct ward_msg *wardi_bounded_pop_passing(struct wardi_bounded *bounded, struct wardi_source from);
/* Whether messages wait that pass, in a mailbox that is closed. */
bool wardi_bounded_has_passing(struct wardi_bounded *bounded);

void wardi_bounded_open(struct wardi_bounded *bounded, uint64_t owner, const ward_mailbox *options);
/* Refuses messages from now on and returns the rest, in the order in which they would have been
 * handled. */
struct ward_msg *wardi_bounded_close(struct wardi_bounded *bounded, struct wardi_source from);
/* Writes nothing if the mailbox has another owner by now. *ret_unread: whether messages wait,
 * counted or not. */
void wardi_bounded_look(struct wardi_bounded *bounded, uint64_t owner, int64_t *ret_count,
			uint64_t *ret_dropped, bool *ret_unread);

/* Under the system's lock for held senders: whether a sender must wait for this owner, since more
 * than half of the maximum is still there; if so the mailbox notes that. */
bool wardi_bounded_holds_back(struct wardi_bounded *bounded, uint64_t owner);
/* Under the same lock: whether the held senders may go on, since the mailbox has drained to half or
 * has no owner; if so it clears the note. */
bool wardi_bounded_lets_go(struct wardi_bounded *bounded);

#endif
