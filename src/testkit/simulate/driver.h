/* SPDX-License-Identifier: MIT
 *
 * driver.h - one run of a simulation in this process: its order, its faults, its trace.
 *
 * A run that goes wrong ends its process. What the report needs is therefore on the board, in
 * memory shared with the parent process.
 */
#ifndef WARDI_TESTKIT_DRIVER_H
#define WARDI_TESTKIT_DRIVER_H

#include <stdatomic.h>

#include "testkit/simulate/plan.h"
#include "testkit/simulate/schedule.h"
#include "testkit/simulate/trace.h"

enum {
	WARDI_BOARD_LINES = 12, /* the last lines of a reported run */
	WARDI_BOARD_SEVERE = 6, /* the last severe events of it */
	WARDI_BOARD_LINE = 220,
	WARDI_BOARD_TEXT = 512
};

/* One process writes at a time; others read after its end, except `beats`. */
struct wardi_board {
	_Atomic uint64_t beats; /* changes as long as the run makes progress */
	uint64_t runs;          /* the number that have passed */
	uint64_t steps;         /* in the passed runs */
	bool finished;          /* all runs of the process have passed */
	bool exhausted;         /* and no other order is left */
	bool leaked;            /* the violation: two runs of a seed differ */
	/* the run under way, or the last one */
	uint64_t seed;
	uint64_t step;
	int64_t now_ns;
	uint64_t hash;
	struct wardi_schedule order;
	struct wardi_plan plan;
	char text[WARDI_BOARD_TEXT]; /* the violation; "": none was noted */
	/* of a reported run */
	uint64_t lines_count; /* so far, in the order of their beginnings; the last are kept */
	char lines[WARDI_BOARD_LINES][WARDI_BOARD_LINE];
	char under_way[WARDI_BOARD_LINE]; /* the current callback, or "" */
	uint32_t severe_count;            /* so far; the last are kept, with their lines' numbers */
	uint64_t severe_lines[WARDI_BOARD_SEVERE];
	char severe_texts[WARDI_BOARD_SEVERE][WARDI_BOARD_LINE];
	uint32_t strikes_count;
	char strikes[WARDI_PLAN_MAX][WARDI_BOARD_LINE];
	uint64_t strike_lines[WARDI_PLAN_MAX]; /* the line of each strike, and its text */
	char strike_texts[WARDI_PLAN_MAX][WARDI_BOARD_LINE];
};

/* How a run is made. */
struct wardi_play_how {
	const ward_simulation_test *test;
	struct wardi_board *board; /* its order is initialised */
	bool plan_given;           /* the board's plan holds; else it is drawn from the seed */
	bool recording;
	bool told; /* report it, as lines on the board */
};

/* Makes a run under the board's seed. A failed check ends it as it ends any test. The caller frees
 * *ret_trace and *ret_names. */
void wardi_play(const struct wardi_play_how *how, struct wardi_trace *ret_trace,
		struct wardi_names *ret_names);

/* Counts a frame that one system of the run under way sends to another, with a number that tells it
 * from others. Returns the fault that strikes at it; NULL: none, or no run is under way. */
const struct wardi_plan_fault *wardi_play_frame(const char *from, const char *to, uint64_t number);

/* Ends the run as a violation, described by the text. */
__attribute__((noreturn, format(printf, 2, 3))) void wardi_violate(struct wardi_board *board,
								   const char *format, ...);

#endif
