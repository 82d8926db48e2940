/* SPDX-License-Identifier: MIT
 *
 * ask.h - questions of actors, as the rest of the core sees them.
 *
 * A ref that stands for a question has the place of its system with WARDI_PLACE_QUESTION; its uid
 * is the slot of the asker's cell, and above it the question's number, which no cell uses twice.
 */
#ifndef WARDI_ASK_H
#define WARDI_ASK_H

#include "cell/self.h"
#include "turn/auto_receive.h"

enum { WARDI_ASK_SLOT_BITS = 24, WARDI_ASK_NUMBER_BITS = 40 };
#define WARDI_ASK_NUMBER_MAX ((UINT64_C(1) << WARDI_ASK_NUMBER_BITS) - 1)
_Static_assert(WARDI_ACTORS_MAX <= 1 << WARDI_ASK_SLOT_BITS, "a question names its asker's slot");

/* What tells the asker that a question has ended without an answer. */
struct wardi_ask_over {
	uint64_t number;
	ward_err why;
};

extern const ward_type wardi_type_answer; /* a struct wardi_token: the ref's uid, the message */
extern const ward_type wardi_type_ask_over;

static inline bool wardi_is_question(const ward_system *system, ward_ref ref)
{
	return ref.place == (system->place | WARDI_PLACE_QUESTION);
}

/* Of its uid: the slot of the asker's cell. */
static inline uint32_t wardi_question_slot(uint64_t question)
{
	return (uint32_t)question & ((1U << WARDI_ASK_SLOT_BITS) - 1);
}

/* Who lives in the asker's cell now: perhaps not the asker any more. Any thread, in a
 * turn or a visit. */
ward_ref wardi_ask_owner(const ward_system *system, ward_ref question);
/* An envelope for the answer, to be sent to the owner; NULL: no memory. Who frees it has the answer
 * back. */
struct ward_msg *wardi_answer_wrap(struct wardi_source from, ward_ref owner, ward_ref question,
				   struct ward_msg *answer);
/* The same of a block that is addressed to the owner. */
static inline void wardi_answer_enclose(struct ward_msg *envelope, ward_ref question,
					struct ward_msg *answer)
{
	envelope->type = wardi_msg_tagged(&wardi_type_answer, WARDI_IN_48) | WARDI_MSG_SPECIAL;
	envelope->sender_uid = 0;
	envelope->sender_place = 0;
	*(struct wardi_token *)(void *)envelope->body = (struct wardi_token){question.uid, answer};
}
/* What is in an envelope. */
static inline struct ward_msg *wardi_answer_unwrap(const struct ward_msg *envelope)
{
	return ((const struct wardi_token *)wardi_msg_bytes(envelope))->record;
}
/* Any thread: the question became a dead letter. */
void wardi_ask_unheard(ward_system *system, struct ward_self *self, ward_ref question,
		       ward_reason reason);

/* The asker's holder. Each gives a message to handle, loose; NULL: there is nothing to handle. */
struct ward_msg *wardi_answer_due(struct ward_self *self, const struct ward_msg *envelope);
struct ward_msg *wardi_ask_over_due(struct ward_self *self, const struct ward_msg *over);
struct ward_msg *wardi_ask_target_gone(struct ward_self *self, uint64_t number);

/* An envelope that is not delivered: its answer becomes a dead letter. */
void wardi_answer_dropped(ward_system *system, struct ward_self *self,
			  const struct ward_msg *envelope);

/* Under the timers' lock, on any worker: the time of a question is up. */
void wardi_ask_fire(struct wardi_worker *worker, struct wardi_timer_node *node);

/* The asker's holder: nothing comes of its questions any more. */
void wardi_asks_end_all(struct ward_self *self, struct wardi_cell *cell);

#endif
