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
 * then starts a run of them from its first to its last. Between two jobs it hears of children that
 * have ended, and of what it is asked; each may make the next job.
 *
 * single-threaded: each part runs only in callbacks of the supervisor.
 */
#ifndef WARDI_OTP_SUPERVISOR_H
#define WARDI_OTP_SUPERVISOR_H

#include <ward/otp.h>

#include "patterns/common/tagged.h"

/* ---- specifications (spec_copy.c, spec_check.c) ------------------------------------------- */

/* The arguments of a supervisor: a ward_otp_supervisor, copied deep. */
extern const ward_type wardi_type_otp_table;

/* Makes *ret_copy own all it points to; by malloc(). */
ward_err wardi_otp_spec_clone(ward_otp_child_spec *ret_copy, const ward_otp_child_spec *spec);
/* All zero is fine. */
void wardi_otp_spec_drop(ward_otp_child_spec *copy);

/* Whether it is the one that ends a table. */
bool wardi_otp_is_end(const ward_otp_child_spec *spec);
bool wardi_otp_is_supervisor(const ward_otp_child_spec *spec);
/* Never 0. */
int64_t wardi_otp_shutdown_ms(const ward_otp_child_spec *spec);
const ward_behavior *wardi_otp_behavior(const ward_otp_child_spec *spec);
/* Whether one of such a supervisor could be started; by itself. */
ward_err wardi_otp_check_spec(const ward_otp_supervisor *table, const ward_otp_child_spec *spec);

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

void wardi_otp_lists_init(struct wardi_otp *me);
/* Appends to one of the two queues; taken out of the other one. */
void wardi_otp_queue(struct wardi_otp_node *queue, struct wardi_otp_child *child);
/* Takes the first one out. NULL: none. */
struct wardi_otp_child *wardi_otp_unqueue(struct wardi_otp_node *queue);
void wardi_otp_leave_queue(struct wardi_otp_child *child);

/* The one of this number, if it is to be retried. NULL: it is not. */
struct wardi_otp_child *wardi_otp_to_retry(const struct wardi_otp *me, uint64_t number);

/* A child at the end of all, without an actor. NULL: no memory. */
struct wardi_otp_child *wardi_otp_child_make(ward_self *self, struct wardi_otp *me,
					     const ward_otp_child_spec *spec);
void wardi_otp_child_delete(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);
/* What its end makes of it: off, or deleted, as its specification says. */
void wardi_otp_child_off(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);
/* It has an actor from now on; there must be room in by_ref. */
void wardi_otp_child_is(struct wardi_otp *me, struct wardi_otp_child *child, ward_ref who);
/* It has none any more. */
void wardi_otp_child_has_none(struct wardi_otp *me, struct wardi_otp_child *child,
			      ward_otp_child_state state);

struct wardi_otp_child *wardi_otp_first(const struct wardi_otp *me);
struct wardi_otp_child *wardi_otp_last(const struct wardi_otp *me);
struct wardi_otp_child *wardi_otp_after(const struct wardi_otp *me,
					const struct wardi_otp_child *child);
struct wardi_otp_child *wardi_otp_before(const struct wardi_otp *me,
					 const struct wardi_otp_child *child);
struct wardi_otp_child *wardi_otp_by_id(const struct wardi_otp *me, const char *id);
struct wardi_otp_child *wardi_otp_by_ref(const struct wardi_otp *me, ward_ref who);
/* One that is to be tried again, by the actor that it had. */
struct wardi_otp_child *wardi_otp_by_old_ref(const struct wardi_otp *me, ward_ref who);

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

enum wardi_otp_outcome wardi_otp_begin(ward_self *self, struct wardi_otp *me,
				       struct wardi_otp_child *child);
/* A message that ends a question. */
enum wardi_otp_outcome wardi_otp_answered(ward_self *self, struct wardi_otp *me,
					  struct wardi_otp_child *child, const ward_msg *msg);
/* It has ended before it had begun. */
enum wardi_otp_outcome wardi_otp_stillborn(ward_self *self, struct wardi_otp *me,
					   struct wardi_otp_child *child);
/* The behaviour of a supervisor that starts by itself. */
extern const ward_behavior wardi_otp_supervisor;

/* ---- children end (stop_child.c) ----------------------------------------------------------- */

