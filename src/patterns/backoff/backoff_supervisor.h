/* SPDX-License-Identifier: MIT
 *
 * backoff_supervisor.h - what the parts of a back-off supervisor share: its state and timers.
 *
 * Threads: all of it belongs to the supervisor's actor.
 */
#ifndef WARDI_BACKOFF_SUPERVISOR_H
#define WARDI_BACKOFF_SUPERVISOR_H

#include <ward/backoff.h>
#include <ward/timer.h>

/* The state of one incarnation. */
struct wardi_backoff {
	const struct ward_backoff *args;
	ward_ref child;      /* nobody: DOWN */
	int64_t patience_ms; /* timeout of the next question whether it has started */
	int64_t delay_ms;    /* before the pending start; 0: none yet */
	uint32_t count;      /* restarts in this row */
	bool started;        /* the child has started; the stash was handed over */
	bool failed;         /* on failure: the child is being stopped, a start follows */
	bool gives_up;       /* on failure: the child is being stopped, and no start follows */
	bool final;          /* on stop: the child was sent the final message */
	bool drawn; /* `random` is for the next delay: the event of the failure has announced it */
	uint64_t random;
	/* on stop: immediate restarts of this child, in a window that opens with the first */
	uint32_t at_once;
	int64_t window_start_ns;
};

/* The timers, at most one of each. */
enum wardi_backoff_timer {
	WARDI_BACKOFF_START = 1,  /* starts the child */
	WARDI_BACKOFF_CALM = 2,   /* the child has run long enough */
	WARDI_BACKOFF_WINDOW = 3, /* the window since the first failure is over */
	WARDI_BACKOFF_ASK = 4,    /* asks the child again whether it has started */
};

/* Resets the count if it still has this value; sent by the supervisor to itself. */
struct wardi_backoff_reset_from {
	uint32_t count;
};
extern const ward_type wardi_type_backoff_reset_from;
/* Starts that timer for a reset from `count`. */
ward_err wardi_backoff_reset_later(ward_self *self, enum wardi_backoff_timer timer,
				   int64_t after_ms, uint32_t count);

/* Returns the suffix of an ordinal: "1st", "22nd", "113th". */
const char *wardi_backoff_ending_of(uint32_t number);

#endif
