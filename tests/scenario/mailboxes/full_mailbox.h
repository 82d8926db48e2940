/* SPDX-License-Identifier: MIT
 *
 * full_mailbox.h - what the tests of WARD_OVERFLOW_HOLD_SENDER share: p and q send to c, whose
 * mailbox is full.
 *
 * o is the parent of c and d. It puts their failures off, so that they are deaf and their mailboxes
 * fill up, until it is told what to decide.
 */
#ifndef SCENARIO_MAILBOXES_FULL_MAILBOX_H
#define SCENARIO_MAILBOXES_FULL_MAILBOX_H

#include <string.h>

#include "support/script.h"

struct stage {
	ward_kit *kit;
	bool leaves_mail; /* at the end */
	struct script o, c, d, p, q;
};

enum { STAGE_MAX = 4 };

#define STAGE_BOX                                                                                  \
	{                                                                                          \
		.messages_max = STAGE_MAX, .overflow = WARD_OVERFLOW_HOLD_SENDER                   \
	}
#define STAGE                                                                                      \
	{                                                                                          \
		.o = {.name = "o", .strategy = &script_one, .decides = WARD_LATER},                \
		.c = {.name = "c", .mailbox = STAGE_BOX},                                          \
		.d = {.name = "d", .mailbox = STAGE_BOX}, .p = {.name = "p"}, .q = {.name = "q"},  \
	}

static const ward_failure_class held_bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static inline void stage_start(struct stage *s)
{
	s->o.children[0] = &s->c;
	s->o.children[1] = &s->d;
	s->kit = script_start(&(ward_kit_options){.may_leave_mail = s->leaves_mail});
	script_spawn(s->kit, &s->o);
	script_spawn(s->kit, &s->p);
	script_spawn(s->kit, &s->q);
	script_break(s->kit, s->c.ref, &held_bad_luck);
	script_break(s->kit, s->d.ref, &held_bad_luck);
	ward_kit_run(s->kit);
	ward_assert_state(s->kit, s->c.ref, WARD_STATE_FAILED);
	ward_assert_state(s->kit, s->d.ref, WARD_STATE_FAILED);
	journal_clear();
	ward_kit_forget_events(s->kit);
}

/* c and d may be deaf still. */
static inline void stage_finish(struct stage *s)
{
	ward_kit_stop(s->kit, s->o.ref);
	script_finish(s->kit);
}

/* ---- sending ----------------------------------------------------------------------------- */

struct words {
	const struct script *to;
	int count;
};

/* Sends "1", "2", ... */
static inline ward_result send_words(ward_self *self, void *arg)
{
	const struct words *words = arg;

	for (int i = 0; i < words->count; i++)
		script_tell(self, words->to->ref, (char[]){(char)('1' + i), '\0'});
	return WARD_DONE;
}

/* In one callback of `from`. */
static inline void fill(struct stage *s, const struct script *from, const struct script *to,
			int count)
{
	struct words words = {to, count};

	script_do(s->kit, from->ref, send_words, &words);
	ward_kit_run(s->kit);
}

/* ---- letting go -------------------------------------------------------------------------- */

struct order {
	const struct script *child;
	ward_directive directive;
};

static inline ward_result carry_out(ward_self *self, void *arg)
{
	const struct order *order = arg;

	ward_assert_ok(ward_decide(self, order->child->ref, order->directive));
	return WARD_DONE;
}

static inline void let(struct stage *s, const struct script *child, ward_directive directive)
{
	struct order order = {child, directive};

	script_do(s->kit, s->o.ref, carry_out, &order);
	ward_kit_run(s->kit);
}

/* ---- looking ----------------------------------------------------------------------------- */

static inline ward_actor_info look_at(ward_kit *kit, const struct script *who)
{
	ward_actor_info info;

	ward_assert(ward_kit_info(kit, who->ref, &info));
	return info;
}

static inline void check_held(ward_kit *kit, const struct script *who, const struct script *by)
{
	ward_ref holder = look_at(kit, who).held_by;

	ward_assert(ward_ref_equal(holder, by == NULL ? ward_nobody() : by->ref));
}

/* That it handles what it gets. */
static inline void check_goes_on(ward_kit *kit, const struct script *who)
{
	check_held(kit, who, NULL);
	journal_clear();
	script_say(kit, who->ref, "well");
	ward_kit_run(kit);
	ward_assert_str(journal_of(who->name), "well");
}

/* Where a note begins; fails the test if it is not there. */
static inline ptrdiff_t at(const char *note)
{
	const char *found = strstr(journal_text(), note);

	ward_assert(found != NULL);
	return found == NULL ? 0 : found - journal_text();
}

#endif
