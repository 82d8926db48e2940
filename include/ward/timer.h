/* SPDX-License-Identifier: MIT
 *
 * ward/timer.h - messages to oneself or to others, later; and one for when no other comes.
 *
 * Timers belong to the incarnation: cancelled at a restart, before pre_restart, and at a stop. A
 * tick of a timer that was cancelled or replaced is never seen, even if it waits in the mailbox
 * already (S87). The receive timeout is the actor's, and stays over restarts (S88).
 */
#ifndef WARD_TIMER_H
#define WARD_TIMER_H

#include <ward/actor.h>

WARD_BEGIN

/** How a timer repeats. */
typedef enum ward_timer_mode {
	WARD_TIMER_ONCE = 0,
	WARD_TIMER_FIXED_DELAY = 1, /* every_ms after the last tick was handed over */
	WARD_TIMER_FIXED_RATE = 2 /* every_ms by the clock; missed ticks become one with a count */
} ward_timer_mode;

/** A timer. Starting one with a key in use replaces the old one, also that of another receiver. */
typedef struct ward_timer {
	/** 0: none. Of these there may be any number; they end by themselves, or with the
	 *  incarnation, and cannot be cancelled. */
	uint64_t key;
	ward_timer_mode mode;
	int64_t after_ms; /* until the first tick */
	int64_t every_ms; /* between ticks; 0 with a repeating mode: after_ms */
	ward_ref to;      /* the receiver; nobody: self */
	/** It is for another actor: refused, where `to` is nobody. As ward_tell_after() does. */
	bool to_other;
	uintptr_t reserved[2]; /* zero */
} ward_timer;

/**
 * Starts a timer that sends the body to self, or in the name of self to another actor. The plain
 * form of ward_after(), ward_every() and ward_tell_after().
 *
 * What goes to another actor is sent when self would handle a message that came then: so not while
 * self is suspended, nor before what waits in its mailbox already. What cannot be delivered then is
 * a dead letter. It belongs to self: it is dropped at a restart or a stop as other timers are.
 *
 * Ownership  takes what the body owns, always.
 * Order      FIFO with all that self sends to this receiver, from the moment that it is sent.
 * Cost       O(log timers of the system) here and for each tick, under a lock that all of them
 *            share; a copy of the body here, and for each tick of one that repeats; two small
 *            blocks of memory besides. To another actor each tick costs a turn of self, too.
 * Errors     WARD_EINVAL no type, a negative time, a repeating mode without a period, or the
 *            reverse, to_other and nobody; WARD_ESIZE; WARD_EUNIQUE a repeating tick that cannot
 *            be copied; WARD_ENOMEM.
 * Contract   S44, S87
 */
WARD_API WARD_MUST_USE ward_err ward_try_timer_start(ward_self *self, const ward_timer *timer,
						     const ward_type *type, const void *body,
						     size_t size);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_timer_start(ward_self *self, const ward_timer *timer, const ward_type *type,
				    const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_timer_start(self, timer, type, body, size));
}

/** Cancels; no tick of it is seen after this, nor sent to another actor. An unknown key is ignored,
 *  and so is 0. Cost: O(log timers of the system), however many self has. */
WARD_API void ward_timer_cancel(ward_self *self, uint64_t key);

/** Says whether a timer with this key is running; false for 0. Cost: O(1). */
WARD_API bool ward_timer_open(const ward_self *self, uint64_t key);

/** Returns, while a tick is handled, the periods it stands for: above 1, some were missed. Cost:
 *  O(1). */
WARD_API uint64_t ward_timer_periods(const ward_self *self);

/* ---- deadlines --------------------------------------------------------------------------- */

/** A moment until which something is to be done: a value, to be kept and passed on where a timeout
 *  would begin anew each time. All zero is over. */
typedef struct ward_deadline {
	int64_t at_ns; /* as ward_now_ns(); INT64_MAX: never */
} ward_deadline;

/** Returns the deadline that is timeout_ms from now; WARD_FOREVER: never. Cost: O(1), a look at the
 *  clock. */
