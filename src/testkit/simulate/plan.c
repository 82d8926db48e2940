/* SPDX-License-Identifier: MIT
 *
 * plan.c - plans: draws the faults of a run, counts up to them, reads and writes plans as text.
 */
#include "testkit/simulate/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/check/chance.h"

enum { HORIZON = 200, DELAY_MS = 1000 };

static const struct {
	const char *name;
	enum wardi_plan_site site;
	ward_fault_kind fault; /* none: the allocator's, or a loop's */
	bool has_delay;
} kinds[WARDI_PLAN_KINDS] = {
	[WARDI_PLAN_FAIL] = {"fail", WARDI_SITE_CALLBACK, WARD_FAULT_FAIL_BEFORE, false},
	[WARDI_PLAN_FAIL_AFTER] = {"fail-after", WARDI_SITE_CALLBACK, WARD_FAULT_FAIL_AFTER, false},
	[WARDI_PLAN_REFUSE] = {"refuse", WARDI_SITE_SPAWN, WARD_FAULT_REFUSE, false},
	[WARDI_PLAN_MEMORY] = {"memory", WARDI_SITE_ALLOCATION, WARD_FAULT_NONE, false},
	[WARDI_PLAN_STALL] = {"stall", WARDI_SITE_TURN, WARD_FAULT_STALL, true},
	[WARDI_PLAN_JUMP] = {"jump", WARDI_SITE_TURN, WARD_FAULT_JUMP, true},
	[WARDI_PLAN_DELAY] = {"delay", WARDI_SITE_SEND, WARD_FAULT_DELAY, true},
	[WARDI_PLAN_LOSE] = {"lose", WARDI_SITE_SEND, WARD_FAULT_LOSE, false},
	[WARDI_PLAN_RESET] = {"reset", WARDI_SITE_FRAME, WARD_FAULT_NONE, true},
	[WARDI_PLAN_CUT] = {"cut", WARDI_SITE_FRAME, WARD_FAULT_NONE, true},
	[WARDI_PLAN_CUT_ONE_WAY] = {"cut-one-way", WARDI_SITE_FRAME, WARD_FAULT_NONE, true},
	[WARDI_PLAN_LATE] = {"late", WARDI_SITE_FRAME, WARD_FAULT_NONE, true},
	[WARDI_PLAN_CRASH] = {"crash", WARDI_SITE_FRAME, WARD_FAULT_NONE, true},
};

enum wardi_plan_site wardi_plan_site(enum wardi_plan_kind kind)
{
	return kinds[kind].site;
}

ward_fault_kind wardi_plan_fault_kind(enum wardi_plan_kind kind)
{
	return kinds[kind].fault;
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* Half of the positions are early, since a run may be shorter than the horizon. */
static uint32_t draw_nth(struct wardi_chance *chance, uint32_t horizon)
{
	if (wardi_chance_below(chance, 2) == 0)
		return (uint32_t)wardi_chance_scale(chance, horizon);
	return 1 + (uint32_t)wardi_chance_below(chance, horizon);
}

void wardi_plan_draw(struct wardi_plan *plan, const ward_fault_mix *mix, uint64_t seed)
{
	const uint32_t most[WARDI_PLAN_KINDS] = {
		[WARDI_PLAN_FAIL] = mix->fail,     [WARDI_PLAN_REFUSE] = mix->refuse,
		[WARDI_PLAN_MEMORY] = mix->memory, [WARDI_PLAN_STALL] = mix->stall,
		[WARDI_PLAN_JUMP] = mix->jump,     [WARDI_PLAN_DELAY] = mix->delay,
		[WARDI_PLAN_LOSE] = mix->lose,     [WARDI_PLAN_RESET] = mix->reset,
		[WARDI_PLAN_CUT] = mix->cut,       [WARDI_PLAN_CUT_ONE_WAY] = mix->cut_one_way,
		[WARDI_PLAN_LATE] = mix->late,     [WARDI_PLAN_CRASH] = mix->crash,
	};
	struct wardi_chance chance = wardi_chance(seed, WARDI_CHANCE_PLAN);
	uint32_t horizon = mix->horizon != 0 ? mix->horizon : HORIZON;
	uint64_t delay_ms = mix->delay_ms > 0 ? (uint64_t)mix->delay_ms : DELAY_MS;

	plan->count = 0;
	for (unsigned kind = 0; kind < WARDI_PLAN_KINDS; kind++) {
		uint64_t count = wardi_chance_below(&chance, (uint64_t)most[kind] + 1);
		for (; count > 0 && plan->count < WARDI_PLAN_MAX; count--) {
			struct wardi_plan_fault fault = {.kind = (uint8_t)kind};
			fault.nth = draw_nth(&chance, horizon);
			if (kind == WARDI_PLAN_FAIL && wardi_chance_below(&chance, 2) == 1)
				fault.kind = WARDI_PLAN_FAIL_AFTER;
			if (kinds[kind].has_delay)
				fault.delay_ms = (int64_t)wardi_chance_scale(&chance, delay_ms);
			plan->faults[plan->count++] = fault;
		}
	}
}

/* ---- counting ----------------------------------------------------------------------------- */

/* Finds the next occasion of the site at which a fault strikes. */
static void find_next(const struct wardi_plan *plan, struct wardi_plan_state *state,
		      enum wardi_plan_site site)
{
	state->next[site] = UINT64_MAX;
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct wardi_plan_fault *fault = &plan->faults[i];
		if (wardi_plan_site((enum wardi_plan_kind)fault->kind) == site &&
		    fault->nth > state->passed[site] && fault->nth < state->next[site])
			state->next[site] = fault->nth;
	}
}

