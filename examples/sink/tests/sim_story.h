/* SPDX-License-Identifier: MIT
 *
 * sim_story.h - one simulated life of a sink: runs, faults, and in the end all lines in the store.
 */
#ifndef SINK_TESTS_SIM_STORY_H
#define SINK_TESTS_SIM_STORY_H

#include <ward/testkit.h>
#include <ward/ward.h>

#include "world.h"

enum { SIM_FAILURES = 16 };

/* What all runs of a test share, over its processes. */
struct sim_shared {
	char folder[64]; /* for the files of one run after the other */
	struct tally tally;
	uint64_t failures[SIM_FAILURES]; /* per row of the table of expected ones */
	/* How runs of the sink ended. */
	uint64_t finished, interrupted, gave_up, broken, ledger_failed, unclean;
	uint64_t
		salvaged; /* runs in which what was set aside gave lines back whose input is gone */
};

/* The body of the simulation; arg is the struct sim_shared. */
void sim_story(ward_kit *kit, void *arg);
/* Counts failures; arg is the struct sim_shared. */
void sim_story_hear(void *arg, const ward_event *event);
/* Prints how often each strike, each failure and each end of a run was seen. If all seeds were run,
 * one that was not seen fails the test. */
void sim_story_check_all_seen(const struct sim_shared *shared, bool all_seeds);

#endif
