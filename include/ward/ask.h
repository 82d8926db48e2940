/* SPDX-License-Identifier: MIT
 *
 * ward/ask.h - questions between actors (gen_server:call), each ended by one message to the asker.
 *
 *	ward_ask(self, bank, BALANCE, 500, get_balance, .account = 1);	asks, and goes on
 *
 *	if (ward_ask_tag(self) == BALANCE) {				later, in receive
 *		const struct balance *b = ward_match(msg, balance);
 *		const struct ward_ask_failed *f = ward_match(msg, ward_ask_failed);
 *
 * No thread waits. A question ends with its answer, its timeout or the end of the asked actor,
 * whichever comes first; the asker gets that as a message, and ward_ask_tag() returns the tag of
 * the question. The asked actor sees an ordinary message whose sender is a ref that stands for the
 * question. It answers with ward_reply() or ward_answer(), now or later, or passes the question on.
 *
 * Questions belong to the incarnation: a restart or a stop of the asker forgets them. All memory
 * for the end of a question is allocated when it is asked. Threads outside use ward_system_ask()
 * (system.h), which waits.
 */
#ifndef WARD_ASK_H
#define WARD_ASK_H

#include <ward/event.h>

WARD_BEGIN

/** A question. Zero is the default; `to`, `timeout_ms` and `tag` must be set. */
typedef struct ward_question {
	ward_ref to;
	int64_t timeout_ms; /* more than 0; WARD_FOREVER: no timeout */
	uint64_t tag;       /* identifies the question; may be 0 only with answer_to */
	ward_ref answer_to; /* nobody: self; otherwise gets the result; any ref, as from a sender */
	uintptr_t reserved[2]; /* zero */
} ward_question;

/** Size of the text of a ward_ask_failed, including the terminating 0. */
enum { WARD_ASK_TEXT = 256 };

/** The end of a question without an answer. The sender is the asked actor. Leaving it unhandled is
 *  not a failure. */
struct ward_ask_failed {
	uint64_t tag;
	ward_ref to;
	/** WARD_ETIMEDOUT; WARD_EDEAD: `to` ended, or the question became a dead letter;
	 *  WARD_EFULL: a full mailbox refused or dropped it; WARD_ENOMEM: no memory for the
	 *  question or its answer; WARD_EUNREACHED: the connection to the system of `to` was
	 *  lost; WARD_ELOCAL: the question or its answer cannot leave the process. */
	ward_err why;
	/** Of the dead letter that the question or its answer became; WARD_REASON_NONE: no dead
	 *  letter. WARD_REASON_DOWN: `to` is a back-off supervisor that lives, and whose child is
	 *  down or has not started yet. */
	ward_reason reason;
	int64_t timeout_ms;
	/** For people: the asked actor, the question, and the time or the reason. */
	char text[WARD_ASK_TEXT];
};
WARD_API extern const ward_type ward_type_ward_ask_failed;

/**
 * Asks an actor a question. The plain form of ward_ask() and ward_ask_pipe().
 *
 * After WARD_OK, and unless this incarnation ends first, exactly one message arrives: the answer,
 * whose sender is the actor that answered, or a ward_ask_failed. An answer that the asked actor
 * sends before its end wins over the end. The end of the asked actor ends the question even if it
 * has passed the question on. A late or second answer is a dead letter (WARD_REASON_STALE).
 *
 * The answer may have any type except those that the runtime handles itself, such as ward_identify,
 * ward_restarts_exceeded or ward_shutdown_task: these become dead letters (WARD_REASON_MISUSE), and
 * the question stays open. A poison pill or a kill that is sent to the question reaches the asker,
 * and is not an answer.
 *
 * With answer_to, the runtime passes the result on, and receive of self does not see it: the
 * answer, with the sender that answered, or the ward_ask_failed.
 *
 * Ownership  takes what the body owns, always.
 * Order      FIFO with all messages from self to this receiver; the answer is FIFO with all
 *            messages from its sender to self.
 * Cost       O(log timers of the system); a watch, a timer, two or three small messages, and the
 *            path of the asked actor.
 * Errors     WARD_EINVAL no type, no tag, a timeout of 0 or less, nobody, or a ref that stands for
 *            a question or a thread; WARD_EEXIST a question with this tag is open; WARD_EFOREIGN;
 *            WARD_ESIZE; WARD_ENOMEM; WARD_ELIMIT self, with ended actors whose memory it reuses,
 *            has asked 2^40 questions. Nothing is sent then, and nothing arrives. A `to` that has
 *            ended or is unreached, or whose mailbox is full, is not an error here: a
 *            ward_ask_failed reports it.
 * Contract   S44
 */
