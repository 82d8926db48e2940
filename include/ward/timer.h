/* SPDX-License-Identifier: MIT
 *
 * ward/timer.h - delayed and repeated messages, deadlines, and the receive timeout.
 *
 * Timers belong to the incarnation: a restart cancels them before pre_restart, and a stop cancels
 * them, too. A tick of a cancelled or replaced timer is never seen, even if it is already in the
 * mailbox (S87). The receive timeout belongs to the actor and survives restarts (S88).
 *
 * No time ends early. On threads times end in steps of a millisecond, so that all that is due in
 * one step is one wake-up: a timer, a receive timeout or the timeout of a question is at most a
 * millisecond late, and as long as the turns that run at that time take. A timer that is exact ends
 * at its own nanosecond, as far as the operating system wakes a thread in time. In a simulation all
 * times are exact.
 *
 * The patterns in the state of an actor (breakers, retries, state machines, deliveries) set timers
 * of that actor, too. Their keys are addresses: small numbers, as of an enum, never collide with
 * them.
 */
#ifndef WARD_TIMER_H
#define WARD_TIMER_H

#include <ward/actor.h>

WARD_BEGIN

/** How a timer repeats. At most one tick of a timer waits in the mailbox: further ones are merged
 *  with it, and ward_timer_periods() counts them. */
typedef enum ward_timer_mode {
	WARD_TIMER_ONCE = 0, /* one tick */
	/** A tick every_ms after the previous one was put in the mailbox of self; counted from the
	 *  begin of the step of a millisecond in which that was, unless the timer is exact. */
	WARD_TIMER_FIXED_DELAY = 1,
	WARD_TIMER_FIXED_RATE = 2 /* every_ms by the clock */
} ward_timer_mode;

/** A timer. Starting one with a key in use replaces the old one, even if its receiver differs. */
typedef struct ward_timer {
	/** Identifies the timer among those of self. 0: no key; there may be any number of such
	 *  timers. They cannot be cancelled; they end by themselves or with the incarnation. */
	uint64_t key;
	ward_timer_mode mode;
	int64_t after_ms; /* until the first tick; 0: at once; WARD_FOREVER: never */
	int64_t every_ms; /* between ticks; 0 in a repeating mode: the same as after_ms */
	ward_ref to;      /* the receiver; nobody: self */
	/** true: a `to` of nobody is refused; otherwise such a timer is for self. Changes nothing
	 *  else. ward_tell_after() sets it. */
	bool to_other;
	/** true: due to the nanosecond. Costs O(log exact timers of the system) under a lock shared
	 *  by all of them, and a wake-up of its own for each deadline. */
	bool exact;
	uintptr_t reserved[2]; /* zero */
} ward_timer;

/**
 * Starts a timer that sends the body to self, or with self as the sender to another actor. The
 * plain form of ward_after(), ward_every() and ward_tell_after().
 *
 * A message to another actor is sent when self would handle a message that arrives at that time: so
 * not while self is suspended, and not before the messages that are already in its mailbox. If it
 * cannot be delivered then, it becomes a dead letter. The timer belongs to self: a restart or a
 * stop of self cancels it like any other.
 *
 * Ownership  takes what the body owns, always.
 * Order      FIFO with all messages from self to this receiver, from the time it is sent. Timers of
 *            self that end in the same millisecond come in the order in which they were started.
 * Cost       O(1) here and for each tick, under the lock of one worker: this one, or that which
 *            started the timers that self has; however many timers there are; a copy of the body
 *            here, and for each tick of a repeating timer. Memory: once to self about 90 bytes and
 *            the message; otherwise about 240 and the message. To another actor each tick also
 *            costs a turn of self.
 * Errors     WARD_EINVAL no type, a negative time, a repeating mode without a period or a period
 *            without a repeating mode, or to_other with nobody; WARD_ESIZE; WARD_EUNIQUE a
 *            repeating tick that cannot be copied; WARD_ENOMEM. No timer is started then. An old
 *            one with this key goes on, except after WARD_ENOMEM: then it has been cancelled.
 * Contract   S44, S87
 */
WARD_API WARD_MUST_USE ward_err ward_try_timer_start(ward_self *self, const ward_timer *timer,
						     const ward_type *type, const void *body,
						     size_t size);
/** Calls ward_try_timer_start(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_timer_start(ward_self *self, const ward_timer *timer, const ward_type *type,
				    const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_timer_start(self, timer, type, body, size));
}

/** Cancels a timer: no tick of it is seen after this call, nor sent to another actor. An unknown
 *  key, or 0, is ignored. Cost: O(1), under the same lock. */
WARD_API void ward_timer_cancel(ward_self *self, uint64_t key);

/** Returns true if a timer with this key is running, or its last tick waits in the mailbox; false
 *  for 0. Cost: O(1). */
WARD_API bool ward_timer_open(const ward_self *self, uint64_t key);

/** Returns the number of periods that the tick being handled stands for: 1, or more if ticks were
 *  merged; 0 while another message is handled. Cost: O(1). */
