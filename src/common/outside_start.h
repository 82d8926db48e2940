/* SPDX-License-Identifier: MIT
 *
 * outside_start.h - a thread outside starts a supervisor, and waits until all below it runs.
 *
 *	spawn -> ask whether it is ready -> it runs
 *	               |
 *	               +-> refuses, has failed, or is late: it is stopped
 *
 * The supervisor answers when all below it runs, or why not; it must stay until it has answered,
 * even if it cannot start: a supervisor that has failed cannot answer.
 *
 * Threads: any thread outside the system.
 */
#ifndef WARDI_OUTSIDE_START_H
#define WARDI_OUTSIDE_START_H

#include <stdio.h>

#include <ward/ask.h>
#include <ward/extend.h>
#include <ward/system.h>
#include <ward/text.h>

struct wardi_outside_start {
	const ward_props *props;
	const ward_type *ready;   /* the question; has no body */
	const ward_type *started; /* its answer */
	void *answer;             /* takes it */
	/* Members of *answer: WARD_OK, or why it did not start. */
	const ward_err *err;
	const char *text;
	const char *late; /* the text of WARD_ETIMEDOUT */
};

/* Stops a supervisor without a wait for its end: if it never starts it may never end either. */
static inline ward_err wardi_outside_give_up(ward_system *system, ward_ref supervisor,
					     int64_t timeout_ms, ward_err err, const char *why)
{
	char text[256];

	ward_text_format(text, sizeof text, "%s", why); /* may point into the detail */
	ward_system_stop(system, supervisor);
	if (err != WARD_ETIMEDOUT &&
	    ward_system_wait_for(system, supervisor, timeout_ms) == WARD_ETIMEDOUT)
		return ward_refused(err, "%s; it is still stopping", text);
	return ward_refused(err, "%s", text);
}

/* Returns WARD_OK when all runs. Otherwise it has stopped the supervisor, and waited for its end,
 * at most timeout_ms. Always writes *ret_supervisor: nobody, if none was made. */
static inline ward_err wardi_outside_start(ward_system *system,
					   const struct wardi_outside_start *start,
					   int64_t timeout_ms, ward_ref *ret_supervisor)
{
	ward_ref supervisor = ward_nobody();
	const char *why;
	ward_err err = ward_system_spawn(system, start->props, &supervisor);

	*ret_supervisor = supervisor;
	if (err != WARD_OK)
		return err;
	err = ward_system_ask_send(system, supervisor, timeout_ms, start->started, start->answer,
				   start->ready, NULL, 0);
	if (err == WARD_OK && *start->err == WARD_OK)
		return WARD_OK;
	if (err == WARD_OK) {
		err = *start->err;
		why = start->text;
	} else if (err == WARD_ETIMEDOUT) {
		why = start->late;
	} else if (err == WARD_EDEAD) {
		why = "the supervisor failed while it started";
	} else {
		why = ward_err_detail();
	}
	return wardi_outside_give_up(system, supervisor, timeout_ms, err, why);
}

#endif
