/* SPDX-License-Identifier: MIT
 *
 * replay.h - the words that name a run: "NAME seed=42 order=pct faults=fail@17".
 */
#ifndef WARDI_TESTKIT_REPLAY_H
#define WARDI_TESTKIT_REPLAY_H

#include "testkit/simulate/plan.h"
#include "testkit/simulate/schedule.h"

/* A run of a simulation. */
struct wardi_replay {
	uint64_t seed;
	struct wardi_schedule order; /* exhaustive: the path is prescribed */
	bool plan_given;             /* else it is drawn from the seed */
	struct wardi_plan plan;
};

/* The outcome of reading. */
enum wardi_replay_said {
	WARDI_REPLAY_THIS,
	WARDI_REPLAY_OTHER, /* another simulation is meant */
	WARDI_REPLAY_WRONG  /* not a replay; *ret_why says why */
};

/* Reads such words. All but the name may be missing; the test's own values are the default. */
enum wardi_replay_said wardi_replay_parse(const char *words, const ward_simulation_test *test,
					  struct wardi_replay *ret_replay, const char **ret_why);
/* Writes the words, cut at `max`; returns the full length. */
size_t wardi_replay_text(const struct wardi_replay *replay, const char *name, char *text,
			 size_t max);

#endif