WARD_API uint64_t ward_timer_periods(const ward_self *self);

/* ---- deadlines --------------------------------------------------------------------------- */

/** The time by which something must be done: a value to keep and to pass on, where a timeout would
 *  start again at each step. All zero: a deadline that has passed. */
typedef struct ward_deadline {
	int64_t at_ns; /* as ward_now_ns(); INT64_MAX: never */
} ward_deadline;

/** Returns the deadline that is timeout_ms from now; WARD_FOREVER: never. Cost: O(1), reads the
 *  clock. */
static inline ward_deadline ward_deadline_in(const ward_self *self, int64_t timeout_ms)
{
	int64_t now_ns = ward_now_ns(self);
	ward_deadline deadline = {INT64_MAX};

	if (timeout_ms <= (INT64_MAX - now_ns) / WARD_NS_PER_MS)
		deadline.at_ns = now_ns + (timeout_ms > 0 ? timeout_ms : 0) * WARD_NS_PER_MS;
	return deadline;
}
/** Returns the milliseconds left until a deadline, rounded up, as timers and questions take them.
 *  0: it has passed, which ward_ask() refuses as a timeout; WARD_FOREVER: it never will. Cost:
 *  O(1), reads the clock. */
static inline int64_t ward_deadline_left_ms(const ward_self *self, ward_deadline deadline)
{
	int64_t left_ns = deadline.at_ns - ward_now_ns(self);

	if (deadline.at_ns == INT64_MAX)
		return WARD_FOREVER;
	return left_ns <= 0 ? 0 : left_ns / WARD_NS_PER_MS + (left_ns % WARD_NS_PER_MS != 0);
}
/** Returns the earlier of two deadlines. Cost: O(1). */
static inline ward_deadline ward_deadline_min(ward_deadline a, ward_deadline b)
{
	return a.at_ns < b.at_ns ? a : b;
}

/* ---- receive timeout --------------------------------------------------------------------- */

/** The message of a receive timeout: no message was handled for that long. Only the runtime sends
 *  it; one that an actor sends is ignored. */
struct ward_receive_timeout {
	unsigned char none_;
};
WARD_API extern const ward_type ward_type_ward_receive_timeout;

/**
 * Sets the receive timeout: self gets a ward_receive_timeout whenever it has handled no message for
 * timeout_ms. Replaces the previous one; 0 ends it, and no ward_receive_timeout is seen after that,
 * not even one that is already in the mailbox.
 *
 * The time starts here, and again after each handled message, including one that made the actor
 * fail and the ward_receive_timeout itself. Messages of types with WARD_TYPE_NOT_INFLUENCING do not
 * restart it. The ward_receive_timeout waits in the mailbox like any message, and is not seen if
 * another message is handled before it.
 *
 * The timeout survives restarts, and its time starts again after each. If the first start of self
 * fails and its parent tries it again (S42), the timeout is forgotten.
 *
 * Units      timeout_ms milliseconds.
 * Cost       O(1) here, and once per timeout; reads the clock for each message. Actors without a
 *            receive timeout pay nothing.
 * Errors     WARD_EINVAL timeout_ms is negative; WARD_ENOMEM. The previous one stays then.
 * Contract   S35, S44, S88
 */
WARD_API WARD_MUST_USE ward_err ward_try_receive_timeout_set(ward_self *self, int64_t timeout_ms);
/** Calls ward_try_receive_timeout_set(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_receive_timeout_set(ward_self *self, int64_t timeout_ms)
{
	(void)ward_noted_(self, ward_try_receive_timeout_set(self, timeout_ms));
}

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Sends a message to self once, later: `ward_after(self, KEY, 500, retry, .attempt = 2)`. KEY 0:
 *  no key. Cost: as ward_timer_start(). */
#define ward_after(self, key_, after_ms_, ...)                                                     \
	ward_timer_start((self), &(ward_timer){.key = (key_), .after_ms = (after_ms_)},            \
			 WARD_BODY(__VA_ARGS__))
/** Sends a message to another actor once, later: `ward_tell_after(self, to, KEY, 500, retry,
 *  .attempt = 2)`. KEY 0: no key. Cost: as ward_timer_start(). */
#define ward_tell_after(self, to_, key_, after_ms_, ...)                                           \
	ward_timer_start(                                                                          \
		(self),                                                                            \
		&(ward_timer){                                                                     \
			.key = (key_), .after_ms = (after_ms_), .to = (to_), .to_other = true},    \
		WARD_BODY(__VA_ARGS__))
/** Sends a message to self repeatedly, with a fixed delay: `ward_every(self, KEY, 500, poll)`.
 *  Cost: as ward_timer_start(). */
#define ward_every(self, key_, every_ms_, ...)                                                     \
	ward_timer_start((self),                                                                   \
			 &(ward_timer){.key = (key_),                                              \
				       .mode = WARD_TIMER_FIXED_DELAY,                             \
				       .after_ms = (every_ms_),                                    \
				       .every_ms = (every_ms_)},                                   \
			 WARD_BODY(__VA_ARGS__))
#endif
#endif
