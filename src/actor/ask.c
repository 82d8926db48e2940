/* SPDX-License-Identifier: MIT
 *
 * ask.c - questions of actors: each ends in exactly one message to the asker's own receive.
 *
 *	asker                                        asked
 *	  table: ask -- the question, sender: Q -----> receive
 *	    ^  watch -- WATCH -----------------------> list of watchers
 *	    |
 *	    +-- answer    an envelope with the message that was sent to Q    any thread
 *	    +-- over      a token: late, or the question is a dead letter    any thread
 *	    +-- notice    a token: the asked actor is gone (watch.c)         the asker itself
 *
 * All three are auto-received messages in the asker's own mailbox, with the number of the question.
 * The first one that is handled takes the question out of the table; the others find nothing there.
 * So nothing has to be called back, and messages on the way when the incarnation ends find no
 * question. The cell counts the numbers over all its lives: a ref to an old question finds the
 * table of the present life, without that number. The first number of each life tells to which life
 * a question belongs.
 *
 * Everything for an end without an answer (the message, the tokens, the watch) is allocated when
 * the question is asked. Only the envelope is made when an answer is sent, like the answer itself.
 *
 * Threads: the asker's holder; except for `late`, which wardi_ask_fire() takes under the timers'
 * lock.
 */
#include "actor/ask.h"

#include <stdio.h>
#include <string.h>

#include <ward/ask.h>
#include <ward/extend.h>

#include "actor/question_record.h"
#include "actor/rare.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "cell/places.h"
#include "cell/points.h"
#include "cell/reply_ref.h"
#include "cell/segments.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "mail/auto_received.h"
#include "mail/ref.h"
#include "sched/timers.h"
#include "send/dead_letter.h"
#include "send/deliver.h"
#include "send/tell.h"

#define PLAIN(name, size)                                                                          \
	{                                                                                          \
		name, (size), 0, 0, 0, NULL, NULL, NULL, NULL, NULL,                               \
		{                                                                                  \
			0, 0                                                                       \
		}                                                                                  \
	}

const ward_type ward_type_ward_ask_failed =
	PLAIN("ward_ask_failed", sizeof(struct ward_ask_failed));
const ward_type ward_type_ward_stopped = PLAIN("ward_stopped", sizeof(struct ward_stopped));

/* Most actors have one open question at a time, which is in no table. */
struct wardi_asks {
	struct wardi_question *only; /* NULL: there is none, or it is in the tables */
	struct wardi_hash numbers;
	struct wardi_hash tags; /* of those that have one */
};

/* ---- the table --------------------------------------------------------------------------- */

static bool has_number(const struct wardi_hash_link *link, const void *key)
{
	return wardi_container_of(link, struct wardi_question, numbered)->number ==
	       *(const uint64_t *)key;
}

static bool has_tag(const struct wardi_hash_link *link, const void *key)
{
	return wardi_container_of(link, struct wardi_question, tagged)->asked.tag ==
	       *(const uint64_t *)key;
}

static struct wardi_asks *asks_of(const struct ward_self *self)
{
	return self->cell->rare->extra == NULL ? NULL : self->cell->rare->extra->asks;
}

static uint64_t hash_of(const struct ward_self *self, uint64_t value)
{
	return wardi_hash_u64(self->system->seed, value);
}

static struct wardi_question *find(const struct ward_self *self, uint64_t number)
{
	struct wardi_asks *asks = asks_of(self);
	struct wardi_hash_link *link = NULL;

	if (asks == NULL)
		return NULL;
	if (asks->only != NULL && asks->only->number == number)
		return asks->only;
	if (asks->numbers.count > 0)
		link = wardi_hash_find(&asks->numbers, hash_of(self, number), has_number, &number);
	return link == NULL ? NULL : wardi_container_of(link, struct wardi_question, numbered);
}

static struct wardi_question *find_tag(const struct ward_self *self, uint64_t tag)
{
	struct wardi_asks *asks = asks_of(self);
	struct wardi_hash_link *link = NULL;

	if (asks == NULL || tag == 0)
		return NULL;
	if (asks->only != NULL && asks->only->asked.tag == tag)
		return asks->only;
	if (asks->tags.count > 0)
		link = wardi_hash_find(&asks->tags, hash_of(self, tag), has_tag, &tag);
	return link == NULL ? NULL : wardi_container_of(link, struct wardi_question, tagged);
}

static struct wardi_asks *make_table(struct ward_self *self)
{
	struct wardi_extra *extra = wardi_extra_for_asks(self);

