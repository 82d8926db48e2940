/* SPDX-License-Identifier: MIT
 *
 * retried_question.h - what the tests of questions that are asked again share: a asks b.
 *
 * b answers as its manner is, from a given question on; each question that comes to it is noted as
 * "asked at 130", each end that a sees as in asking_actors.h, with the number of tries. Chance is
 * what the test says.
 */
#ifndef SCENARIO_ASKING_RETRIED_QUESTION_H
#define SCENARIO_ASKING_RETRIED_QUESTION_H

#include <ward/retry.h>

#include "support/asking_actors.h"

static struct ward_retry retry;
static ward_retry_options options;
static struct office office;
static uint64_t chance; /* what the generator gives */
static int silent;      /* b says nothing to so many questions more */
static bool past_it;    /* a asks without it, too */
static ward_ref asked;
static int64_t began_ns;

static inline uint64_t no_chance(ward_self *self)
{
	(void)self;
	return chance;
}

static inline int now_ms(void)
{
	return (int)((ward_kit_now_ns(office.kit) - began_ns) / NS_PER_MS);
}

static inline ward_result note_question(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, question) == NULL)
		return WARD_UNHANDLED;
	journal_note("asked at %d", now_ms());
	return silent-- > 0 ? WARD_DONE : clerk_receive(self, msg);
}

static inline ward_result note_last(ward_self *self, const ward_msg *msg)
{
	ward_result result = ward_retry_receive(self, &retry, msg);
	uint64_t tag = ward_ask_tag(self);
	if (result != WARD_UNHANDLED)
		return result;
	if (tag != 0 && !past_it) {
		ward_assert(!ward_retry_open(&retry, tag));
		journal_note("after %d", (int)ward_retry_tries(&retry));
	}
	return note_ends(self, msg);
}

static inline ward_result start(ward_self *self, void *arg)
{
	(void)arg;
	memset(&retry, 0, sizeof retry); /* as in a state */
	return ward_retry_init(self, &retry, &options);
}

/* Tries end at 100 ms, and there are delays of 10, 20, 40 and 50 ms. */
static const ward_retry_options plain = {.tries_max = 5,
					 .try_timeout_ms = 100,
					 .delay_min_ms = 10,
					 .delay_max_ms = 50,
					 .random = no_chance};

/* b is silent to so many questions; then its manner shows. */
static inline void begin(int questions, enum manner manner)
{
	office = (struct office){.a = {.receive = note_last, .init = start}};
	chance = 0;
	silent = questions;
	past_it = false;
	open_office(&office, manner);
	office.b.receive = note_question;
	asked = office.b.ref;
	began_ns = ward_kit_now_ns(office.kit);
}

static inline ward_result do_retry_ask(ward_self *self, void *arg)
{
	uint64_t tag = (uint64_t)(uintptr_t)arg;
	ward_retry_ask(self, &retry, asked, tag, question, .number = (int)tag);
	ward_assert(ward_retry_open(&retry, tag));
	return WARD_DONE;
}

static inline void ask(uint64_t tag)
{
	script_do(office.kit, office.a.ref, do_retry_ask, (void *)(uintptr_t)tag);
	ward_kit_run(office.kit);
}

static inline ward_result do_retry_cancel(ward_self *self, void *arg)
{
	ward_retry_cancel(self, &retry, (uint64_t)(uintptr_t)arg);
	ward_assert(!ward_retry_open(&retry, (uint64_t)(uintptr_t)arg));
	return WARD_DONE;
}

static inline void cancel(uint64_t tag)
{
	script_do(office.kit, office.a.ref, do_retry_cancel, (void *)(uintptr_t)tag);
	ward_kit_run(office.kit);
}

/* Nothing is open, and nothing comes any more. */
static inline void finish(void)
{
	char text[1024];
	snprintf(text, sizeof text, "%s", journal_text());
	ward_assert(!ward_retry_open(&retry, TAG));
	ward_kit_advance(office.kit, WARD_MINUTE);
	assert_journal(text);
	close_office(&office);
}

#endif
