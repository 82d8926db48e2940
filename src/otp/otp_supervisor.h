/* SPDX-License-Identifier: MIT
 *
 * otp_supervisor.h - what the parts of the supervisor of Erlang/OTP share.
 *
 *	spec_check      checks a table before a start      spec_copy    copies of tables
 *	otp_children    the children, in start order       intensity    counts restarts
 *	start_child     starts one child                   stop_child   stops one child, or all
 *	jobs            stop these, then start those       otp_restart  after a child has ended
 *	admin           requests                           otp_report   reports about failures
 *	otp_supervisor  the actor: the meaning of each message in each state
 *
 * A supervisor does one job at a time: stops a run of children from its last to its first, then
 * starts a run of children from its first to its last. Between jobs it handles requests and the
 * ends of children; each may cause the next job.
 *
 * Threads: each part runs only in callbacks of the supervisor.
 */
#ifndef WARDI_OTP_SUPERVISOR_H
#define WARDI_OTP_SUPERVISOR_H

#include <ward/otp.h>

#include "common/records.h"

/* ---- children (otp_children.c) ----------------------------------------------------------- */

/* A link in the list of all children, in start order, or in a queue of children to be handled. */
struct wardi_otp_node {
	struct wardi_otp_node *prev, *next; /* NULL: in no list */
};

struct wardi_otp_child {
	struct wardi_tag by_ref; /* first; in the map while the child has an actor */
	struct wardi_otp_node in_all, in_queue;
	uint64_t number; /* unique */
	const ward_otp_child_spec *spec;
	/* The start_child message of an added child, which was taken. Has its specification or,
	 * with SIMPLE_ONE_FOR_ONE, the additions to the common one. NULL: nothing of its own. */
	struct ward_otp_start_child *own;
	ward_ref who; /* its actor, or the last one */
	ward_ref ran; /* the last actor that started */
	ward_otp_child_state state;
	bool gone;     /* the actor has ended, and this is not handled yet */
	bool noted;    /* the failure was reported: `reason` is better than that of the end */
	bool forced;   /* it was stopped in the way that cannot be refused */
	uint32_t told; /* the last signal sent to it, a ward_exit_kind; 0: none */
	ward_exit_reason reason; /* of its end */
};

/* ---- jobs (jobs.c) ----------------------------------------------------------------------- */

/* The purpose of a job. */
enum wardi_otp_purpose {
	WARDI_OTP_NOTHING,
	WARDI_OTP_BOOT,      /* starts all; if one fails to start, ends */
	WARDI_OTP_ADD,       /* starts an added child, or deletes it if that fails. Answers */
	WARDI_OTP_START,     /* starts a child that was off. Answers */
	WARDI_OTP_TERMINATE, /* stops a child. Answers */
	WARDI_OTP_RESTART,   /* stops and starts some; if one fails to start, tries again */
	WARDI_OTP_END        /* stops all, then the supervisor */
};

struct wardi_otp_job {
	enum wardi_otp_purpose purpose;
	struct wardi_otp_child *subject;
	/* Stops from stop_at back to stop_last, inclusive. NULL: none left. */
	struct wardi_otp_child *stop_at, *stop_last;
	/* Starts from start_at on to start_last, inclusive. start_last NULL: to the end. */
	struct wardi_otp_child *start_at, *start_last;
	bool starts_all; /* start_at is the first child in the list once all are stopped */
	bool parallel;   /* stops all at the same time */
	ward_ref asker;
};

enum wardi_otp_state {
	WARDI_OTP_ASLEEP,   /* waits for a question before it starts */
	WARDI_OTP_IDLE,     /* no job */
	WARDI_OTP_STARTING, /* job.start_at begins */
	WARDI_OTP_STOPPING, /* job.stop_at ends */
	WARDI_OTP_CLEARING, /* `awaited` children end, at the same time */
	WARDI_OTP_ENDED,    /* it stops */
	WARDI_OTP_STATES
};

struct wardi_otp {
	const ward_otp_supervisor *table;
	enum wardi_otp_state state;
	struct wardi_otp_job job;
	struct wardi_otp_node all;             /* children */
	struct wardi_otp_node ended, to_retry; /* to be handled at once; at a message */
	struct wardi_tags *by_ref;
	uint64_t numbers; /* the last number of a child */
	size_t awaited;
	uint64_t question;            /* the last question asked of the child that starts */
	bool given_up;                /* the child that starts was stopped */
	char reported[WARD_OTP_TEXT]; /* the last report that is the status */
	char why[WARD_OTP_TEXT];
	ward_exit_reason why_reason; /* why that child failed to start, as far as known */
	/* An end that is under way, or follows the job. */
	bool ends, not_started;
	ward_exit_reason end_reason;
	ward_ref asker;    /* the first sender that asked whether the supervisor is ready */
	bool from_outside; /* started by a thread, which stops it if it fails to start */
	bool knows;        /* `asker` was answered, but its question is still stashed */
	int64_t *restarts; /* a ring of the last restarts, in seconds */
	size_t restarts_next, restarts_count;
};

static inline bool wardi_otp_is_simple(const struct wardi_otp *me)
{
	return me->table->strategy == WARD_OTP_SIMPLE_ONE_FOR_ONE;
}

/* Whether the specification is deleted when the child has ended. */
static inline bool wardi_otp_is_temporary(const struct wardi_otp_child *child)
{
	return child->spec->restart == WARD_OTP_TEMPORARY;
}

/* ---- one child begins (start_child.c) ---------------------------------------------------- */

enum wardi_otp_outcome {
	WARDI_OTP_PENDING, /* the result comes as a message */
	WARDI_OTP_STARTED,
	WARDI_OTP_IGNORED, /* the child ended with ward_otp_ignore() */
	WARDI_OTP_REFUSED  /* me->why tells the cause */
};

#endif
