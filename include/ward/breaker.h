/* SPDX-License-Identifier: MIT
 *
 * ward/breaker.h - a circuit breaker: who fails again and again is left alone for a while.
 *
 *	static const ward_breaker_options careful = {
 *		.failures_max = 3, .call_timeout_ms = 500, .reset_ms = 10 * WARD_SECOND};
 *
 *	struct shop { struct ward_breaker breaker; ... };	in the state of the actor
 *
 *	return ward_breaker_init(self, &me->breaker, &careful);	in init
 *
 *	if (ward_breaker_ask(self, &me->breaker, bank, PRICE, get_price, .item = 1))
 *		...						it is open: do without
 *
 *	ward_result result = ward_breaker_receive(self, &me->breaker, msg);	first in receive
 *	if (result != WARD_UNHANDLED)
 *		return result;
 *	if (ward_ask_tag(self) == PRICE)			as after ward_ask()
 *
 *	           failures_max in a row
 *	CLOSED -----------------------------> OPEN: nothing is let through
 *	   ^                                   |  ^
 *	   | it succeeds           reset_ms on |  | it fails, or nothing comes of it
 *	   +-------- HALF_OPEN: one call <-----+  |
 *	                 +------------------------+
 *
 * The rules are those of Akka's circuit breaker: what ends in time and well while it is closed
 * begins the count anew; in the half-open state one call is let through, and all others are refused
 * until that one has ended. A call counts in the state in which it was let through: what comes of
 * it later, after a change, counts for nothing.
 *
 * The breaker is a value in the state of one actor. A restart begins with a closed one, and nothing
 * comes of the calls of before; so an actor that is to know of failures in spite of its own keeps
 * the breaker in its parent, or does not fail of an answer. An actor may have several.
 *
 * All calls: only inside a callback of self.
 */
#ifndef WARD_BREAKER_H
#define WARD_BREAKER_H

#include <ward/ask.h>

WARD_BEGIN

/** What a breaker is at. */
typedef enum ward_breaker_state {
	WARD_BREAKER_CLOSED = 0,
	WARD_BREAKER_OPEN = 1,
	WARD_BREAKER_HALF_OPEN = 2
} ward_breaker_state;

/** A breaker. */
typedef struct ward_breaker ward_breaker;

/** How a breaker behaves. Constant; must outlive it. Zero is the default in every field. */
typedef struct ward_breaker_options {
	uint32_t failures_max;   /* in a row; 5 */
	int64_t call_timeout_ms; /* what takes as long has failed; 10 seconds */
	int64_t reset_ms;        /* from open to half-open; a minute */
	/** Each time that half-open was no better, reset_ms is multiplied by reset_factor, up to
	 *  this; closed begins anew. 0: it stays as it is. */
	int64_t reset_max_ms;
	double reset_factor;  /* at least 1; 2 */
	double random_factor; /* 0 to 1: up to so much of it comes on top, by chance */
	/** Says of what ended a question whether it is a failure. NULL: a ward_ask_failed is one,
	 *  an answer is none. */
	bool (*failed)(const ward_msg *msg) WARD_NOEXCEPT;
	/** Called after each change: ward_breaker_at() is the new state. It may make calls
	 *  through the breaker. */
	void (*moved)(ward_self *self, void *state, ward_breaker *breaker,
		      ward_breaker_state from) WARD_NOEXCEPT;
	/** NULL: ward_random(). If it fails, that round is as long as without chance. */
	uint64_t (*random)(ward_self *self) WARD_NOEXCEPT;
	uintptr_t reserved[2]; /* zero */
} ward_breaker_options;

/** What came of calls so far. Those that ended after a change of state are in `allowed` only. */
typedef struct ward_breaker_counts {
	uint64_t allowed, refused, succeeded, failed;
	uint64_t opened; /* so often it went open */
} ward_breaker_counts;

/** The fields are the library's. It must not move in memory; before its first start it is zero, as
 *  all of a state is. */
struct ward_breaker {
	const ward_breaker_options *options;
	struct wardi_tags *calls; /* questions that are open */
	ward_breaker_counts counts;
	uint64_t round;    /* one more with each change */
	int64_t until_ns;  /* open: as long; half-open: the call that is out has time so long */
	uint32_t state;    /* a ward_breaker_state */
	uint32_t failures; /* in a row */
	uint32_t resets;   /* in a row that came to nothing */
	bool trying;       /* half-open: a call is out */
};

/** A call that was let through: a value. */
typedef struct ward_breaker_call {
	uint64_t round;
	int64_t until_ns;
} ward_breaker_call;

