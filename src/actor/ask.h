/* SPDX-License-Identifier: MIT
 *
 * ask.h - questions of actors, as other folders see them.
 *
 * A ref that stands for a question has the place of its system with WARDI_PLACE_QUESTION; its uid
 * is the slot of the asker's cell, and above it the question's number, which no cell uses twice.
 */
#ifndef WARDI_ASK_H
#define WARDI_ASK_H

#include "cell/self.h"

/* Any thread: the question became a dead letter to `last`; nobody: there was no memory for the
 * answer. */
void wardi_ask_unheard(ward_system *system, struct ward_self *self, ward_ref question,
		       ward_ref last, ward_reason reason);

/* Holder of the asker. Each returns a message to handle, which owns its block; NULL: there is
 * nothing to handle. */
struct ward_msg *wardi_answer_due(struct ward_self *self, const struct ward_msg *envelope);
struct ward_msg *wardi_ask_over_due(struct ward_self *self, const struct ward_msg *over);
struct ward_msg *wardi_ask_target_gone(struct ward_self *self, uint64_t number, ward_err why);

/* An envelope that is not delivered: its answer becomes a dead letter. */
void wardi_answer_dropped(ward_system *system, struct ward_self *self,
			  const struct ward_msg *envelope);

/* Under the timers' lock, on any worker: the time of a question is up. */
void wardi_ask_fire(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns);

/* Holder of the asker: ends all its questions. */
void wardi_asks_end_all(struct ward_self *self, struct wardi_cell *cell);

#endif