static inline ward_deadline ward_deadline_in(const ward_self *self, int64_t timeout_ms)
{
	int64_t now_ns = ward_now_ns(self);
	ward_deadline deadline = {INT64_MAX};

	if (timeout_ms <= (INT64_MAX - now_ns) / WARD_NS_PER_MS)
		deadline.at_ns = now_ns + (timeout_ms > 0 ? timeout_ms : 0) * WARD_NS_PER_MS;
	return deadline;
}
/** Returns what is left until it, in milliseconds, rounded up: what a timer or a question takes. 0:
 *  it is over; WARD_FOREVER: it never is. Cost: O(1), a look at the clock. */
static inline int64_t ward_deadline_left_ms(const ward_self *self, ward_deadline deadline)
{
	int64_t left_ns = deadline.at_ns - ward_now_ns(self);

	if (deadline.at_ns == INT64_MAX)
		return WARD_FOREVER;
	return left_ns <= 0 ? 0 : left_ns / WARD_NS_PER_MS + (left_ns % WARD_NS_PER_MS != 0);
}
/** Returns the earlier of two. Cost: O(1). */
static inline ward_deadline ward_deadline_min(ward_deadline a, ward_deadline b)
{
	return a.at_ns < b.at_ns ? a : b;
}

/* ---- when nothing comes ------------------------------------------------------------------ */

/** No message came for as long as the receive timeout. Sent by the runtime only; one that an actor
 *  sends counts for nothing. */
struct ward_receive_timeout {
	unsigned char none_;
};
WARD_API extern const ward_type ward_type_ward_receive_timeout;

/**
 * From now on a ward_receive_timeout whenever no message was handled for timeout_ms; replaces the
 * one before. 0 ends it: none is seen after this, not even one that waits already.
 *
 * The time begins here, and anew after each message that the actor has handled, also one that it
 * failed of, and the ward_receive_timeout itself. Types with WARD_TYPE_NOT_INFLUENCING do not put
 * it off. It waits in the mailbox like any message, and is not seen if another one was handled
 * meanwhile.
 *
 * Kept over restarts, and begins anew after one; a first start that is tried again forgets it.
 *
 * Cost       O(log timers of the system) here, and once in a time; a look at the clock for each
 *            message. Actors without one pay nothing.
 * Errors     WARD_EINVAL the time is negative; WARD_ENOMEM, and the one before stays.
 * Contract   S35, S44, S88
 */
WARD_API WARD_MUST_USE ward_err ward_try_receive_timeout_set(ward_self *self, int64_t timeout_ms);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_receive_timeout_set(ward_self *self, int64_t timeout_ms)
{
	(void)ward_noted_(self, ward_try_receive_timeout_set(self, timeout_ms));
}

WARD_END

#ifndef __cplusplus
/** ward_after(self, KEY, 500, retry, .attempt = 2): once; KEY 0: none. Cost: as
 *  ward_timer_start(). */
#define ward_after(self, key_, after_ms_, ...)                                                     \
	ward_timer_start((self), &(ward_timer){.key = (key_), .after_ms = (after_ms_)},            \
			 WARD_BODY(__VA_ARGS__))
/** ward_tell_after(self, to, KEY, 500, retry, .attempt = 2): once, to another actor; KEY 0: none.
 *  Cost: as ward_timer_start(). */
#define ward_tell_after(self, to_, key_, after_ms_, ...)                                           \
	ward_timer_start(                                                                          \
		(self),                                                                            \
		&(ward_timer){                                                                     \
			.key = (key_), .after_ms = (after_ms_), .to = (to_), .to_other = true},    \
		WARD_BODY(__VA_ARGS__))
/** ward_every(self, KEY, 500, poll): again and again, with a fixed delay. Cost: as
 *  ward_timer_start(). */
#define ward_every(self, key_, every_ms_, ...)                                                     \
	ward_timer_start((self),                                                                   \
			 &(ward_timer){.key = (key_),                                              \
				       .mode = WARD_TIMER_FIXED_DELAY,                             \
				       .after_ms = (every_ms_),                                    \
				       .every_ms = (every_ms_)},                                   \
			 WARD_BODY(__VA_ARGS__))
#endif
#endif
