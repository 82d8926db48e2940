/* SPDX-License-Identifier: MIT
 *
 * driver.h - one run of a simulation in this process: its order, its faults, its trace.
 *
 * What others may want to know when the run has ended badly, and with it the process, is on the
 * board: it lies in memory that the process shares with the one that started it.
 */
#ifndef WARDI_TESTKIT_DRIVER_H
#define WARDI_TESTKIT_DRIVER_H

#include <stdatomic.h>

#include "testkit/simulate/plan.h"
#include "testkit/simulate/schedule.h"
#include "testkit/simulate/trace.h"

enum {
	WARDI_BOARD_LINES = 12, /* the last ones of a run that is told */
	WARDI_BOARD_LINE = 220,
	WARDI_BOARD_TEXT = 512
};

/* One process writes at a time. The others read it when that has ended, but for `beats`. */
struct wardi_board {
	_Atomic uint64_t beats; /* moves now and then while anything moves */
	uint64_t runs;          /* that have ended well */
	uint64_t steps;         /* of those */
	bool finished;          /* all runs of the process have ended well */
	bool exhausted;         /* and they were all there are */
	bool leaked;            /* what did not hold is that two runs are equal */
	/* the run under way, or the last one */
	uint64_t seed;
	uint64_t step;
	int64_t now_ns;
	uint64_t hash;
	struct wardi_schedule order;
	struct wardi_plan plan;
	char text[WARDI_BOARD_TEXT]; /* what did not hold; "": nobody said so */
	/* of a run that is told */
	uint64_t lines_count; /* so far, in the order in which things began; the last are here */
	char lines[WARDI_BOARD_LINES][WARDI_BOARD_LINE];
	char under_way[WARDI_BOARD_LINE]; /* the callback, or "" */
	uint32_t strikes_count;
	char strikes[WARDI_PLAN_MAX][WARDI_BOARD_LINE];
	uint64_t strike_lines[WARDI_PLAN_MAX]; /* the number of the line of each, and its text */
	char strike_texts[WARDI_PLAN_MAX][WARDI_BOARD_LINE];
};

/* How a run is made. */
struct wardi_play_how {
	const ward_simulation_test *test;
	struct wardi_board *board; /* its order is initialised */
	bool plan_given;           /* the board's plan holds; else it is drawn from the seed */
	bool recording;
	bool told; /* as lines on the board */
};

/* Makes a run under the board's seed. A check that does not hold ends it as it ends any test. The
 * trace is of the run; the caller finishes both. */
void wardi_play(const struct wardi_play_how *how, struct wardi_trace *ret_trace,
		struct wardi_names *ret_names);

/* Ends the run as a violation, with a text of what did not hold. */
__attribute__((noreturn, format(printf, 2, 3))) void wardi_violate(struct wardi_board *board,
								   const char *format, ...);

#endif
