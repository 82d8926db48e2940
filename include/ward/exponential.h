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
 * Waits are counted in slot times. In slot s one of the s + 1 numbers 0..s is drawn, evenly; for e
 * the wait is 2^e - 1 slot times. So no wait at all is possible in each slot, and 2^s - 1 slot
 * times are the longest. The slot is 1 at first and one more after each draw, up to the ceiling.
 * There the value either stays, or begins anew: with a ceiling of c there are c - 1 waits, and the
 * c-th call resets, which is no wait. That is the default: who must not try twice in a row without
 * a wait takes stay_at_ceiling and a shortest wait of its own.
 *
 * A value: copied freely, never changed behind its owner's back, nothing to release. It starts no
 * timer and sends nothing. What is ready made on top of it: backoff_sender.h.
 */
#ifndef WARD_EXPONENTIAL_H
#define WARD_EXPONENTIAL_H

#include <ward/failure.h>

WARD_BEGIN

/** How it goes. Zero is the default in every field. */
typedef struct ward_exponential_options {
	int64_t slot_time_ms; /* 10 */
	uint32_t ceiling;     /* the last slot; 10 */
	bool stay_at_ceiling; /* goes on there; else the next one resets */
	/** Returns one of 0..count - 1, each as likely as the others; for tests, which choose it.
	 *  One that is larger stands for the last. NULL: by ward_random(). */
	uint32_t (*draw)(void *arg, uint32_t count) WARD_NOEXCEPT;
	void *draw_arg;
	uintptr_t reserved[2]; /* zero */
} ward_exponential_options;

/** A back-off. To be read; made and moved on by the calls below. All zero is one that has not
 *  begun, with the defaults, as in the state of an actor; the first call on it fills them in.
 *  Contract: S104. */
typedef struct ward_exponential {
	ward_exponential_options options; /* with the defaults filled in */
	uint32_t slot;                    /* of the next draw; 1 at first */
	uint32_t retries;                 /* waits since the start or the last reset */
	int64_t wait_ms;                  /* the last one; 0 after a reset */
	uint64_t resets;
	uint64_t total_retries; /* a reset keeps it */
} ward_exponential;

/**
 * Makes one that has not begun. NULL: all options are the default, as in one that is all zero.
 *
 * Ownership  copies the options; borrows draw_arg as long as the value and its copies are used.
 * Threads    any.
 * Cost       O(1).
 * Errors     WARD_EINVAL a negative slot time, or a reserved word that is not zero. Then nothing is
 *            written.
 * Contract   S104
 */
WARD_API WARD_MUST_USE ward_err ward_try_exponential_init(ward_exponential *ret_now,
							  const ward_exponential_options *options);
/** The same in an actor, where a refusal is a failure: see ward_failed_err(). Returns WARD_FAILED
 *  then, else WARD_DONE. Cost: the same. */
static inline ward_result ward_exponential_init(ward_self *self, ward_exponential *ret_now,
						const ward_exponential_options *options)
{
	return ward_noted_(self, ward_try_exponential_init(ret_now, options)) ? WARD_DONE
									      : WARD_FAILED;
}

/**
 * Returns the next one: `wait_ms` is how long to wait now. At a ceiling where it does not stay it
 * is what ward_exponential_reset() returns, and nothing is drawn.
 *
 * `self` may be NULL where there is a `draw`. A wait that is too long for the number is
 * WARD_FOREVER.
 *
 * Cost       O(1), and what `draw` does.
 * Contract   S105
 */
WARD_API WARD_MUST_USE ward_exponential ward_exponential_next(ward_self *self,
							      ward_exponential now);

/** Returns one that begins anew: slot 1, no wait, no retries, one more reset. Threads: any. Cost:
 *  O(1). Contract: S104. */
WARD_API WARD_MUST_USE ward_exponential ward_exponential_reset(ward_exponential now);

/** Says whether there was a wait since the start or the last reset. Cost: O(1). Contract: S104. */
static inline bool ward_exponential_started(const ward_exponential *now)
{
	return now->retries > 0;
}

WARD_END
#endif
