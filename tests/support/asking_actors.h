/* SPDX-License-Identifier: MIT
 *
 * asking_actors.h - what the tests of questions share: a asks, b and c answer as their manner is.
 *
 * What comes to a is noted as "7: 5 of b" (the question with tag 7 was answered by b with 5), or
 * "7: late of b".
 */
#ifndef SUPPORT_ASKING_ACTORS_H
#define SUPPORT_ASKING_ACTORS_H

#include <stdio.h>
#include <string.h>

#include "support/script.h"

enum { TAG = 7, OTHER = 8, NS_PER_MS = 1000 * 1000 };

struct question {
	int number;
};
WARD_MESSAGE(question);
struct answer {
	int number;
};
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);

enum manner {
	ANSWER,
	SILENT,
	TWICE,
	PASS_ON,     /* to the colleague */
	LATER,       /* keeps the asker's ref */
	ANSWER_DIE,  /* answers, and stops */
	DIE,         /* stops */
	BREAK,       /* fails */
	SEND_PILL,   /* to who asks */
	SEND_KILL,   /* the same */
	SEND_FORGED, /* a notice that nobody may send, then the answer */
	SEND_WORD,   /* an answer that owns something */
};

struct clerk {
	enum manner manner;
	ward_ref colleague;
	ward_ref asker; /* for LATER */
};

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static inline ward_result clerk_receive(ward_self *self, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);
	struct clerk *clerk = script_of(self)->arg;
	struct ward_terminated forged = {.who = ward_msg_sender(msg)};
	if (question == NULL)
		return WARD_UNHANDLED;
	switch (clerk->manner) {
	case TWICE:
		ward_answer(self, msg, question, .number = question->number);
		ward_answer(self, msg, question, .number = -1);
		break;
	case ANSWER_DIE:
		ward_answer(self, msg, question, .number = question->number);
		ward_stop_self(self);
		break;
	case DIE:
		ward_stop_self(self);
		break;
	case PASS_ON:
		ward_forward(self, clerk->colleague);
		break;
	case LATER:
		clerk->asker = ward_msg_sender(msg);
		break;
	case BREAK:
		return ward_failed(self, &bad_luck, "no answer");
	case SEND_PILL:
		ward_reply(self, msg, ward_poison_pill);
		break;
	case SEND_KILL:
		ward_reply(self, msg, ward_kill);
		break;
	case SEND_FORGED:
		ward_send(self, ward_msg_sender(msg), &ward_type_ward_terminated, &forged,
			  sizeof(forged));
		ward_answer(self, msg, question, .number = question->number);
		break;
	case SEND_WORD:
		script_tell(self, ward_msg_sender(msg), "word");
		break;
	case ANSWER:
		ward_answer(self, msg, question, .number = question->number);
		break;
	case SILENT:
		break;
	}
	return WARD_DONE;
}

static inline const char *why_text(ward_err why)
{
	switch (why) {
	case WARD_ETIMEDOUT:
		return "late";
	case WARD_EDEAD:
		return "gone";
	case WARD_EFULL:
		return "full";
	case WARD_ENOMEM:
		return "no memory";
	default:
		return "?";
	}
}

/* Of the last ward_ask_failed. */
static char last_text[WARD_ASK_TEXT];
static ward_reason last_reason;

