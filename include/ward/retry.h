/* SPDX-License-Identifier: MIT
 *
 * ward/retry.h - questions that are asked again, after a delay that grows, until one is answered.
 *
 *	static const ward_retry_options patient = {
 *		.tries_max = 4, .try_timeout_ms = 500, .delay_min_ms = 100, .delay_max_ms = 1000};
 *
 *	struct shop { struct ward_retry retry; ... };		in the state of the actor
 *
 *	return ward_retry_init(self, &me->retry, &patient);	in init
 *
 *	ward_retry_ask(self, &me->retry, bank, PRICE, get_price, .item = 1);
 *
 *	ward_result result = ward_retry_receive(self, &me->retry, msg);		first in receive
 *	if (result != WARD_UNHANDLED)
 *		return result;
 *	if (ward_ask_tag(self) == PRICE)			as after ward_ask()
 *
 * The actor sees the end of the last try alone, and once: the answer, or the ward_ask_failed that
 * was one too many. Those before are handled here. An answer to a try that is over comes too late,
 * as ever (WARD_REASON_STALE): so who is asked may have done the same work several times.
 *
 * One ward_retry serves any number of questions at once. It is a value in the state of one actor;
 * after a restart or a stop nothing comes of its questions. For each that is open it has a record
 * of less than 200 bytes and a copy of the body; and a timer, while a delay passes.
 *
 * All calls: only inside a callback of self.
 */
#ifndef WARD_RETRY_H
#define WARD_RETRY_H

#include <ward/ask.h>

WARD_BEGIN

/** How questions are asked again. Constant; must outlive what is started with it. Zero is the
 *  default in every field. */
typedef struct ward_retry_options {
	uint32_t tries_max;     /* the first one included; 5 */
	int64_t try_timeout_ms; /* of each try; 5 seconds */
	/** After try n, counted from 0: delay_min_ms * factor^n, at most delay_max_ms; and up to
	 *  random_factor of that on top, by chance. */
	int64_t delay_min_ms; /* 100 */
	int64_t delay_max_ms; /* 10 seconds, or delay_min_ms */
	double factor;        /* at least 1; 2 */
	double random_factor; /* 0 to 1 */
	/** All tries together: no delay ends later, and the last try ends then. One whose delay's
	 *  end the actor sees late begins all the same, and has a millisecond. 0: no limit. */
	int64_t within_ms;
	/** Says of what ended a try whether to ask again. NULL: a ward_ask_failed is asked again,
	 *  unless the asked actor is gone for good; an answer is the end. */
	bool (*again)(const ward_msg *msg) WARD_NOEXCEPT;
	uint64_t (*random)(ward_self *self) WARD_NOEXCEPT; /* NULL: ward_random() */
	uintptr_t reserved[2];                             /* zero */
} ward_retry_options;

/** Questions that are asked again. The fields are the library's. It must not move in memory; before
 *  its first start it is zero, as all of a state is. */
typedef struct ward_retry {
	const ward_retry_options *options;
	struct wardi_tags *questions; /* that are open */
	uint32_t tries;               /* of the one that ended last */
} ward_retry;

/**
 * Starts without questions. For init, or any later callback: questions that are open then go on,
 * with these options.
 *
 * Cost       O(1).
 * Errors     notes a failure, ward_misuse, when something in the options is wrong; then it returns
 *            WARD_FAILED, else WARD_DONE.
 */
WARD_API ward_result ward_retry_init(ward_self *self, ward_retry *retry,
				     const ward_retry_options *options);

/**
 * Asks, again and again. The plain form of ward_retry_ask().
 *
 * A timeout_ms of 0 stands for try_timeout_ms; answer_to must be nobody.
 *
 * Ownership  takes what the body owns, always. Each try gets a copy: what owns things needs a
 *            clone.
 * Order      each try as ward_ask_send(); none between two questions.
 * Cost       for each try as ward_ask_send(), and a copy of the body; O(1) besides.
 * Errors     then nothing was sent, and nothing comes: as ward_ask_send(); WARD_EEXIST also while
 *            a delay of this tag passes; WARD_EUNIQUE the body owns things, and its type has no
 *            clone; or what the clone said that refused.
 */
WARD_API WARD_MUST_USE ward_err ward_try_retry_ask_send(ward_self *self, ward_retry *retry,
							const ward_question *question,
							const ward_type *type, const void *body,
							size_t size);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_retry_ask_send(ward_self *self, ward_retry *retry,
				       const ward_question *question, const ward_type *type,
				       const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_retry_ask_send(self, retry, question, type, body, size));
}

/**
 * Handles what ends a try and is not the end, and the end of a delay.
 *
 * Returns WARD_UNHANDLED for all that is the actor's to handle: other messages, and the end of a
 * question, which ward_ask_tag() names. When there is no memory for a delay, the try before it was
 * the end.
 *
 * Cost       of a try that is not the end as ward_timer_start() for the delay, whose length takes
 *            O(tries before) to find; of the end of a delay a try as above; O(1) else.
 * Errors     returns WARD_FAILED with ward_out_of_memory when a delay has ended and there is none
 *            for the try, nor is another one left: no message could tell of its end. With
 *            ward_exception when the clone refuses a copy, so that there never will be a try;
 *            with ward_misuse when the actor has asked another question with this tag meanwhile.
 */
WARD_API WARD_MUST_USE ward_result ward_retry_receive(ward_self *self, ward_retry *retry,
						      const ward_msg *msg);

/** Forgets a question: nothing comes of it after this, nor is it asked again. An unknown tag is
 *  ignored. ward_ask_cancel() is not for these questions: it ends a try, and frees the tag for the
 *  next ward_retry_ask(); but a plain ward_ask() with this tag would be taken for a try. Cost: as
 *  ward_ask_cancel(), or as ward_timer_cancel() while a delay passes. */
WARD_API void ward_retry_cancel(ward_self *self, ward_retry *retry, uint64_t tag);

/** Says whether a question with this tag is open: a try, or the delay after one; of a try that
 *  ward_ask_cancel() ended it does not know. Cost: O(1). */
WARD_API bool ward_retry_open(const ward_retry *retry, uint64_t tag);

/** Returns how many tries the question took whose end came last. Cost: O(1). */
WARD_API uint32_t ward_retry_tries(const ward_retry *retry);

WARD_END

#ifndef __cplusplus
/** ward_retry_ask(self, &me->retry, bank, PRICE, get_price, .item = 1): see ward_retry_ask_send().
 *  Cost: as that. */
#define ward_retry_ask(self, retry_, to_, tag_, ...)                                               \
	ward_retry_ask_send((self), (retry_), &(ward_question){.to = (to_), .tag = (tag_)},        \
			    WARD_BODY(__VA_ARGS__))
/** The same, which answers a code: see ward_try_retry_ask_send(). Cost: as that. */
#define ward_try_retry_ask(self, retry_, to_, tag_, ...)                                           \
	ward_try_retry_ask_send((self), (retry_), &(ward_question){.to = (to_), .tag = (tag_)},    \
				WARD_BODY(__VA_ARGS__))
#endif
#endif
