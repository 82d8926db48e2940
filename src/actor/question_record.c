/* SPDX-License-Identifier: MIT
 *
 * question_record.c - one question of an actor, with all that its end needs: a new record, or that
 * of a question that has ended.
 *
 *	         make                        release
 *	(none) --------> open, in ask.c's table ----> spare, on the worker -----> open
 *	                                    \                                       ^
 *	                                     `-> kept, watch and all, for the rest of this callback
 *
 * Most questions end with an answer. Then the message for an end without an answer, with the path
 * of the asked actor in it, and the token of the timeout can serve the next question of any actor.
 * An asker that asks the same actor again in the callback that got the answer also keeps the watch:
 * so the asked actor need not handle an unwatch and a new watch.
 *
 * Threads: runs only on the holder's worker; except for `late`, which is taken under the timers'
 * lock.
 */
#include "actor/question_record.h"

#include "actor/ask.h"
#include "base/assert.h"
#include "base/memory.h"
#include "cell/path.h"
#include "cell/supervision_table.h"
#include "cell/table.h"
#include "mail/auto_received.h"
#include "sched/timers.h"
#include "send/event.h"

enum {
	PATH_MAX_BYTES = 128, /* of the asked, in a ward_ask_failed */
	PUT_BY_MAX = 16       /* on each worker */
};
/* Longer timeouts would overflow, and are cut to this. */
static const int64_t ms_max = INT64_MAX / WARD_NS_PER_MS / 4;

/* ---- a new record ------------------------------------------------------------------------ */

static void destroy(struct ward_self *self, struct wardi_question *question)
{
	if (question->outcome != NULL)
		wardi_msg_destroy(self->from, question->outcome);
	if (question->late != NULL)
		wardi_msg_free(self->from, question->late);
	wardi_memory_put(self->from, question, sizeof *question);
}

static struct ward_msg *make_outcome(struct ward_self *self, bool stops)
{
	if (stops)
		return wardi_msg_make(self->from, &ward_type_ward_stopped, NULL, 0);
	return wardi_msg_make(self->from, &ward_type_ward_ask_failed, NULL, 0);
}

static struct wardi_question *make_new(struct ward_self *self, bool stops)
{
	struct wardi_question *question = wardi_memory_get(self->from, sizeof *question);

	if (question == NULL)
		return NULL;
	question->node.fire = wardi_ask_fire;
	question->system = self->system;
	question->stops = stops;
	question->outcome = make_outcome(self, stops);
	question->late = wardi_msg_make(self->from, &wardi_type_ask_over, NULL, 0);
	if (question->outcome != NULL && question->late != NULL)
		return question;
	destroy(self, question);
	return NULL;
}

/* ---- made again -------------------------------------------------------------------------- */

/* Takes the record of a question that has ended; NULL: there is none. */
static struct wardi_question *take(struct ward_self *self, const ward_question *asked)
{
	struct wardi_question *question = self->kept_question;

	if (question != NULL && ward_ref_equal(question->asked.to, asked->to) &&
	    !wardi_event_wanted(self->system, WARD_EVENT_WATCH)) {
		self->kept_question = NULL;
		return question;
	}
	question = self->questions;
	if (question != NULL) {
		self->questions = question->next;
		self->questions_count--;
	}
	return question;
}

static void put_by(struct ward_self *self, struct wardi_question *question)
{
	if (question->outcome == NULL || question->late == NULL || question->stops ||
	    self->questions_count == PUT_BY_MAX) {
		destroy(self, question);
		return;
	}
	question->next = self->questions;
	self->questions = question;
	self->questions_count++;
}

/* Takes back what others still have of it. */
static void recall(struct ward_self *self, struct wardi_question *question)
{
	wardi_timer_disarm(self->system->sched, &question->node);
	if (question->watch != NULL)
		wardi_supervision.unwatch_asked(self, question->watch);
	question->watch = NULL;
	put_by(self, question);
}

