/* SPDX-License-Identifier: MIT
 *
 * ward/ask.h - questions of an actor: each ends in exactly one message to its own receive.
 *
 *	ward_ask(self, bank, BALANCE, 500, get_balance, .account = 1);	asks, and goes on
 *
 *	if (ward_ask_tag(self) == BALANCE) {				later, in receive
 *		const struct balance *b = ward_match(msg, balance);
 *		const struct ward_ask_failed *f = ward_match(msg, ward_ask_failed);
 *
 * Nobody waits: what ends a question (its answer, its timeout or the asked actor's end, whichever
 * comes first) is a message like any other, and ward_ask_tag() names the question by its tag. The
 * asked actor sees an ordinary message whose sender is a ref that stands for the question; it
 * answers with ward_reply() or ward_answer(), now or later, or passes the question on.
 *
 * Questions belong to the incarnation: after a restart or a stop of the asker nothing comes of
 * them. All memory that an end needs is taken when the question is asked. A thread outside waits
 * with ward_system_ask() (system.h).
 */
#ifndef WARD_ASK_H
#define WARD_ASK_H

#include <ward/event.h>

WARD_BEGIN

/** A question. Zero is the default, but `to`, `timeout_ms` and `tag` must be set. */
typedef struct ward_question {
	ward_ref to;
	int64_t timeout_ms; /* above 0; WARD_FOREVER: only an answer or the end of `to` ends it */
	uint64_t tag;       /* names it; not 0, which only one with answer_to may leave */
	ward_ref answer_to; /* nobody: self. Else what ends it goes on to that actor instead */
	uintptr_t reserved[2]; /* zero */
} ward_question;

/** Room for the text of a ward_ask_failed. */
enum { WARD_ASK_TEXT = 256 };

/** No answer came. The sender is the asked actor. */
struct ward_ask_failed {
	uint64_t tag;
	ward_ref to;
	/** WARD_ETIMEDOUT; WARD_EDEAD `to` ended, or the question became a dead letter; WARD_EFULL
	 *  a full mailbox refused or dropped it; WARD_ENOMEM it or its answer was lost for lack of
	 *  memory. */
	ward_err why;
	/** Of the dead letter that the question, or its answer, became: WARD_REASON_DOWN `to` is
	 *  a back-off supervisor that lives, and will start its child later. WARD_REASON_NONE: no
	 *  dead letter. */
	ward_reason reason;
	int64_t timeout_ms;
	char text[WARD_ASK_TEXT]; /* whom, what, and how long or the reason, for people */
};
WARD_API extern const ward_type ward_type_ward_ask_failed;

/**
 * Asks. The plain form of ward_ask() and ward_ask_pipe().
 *
 * On WARD_OK exactly one message comes of it, if this incarnation lives on: the answer, or a
 * ward_ask_failed. The answer may have any type but those that the runtime looks at itself, such as
 * ward_identify, ward_restarts_exceeded or ward_shutdown_task: one of these is a dead letter with
 * the reason MISUSE, and the question stays open. Its sender is who answered. What the asked actor
 * sent before its end counts: an answer wins over the end. The end of the *asked* actor ends the
 * question, even if it passed the question on before. A second answer, or one that comes too late,
 * is a dead letter (WARD_REASON_STALE). A poison pill or a kill sent to the question reaches the
 * asker and is no answer.
 *
 * With answer_to, self only passes on what comes: the answer, in the name of who answered, or the
 * ward_ask_failed.
 *
 * Ownership  takes what the body owns, always.
 * Order      FIFO with all that self sends to this receiver; the answer with all that its sender
 *            sends to self.
 * Cost       O(log timers of the system); a watch, a timer, two or three small messages, and the
 *            path of the asked.
 * Errors     then nothing was sent, and nothing comes: WARD_EINVAL no type, no tag, a timeout of 0
 *            or less, nobody, or a ref that stands for a question or a thread; WARD_EEXIST a
 *            question with this tag is open; WARD_EFOREIGN; WARD_ESIZE; WARD_ENOMEM; WARD_ELIMIT
 *            2^40 questions were asked from this place. A `to` that is dead or full is no such
 *            error: a ward_ask_failed says so.
 * Contract   S44
 */
