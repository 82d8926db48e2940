/* SPDX-License-Identifier: MIT
 *
 * reply_ref.h - refs that stand for a question of an actor, and the envelope of its answer.
 *
 * Such a ref has the place of its system with WARDI_PLACE_QUESTION; its uid is the slot of the
 * asker's cell, and above it the question's number, which no cell uses twice.
 */
#ifndef WARDI_REPLY_REF_H
#define WARDI_REPLY_REF_H

#include "cell/system.h"
#include "mail/auto_received.h"

struct ward_self;

enum { WARDI_ASK_SLOT_BITS = 24, WARDI_ASK_NUMBER_BITS = 40 };
#define WARDI_ASK_NUMBER_MAX ((UINT64_C(1) << WARDI_ASK_NUMBER_BITS) - 1)
_Static_assert(WARDI_ACTORS_MAX <= 1 << WARDI_ASK_SLOT_BITS, "a question names its asker's slot");

static inline bool wardi_is_question(const ward_system *system, ward_ref ref)
{
	return wardi_ref_is_question(system->place, ref);
}

/* Returns the slot of the asker's cell, from the uid. */
static inline uint32_t wardi_question_slot(uint64_t question)
{
	return (uint32_t)question & ((1U << WARDI_ASK_SLOT_BITS) - 1);
}

/* Turns a message block into an envelope of the answer, addressed to the owner. */
static inline void wardi_answer_enclose(struct ward_msg *envelope, ward_ref question,
					struct ward_msg *answer)
{
	envelope->type =
		wardi_msg_tagged(&wardi_type_answer, WARDI_IN_48) | WARDI_MSG_AUTO_RECEIVED;
	envelope->sender_uid = 0;
	wardi_msg_set_sender_place(envelope, 0);
	*(struct wardi_token *)(void *)envelope->body = (struct wardi_token){question.uid, answer};
}
/* Returns the answer in an envelope. */
static inline struct ward_msg *wardi_answer_unwrap(const struct ward_msg *envelope)
{
	return ((const struct wardi_token *)wardi_msg_bytes(envelope))->record;
}
/* Handles answers to threads and tasks, and questions that nobody gets. Filled in
 * turn/replies.c. */
struct wardi_replies {
	/* Any thread: the question became a dead letter to `last`; nobody: there was no memory
	 * for the answer. */
	void (*ask_unheard)(ward_system *system, struct ward_self *self, ward_ref question,
			    ward_ref last, ward_reason reason);
	/* Any thread: a message is sent to the asker of a shutdown task. True: it is an answer that
	 * a wait needs. */
	bool (*task_answer)(ward_system *system, ward_ref to, const ward_type *type);
	/* Any thread: the request for a task was not delivered, or not handled. */
	void (*task_undelivered)(ward_system *system, ward_ref asker);
};
extern const struct wardi_replies wardi_replies;

#endif
