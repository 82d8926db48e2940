/* SPDX-License-Identifier: MIT
 *
 * otp_supervisor.h - what the parts of the supervisor of Erlang/OTP share.
 *
 *	otp_check      whether a table could be started           otp_specs      its copies
 *	otp_children   who there is, in the order of the start    otp_intensity  restarts, counted
 *	otp_start      one child begins                           otp_stop       one, or all, end
 *	otp_jobs       stop these, then start those               otp_restart    after an end
 *	otp_admin      what it is asked                           otp_report     what went wrong
 *	otp            the actor: which message means what, when
 *
 * A supervisor does one job after the other: stops a run of children from its last to its first,
 * then starts a run of them from its first to its last. Between two jobs it receives the ends of
 * children, and requests; each may make the next job.
 *
 * single-threaded: each part runs only in callbacks of the supervisor.
 */
#ifndef WARDI_OTP_SUPERVISOR_H
#define WARDI_OTP_SUPERVISOR_H

#include <ward/otp.h>

#include "common/records.h"

/* ---- children (otp_children.c) ----------------------------------------------------------- */

/* Of two kinds: all children, in the order of their starts; and those that are to be looked at. */
struct wardi_otp_node {
	struct wardi_otp_node *prev, *next; /* NULL: in no list */
};

struct wardi_otp_child {
	struct wardi_tag by_ref; /* first; while it has an actor */
	struct wardi_otp_node in_all, in_queue;
	uint64_t number; /* no other one has it */
	const ward_otp_child_spec *spec;
	/* A message that was taken: of one that was added. Its specification, or with
	 * SIMPLE_ONE_FOR_ONE what it adds to the one there is. NULL: nothing of its own. */
	struct ward_otp_start_child *own;
	ward_ref who; /* its actor, or the last one it had */
	ward_ref ran; /* the last one that had started */
	ward_otp_child_state state;
	bool gone;   /* that actor has ended, and nothing was done about it yet */
	bool noted;  /* it has failed: so there is a reason, which is better than that of its end */
	bool forced; /* it was told to end in the way that cannot be refused */
	uint32_t told;           /* the last signal it was sent, a ward_exit_kind; 0: none */
	ward_exit_reason reason; /* of its end */
};

/* ---- jobs (jobs.c) ------------------------------------------------------------------- */

/* What a job is for. */
enum wardi_otp_purpose {
	WARDI_OTP_NOTHING,
	WARDI_OTP_BOOT,      /* starts all; if one does not start, ends */
	WARDI_OTP_ADD,       /* starts one that was added; else deletes it. Answers */
	WARDI_OTP_START,     /* starts one that was off. Answers */
	WARDI_OTP_TERMINATE, /* stops one. Answers */
	WARDI_OTP_RESTART,   /* stops and starts some; if one does not start, tries again */
	WARDI_OTP_END        /* stops all, then itself */
};

struct wardi_otp_job {
	enum wardi_otp_purpose purpose;
	struct wardi_otp_child *subject;
	/* From the one back to the other, both included; NULL: none left. */
	struct wardi_otp_child *stop_at, *stop_last;
	/* From the one on to the other; the last one NULL: to the end. */
	struct wardi_otp_child *start_at, *start_last;
	bool starts_all; /* start_at is the first one there is when all are stopped */
	bool parallel;   /* stops all at the same time */
	ward_ref asker;
};

enum wardi_otp_state {
	WARDI_OTP_ASLEEP,   /* it is to be asked before it starts */
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
	struct wardi_otp_node ended, to_retry; /* to be looked at: at once; at a message */
	struct wardi_tags *by_ref;
	uint64_t numbers; /* of children, that were given */
	size_t awaited;
	uint64_t question; /* the last one asked of a child that starts */
	bool given_up;     /* of that child: it was told to stop */
	char why[WARD_OTP_TEXT];
	ward_exit_reason why_reason; /* of that child: as far as it is known */
	/* An end that is to come after the job; or is under way. */
	bool ends, not_started;
	ward_exit_reason end_reason;
	ward_ref asker;    /* the first who asked whether it is ready */
	bool from_outside; /* it was started by a thread, which stops it if it does not start */
	bool knows;        /* the first was answered, but the question is put aside still */
	int64_t *restarts; /* seconds: the last ones, a ring */
	size_t restarts_next, restarts_count;
};

static inline bool wardi_otp_is_simple(const struct wardi_otp *me)
{
	return me->table->strategy == WARD_OTP_SIMPLE_ONE_FOR_ONE;
}

/* Whether its specification goes when it has ended. */
static inline bool wardi_otp_is_temporary(const struct wardi_otp_child *child)
{
	return child->spec->restart == WARD_OTP_TEMPORARY;
}

/* ---- one child begins (start_child.c) ------------------------------------------------------ */

enum wardi_otp_outcome {
	WARDI_OTP_PENDING, /* it is to be heard of */
	WARDI_OTP_STARTED,
	WARDI_OTP_IGNORED, /* it has ended by ward_otp_ignore() */
	WARDI_OTP_REFUSED  /* me->why says why */
};

#endif
