/* SPDX-License-Identifier: MIT
 *
 * sim_seen.c - which faults were taken, of all that can be; see sim_story.h.
 */
#include <string.h>

#include "../failures.h"
#include "sim_story.h"

/* Each failure class of the sink with what its parent decides: see failures.c. */
static const struct {
	const ward_failure_class *failure_class;
	ward_directive directive;
	bool denied; /* the limit made a stop of it */
} expected[] = {
	/* To be started later. */
	{&database_locked, WARD_STOP, false},
	{&database_damaged, WARD_STOP, false},
	{&database_displaced, WARD_STOP, false},
	{&database_full, WARD_RESUME, false},
	{&store_failure, WARD_STOP, false},
	{&spool_full, WARD_RESUME, false},
	{&input_unreadable, WARD_RESTART, false},
	{&intake_broken, WARD_STOP, false},
	{&poison_line, WARD_RESTART, false},
	{&ward_out_of_memory, WARD_RESTART, false},
	{&screen_failure, WARD_STOP, false},
	{&chaos_failure, WARD_STOP, false},
	/* A failure without a rule is escalated: the ledger restarts, or is given up. */
	{&ward_injected, WARD_RESTART, false},
	{&ward_injected, WARD_RESTART, true},
};
enum { EXPECTED = sizeof(expected) / sizeof(expected[0]) };
_Static_assert((int)EXPECTED <= (int)SIM_FAILURES, "each has a counter");

void sim_story_hear(void *arg, const ward_event *event)
{
	struct sim_shared *shared = arg;
	if (event->kind != WARD_EVENT_FAILURE)
		return;
	for (size_t i = 0; i < EXPECTED; i++)
		shared->failures[i] +=
			strcmp(event->failure_class, expected[i].failure_class->name) == 0 &&
			event->directive == (uint32_t)expected[i].directive &&
			(event->denied != 0) == expected[i].denied;
}

/* Prints how often; returns whether it never happened. */
static bool is_missing(const char *what, const char *how, uint64_t times)
{
	printf("# %s, %s: %llu times\n", what, how, (unsigned long long)times);
	return times == 0;
}

void sim_story_check_all_seen(const struct sim_shared *shared, bool all_seeds)
{
	enum spot place;
	enum harm harm;
	uint32_t missing = 0;
	for (uint32_t i = 0; world_possible(i, &place, &harm); i++)
		missing += is_missing(world_place_text(place), world_harm_text(harm),
				      shared->tally.strikes[place][harm]);
	for (size_t i = 0; i < EXPECTED; i++)
		missing += is_missing(
			expected[i].failure_class->name,
			expected[i].denied ? "denied" : ward_directive_text(expected[i].directive),
			shared->failures[i]);
	missing += is_missing("a run", "finished", shared->finished);
	missing += is_missing("a run", "interrupted", shared->interrupted);
	missing += is_missing("a run", "gave up", shared->gave_up);
	missing += is_missing("a run", "lost its input", shared->broken);
	missing += is_missing("a run", "lost its ledger", shared->ledger_failed);
	missing += is_missing("a run", "found late damage", shared->unclean);
	missing += is_missing("a run", "salvaged lines", shared->salvaged);
	if (missing > 0 && all_seeds)
		ward_test_fail(__FILE__, __LINE__, "%u of all faults never struck", missing);
}
