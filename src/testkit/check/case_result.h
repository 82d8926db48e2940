/* SPDX-License-Identifier: MIT
 *
 * case_result.h - what the process of a case and the runner tell each other, even when the case
 * crashes.
 */
#ifndef WARDI_TESTKIT_CASE_RESULT_H
#define WARDI_TESTKIT_CASE_RESULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* One case runs at a time, so one record is enough. All accesses are relaxed: each value stands
 * alone, or is read after its writer's process has ended. */
struct wardi_testkit_run {
	const char *_Atomic case_name; /* of the case under way; NULL: no runner */
	_Atomic uint64_t seed;
	_Atomic bool seed_used;
	_Atomic unsigned limit_s;    /* as it was last set */
	_Atomic int64_t deadline_ns; /* of the clock below */
	_Atomic bool timed_out;
	_Atomic bool replay_told; /* a simulation has said how it is replayed */
	_Atomic bool replay_met;  /* in any case: the simulation of WARD_REPLAY */
	_Atomic bool came_to_end; /* the function of the case has returned */
	/* With WARD_FAR, testkit/far: */
	_Atomic bool has_second_systems;   /* its kits have them from their start */
	_Atomic bool needs_second_systems; /* they had none, and a child would live there */
	/* With shortages, shortage.c: */
	_Atomic uint64_t allocations;   /* of simulated kits, so far */
	_Atomic uint64_t shortage_at;   /* this one finds no memory; 0: each does */
	_Atomic uint64_t shortage_told; /* how often, by kits that are gone */
	_Atomic unsigned shortage_end;  /* enum wardi_shortage_end */
	_Atomic bool shortage_struck;
};

/* Whether this process has a runner, which reads the record of the case. */
bool wardi_testkit_has_runner(void);

/* Private to this process, until the runner replaces it with a record shared with its cases. */
extern struct wardi_testkit_run *wardi_testkit_run;

static inline int64_t wardi_testkit_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
