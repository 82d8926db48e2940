/* SPDX-License-Identifier: MIT
 *
 * batch.h - runs of a simulation in a process of their own, which a violation ends.
 */
#ifndef WARDI_TESTKIT_BATCH_H
#define WARDI_TESTKIT_BATCH_H

#include "testkit/simulate/driver.h"

struct wardi_batch_task;

/* The work of a process. */
struct wardi_batch_task {
	const ward_simulation_test *test;
	struct wardi_board *board; /* with the order, and with the plan if one is given */
	uint64_t first;            /* the seeds */
	uint64_t count;
	bool plan_given;
	bool single; /* exhaustive: this path alone */
	/* Report the run: pass its output through, write lines to the board, run it twice. */
	bool told;
	const char *trace_file; /* for the trace of a reported run; NULL: none */
};

/* Creates a board for the processes of a simulation. */
struct wardi_board *wardi_board_create(void);
void wardi_board_destroy(struct wardi_board *board);

/* Runs the task in a process of its own and waits for its end. False: the process failed; the board
 * has the run and the text. */
bool wardi_child_run(const struct wardi_batch_task *task);

/* Runs the task here: a violation ends this process. */
void wardi_child_run_here(const struct wardi_batch_task *task);

/* The time without progress after which a process counts as hung. Only tests of the driver set
 * it. */
extern int wardi_child_patience_ms;

#endif
