/* SPDX-License-Identifier: MIT
 *
 * backoff_supervisor.h - what the parts of a back-off supervisor share: its state, its numbers.
 *
 * single-threaded: all of it belongs to the supervisor's actor.
 */
#ifndef WARDI_BACKOFF_SUPERVISOR_H
#define WARDI_BACKOFF_SUPERVISOR_H

#include <ward/backoff.h>
#include <ward/timer.h>

/* The state of one incarnation. */
struct wardi_backoff {
	const struct ward_backoff *args;
	ward_ref child;      /* nobody: it is down */
	int64_t patience_ms; /* with the next answer to whether it has started */
	int64_t delay_ms;    /* before the start that is due; 0: there was none yet */
	uint32_t count;      /* restarts in this row */
	bool started;        /* the child has; what waited was handed over */
	bool failed;         /* on failure: the child was told to stop, a start follows */
	bool final;          /* on stop: the child has had the final message */
	bool drawn;          /* `random` is for the next delay: the event of a failure said so */
	uint64_t random;
	/* on stop: restarts of this child at once, in a window that opens with the first */
	uint32_t at_once;
	int64_t window_start_ns;
};

/* The timers: one of each at most. */
enum wardi_backoff_timer {
	WARDI_BACKOFF_START = 1,  /* the child */
	WARDI_BACKOFF_CALM = 2,   /* the child has run for so long */
	WARDI_BACKOFF_WINDOW = 3, /* the first failure of the row is so long ago */
	WARDI_BACKOFF_ASK = 4,    /* the child, whether it has started: again */
};

/* Sets the count back, if it is this one still; sent by the supervisor to itself. */
struct wardi_backoff_reset_from {
	uint32_t count;
};
extern const ward_type wardi_type_backoff_reset_from;
/* Later, by that timer, from `count`. */
ward_err wardi_backoff_reset_later(ward_self *self, enum wardi_backoff_timer timer,
				   int64_t after_ms, uint32_t count);

/* "1st", "22nd", "113th": what follows the number. */
const char *wardi_backoff_ending_of(uint32_t number);

#endif
