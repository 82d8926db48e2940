/* SPDX-License-Identifier: MIT
 *
 * ward/breaker.h - a circuit breaker: stops calls for a while after repeated failures.
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
 * The rules are those of Akka's circuit breaker. While it is closed, a call that succeeds in time
 * resets the count of failures. In the half-open state one call is allowed, and all others are
 * refused until that call has ended. A call counts only in the state in which it was allowed: a
 * result that comes after a change of state is ignored.
 *
 * The breaker is a value in the state of one actor. A restart begins with a closed breaker and
 * ignores the results of earlier calls. So an actor that must remember failures of others over its
 * own restarts keeps the breaker in its parent, or does not fail because of an answer. An actor may
 * have several breakers.
 *
 * All functions with `self` may be called only inside a callback of self.
 */
#ifndef WARD_BREAKER_H
#define WARD_BREAKER_H

#include <ward/ask.h>

WARD_BEGIN

/** The state of a breaker. */
typedef enum ward_breaker_state {
	WARD_BREAKER_CLOSED = 0,   /* calls are allowed */
	WARD_BREAKER_OPEN = 1,     /* calls are refused */
	WARD_BREAKER_HALF_OPEN = 2 /* one call is allowed */
} ward_breaker_state;

/** A breaker. */
typedef struct ward_breaker ward_breaker;

/** Options of a breaker. Constant; must outlive it. Zero is the default in every field. */
typedef struct ward_breaker_options {
	uint32_t failures_max;   /* consecutive failures that open it; default: 5 */
	int64_t call_timeout_ms; /* a call that takes as long has failed; default: 10 seconds */
	int64_t reset_ms;        /* time from open to half-open; default: 1 minute */
	/** Each time that the call in the half-open state fails, the time to the next one is
	 *  multiplied by reset_factor, up to this maximum; closing sets it back to reset_ms. 0: the
	 *  time does not grow. */
	int64_t reset_max_ms;
	double reset_factor;  /* at least 1; default: 2 */
	double random_factor; /* 0 to 1: the largest random addition, as a fraction of the time */
	/** Returns true if the end of a question is a failure. NULL: a ward_ask_failed is a
	 *  failure, an answer is not. */
	bool (*failed)(const ward_msg *msg) WARD_NOEXCEPT;
	/** Called after each change of state; ward_breaker_at() returns the new state. It may make
	 *  calls through the breaker. */
	void (*moved)(ward_self *self, void *state, ward_breaker *breaker,
		      ward_breaker_state from) WARD_NOEXCEPT;
	/* NULL: ward_random(). If it fails, this time has no random part */
	uint64_t (*random)(ward_self *self) WARD_NOEXCEPT;
	uintptr_t reserved[2]; /* zero */
} ward_breaker_options;

/** Numbers of calls so far. Calls that ended after a change of state, or were cancelled, are in
 *  `allowed` only. */
typedef struct ward_breaker_counts {
	uint64_t allowed, refused, succeeded, failed;
	uint64_t opened; /* times that it opened */
} ward_breaker_counts;

/** The breaker itself; its fields are private to the library. It must not move in memory. Before
 *  ward_breaker_init() it must be all zero, as a new state is. */
struct ward_breaker {
	const ward_breaker_options *options;
	struct wardi_tags *calls; /* questions that are open */
	ward_breaker_counts counts;
	uint64_t round;    /* one more with each change */
	int64_t until_ns;  /* open: its end; half-open: the deadline of the call under way */
	uint32_t state;    /* a ward_breaker_state */
	uint32_t failures; /* in a row */
	uint32_t resets;   /* in a row that came to nothing */
	bool trying;       /* half-open: a call is out */
};

/** A call that was allowed: a value. */
typedef struct ward_breaker_call {
	uint64_t round;
	int64_t until_ns;
} ward_breaker_call;

/**
 * Starts a closed breaker, in init or in any later callback. Its previous state is forgotten, and
 * the results of earlier calls are ignored.
 *
 * Cost       as ward_timer_cancel().
 * Errors     invalid options, or none, note a failure, ward_misuse; the call returns WARD_FAILED
 *            then, otherwise WARD_DONE.
 */
WARD_API ward_result ward_breaker_init(ward_self *self, ward_breaker *breaker,
				       const ward_breaker_options *options);