void wardi_plan_begin(struct wardi_plan *plan, struct wardi_plan_state *state)
{
	*state = (struct wardi_plan_state){0};
	for (uint32_t i = 0; i < plan->count; i++)
		plan->faults[i].struck = false;
	for (unsigned site = 0; site < WARDI_SITES; site++)
		find_next(plan, state, site);
}

struct wardi_plan_fault *wardi_plan_pass(struct wardi_plan *plan, struct wardi_plan_state *state,
					 enum wardi_plan_site site, uint64_t occasions)
{
	uint64_t nth = state->next[site];

	state->passed[site] += occasions;
	if (state->passed[site] < nth)
		return NULL;
	find_next(plan, state, site);
	for (uint32_t i = 0; i < plan->count; i++) {
		struct wardi_plan_fault *fault = &plan->faults[i];
		if (kinds[fault->kind].site == site && fault->nth == nth)
			return fault;
	}
	return NULL;
}

void wardi_plan_struck(const struct wardi_plan *plan, struct wardi_plan *ret_struck)
{
	ret_struck->count = 0;
	for (uint32_t i = 0; i < plan->count; i++) {
		if (plan->faults[i].struck)
			ret_struck->faults[ret_struck->count++] = plan->faults[i];
	}
}

/* ---- as text ------------------------------------------------------------------------------ */

size_t wardi_plan_text(const struct wardi_plan *plan, char *text, size_t max)
{
	size_t length = 0;

	if (plan->count == 0)
		return (size_t)snprintf(text, max, "none");
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct wardi_plan_fault *fault = &plan->faults[i];
		char one[64];
		int at = snprintf(one, sizeof(one), "%s%s@%u", i == 0 ? "" : ",",
				  kinds[fault->kind].name, fault->nth);
		if (kinds[fault->kind].has_delay)
			snprintf(one + at, sizeof(one) - (size_t)at, ":%lld",
				 (long long)fault->delay_ms);
		if (length < max)
			snprintf(text + length, max - length, "%s", one);
		length += strlen(one);
	}
	return length;
}

/* Reads a number from 1 to max and advances *at past it. Returns 0 if there is none. */
static uint64_t parse_number(const char **at, uint64_t max)
{
	if (**at < '0' || **at > '9')
		return 0;
	char *end;
	unsigned long long value = strtoull(*at, &end, 10);
	*at = end;
	return value <= max ? value : 0;
}

static bool parse_kind(const char *text, size_t length, uint8_t *ret_kind)
{
	for (unsigned kind = 0; kind < WARDI_PLAN_KINDS; kind++) {
		if (strlen(kinds[kind].name) == length &&
		    memcmp(text, kinds[kind].name, length) == 0) {
			*ret_kind = (uint8_t)kind;
			return true;
		}
	}
	return false;
}

/* Reads a fault and advances *at past it. */
static bool parse_fault(const char **at, struct wardi_plan_fault *fault)
{
	size_t length = strcspn(*at, "@");

	*fault = (struct wardi_plan_fault){0};
	if ((*at)[length] != '@' || !parse_kind(*at, length, &fault->kind))
		return false;
	*at += length + 1;
	fault->nth = (uint32_t)parse_number(at, UINT32_MAX);
	if (fault->nth == 0)
		return false;
	if (!kinds[fault->kind].has_delay)
		return true;
	if (*(*at)++ != ':')
		return false;
	fault->delay_ms = (int64_t)parse_number(at, INT64_MAX / WARD_NS_PER_MS);
	return fault->delay_ms != 0;
}

bool wardi_plan_parse(struct wardi_plan *plan, const char *text)
{
	plan->count = 0;
	if (strcmp(text, "none") == 0)
		return true;
	for (;;) {
		if (plan->count == WARDI_PLAN_MAX ||
		    !parse_fault(&text, &plan->faults[plan->count]))
			return false;
		plan->count++;
		if (*text == '\0')
			return true;
		if (*text++ != ',')
			return false;
	}
}