	if (extra == NULL || extra->asks != NULL)
		return extra == NULL ? NULL : extra->asks;
	extra->asks = wardi_alloc_zeroed(&self->system->alloc, sizeof *extra->asks);
	if (extra->asks == NULL)
		return NULL;
	/* The numbers are there: the first question has one already. */
	wardi_numbers_begin(wardi_cell_numbers(self->cell), wardi_uid_gen(self->cell->uid));
	wardi_hash_init(&extra->asks->numbers, &self->system->alloc);
	wardi_hash_init(&extra->asks->tags, &self->system->alloc);
	return extra->asks;
}

static bool enter(struct ward_self *self, struct wardi_question *ask)
{
	struct wardi_asks *asks = make_table(self);
	uint64_t tag = ask->asked.tag;

	if (asks != NULL && asks->only == NULL && asks->numbers.count == 0) {
		asks->only = ask;
		return true;
	}
	if (asks == NULL ||
	    !wardi_hash_insert(&asks->numbers, &ask->numbered, hash_of(self, ask->number)))
		return false;
	if (tag == 0 || wardi_hash_insert(&asks->tags, &ask->tagged, hash_of(self, tag)))
		return true;
	wardi_hash_remove(&asks->numbers, &ask->numbered);
	return false;
}

/* Ends the question. again: as in wardi_question_release(). */
static void end(struct ward_self *self, struct wardi_question *ask, bool again)
{
	struct wardi_asks *asks = asks_of(self);

	if (asks->only == ask) {
		asks->only = NULL;
	} else {
		wardi_hash_remove(&asks->numbers, &ask->numbered);
		if (ask->asked.tag != 0)
			wardi_hash_remove(&asks->tags, &ask->tagged);
	}
	wardi_question_release(self, ask, again);
}

void wardi_asks_end_all(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_asks *asks = asks_of(self);
	struct wardi_hash_link *link;

	if (asks == NULL)
		return;
	if (asks->only != NULL)
		end(self, asks->only, false);
	while ((link = wardi_hash_any(&asks->numbers)) != NULL)
		end(self, wardi_container_of(link, struct wardi_question, numbered), false);
	wardi_hash_finish(&asks->numbers);
	wardi_hash_finish(&asks->tags);
	wardi_free(&self->system->alloc, asks, sizeof *asks);
	cell->rare->extra->asks = NULL;
}

/* ---- an end ------------------------------------------------------------------------------ */

/* Takes the message that ends the question; returns it if it is for the asker's own receive. */
static struct ward_msg *complete(struct ward_self *self, struct wardi_question *ask,
				 struct ward_msg *msg)
{
	ward_ref answer_to = ask->asked.answer_to;
	uint64_t tag = ask->asked.tag;

	end(self, ask, ward_ref_is_nobody(answer_to));
	if (ward_ref_is_nobody(answer_to)) {
		self->answers = tag;
		return msg;
	}
	wardi_send_msg(self, ward_msg_sender(msg), answer_to, msg);
	return NULL;
}

/* Why there is no answer, behind "X did not answer Y". */
static void write_why(char *text, size_t max, const struct ward_ask_failed *failed, bool passed_on)
{
	if (failed->why == WARD_ETIMEDOUT)
		ward_text_format(text, max, " within %lld ms", (long long)failed->timeout_ms);
	else if (failed->why == WARD_EFULL)
		ward_text_format(text, max, ": its mailbox is full");
	else if (failed->why == WARD_EUNREACHED)
		ward_text_format(text, max, ": the connection to its node is lost");
	else if (failed->why == WARD_ENOMEM)
		ward_text_format(text, max, ": no memory");
	else if (failed->reason == WARD_REASON_DEAD && passed_on)
		ward_text_format(text, max, ": it passed it on to an actor that is gone");
	else if (failed->reason == WARD_REASON_NONE || failed->reason == WARD_REASON_DEAD)
		ward_text_format(text, max, ": it is gone");
	else
		ward_text_format(text, max, ": %s", ward_reason_text(failed->reason));
}