/* True: it has. False: it is to be heard of. */
bool wardi_otp_stop_one(ward_self *self, struct wardi_otp_child *child);
/* All at the same time; me->awaited of them are to be heard of. */
void wardi_otp_stop_all(ward_self *self, struct wardi_otp *me);
/* The time is up. */
void wardi_otp_kill_one(ward_self *self, struct wardi_otp_child *child);
void wardi_otp_kill_all(ward_self *self, struct wardi_otp *me);
/* One that was told to has ended. */
void wardi_otp_has_stopped(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);
void wardi_otp_timer_cancel(ward_self *self);
bool wardi_otp_is_tick(const ward_msg *msg);

/* ---- jobs (jobs.c) ------------------------------------------------------------------- */

/* Each begins a job, and goes on with it as far as it gets; then with those that follow of it. */
ward_result wardi_otp_boot(ward_self *self, struct wardi_otp *me);
ward_result wardi_otp_start_child(ward_self *self, struct wardi_otp *me,
				  struct wardi_otp_child *child, enum wardi_otp_purpose purpose,
				  ward_ref asker);
ward_result wardi_otp_terminate(ward_self *self, struct wardi_otp *me,
				struct wardi_otp_child *child, ward_ref asker);
ward_result wardi_otp_end(ward_self *self, struct wardi_otp *me, const ward_exit_reason *reason);
/* What the current job waited for. */
ward_result wardi_otp_child_began(ward_self *self, struct wardi_otp *me,
				  enum wardi_otp_outcome outcome);
ward_result wardi_otp_child_stopped(ward_self *self, struct wardi_otp *me);
ward_result wardi_otp_child_cleared(ward_self *self, struct wardi_otp *me,
				    struct wardi_otp_child *child);
/* Answers whether it is ready; to nobody: nothing. */
void wardi_otp_say_ready(ward_self *self, ward_ref asker, ward_err err, const char *text);
/* Looks after those that are to be looked at; there is no job. */
ward_result wardi_otp_go_on(ward_self *self, struct wardi_otp *me);

/* ---- after an end (otp_restart.c) -------------------------------------------------------- */

/* What is to be done about a child that has ended by itself, or is to be tried again. Sets up a
 * job, or an end, or neither. */
void wardi_otp_look_after(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);
/* It was not restarted: it will be tried again. */
void wardi_otp_try_again(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);
bool wardi_otp_is_again(const ward_msg *msg);
/* One of those. False: its child was terminated, or deleted, meanwhile. */
bool wardi_otp_retry(struct wardi_otp *me, const ward_msg *msg);
/* The job of a restart, for the strategy. */
struct wardi_otp_job wardi_otp_restart_job(const struct wardi_otp *me,
					   struct wardi_otp_child *child);

/* ---- intensity (intensity.c) --------------------------------------------------------- */

bool wardi_otp_intensity_init(ward_self *self, struct wardi_otp *me);
/* Counts a restart. False: it is one too many. */
bool wardi_otp_may_restart(struct wardi_otp *me, int64_t now_ns);
/* "more than 1 restart in 5 s", "1 of 3 in 10 s". */
void wardi_otp_limit_text(const struct wardi_otp *me, char *text, size_t max);
void wardi_otp_count_text(const struct wardi_otp *me, int64_t now_ns, char *text, size_t max);

/* ---- reports (otp_report.c) -------------------------------------------------------------- */

bool wardi_otp_is_normal(const ward_exit_reason *reason);
void wardi_otp_report(ward_self *self, const struct wardi_otp *me, ward_otp_report_kind kind,
		      const struct wardi_otp_child *child, const ward_exit_reason *reason,
		      const char *text);

/* ---- what it is asked (admin.c) ------------------------------------------------------ */

/* Whether it is a question of otp_supervisor.h, but for whether it is ready. */
bool wardi_otp_is_question(const ward_msg *msg);
ward_result wardi_otp_asked(ward_self *self, struct wardi_otp *me, const ward_msg *msg);
/* Answers one that had to wait; to nobody: nothing. */
void wardi_otp_done(ward_self *self, ward_ref asker, ward_otp_code code, ward_ref who,
		    const char *text);
/* Answers it now, since it cannot be put aside. */
void wardi_otp_turned_away(ward_self *self, const ward_msg *msg);

#endif