void wardi_question_release(struct ward_self *self, struct wardi_question *question, bool again)
{
	/* A subscriber to WARD_EVENT_WATCH is notified of each watch. */
	if (again && self->kept_question == NULL && question->watch != NULL &&
	    question->outcome != NULL && !question->stops &&
	    !wardi_event_wanted(self->system, WARD_EVENT_WATCH))
		self->kept_question = question;
	else
		recall(self, question);
}

void wardi_question_rest(struct ward_self *self)
{
	struct wardi_question *question = self->kept_question;

	self->kept_question = NULL;
	recall(self, question);
}

void wardi_questions_free(struct ward_self *self)
{
	struct wardi_question *question;

	wardi_assert(self->kept_question == NULL);
	while ((question = self->questions) != NULL) {
		self->questions = question->next;
		destroy(self, question);
	}
	self->questions_count = 0;
}

/* ---- filled in --------------------------------------------------------------------------- */

/* The text begins with the path of the asked actor, which may have none at the end. A path is the
 * same for a whole life. The rest is filled in at the end. */
static void fill_path(struct ward_self *self, const struct wardi_question *question,
		      const ward_question *asked, bool was_filled)
{
	struct ward_ask_failed *failed;

	if (was_filled && ward_ref_equal(question->asked.to, asked->to) &&
	    wardi_table_open(self->system, asked->to.uid) != NULL)
		return;
	failed = wardi_msg_bytes(question->outcome);
	wardi_path_tail(self->system, asked->to, failed->text, PATH_MAX_BYTES);
}

struct wardi_question *wardi_question_make(struct ward_self *self, const ward_question *asked,
					   bool stops, const ward_type *type, uint64_t number)
{
	struct wardi_question *question = stops ? NULL : take(self, asked);
	bool was_filled = question != NULL;

	if (question == NULL)
		question = make_new(self, stops);
	if (question == NULL)
		return NULL;
	if (!stops)
		fill_path(self, question, asked, was_filled);
	if (question->watch == NULL) { /* else it was this actor's, and its timer may fire now */
		question->node.owner = self->cell->uid;
		question->asker = wardi_own_ref(self);
	}
	question->number = number;
	question->asked = *asked;
	question->type = type;
	return question;
}

/* A question to oneself needs no watch: the asker's end is the end of the question. */
static bool watch(struct ward_self *self, struct wardi_question *question)
{
	if (question->watch != NULL)
		wardi_supervision.watch_asked_again(question->watch, question->number);
	else if (!ward_ref_equal(question->asked.to, wardi_own_ref(self)))
		question->watch =
			wardi_supervision.watch_asked(self, question->asked.to, question->number);
	else
		return true;
	return question->watch != NULL;
}

/* Also sets the number of the token: that of a kept record may be on its way with the old number,
 * and then finds no question. */
static bool set_timer(struct ward_self *self, struct wardi_question *question, int64_t deadline_ns)
{
	struct wardi_sched *sched = self->system->sched;
	bool armed = false;

	wardi_timers_lock(sched, &question->node);
	if (question->late == NULL)
		question->late = wardi_msg_make(self->from, &wardi_type_ask_over, NULL, 0);
	if (question->late != NULL) {
		question->due_number = question->number;
		armed = wardi_timer_arm_locked(sched, &question->node, deadline_ns);
	}
	wardi_timers_unlock(sched, &question->node);
	return armed;
}

bool wardi_question_arm(struct ward_self *self, struct wardi_question *question)
{
	int64_t timeout_ms = question->asked.timeout_ms, deadline_ns = WARDI_TIMER_NEVER;

	if (timeout_ms != WARD_FOREVER)
		deadline_ns = wardi_clock_now(&self->system->clock) +
			      (timeout_ms < ms_max ? timeout_ms : ms_max) * WARD_NS_PER_MS;
	return watch(self, question) && set_timer(self, question, deadline_ns);
}