WARD_API WARD_MUST_USE ward_err ward_try_ask_send(ward_self *self, const ward_question *question,
						  const ward_type *type, const void *body,
						  size_t size);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_ask_send(ward_self *self, const ward_question *question,
				 const ward_type *type, const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_ask_send(self, question, type, body, size));
}

/** Returns, in receive, the tag of the question that the current message ends; 0: it ends none.
 *  What was kept and comes back later ends none. Cost: O(1). */
WARD_API uint64_t ward_ask_tag(const ward_self *self);

/** Forgets a question: nothing comes of it after this, not even what waits already; its answer is a
 *  dead letter. An unknown tag is ignored. Cost: O(log timers of the system), and the end of a
 *  watch. */
WARD_API void ward_ask_cancel(ward_self *self, uint64_t tag);

/** Says whether a question with this tag is open. Cost: O(1). */
WARD_API bool ward_ask_open(const ward_self *self, uint64_t tag);

/* ---- stopping, gracefully ---------------------------------------------------------------- */

/** What a ward_ask_stop() ends in. The sender is `who`. */
struct ward_stopped {
	uint64_t tag;
	ward_ref who;
	bool in_time; /* false: it is still there */
};
WARD_API extern const ward_type ward_type_ward_stopped;

/**
 * Sends a poison pill, and answers with a ward_stopped: when `who` is gone, or when the time is up.
 *
 * It is like a question: ward_ask_tag() returns the tag, ward_ask_cancel() forgets it. At once if
 * `who` is gone already. Threads outside have ward_system_ask_stop().
 *
 * Cost       as ward_ask_send().
 * Errors     as ward_ask_send(); WARD_EINVAL also for self, which would be gone before the answer.
 * Contract   S51
 */
WARD_API WARD_MUST_USE ward_err ward_try_ask_stop(ward_self *self, ward_ref who, uint64_t tag,
						  int64_t timeout_ms);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_ask_stop(ward_self *self, ward_ref who, uint64_t tag, int64_t timeout_ms)
{
	(void)ward_noted_(self, ward_try_ask_stop(self, who, tag, timeout_ms));
}

WARD_END

#ifndef __cplusplus
/** ward_ask(self, bank, BALANCE, 500, get_balance, .account = 1): see ward_ask_send(). Cost: as
 *  that. */
#define ward_ask(self, to_, tag_, timeout_ms_, ...)                                                \
	ward_ask_send((self),                                                                      \
		      &(ward_question){.to = (to_), .timeout_ms = (timeout_ms_), .tag = (tag_)},   \
		      WARD_BODY(__VA_ARGS__))
/** ward_try_ask(self, bank, BALANCE, 500, get_balance, .account = 1): the same, with a code. Cost:
 *  as ward_try_ask_send(). */
#define ward_try_ask(self, to_, tag_, timeout_ms_, ...)                                            \
	ward_try_ask_send(                                                                         \
		(self), &(ward_question){.to = (to_), .timeout_ms = (timeout_ms_), .tag = (tag_)}, \
		WARD_BODY(__VA_ARGS__))
/** ward_ask_pipe(self, bank, ward_msg_sender(msg), 500, get_balance, .account = 1): what ends the
 *  question goes on to that actor; it has no tag. Cost: as ward_ask_send(). */
#define ward_ask_pipe(self, to_, answer_to_, timeout_ms_, ...)                                     \
	ward_ask_send((self),                                                                      \
		      &(ward_question){.to = (to_),                                                \
				       .timeout_ms = (timeout_ms_),                                \
				       .answer_to = (answer_to_)},                                 \
		      WARD_BODY(__VA_ARGS__))
#endif
#endif