WARD_API WARD_MUST_USE ward_err ward_try_ask_send(ward_self *self, const ward_question *question,
						  const ward_type *type, const void *body,
						  size_t size);
/** Calls ward_try_ask_send(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_ask_send(ward_self *self, const ward_question *question,
				 const ward_type *type, const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_ask_send(self, question, type, body, size));
}

/** Returns, in receive, the tag of the question that the current message ends; 0: it ends none. A
 *  message that comes again, after it was stashed, or taken and given to self, ends none. Cost:
 *  O(1). */
WARD_API uint64_t ward_ask_tag(const ward_self *self);

/** Forgets a question: neither its answer nor its ward_ask_failed arrives after this call, even if
 *  it is already in the mailbox; a later answer is a dead letter. An unknown tag is ignored. Cost:
 *  O(log timers of the system), and the end of a watch. */
WARD_API void ward_ask_cancel(ward_self *self, uint64_t tag);

/** Returns true if a question with this tag is open. Cost: O(1). */
WARD_API bool ward_ask_open(const ward_self *self, uint64_t tag);

/* ---- stopping, gracefully ---------------------------------------------------------------- */

/** The result of a ward_ask_stop(). The sender is `who`. */
struct ward_stopped {
	uint64_t tag;
	ward_ref who;
	bool in_time; /* false: the time is up; the actor still exists, and has the pill */
};
WARD_API extern const ward_type ward_type_ward_stopped;

/**
 * Sends a poison pill to `who`. A ward_stopped arrives when `who` has ended, or when the time is
 * up; at once if `who` has ended already.
 *
 * It behaves like a question: ward_ask_tag() returns the tag, ward_ask_cancel() forgets it, but
 * does not take the pill back. Threads outside use ward_system_ask_stop().
 *
 * Cost       as ward_ask_send().
 * Errors     as ward_ask_send(); WARD_EINVAL also for self, which would end before the answer.
 * Contract   S51
 */
WARD_API WARD_MUST_USE ward_err ward_try_ask_stop(ward_self *self, ward_ref who, uint64_t tag,
						  int64_t timeout_ms);
/** Calls ward_try_ask_stop(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_ask_stop(ward_self *self, ward_ref who, uint64_t tag, int64_t timeout_ms)
{
	(void)ward_noted_(self, ward_try_ask_stop(self, who, tag, timeout_ms));
}

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Asks a question: `ward_ask(self, bank, BALANCE, 500, get_balance, .account = 1)`. See
 *  ward_ask_send(). Cost: as ward_ask_send(). */
#define ward_ask(self, to_, tag_, timeout_ms_, ...)                                                \
	ward_ask_send((self),                                                                      \
		      &(ward_question){.to = (to_), .timeout_ms = (timeout_ms_), .tag = (tag_)},   \
		      WARD_BODY(__VA_ARGS__))
/** Asks a question like ward_ask(), or returns an error code. Cost: as ward_try_ask_send(). */
#define ward_try_ask(self, to_, tag_, timeout_ms_, ...)                                            \
	ward_try_ask_send(                                                                         \
		(self), &(ward_question){.to = (to_), .timeout_ms = (timeout_ms_), .tag = (tag_)}, \
		WARD_BODY(__VA_ARGS__))
/** Asks a question whose result is passed on to another actor, without a tag: `ward_ask_pipe(self,
 *  bank, ward_msg_sender(msg), 500, get_balance, .account = 1)`. Cost: as ward_ask_send(). */
#define ward_ask_pipe(self, to_, answer_to_, timeout_ms_, ...)                                     \
	ward_ask_send((self),                                                                      \
		      &(ward_question){.to = (to_),                                                \
				       .timeout_ms = (timeout_ms_),                                \
				       .answer_to = (answer_to_)},                                 \
		      WARD_BODY(__VA_ARGS__))
#endif
#endif