static inline ward_result note_ends(ward_self *self, const ward_msg *msg)
{
	const struct answer *answer = ward_match(msg, answer);
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct ward_stopped *stopped = ward_match(msg, ward_stopped);
	const char *sender = script_name(ward_msg_sender(msg));
	int tag = (int)ward_ask_tag(self);
	if (tag != 0)
		ward_assert(!ward_ask_open(self, (uint64_t)tag));
	if (answer != NULL) {
		journal_note("%d: %d of %s", tag, answer->number, sender);
	} else if (failed != NULL) {
		snprintf(last_text, sizeof(last_text), "%s", failed->text);
		last_reason = failed->reason;
		ward_assert_eq(failed->tag, tag);
		journal_note("%d: %s of %s", tag, why_text(failed->why), sender);
	} else if (stopped != NULL) {
		ward_assert_eq(stopped->tag, tag);
		ward_assert(ward_ref_equal(stopped->who, ward_msg_sender(msg)));
		journal_note("%d: %s %s", tag, sender, stopped->in_time ? "stopped" : "is there");
	} else if (ward_match(msg, ward_terminated) != NULL) {
		journal_note("%d: terminated", tag);
	} else {
		if (tag != 0)
			journal_note("%d: %s", tag, ward_msg_type(msg)->name);
		return WARD_UNHANDLED;
	}
	return WARD_DONE;
}

/* What the next do_ask() asks, and what the asked is told before and after, in the same turn. */
static struct {
	ward_question question;
	const char *before, *after;
} wanted;

struct office {
	ward_kit *kit;
	struct clerk clerk_b, clerk_c;
	struct script a, b, c;
};

static inline void open_office_with(struct office *office, enum manner manner,
				    const ward_kit_options *options)
{
	office->clerk_b.manner = manner;
	office->a.name = "a";
	office->b.name = "b";
	office->c.name = "c";
	if (office->a.receive == NULL)
		office->a.receive = note_ends;
	office->b.receive = office->c.receive = clerk_receive;
	office->b.arg = &office->clerk_b;
	office->c.arg = &office->clerk_c;
	office->kit = script_start(options);
	script_spawn(office->kit, &office->a);
	script_spawn(office->kit, &office->b);
	script_spawn(office->kit, &office->c);
	office->clerk_b.colleague = office->c.ref;
	journal_clear();
	memset(&wanted, 0, sizeof(wanted));
}

static inline void open_office(struct office *office, enum manner manner)
{
	open_office_with(office, manner, NULL);
}

static inline void close_office(struct office *office)
{
	ward_assert_eq(ward_kit_stats(office->kit).timers, 0);
	script_finish(office->kit);
}

static inline ward_result do_ask(ward_self *self, void *arg)
{
	struct question body = {5};
	(void)arg;
	if (wanted.before != NULL)
		script_tell(self, wanted.question.to, wanted.before);
	ward_assert_ok(ward_try_ask_send(self, &wanted.question, &ward_type_question, &body,
					 sizeof(body)));
	ward_assert(ward_ask_open(self, wanted.question.tag) == (wanted.question.tag != 0));
	ward_assert_eq(ward_ask_tag(self), 0);
	if (wanted.after != NULL)
		script_tell(self, wanted.question.to, wanted.after);
	return WARD_DONE;
}

static inline ward_result do_cancel(ward_self *self, void *arg)
{
	(void)arg;
	ward_ask_cancel(self, TAG);
	ward_assert(!ward_ask_open(self, TAG));
	return WARD_DONE;
}

static inline void order(struct office *office, ward_question question)
{
	wanted.question = question;
	script_do(office->kit, office->a.ref, do_ask, NULL);
}

/* a asks b, in 100 ms. */
static inline void ask_b(struct office *office)
{
	order(office, (ward_question){.to = office->b.ref, .timeout_ms = 100, .tag = TAG});
	ward_kit_run(office->kit);
}

/* Time passes, timers fire, and nobody has a turn. */
static inline void pass(struct office *office, int64_t ms)
{
	int64_t until_ns = ward_kit_now_ns(office->kit) + ms * NS_PER_MS;
	while (ward_simulation_advance(ward_kit_system(office->kit), until_ns))
		;
}

/* How many dead letters there were for this reason. */
static inline size_t letters(struct office *office, ward_reason reason)
{
	size_t count = 0;
	for (size_t i = 0; i < ward_kit_count(office->kit, WARD_EVENT_DEAD_LETTER, "*"); i++)
		count += ward_kit_event(office->kit, WARD_EVENT_DEAD_LETTER, "*", i)->reason ==
			 reason;
	return count;
}

#endif
