/* SPDX-License-Identifier: MIT
 *
 * batch.h - runs of a simulation in a process of their own, which a violation ends.
 */
#ifndef WARDI_TESTKIT_BATCH_H
#define WARDI_TESTKIT_BATCH_H

#include "testkit/simulate/driver.h"

struct wardi_batch_task;

/* What a process is to do. */
struct wardi_batch_task {
	const ward_simulation_test *test;
	struct wardi_board *board; /* with the order, and the plan if it is given */
	uint64_t first;            /* the seeds */
	uint64_t count;
	bool plan_given;
	bool single; /* exhaustive: this path alone */
	/** Its output is let through, it goes to the board line by line, and it runs twice. */
	bool told;
	const char *trace_file; /* told: for the trace; NULL: none */
};

/* A board for the processes of a simulation. */
struct wardi_board *wardi_board_create(void);
void wardi_board_destroy(struct wardi_board *board);

/* Runs the task in a process of its own and waits for its end. False: it ended badly; the board has
 * the run and the text. */
bool wardi_child_run(const struct wardi_batch_task *task);

/* Runs the task here: a violation ends this process. */
void wardi_child_run_here(const struct wardi_batch_task *task);

/* How long nothing may move in a process until it is taken for one that hangs. Written by tests of
 * the driver only. */
extern int wardi_child_patience_ms;

#endif
