/* SPDX-License-Identifier: MIT
 *
 * bounded.h - a mailbox with a maximum: a list under a lock, beside the lane.
 *
 * All user messages of a bounded cell go here, counted or not, so that their order is one. Boxes
 * are type-stable: a sender that comes too late finds a box with another owner and is refused.
 *
 * Safe together: everything.
 */
#ifndef WARDI_BOUNDED_H
#define WARDI_BOUNDED_H

#include <pthread.h>

#include <ward/actor.h>

#include "core/message.h"

struct wardi_bounded {
	pthread_mutex_t mu;
	/* under mu */
	uint64_t owner; /* the uid; 0: free */
	struct ward_msg *first, *last;
	uint32_t count; /* of the counted ones */
	uint32_t max;
	ward_overflow overflow;
	uint64_t dropped;
	/* holder only */
	struct ward_msg *current; /* popped, freed at the next pop */
	/* under the system's lock */
	struct wardi_bounded *next; /* free, or all boxes */
	struct wardi_bounded *all;
};

enum wardi_bounded_verdict {
	WARDI_BOUNDED_TAKEN,
	WARDI_BOUNDED_DEAD,    /* another owner */
	WARDI_BOUNDED_REFUSED, /* full; the message is the caller's */
	WARDI_BOUNDED_DROPPED, /* full; a message to drop is in *ret_dropped */
};

/* A message is counted unless it is special. */
enum wardi_bounded_verdict wardi_bounded_push(struct wardi_bounded *box, uint64_t owner,
					      struct ward_msg *msg, struct ward_msg **ret_dropped);
/* Holder. The message stays valid until the next pop or close. NULL: empty. */
struct ward_msg *wardi_bounded_pop(struct wardi_bounded *box, struct wardi_source from);
bool wardi_bounded_empty(struct wardi_bounded *box);

void wardi_bounded_open(struct wardi_bounded *box, uint64_t owner, const ward_mailbox *options);
/* Refuses from now on and gives the rest, oldest first. */
struct ward_msg *wardi_bounded_close(struct wardi_bounded *box, struct wardi_source from);
/* Writes nothing if it has another owner by now. *ret_unread: any wait, counted or not. */
void wardi_bounded_look(struct wardi_bounded *box, uint64_t owner, int64_t *ret_count,
			uint64_t *ret_dropped, bool *ret_unread);

#endif