/* The path is in the text since the question was asked: by now the asked actor may have none. */
static void fill_failed(struct ward_ask_failed *failed, const struct wardi_question *ask,
			const struct wardi_ask_over *over)
{
	char asked[WARD_ASK_TEXT], end[80];

	ward_text_format(asked, sizeof asked, "%.*s did not answer \"%.*s\"",
			 WARD_TEXT_FIT(failed->text, 127), WARD_TEXT_FIT(ask->type->name, 64));
	failed->tag = ask->asked.tag;
	failed->to = ask->asked.to;
	failed->timeout_ms = ask->asked.timeout_ms;
	failed->why = over->why;
	failed->reason = over->reason;
	write_why(end, sizeof end, failed,
		  !ward_ref_is_nobody(over->last) && !ward_ref_equal(over->last, ask->asked.to));
	ward_text_format(failed->text, sizeof failed->text, "%.*s%s",
			 WARD_TEXT_FIT(asked, sizeof failed->text - sizeof end), end);
}

static struct ward_msg *fail(struct ward_self *self, struct wardi_question *ask,
			     const struct wardi_ask_over *over)
{
	struct ward_msg *msg = ask->outcome;
	ward_ref to = ask->asked.to;

	ask->outcome = NULL;
	msg->sender_uid = to.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(to));
	if (ask->stops)
		*(struct ward_stopped *)wardi_msg_bytes(msg) =
			(struct ward_stopped){ask->asked.tag, to, over->why == WARD_EDEAD};
	else
		fill_failed(wardi_msg_bytes(msg), ask, over);
	return complete(self, ask, msg);
}

struct ward_msg *wardi_ask_over_due(struct ward_self *self, const struct ward_msg *over)
{
	const struct wardi_ask_over *token = wardi_msg_bytes(over);
	struct wardi_question *ask = find(self, token->number);

	return ask == NULL ? NULL : fail(self, ask, token);
}

struct ward_msg *wardi_ask_target_gone(struct ward_self *self, uint64_t number, ward_err why)
{
	const struct wardi_ask_over over = {.number = number, .why = why};
	struct wardi_question *ask = find(self, number);

	wardi_assert(ask != NULL); /* else it would have ended its watch */
	return fail(self, ask, &over);
}

/* Under the timers' lock, or disarmed. */
static void fill_token(struct wardi_question *ask, ward_err why, ward_reason reason)
{
	*(struct wardi_ask_over *)wardi_msg_bytes(ask->late) =
		(struct wardi_ask_over){ask->due_number, why, reason, ward_nobody()};
}

/* Under the timers' lock, on any worker. */
void wardi_ask_fire(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct wardi_question *ask = wardi_container_of(node, struct wardi_question, node);
	ward_reason reason;

	(void)now_ns;
	fill_token(ask, WARD_ETIMEDOUT, WARD_REASON_NONE);
	if (wardi_deliver(ask->system, worker->context, ask->asker, ask->late, &reason) == WARD_OK)
		ask->late = NULL;
	/* Else the asker has closed its mailbox, and is about to end its questions. */
}

/* The question was not sent: its end comes by the mailbox anyway, like that of any other. */
static void fail_soon(struct ward_self *self, struct wardi_question *ask, ward_err why,
		      ward_reason reason)
{
	struct ward_msg *token;

	wardi_timer_disarm(self->system->sched, &ask->node);
	token = ask->late;
	if (token == NULL)
		return; /* its time was up at this very moment */
	fill_token(ask, why, reason);
	ask->late = NULL;
	wardi_deliver_own(self, token);
}

/* ---- an answer --------------------------------------------------------------------------- */

static uint64_t number_of(uint64_t question)
{
	return question >> WARDI_ASK_SLOT_BITS;
}

static void refuse(ward_system *system, struct ward_self *self, const struct ward_msg *envelope,
		   ward_reason reason)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	const struct wardi_token *token = wardi_msg_bytes(envelope);
	ward_ref to = wardi_ref_make((uint64_t)envelope->target_gen << 32 |
					     wardi_question_slot(token->id),
				     system->place);

	wardi_dead_letter(system, self, to, token->record, reason);
	wardi_msg_free(from, token->record);
}

void wardi_answer_dropped(ward_system *system, struct ward_self *self,
			  const struct ward_msg *envelope)
{
	refuse(system, self, envelope, WARD_REASON_STALE);
}

struct ward_msg *wardi_answer_due(struct ward_self *self, const struct ward_msg *envelope)
{
	const struct wardi_token *token = wardi_msg_bytes(envelope);
	const ward_type *type = wardi_msg_type(token->record);
	struct wardi_question *ask = find(self, number_of(token->id));

	if (ask == NULL) {
		refuse(self->system, self, envelope, WARD_REASON_STALE);
		return NULL;
	}
	if (type == &ward_type_ward_poison_pill || type == &ward_type_ward_kill)
		return token->record; /* for the asker: no answer */
	if (wardi_msg_is_auto_received(token->record)) {
		refuse(self->system, self, envelope, WARD_REASON_MISUSE); /* it is forged */
		return NULL;
	}
	return complete(self, ask, token->record);
}

