/* SPDX-License-Identifier: MIT
 *
 * ward/exponential.h - exponential back-off as a value: how long to wait before the next try.
 *
 *	struct line {
 *		ward_exponential wait;				all zero is the default
 *	};
 *	...
 *	me->wait = ward_exponential_next(self, me->wait);	it failed once more
 *	ward_after(self, AGAIN, me->wait.wait_ms, again);
 *	...
 *	me->wait = ward_exponential_reset(me->wait);		it went well
 *
 * Waits are multiples of the slot time. In slot s a number e is drawn from 0..s, all equally
 * likely, and the wait is 2^e - 1 slot times. So the wait may be 0 in any slot, and is at most
 * 2^s - 1 slot times. The slot begins at 1 and increases by one with each draw, up to the ceiling.
 *
 * There the value either stays and draws from the last slot each time, or, by default, resets: with
 * a ceiling of c there are c - 1 draws, from the slots 1 to c - 1, and the c-th call resets, with
 * no wait. So the longest wait of the defaults is 2^9 - 1 slot times, 5.11 seconds, and with a
 * ceiling of 1 there is never a wait. A caller that must never try twice without a wait sets
 * stay_at_ceiling and adds a minimum wait of its own.
 *
 * The back-off is a plain value: copy it freely; there is nothing to release. It starts no timer
 * and sends nothing. backoff_sender.h is a ready behaviour on top of it.
 */
#ifndef WARD_EXPONENTIAL_H
#define WARD_EXPONENTIAL_H

#include <ward/failure.h>

WARD_BEGIN

/** Options of a back-off. Zero is the default in every field. */
typedef struct ward_exponential_options {
	int64_t slot_time_ms; /* default: 10 */
	uint32_t ceiling;     /* the slot at which it stays or resets; default: 10 */
	bool stay_at_ceiling; /* true: stays at the ceiling; false: the next call resets */
	/** Returns one of 0..count - 1, all equally likely; a test can choose the number. A larger
	 *  result counts as count - 1. NULL: ward_random(). */
	uint32_t (*draw)(void *arg, uint32_t count) WARD_NOEXCEPT;
	void *draw_arg;
	uintptr_t reserved[2]; /* zero */
} ward_exponential_options;

/** A back-off. Read its fields freely; only the calls below change them. All zero is a back-off
 *  that has not begun, with default options, as in the state of an actor; the first call fills in
 *  the defaults. Contract: S104. */
typedef struct ward_exponential {
	ward_exponential_options options; /* with the defaults filled in */
	uint32_t slot;                    /* of the next draw; begins at 1 */
	uint32_t retries;                 /* draws since the beginning or the last reset */
	int64_t wait_ms;                  /* the last wait; 0 also after a reset */
	uint64_t resets;
	uint64_t total_retries; /* not changed by a reset */
} ward_exponential;

/**
 * Makes a back-off that has not begun. NULL: default options, as in a value of all zeros.
 *
 * Ownership  copies the options; borrows draw_arg as long as the value or a copy of it is used.
 * Threads    any.
 * Cost       O(1).
 * Errors     WARD_EINVAL a negative slot time, or a reserved word that is not zero. *ret_now is not
 *            written then.
 * Contract   S104
 */
WARD_API WARD_MUST_USE ward_err ward_try_exponential_init(ward_exponential *ret_now,
							  const ward_exponential_options *options);
/** Makes a back-off like ward_try_exponential_init(), in an actor; a refusal makes self fail when
 *  the callback returns: see ward_failed_err(). Returns WARD_FAILED then, otherwise WARD_DONE.
 *  Cost: the same. */
static inline ward_result ward_exponential_init(ward_self *self, ward_exponential *ret_now,
						const ward_exponential_options *options)
{
	return ward_noted_(self, ward_try_exponential_init(ret_now, options)) ? WARD_DONE
									      : WARD_FAILED;
}

/**
 * Returns the back-off after one more failure; its `wait_ms` is the time to wait now. At a ceiling
 * where it does not stay, this is ward_exponential_reset(), and nothing is drawn.
 *
 * `self` may be NULL if there is a `draw`. A wait that does not fit into wait_ms is WARD_FOREVER.
 *
 * Threads    only inside a callback of self; any if there is a `draw`.
 * Cost       O(1), and the cost of `draw`.
 * Contract   S105
 */
WARD_API WARD_MUST_USE ward_exponential ward_exponential_next(ward_self *self,
							      ward_exponential now);

/** Returns the back-off after a success: slot 1, no wait, no retries, one more reset. Threads: any.
 *  Cost: O(1). Contract: S104. */
WARD_API WARD_MUST_USE ward_exponential ward_exponential_reset(ward_exponential now);

/** Returns true if there was a draw, even one of no wait, since the beginning or the last reset.
 *  Cost: O(1). Contract: S104. */
static inline bool ward_exponential_started(const ward_exponential *now)
{
	return now->retries > 0;
}

WARD_END
#endif
