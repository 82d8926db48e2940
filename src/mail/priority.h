/* SPDX-License-Identifier: MIT
 *
 * priority.h - the order in which the messages of a bounded mailbox wait: control, then by
 * priority, else as they came.
 *
 * A message has a rank; the lowest runs first, equal ones in order of arrival. Auto-received ones
 * (pills, ticks, notices, answers) are never ranked by a program: theirs is 0, and rank 0 needs no
 * memory. So they always find a place.
 *
 * Under the lock of the mailbox.
 */
#ifndef WARDI_PRIORITY_H
#define WARDI_PRIORITY_H

#include "base/alloc.h"
#include "mail/message.h"

/* Of a message that overtakes all others; all other ranks are priorities, of 32 bits. */
#define WARDI_RANK_CONTROL INT64_MIN

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
	struct wardi_line plain;   /* of rank 0 */
	struct wardi_ranked *heap; /* all others */
	uint32_t ranked, room;     /* in the heap */
	uint64_t arrivals;         /* so far, in the heap */
};

void wardi_line_append(struct wardi_line *line, struct ward_msg *msg);

static inline bool wardi_priority_empty(const struct wardi_priority_queue *order)
{
	return order->control.first == NULL && order->plain.first == NULL && order->ranked == 0;
}

/* Makes sure that the next message of this rank has a place. False: no memory. */
bool wardi_priority_reserve(struct wardi_priority_queue *order, struct wardi_alloc *alloc,
			    int64_t rank);
/* Into a place that is there. */
void wardi_priority_push(struct wardi_priority_queue *order, struct ward_msg *msg, int64_t rank);
/* NULL: empty. What a long queue has taken of memory is given back when it is short again. */
struct ward_msg *wardi_priority_pop(struct wardi_priority_queue *order, struct wardi_alloc *alloc);
/* Takes out what matters least to make room for one of this rank: of all that are not
 * auto-received the one with the highest rank, the longest waiting of these. NULL: all rank lower
 * than the new one would. */
struct ward_msg *wardi_priority_make_room(struct wardi_priority_queue *order, int64_t rank);

/* Empty: frees what is kept for more. */
void wardi_priority_finish(struct wardi_priority_queue *order, struct wardi_alloc *alloc);

#endif
