/* SPDX-License-Identifier: MIT
 *
 * question_record.c - one question of an actor, and all that its end needs: made when it is asked,
 * or made again of one that has ended.
 *
 *	         make                        release
 *	(none) --------> open, in ask.c's table -----> put by, on the worker ----> open
 *	                                    \                                       ^
 *	                                     `-> kept, watch and all, for the rest of this callback
 *
 * Most questions end with an answer. Then the message for the other end, with the path of the asked
 * in it, and the token of the timeout are as good for the next question, of whatever actor. Who
 * asks the same one again in the callback that the answer came to, as who asks one thing after the
 * other does, keeps also the watch: the asked is not told of the end of it, and of a new one.
 *
 * single-threaded: runs only on the holder's worker; but for `late`, which is taken under the
 * timers' lock.
 */
#include "actor/question_record.h"

#include "actor/ask.h"
#include "base/assert.h"
#include "base/memory.h"
#include "cell/path.h"
#include "cell/supervision_table.h"
#include "cell/table.h"
#include "mail/auto_received.h"
#include "sched/timer_heap.h"
#include "send/event.h"

enum {
	PATH_MAX_BYTES = 128, /* of the asked, in a ward_ask_failed */
	PUT_BY_MAX = 16       /* on each worker */
};
/* Timeouts that would overflow are as good as for ever. */
static const int64_t ms_max = INT64_MAX / WARD_NS_PER_MS / 4;

/* ---- made anew --------------------------------------------------------------------------- */

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

/* What is left of one that has ended; NULL: nothing is. */
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

/* What of it others have still. */
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

/* The text begins with the path of the asked, which may have none at the end. A path is the same
 * for a whole life. The rest is filled in when it has come to that. */
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

/* Who asks itself needs no watch: its end is the question's, too. */
static bool watch(struct ward_self *self, struct wardi_question *question)
{
	if (question->watch != NULL)
		wardi_supervision.watch_asked_again(question->watch, question->number);
	else if (question->asked.to.uid != self->cell->uid)
		question->watch =
			wardi_supervision.watch_asked(self, question->asked.to, question->number);
	else
		return true;
	return question->watch != NULL;
}

/* The number of the token, too: of one that was kept it may be under way with the old number, and
 * then it finds nobody. */
static bool set_timer(struct ward_self *self, struct wardi_question *question, int64_t deadline_ns)
{
	struct wardi_sched *sched = self->system->sched;
	bool armed = false;

	wardi_timers_lock(sched);
	if (question->late == NULL)
		question->late = wardi_msg_make(self->from, &wardi_type_ask_over, NULL, 0);
	if (question->late != NULL) {
		question->due_number = question->number;
		armed = wardi_timer_arm_locked(sched, &question->node, deadline_ns);
	}
	wardi_timers_unlock(sched);
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
