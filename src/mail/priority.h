/* SPDX-License-Identifier: MIT
 *
 * priority.h - the order in which the messages of a bounded mailbox wait: control, then by
 * priority, then by arrival.
 *
 * A message has a rank; the lowest runs first, equal ranks in order of arrival. A program never
 * ranks auto-received messages (pills, ticks, notices, answers): their rank is 0, and rank 0 needs
 * no memory. So they always find a place.
 *
 * Under the lock of the mailbox.
 */
#ifndef WARDI_PRIORITY_H
#define WARDI_PRIORITY_H

#include "base/alloc.h"
#include "mail/message.h"

/* The rank of a message that overtakes all others; all other ranks are priorities, of 32 bits. */
#define WARDI_RANK_CONTROL INT64_MIN
/* The rank of a message that passes a closed mailbox. */
#define WARDI_RANK_PASSING (INT64_MIN + 1)

struct wardi_line {
	struct ward_msg *first, *last;
};

struct wardi_ranked {
	struct ward_msg *msg;
	uint64_t arrival;
	int32_t rank;
};

struct wardi_priority_queue {
	struct wardi_line control;
	struct wardi_line plain;   /* rank 0 */
	struct wardi_line passing; /* those that pass, while the mailbox is closed */
	bool mixed;                /* some that would pass came to the plain line */
	struct wardi_ranked *heap; /* all other ranks */
	uint32_t ranked, room;     /* in the heap */
	uint64_t arrivals;         /* in the heap, so far */
};

void wardi_line_append(struct wardi_line *line, struct ward_msg *msg);

static inline bool wardi_priority_empty(const struct wardi_priority_queue *order)
{
	return order->control.first == NULL && order->plain.first == NULL && order->ranked == 0;
}

/* Makes room for the next message of this rank. False: no memory. */
bool wardi_priority_reserve(struct wardi_priority_queue *order, struct wardi_alloc *alloc,
			    int64_t rank);
/* Inserts a message; room for it was reserved. */
void wardi_priority_push(struct wardi_priority_queue *order, struct ward_msg *msg, int64_t rank);
/* Takes the first message; NULL: empty. Frees the memory of a long queue when it is short again. */
struct ward_msg *wardi_priority_pop(struct wardi_priority_queue *order, struct wardi_alloc *alloc);
/* Makes room for a message of this rank: takes out the oldest of those with the highest rank,
 * auto-received ones excepted. NULL: all rank lower than the new one would. */
struct ward_msg *wardi_priority_make_room(struct wardi_priority_queue *order, int64_t rank);

/* The owner closes its mailbox: takes those that pass out of the plain line. O(messages in it) if
 * any came there since the last time. */
void wardi_priority_part(struct wardi_priority_queue *order);
/* The owner opens it: those that passed and still wait come before all others. */
void wardi_priority_join(struct wardi_priority_queue *order);
/* Takes the first of those that pass; NULL: none. */
struct ward_msg *wardi_priority_pop_passing(struct wardi_priority_queue *order);

/* Frees the memory of an empty queue. */
void wardi_priority_finish(struct wardi_priority_queue *order, struct wardi_alloc *alloc);

#endif
