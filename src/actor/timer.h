/* SPDX-License-Identifier: MIT
 *
 * timer.h - an actor's timers: messages to itself, or to another actor, later.
 */
#ifndef WARDI_TIMER_H
#define WARDI_TIMER_H

#include <ward/types.h>

struct ward_msg;
struct ward_self;
struct wardi_failure;
struct wardi_cell;
struct wardi_tick;

/* Returns the message of a tick, which owns its block; NULL: the timer is gone, or has sent its
 * message to another actor. */
struct ward_msg *wardi_tick_due(struct ward_self *self, const struct wardi_tick *tick,
				struct wardi_failure *ret_cause);

/* The message of a timer that sends it itself, in hand: true, it is for receive, and is like any
 * other now. False: the timer is gone. */
bool wardi_timed_due(struct ward_self *self, struct ward_msg *msg);

void wardi_timers_cancel_all(struct ward_self *self, struct wardi_cell *cell);

#endif