void wardi_ask_unheard(ward_system *system, struct ward_self *self, ward_ref question,
		       ward_ref last, ward_reason reason)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	struct wardi_ask_over over = {number_of(question.uid), WARD_EDEAD, reason, last};
	uint32_t visit = wardi_visit(system, self);
	ward_ref owner = wardi_ask_owner(system, question);
	struct ward_msg *token;

	wardi_visited(system, self, visit);
	if (ward_ref_is_nobody(owner))
		return;
	if (reason == WARD_REASON_FULL)
		over.why = WARD_EFULL;
	else if (reason == WARD_REASON_NO_MEMORY)
		over.why = WARD_ENOMEM;
	else if (reason == WARD_REASON_UNREACHED)
		over.why = WARD_EUNREACHED;
	else if (reason == WARD_REASON_LOCAL)
		over.why = WARD_ELOCAL;
	token = wardi_msg_make(from, &wardi_type_ask_over, &over, sizeof over);
	if (token == NULL) { /* then it ends by its timeout */
		wardi_count(&system->counters.shortages);
		return;
	}
	if (wardi_deliver(system, self, owner, token, &reason) != WARD_OK)
		wardi_msg_free(from, token);
}

/* ---- asking ------------------------------------------------------------------------------ */

static ward_err check_to(const struct ward_self *self, const ward_question *question)
{
	const ward_system *system = self->system;

	if (ward_ref_is_nobody(question->to))
		return wardi_error(WARD_EINVAL, "ward_ask: nobody cannot be asked");
	if (!wardi_place_is_near_or_known(system, question->to))
		return wardi_error(WARD_EFOREIGN, "ward_ask: the asked is of another system");
	if ((wardi_ref_place(question->to) & WARDI_PLACE_FLAGS) != 0)
		return wardi_error(WARD_EINVAL, "ward_ask: the ref stands for a question or a "
						"thread, not for an actor: tell it instead");
	if (!ward_ref_is_nobody(question->answer_to) &&
	    !wardi_place_is_near_or_known(system, question->answer_to))
		return wardi_error(WARD_EFOREIGN, "ward_ask: answer_to is of another system");
	return WARD_OK;
}

static ward_err check(const struct ward_self *self, const ward_question *question)
{
	if (question == NULL)
		return wardi_error(WARD_EINVAL, "ward_ask: the question is NULL");
	if (!WARDI_ALL_ZERO(question->reserved))
		return wardi_error(WARD_EINVAL, "ward_ask: a reserved word is not zero");
	if (question->timeout_ms <= 0)
		return wardi_error(WARD_EINVAL,
				   "ward_ask: the timeout is %lld ms: it must be above 0",
				   (long long)question->timeout_ms);
	if (question->tag == 0 && ward_ref_is_nobody(question->answer_to))
		return wardi_error(WARD_EINVAL, "ward_ask: a question needs a tag that is not 0: "
						"ward_ask_tag() tells its end by it");
	if (question->tag != 0 && find_tag(self, question->tag) != NULL)
		return wardi_error(WARD_EEXIST,
				   "ward_ask: a question with tag %llu is open: cancel it, or "
				   "take another tag, which stands before the timeout",
				   (unsigned long long)question->tag);
	return check_to(self, question);
}

static void submit(struct ward_self *self, struct wardi_question *ask, struct ward_msg *msg)
{
	ward_system *system = self->system;
	ward_ref to = ask->asked.to;
	ward_reason reason;
	ward_err err;

	msg->sender_uid = ask->number << WARDI_ASK_SLOT_BITS | wardi_cell_slot(self->cell);
	wardi_msg_set_sender_place(msg, system->place | WARDI_PLACE_QUESTION);
	err = wardi_has_points(system) ? wardi_points.send(system, self, to, msg, &reason)
				       : wardi_deliver(system, self, to, msg, &reason);
	if (err == WARD_OK)
		return;
	/* The asker is notified here, without memory: so the dead letter no longer belongs to the
	 * question. */
	msg->sender_uid = self->cell->uid;
	wardi_msg_set_sender_place(msg, system->place);
	wardi_dead_letter(system, self, to, msg, reason);
	wardi_msg_free(self->from, msg);
	fail_soon(self, ask, err, reason);
}

