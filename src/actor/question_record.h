/* SPDX-License-Identifier: MIT
 *
 * question_record.h - one question of an actor, with all that its end needs.
 */
#ifndef WARDI_QUESTION_RECORD_H
#define WARDI_QUESTION_RECORD_H

#include <ward/ask.h>

#include "cell/self.h"

struct wardi_watch;

struct wardi_question {
	struct wardi_timer_node node;
	struct wardi_hash_link numbered, tagged; /* ask.c */
	/* frozen while it is open */
	ward_ref asker;
	uint64_t number;
	ward_question asked;
	const ward_type *type; /* what was asked */
	ward_system *system;
	bool stops; /* it is about an end: ward_ask_stop() */
	/* the holder */
	struct wardi_watch *watch; /* NULL: none */
	struct ward_msg *outcome;  /* for an end without an answer; made ahead */
	/* under the timers' lock */
	struct ward_msg *late;       /* the token, to be filled; NULL: it is in the mailbox */
	uint64_t due_number;         /* the number that goes into it */
	struct wardi_question *next; /* of those kept for reuse */
};

/* Takes all memory that the end of the question needs. NULL: no memory. */
struct wardi_question *wardi_question_make(struct ward_self *self, const ward_question *asked,
					   bool stops, const ward_type *type, uint64_t number);
/* The watch and the timeout. False: no memory. */
bool wardi_question_arm(struct ward_self *self, struct wardi_question *question);

/* Disarms the question, and keeps the record for reuse, or frees it. `again`: the same asker may
 * ask the next question at once, in this callback. */
void wardi_question_release(struct ward_self *self, struct wardi_question *question, bool again);
/* The next question did not follow. */
void wardi_question_rest(struct ward_self *self);
/* For a worker that ends: frees the records that were kept. */
void wardi_questions_free(struct ward_self *self);

#endif
