/* SPDX-License-Identifier: MIT
 *
 * timer_wheel.h - timers in slots of a millisecond: to arm and to disarm one takes a few
 * instructions, however many there are.
 *
 * A timer is due at the end of the slot in which its deadline lies: never early, and less than one
 * slot late. Those of one slot fire in the order in which they were armed.
 *
 * Threads: under the lock of the wheel's owner (timers.c).
 */
#ifndef WARDI_TIMER_WHEEL_H
#define WARDI_TIMER_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "sched/sched.h"

enum {
	WARDI_WHEEL_LEVELS = 6,
	WARDI_WHEEL_SLOTS = 256,
	WARDI_WHEEL_WORDS = WARDI_WHEEL_SLOTS / 64,
	WARDI_SLOT_NS = 1000 * 1000
};

/* Level 0 has a slot for each millisecond of the block of 256 around `now`, level 1 a slot for each
 * block of the 256 around that, and so on. A timer is at the level of the highest byte in which its
 * time differs from `now`. So no slot is a turn ahead. */
struct wardi_wheel {
	uint64_t now; /* the next slot to be served; all before it have been */
	/* Timers of the block that `now` has entered, on their way to lower levels. */
	struct wardi_list moving;
	unsigned moving_from;                                 /* their level; 0: there are none */
	uint64_t used[WARDI_WHEEL_LEVELS][WARDI_WHEEL_WORDS]; /* a bit for each slot with timers */
	struct wardi_wheel_slot {
		struct wardi_list timers; /* first armed, first fired */
		uint64_t first;           /* above level 0: no timer in it is due earlier */
	} slots[WARDI_WHEEL_LEVELS][WARDI_WHEEL_SLOTS];
};

/* Returns the slot at whose begin a timer with this deadline is due. */
static inline uint64_t wardi_wheel_slot_of(int64_t deadline_ns)
{
	if (deadline_ns <= 0)
		return 0;
	if (deadline_ns > INT64_MAX - WARDI_SLOT_NS) /* the begin of the last slot is a time, too */
		return INT64_MAX / WARDI_SLOT_NS;
	return ((uint64_t)deadline_ns - 1) / WARDI_SLOT_NS + 1;
}

void wardi_wheel_init(struct wardi_wheel *wheel, int64_t now_ns);

/* Inserts a timer by its deadline; returns when it is due. */
int64_t wardi_wheel_insert(struct wardi_wheel *wheel, struct wardi_timer_node *node);
void wardi_wheel_remove(struct wardi_wheel *wheel, struct wardi_timer_node *node);

/* Removes and returns a timer that is due at now_ns. NULL: none is due; or *moves_left is 0, and
 * there may be more: timers were moved to lower levels instead. */
struct wardi_timer_node *wardi_wheel_pop(struct wardi_wheel *wheel, int64_t now_ns,
					 unsigned *moves_left);

/* Returns a time before which no timer is due: the earliest, if no timer was removed before it was
 * due; INT64_MAX: there are none. */
int64_t wardi_wheel_next(const struct wardi_wheel *wheel);

#endif