static ward_err take_number(struct ward_self *self, uint64_t *ret_number)
{
	struct wardi_numbers *numbers = wardi_cell_numbers(self->cell);

	if (numbers == NULL)
		return wardi_no_memory(self->system, "ward_ask: no memory for a question");
	if (numbers->last == WARDI_ASK_NUMBER_MAX)
		return wardi_error(WARD_ELIMIT,
				   "ward_ask: all 2^%d questions of this place are "
				   "used up: spawn a new actor",
				   WARDI_ASK_NUMBER_BITS);
	*ret_number = ++numbers->last;
	return WARD_OK;
}

static ward_err start_in_visit(struct ward_self *self, const ward_question *question, bool stops,
			       const ward_type *type, const void *body, size_t size)
{
	struct ward_msg *msg;
	struct wardi_question *ask;
	uint64_t number = 0;
	ward_err err;

	err = take_number(self, &number);
	if (err != WARD_OK)
		return err;
	ask = wardi_question_make(self, question, stops, type, number);
	if (ask != NULL && !enter(self, ask)) {
		wardi_question_release(self, ask, false);
		ask = NULL;
	}
	if (ask == NULL)
		return wardi_no_memory(self->system, "ward_ask: no memory for a question");
	msg = wardi_msg_make(self->from, type, body, size);
	if (msg != NULL && wardi_question_arm(self, ask)) {
		submit(self, ask, msg);
		return WARD_OK;
	}
	if (msg != NULL) /* its body is still the caller's */
		wardi_msg_hand_over(self->from, msg);
	end(self, ask, false);
	return wardi_no_memory(self->system, "ward_ask: no memory for a question");
}

/* The body stays the caller's on an error. One visit for all looks at the asked; and if it runs on
 * another processor, its mailbox is on the way here while the question is made. */
static ward_err start(struct ward_self *self, const ward_question *question, bool stops,
		      const ward_type *type, const void *body, size_t size)
{
	uint32_t visit = wardi_visit(self->system, self);
	ward_err err;

	wardi_table_expect(self->system, question->to.uid);
	err = start_in_visit(self, question, stops, type, body, size);
	wardi_visited(self->system, self, visit);
	return err;
}

/* ---- for the user ------------------------------------------------------------------------ */

ward_err ward_try_ask_send(ward_self *self, const ward_question *question, const ward_type *type,
			   const void *body, size_t size)
{
	ward_err err = WARD_EINVAL;

	if (wardi_self_usable(self)) {
		err = check(self, question);
		if (err == WARD_OK)
			err = wardi_type_refuse(type, body, size);
		if (err == WARD_OK)
			err = start(self, question, false, type, body, size);
	}
	if (err != WARD_OK)
		wardi_body_drop(type, body, size);
	return err;
}

ward_err ward_try_ask_stop(ward_self *self, ward_ref who, uint64_t tag, int64_t timeout_ms)
{
	ward_question question = {.to = who, .timeout_ms = timeout_ms, .tag = tag};
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check(self, &question);
	if (err != WARD_OK)
		return err;
	if (ward_ref_equal(who, wardi_own_ref(self)))
		return wardi_error(WARD_EINVAL, "ward_stop_gracefully: self would be gone before "
						"the answer");
	return start(self, &question, true, &ward_type_ward_poison_pill, NULL, 0);
}

uint64_t ward_ask_tag(const ward_self *self)
{
	return wardi_self_usable(self) && wardi_self_receives(self) ? self->answers : 0;
}

void ward_ask_cancel(ward_self *self, uint64_t tag)
{
	struct wardi_question *ask = wardi_self_usable(self) ? find_tag(self, tag) : NULL;

	if (ask != NULL)
		end(self, ask, false);
}

bool ward_ask_open(const ward_self *self, uint64_t tag)
{
	return wardi_self_usable(self) && find_tag(self, tag) != NULL;
}

ward_ref ward_asker(const ward_self *self, ward_ref ref)
{
	ward_ref owner;
	uint32_t visit;

	if (!wardi_self_usable(self) || !wardi_is_question(self->system, ref))
		return ref;
	visit = wardi_visit(self->system, self);
	owner = wardi_ask_owner(self->system, ref);
	/* Another actor may live there by now. */
	if (!ward_ref_is_nobody(owner) &&
	    !wardi_table_has_asked(self->system, wardi_uid_slot(owner.uid),
				   wardi_uid_gen(owner.uid), number_of(ref.uid)))
		owner = ward_nobody();
	wardi_visited(self->system, self, visit);
	return owner;
}