/**
 * Handles messages for the breaker, and observes the ends of questions that were asked through it.
 * Call it once for each message, before the actor handles the message.
 *
 * Returns WARD_DONE for a message of the breaker itself. Returns WARD_UNHANDLED for all others,
 * including the ends of its questions, which the actor handles as after ward_ask().
 *
 * Cost       O(1), and the cost of `failed` and `moved`; O(log timers of the system) if the state
 *            changes.
 */
WARD_API WARD_MUST_USE ward_result ward_breaker_receive(ward_self *self, ward_breaker *breaker,
							const ward_msg *msg);

/* ---- for a question ---------------------------------------------------------------------- */

/**
 * Asks a question if the breaker allows it. The plain form of ward_breaker_ask().
 *
 * The question is asked by ward_ask_send(), and ends in the same way. A timeout of 0, or one above
 * call_timeout_ms, stands for call_timeout_ms; answer_to must be nobody.
 *
 * Ownership  takes what the body owns, always.
 * Cost       as ward_ask_send() and ward_breaker_allow(), and a record of less than 100 bytes until
 *            the question has ended.
 * Errors     WARD_EOPEN the breaker is open, or half-open with a call under way; others as
 *            ward_try_ask_send(), which are not counted. Nothing is sent then, and nothing arrives.
 */
WARD_API WARD_MUST_USE ward_err ward_breaker_ask_send(ward_self *self, ward_breaker *breaker,
						      const ward_question *question,
						      const ward_type *type, const void *body,
						      size_t size);

/** Forgets a question, as ward_ask_cancel() does, without counting it. If the breaker is half-open,
 *  the next call is allowed in its place; after ward_ask_cancel() it would refuse all calls until
 *  the time of the forgotten one is up. An unknown tag is ignored. Cost: as ward_ask_cancel(). */
WARD_API void ward_breaker_cancel(ward_self *self, ward_breaker *breaker, uint64_t tag);

/* ---- for any other call ------------------------------------------------------------------ */

/**
 * Returns WARD_OK if a call may be made. Report its result by ward_breaker_success() or
 * ward_breaker_failure(), now or later.
 *
 * A success after call_timeout_ms counts as a failure. In the half-open state a call without a
 * result by then has failed.
 *
 * Cost       O(1); O(log timers of the system) and the cost of `moved` if the state changes, and
 *            for the call of the half-open state.
 * Errors     WARD_EOPEN the breaker is open, or half-open with a call under way; WARD_EINVAL it was
 *            not started.
 */
WARD_API WARD_MUST_USE ward_err ward_breaker_allow(ward_self *self, ward_breaker *breaker,
						   ward_breaker_call *ret_call);
/** Reports that a call succeeded. A call of an earlier state is ignored. Cost: O(1); if the state
 *  changes, as ward_breaker_allow(). */
WARD_API void ward_breaker_success(ward_self *self, ward_breaker *breaker, ward_breaker_call call);
/** Reports that a call failed. A call of an earlier state is ignored. Cost: as
 *  ward_breaker_success(). */
WARD_API void ward_breaker_failure(ward_self *self, ward_breaker *breaker, ward_breaker_call call);

/* ---- inspecting -------------------------------------------------------------------------- */

/** Returns the state. OPEN changes to HALF_OPEN when the time is up, or with the first call after
 *  that. Threads: only inside a callback of self. Cost: O(1). */
WARD_API ward_breaker_state ward_breaker_at(const ward_breaker *breaker);
/** Returns "closed", "open" or "half-open", for people. Threads: any. Cost: O(1). */
WARD_API const char *ward_breaker_state_text(ward_breaker_state state);
/** Returns the milliseconds for which the breaker remains open, rounded up; 0: it is not open.
 *  Cost: O(1), reads the clock while it is open. */
WARD_API int64_t ward_breaker_left_ms(const ward_self *self, const ward_breaker *breaker);
/** Returns the numbers of calls since ward_breaker_init(): allowed, refused, succeeded and failed,
 *  and how often the breaker opened. For a status, or a test. Cost: O(1). */
WARD_API ward_breaker_counts ward_breaker_counted(const ward_breaker *breaker);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Asks a question through a breaker: `ward_breaker_ask(self, &me->breaker, bank, PRICE, get_price,
 *  .item = 1)`. See ward_breaker_ask_send(). Cost: as ward_breaker_ask_send(). */
#define ward_breaker_ask(self, breaker_, to_, tag_, ...)                                           \
	ward_breaker_ask_send((self), (breaker_), &(ward_question){.to = (to_), .tag = (tag_)},    \
			      WARD_BODY(__VA_ARGS__))
#endif
#endif
