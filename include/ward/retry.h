/* SPDX-License-Identifier: MIT
 *
 * ward/retry.h - questions that are asked again, after growing delays, until one is answered.
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
 * The actor sees only the end of the last try, once: the answer, or the last ward_ask_failed. The
 * ends of earlier tries are handled here. An answer to an earlier try is too late and becomes a
 * dead letter (WARD_REASON_STALE). So the asked actor may do the same work several times.
 *
 * One ward_retry serves any number of questions at once. It is a value in the state of one actor; a
 * restart or a stop forgets its questions. Each open question takes a record of less than 200
 * bytes, a copy of the body, and during a delay a timer.
 *
 * All functions with `self` may be called only inside a callback of self.
 */
#ifndef WARD_RETRY_H
#define WARD_RETRY_H

#include <ward/ask.h>

WARD_BEGIN

/** Options of a ward_retry. Constant; must outlive it. Zero is the default in every field. */
typedef struct ward_retry_options {
	uint32_t tries_max;     /* including the first try; default: 5 */
	int64_t try_timeout_ms; /* of each try; default: 5 seconds */
	/** The delay after try n, counted from 0, is delay_min_ms * factor^n, at most delay_max_ms;
	 *  plus up to random_factor of that, at random. */
	int64_t delay_min_ms; /* default: 100 */
	int64_t delay_max_ms; /* default: 10 seconds, or delay_min_ms if that is more */
	double factor;        /* at least 1; default: 2 */
	double random_factor; /* 0 to 1 */
	/** Time for all tries together, from the first one. A try ends no later. A delay that would
	 *  end later does not begin: the try before it was the last. If the actor handles the end
	 *  of a delay only when the time is up, there is one more try, of 1 ms. 0: no limit. */
	int64_t within_ms;
	/** Returns true if a try that ended with this message is to be followed by another. Called
	 *  at the end of each try, even if none can follow. NULL: a ward_ask_failed is followed by
	 *  another try, unless the asked actor has ended; an answer is not. */
	bool (*again)(const ward_msg *msg) WARD_NOEXCEPT;
	uint64_t (*random)(ward_self *self) WARD_NOEXCEPT; /* NULL: ward_random() */
	uintptr_t reserved[2];                             /* zero */
} ward_retry_options;

/** Questions that are asked again; its fields are private to the library. It must not move in
 *  memory. Before ward_retry_init() it must be all zero, as a new state is. */
typedef struct ward_retry {
	const ward_retry_options *options;
	struct wardi_tags *questions; /* open questions */
	uint32_t tries;               /* of the question that ended last */
} ward_retry;

/**
 * Starts without questions, in init. Called again in any later callback, it changes the options;
 * open questions go on with the new ones.
 *
 * Cost       O(1).
 * Errors     invalid options, or none, note a failure, ward_misuse; the call returns WARD_FAILED
 *            then, otherwise WARD_DONE.
 */
WARD_API ward_result ward_retry_init(ward_self *self, ward_retry *retry,
				     const ward_retry_options *options);

/**
 * Asks a question, and asks again until it is answered. The plain form of ward_retry_ask().
 *
 * The timeout_ms of the question is that of each try; 0 stands for try_timeout_ms. answer_to must
 * be nobody.
 *
 * Ownership  takes what the body owns, always. Each try sends a copy, so a type with a drop
 *            function needs a clone.
 * Order      each try as ward_ask_send(); no order between two questions.
 * Cost       O(1), and for each try as ward_ask_send(), and a copy of the body.
 * Errors     as ward_try_ask_send(); WARD_EEXIST also during a delay of this tag; WARD_EUNIQUE the
 *            type has a drop function and no clone; or the error of the clone. Nothing is sent
 *            then, and nothing arrives.
 */
WARD_API WARD_MUST_USE ward_err ward_try_retry_ask_send(ward_self *self, ward_retry *retry,
							const ward_question *question,
							const ward_type *type, const void *body,
							size_t size);
/** Calls ward_try_retry_ask_send(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_retry_ask_send(ward_self *self, ward_retry *retry,
				       const ward_question *question, const ward_type *type,
				       const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_retry_ask_send(self, retry, question, type, body, size));
}

/**
 * Handles the ends of tries that are followed by another, and the ends of delays.
 *
 * Returns WARD_UNHANDLED for messages that the actor has to handle: unrelated ones, and the end of
 * a question, whose tag ward_ask_tag() returns. If there is no memory for a delay, the try before
 * it was the last.
 *
 * Cost       O(1). The end of a try: as ward_timer_start() for the delay, whose length takes
 *            O(tries so far) to compute. The end of a delay: a try, as above.
 * Errors     returns WARD_FAILED when a delay has ended and no further try is possible, since no
 *            message could report the end of the question: with ward_out_of_memory if there is no
 *            memory for the last try; with ward_exception if the clone refuses a copy; with
 *            ward_misuse if the actor has asked another question with this tag in the meantime.
 */
WARD_API WARD_MUST_USE ward_result ward_retry_receive(ward_self *self, ward_retry *retry,
						      const ward_msg *msg);

/** Forgets a question: nothing of it arrives after this call, and it is not asked again. An unknown
 *  tag is ignored. Do not use ward_ask_cancel() for these questions: it ends only the current try
 *  and frees the tag for the next ward_retry_ask(), and a ward_ask() with this tag would be taken
 *  for a try. Cost: as ward_ask_cancel(); during a delay as ward_timer_cancel(). */
WARD_API void ward_retry_cancel(ward_self *self, ward_retry *retry, uint64_t tag);

/** Returns true if a question with this tag is open: during a try, or during the delay after it. It
 *  does not notice that ward_ask_cancel() ended a try. Cost: O(1). */
WARD_API bool ward_retry_open(const ward_retry *retry, uint64_t tag);

/** Returns the number of tries of the question that ended, or was cancelled, last; 0: none yet.
 *  Cost: O(1). */
WARD_API uint32_t ward_retry_tries(const ward_retry *retry);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Asks a question, and asks again: `ward_retry_ask(self, &me->retry, bank, PRICE, get_price, .item
 *  = 1)`. See ward_retry_ask_send(). Cost: as ward_retry_ask_send(). */
#define ward_retry_ask(self, retry_, to_, tag_, ...)                                               \
	ward_retry_ask_send((self), (retry_), &(ward_question){.to = (to_), .tag = (tag_)},        \
			    WARD_BODY(__VA_ARGS__))
/** Asks like ward_retry_ask(), or returns an error code: see ward_try_retry_ask_send(). Cost: as
 *  ward_try_retry_ask_send(). */
#define ward_try_retry_ask(self, retry_, to_, tag_, ...)                                           \
	ward_try_retry_ask_send((self), (retry_), &(ward_question){.to = (to_), .tag = (tag_)},    \
				WARD_BODY(__VA_ARGS__))
#endif
#endif