/**
 * Starts a closed breaker. For init, or any later callback; what it was before is forgotten, and
 * what comes of the calls of before counts for nothing.
 *
 * Cost       as ward_timer_cancel().
 * Errors     notes a failure, ward_misuse, when something in the options is wrong; then it returns
 *            WARD_FAILED, else WARD_DONE.
 */
WARD_API ward_result ward_breaker_init(ward_self *self, ward_breaker *breaker,
				       const ward_breaker_options *options);

/**
 * Handles what is the breaker's own, and looks at what ends a question that was asked through it.
 *
 * Returns WARD_DONE for a message of its own. Returns WARD_UNHANDLED for all others, the ends of
 * its questions included: those are for the actor to handle, as after ward_ask(). It is to see each
 * message before the actor changes what it has, and once.
 *
 * Cost       O(1), and what `failed` and `moved` do; O(log timers of the system) where the state
 *            changes.
 */
WARD_API WARD_MUST_USE ward_result ward_breaker_receive(ward_self *self, ward_breaker *breaker,
							const ward_msg *msg);

/* ---- around a question ------------------------------------------------------------------- */

/**
 * Asks, if the breaker lets it through. The plain form of ward_breaker_ask().
 *
 * The question is one of ward_ask_send(), and ends as that does. A timeout of 0, or one above
 * call_timeout_ms, stands for that; answer_to must be nobody.
 *
 * Ownership  takes what the body owns, always.
 * Cost       as ward_ask_send() and ward_breaker_allow(), and a record of less than 100 bytes
 *            until the question has ended.
 * Errors     WARD_EOPEN the breaker is open, or half-open and a call is out; else as
 *            ward_ask_send(), which counts for nothing. Nothing comes then.
 */
WARD_API WARD_MUST_USE ward_err ward_breaker_ask_send(ward_self *self, ward_breaker *breaker,
						      const ward_question *question,
						      const ward_type *type, const void *body,
						      size_t size);

/** Forgets a question, as ward_ask_cancel() does. It counts for nothing; half-open, the next call
 *  is let through in its place. An unknown tag is ignored. Cost: as ward_ask_cancel(). */
WARD_API void ward_breaker_cancel(ward_self *self, ward_breaker *breaker, uint64_t tag);

/* ---- around anything else ---------------------------------------------------------------- */

/**
 * Asks whether a call may be made; then say what came of it with ward_breaker_success() or
 * ward_breaker_failure(), now or later.
 *
 * A success after call_timeout_ms is a failure. Half-open, a call of which nothing is said until
 * then has failed.
 *
 * Cost       O(1); O(log timers of the system) and what `moved` does where the state changes, and
 *            for the one call of half-open.
 * Errors     WARD_EOPEN no: the breaker is open, or half-open and a call is out. WARD_EINVAL it was
 *            not started.
 */
WARD_API WARD_MUST_USE ward_err ward_breaker_allow(ward_self *self, ward_breaker *breaker,
						   ward_breaker_call *ret_call);
/** The call went well. Of a call of another state, or before the start, it counts for nothing.
 *  Cost: O(1); where the state changes, as ward_breaker_allow(). */
WARD_API void ward_breaker_success(ward_self *self, ward_breaker *breaker, ward_breaker_call call);
/** It did not; as above. Cost: as above. */
WARD_API void ward_breaker_failure(ward_self *self, ward_breaker *breaker, ward_breaker_call call);

/* ---- looking ----------------------------------------------------------------------------- */

/** Returns the state. Open ends by itself when it is due, or with the first call after that. Cost:
 *  O(1). */
WARD_API ward_breaker_state ward_breaker_at(const ward_breaker *breaker);
/** Returns "closed", "open" or "half-open", for people. Cost: O(1). */
WARD_API const char *ward_breaker_state_text(ward_breaker_state state);
/** Returns how long it is still open, in milliseconds, rounded up; 0: it is not. Cost: O(1), a look
 *  at the clock while it is open. */
WARD_API int64_t ward_breaker_left_ms(const ward_self *self, const ward_breaker *breaker);
/** Returns what came of calls so far. Cost: O(1). */
WARD_API ward_breaker_counts ward_breaker_counted(const ward_breaker *breaker);

WARD_END

#ifndef __cplusplus
/** ward_breaker_ask(self, &me->breaker, bank, PRICE, get_price, .item = 1): see
 *  ward_breaker_ask_send(). Cost: as that. */
#define ward_breaker_ask(self, breaker_, to_, tag_, ...)                                           \
	ward_breaker_ask_send((self), (breaker_), &(ward_question){.to = (to_), .tag = (tag_)},    \
			      WARD_BODY(__VA_ARGS__))
#endif
#endif
