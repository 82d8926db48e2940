/* SPDX-License-Identifier: MIT
 *
 * asker_with_breaker.h - what the tests of circuit breakers share: a asks b through one.
 *
 * b answers as its manner is. Each change of state is noted as "closed>open", each end of a
 * question as in asking_actors.h, a refused call as "refused". Chance is what the test says.
 */
#ifndef SCENARIO_CIRCUIT_BREAKER_ASKER_WITH_BREAKER_H
#define SCENARIO_CIRCUIT_BREAKER_ASKER_WITH_BREAKER_H

#include <ward/breaker.h>

#include "support/asking_actors.h"

static struct ward_breaker breaker;
static ward_breaker_options options;
static uint64_t chance; /* what the generator gives */
static bool probes;     /* in half-open, at once */

static inline uint64_t no_chance(ward_self *self)
{
	(void)self;
	return chance;
}

static ward_ref asked;

static inline ward_result do_breaker_ask(ward_self *self, void *arg)
{
	uint64_t tag = (uint64_t)(uintptr_t)arg;
	ward_err err = ward_breaker_ask(self, &breaker, asked, tag, question, .number = (int)tag);
	if (err == WARD_EOPEN)
		journal_note("refused");
	else if (err != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	return WARD_DONE;
}

static inline void note_move(ward_self *self, void *state, ward_breaker *moved,
			     ward_breaker_state from)
{
	ward_assert(state == ward_state(self));
	ward_assert(moved == &breaker);
	journal_note("%s>%s", ward_breaker_state_text(from),
		     ward_breaker_state_text(ward_breaker_at(moved)));
	if (probes && ward_breaker_at(moved) == WARD_BREAKER_HALF_OPEN)
		(void)!do_breaker_ask(self, (void *)(uintptr_t)OTHER);
}

static inline ward_result receive(ward_self *self, const ward_msg *msg)
{
	ward_result result = ward_breaker_receive(self, &breaker, msg);
	return result != WARD_UNHANDLED ? result : note_ends(self, msg);
}

static inline ward_result start(ward_self *self, void *arg)
{
	(void)arg;
	memset(&breaker, 0, sizeof breaker); /* as in a state */
	return ward_breaker_init(self, &breaker, &options);
}

static const ward_breaker_options plain = {.failures_max = 3,
					   .call_timeout_ms = 100,
					   .reset_ms = 1000,
					   .moved = note_move,
					   .random = no_chance};

static inline void begin(struct office *office, enum manner manner)
{
	*office = (struct office){.a = {.receive = receive, .init = start}};
	chance = 0;
	probes = false;
	open_office(office, manner);
	asked = office->b.ref;
}

static inline void ask(struct office *office, uint64_t tag)
{
	script_do(office->kit, office->a.ref, do_breaker_ask, (void *)(uintptr_t)tag);
	ward_kit_run(office->kit);
}

/* A question to one who says nothing, until its time is up. */
static inline void fail_once(struct office *office)
{
	office->clerk_b.manner = SILENT;
	ask(office, TAG);
	ward_kit_advance(office->kit, 100);
}

static inline void open_it(struct office *office)
{
	for (int i = 0; i < 3; i++)
		fail_once(office);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
	journal_clear();
}

#endif
