/* SPDX-License-Identifier: MIT
 *
 * ward/otp.h - the supervisor of Erlang/OTP: child specifications, strategies, intensity, shutdown.
 * Of the library ward-otp.
 *
 *	static const ward_otp_supervisor shop = {
 *		.name = "shop",
 *		.strategy = WARD_OTP_REST_FOR_ONE,
 *		.intensity = 3, .window_ms = 10 * WARD_SECOND,
 *		.children = (const ward_otp_child_spec[]){
 *			{.id = "store", .props = {.behavior = &store}},
 *			{.id = "till", .props = {.behavior = &till}, .shutdown_ms = 2000},
 *			{.id = "errands", .supervisor = &errands},
 *			{0}},
 *	};
 *
 *	err = ward_otp_start(system, &shop, 5 * WARD_SECOND, &supervisor);
 *
 * The compound literal is a constant at file scope only. In a function, write the rows as a table
 * of their own.
 *
 * The supervisor starts its children from the first to the last, each when the previous one runs,
 * and stops them from the last to the first. A child that fails ends, whatever its failure was;
 * `restart` in its specification says whether it is started again. As in OTP, where a restarted
 * child is another process, this is another actor: it has another ref, it is a first incarnation
 * (ward_incarnation() is 1), and the mail of the old one becomes dead letters. To find the new
 * actor, ask with ward_otp_which_children, or use its path, which stays the same: its name is
 * props.name, or that of a nested table, or else the id. An id that is not a valid name, such as
 * "my store", is replaced by a generated name, such as "till$1", that differs after each
 * restart: then no path finds the child.
 *
 *	reason of its end                  permanent    transient    temporary
 *	normal, shutdown (also with text)  restarted    not started  its specification is deleted
 *	any other reason                   restarted    restarted    its specification is deleted
 *
 * The specification of a transient child that is not started again stays, without an actor.
 *
 * A child is linked with its supervisor, which traps exits. To end a child, the supervisor sends it
 * the exit signal shutdown, by ward_exit(), and after shutdown_ms the signal kill. A child that
 * traps exits gets the first one as a ward_exited from ward_parent(), cleans up, and ends with the
 * reason that it was given:
 *
 *	const struct ward_exited *exited = ward_match(msg, ward_exited);
 *	if (exited != NULL && ward_ref_equal(exited->who, ward_parent(self)))
 *		return ward_exit_self(self, &exited->reason);
 *
 * If it called ward_stop_self(), its reason would be normal, which is reported for a permanent
 * child: `ended with "normal", not "shutdown"`. A child that ignores the signal "did not end within
 * 5000 ms, was killed".
 *
 * A supervisor itself ends in order, from its last child to its first, in these cases: its parent
 * sends it an exit signal, as a supervisor of this header does; ward_otp_stop() or
 * ward_otp_shut_down is used; it was started by ward_otp_start(), and a shutdown reaches the phase
 * "actor-system-terminate". After ward_stop(), or below a parent of another kind, its children all
 * end at once, as those of any actor.
 *
 * A supervisor does one thing at a time: requests that arrive while it starts or stops children
 * wait. It handles only the messages of this header; all others are unhandled.
 */
#ifndef WARD_OTP_H
#define WARD_OTP_H

#include <ward/ward.h>

WARD_BEGIN

/* ---- tables ------------------------------------------------------------------------------ */

/** Which children are restarted with a child. Contract: S111. */
typedef enum ward_otp_strategy {
	WARD_OTP_ONE_FOR_ONE = 0, /* the child alone */
	/** All children: the others are stopped first, from the last to the first. */
	WARD_OTP_ONE_FOR_ALL = 1,
	/** The child and those that were started after it. */
	WARD_OTP_REST_FOR_ONE = 2,
	/** The child alone. All children have the same specification, and each is started by
	 *  ward_otp_start_child; at the end they stop at the same time. */
	WARD_OTP_SIMPLE_ONE_FOR_ONE = 3
} ward_otp_strategy;

/** When a child that has ended is restarted. Contract: S112. */
typedef enum ward_otp_restart {
	WARD_OTP_PERMANENT = 0, /* always */
	WARD_OTP_TRANSIENT = 1, /* unless its reason was normal or shutdown */
	WARD_OTP_TEMPORARY = 2  /* never, not even together with another child */
} ward_otp_restart;

/** The kind of a child: a worker or a supervisor. Contract: S110. */
typedef enum ward_otp_type { WARD_OTP_WORKER = 0, WARD_OTP_SUPERVISOR = 1 } ward_otp_type;

/** Whether a supervisor ends with its significant children. Only children that end by themselves
 *  count: transient ones with a normal reason, temporary ones with any reason. Contract: S114. */
typedef enum ward_otp_auto_shutdown {
	WARD_OTP_NEVER = 0,           /* the supervisor goes on */
	WARD_OTP_ANY_SIGNIFICANT = 1, /* it ends when one of them has ended */
	WARD_OTP_ALL_SIGNIFICANT = 2  /* it ends when the last living one of them has ended */
} ward_otp_auto_shutdown;

/** For ward_otp_child_spec.shutdown_ms: the child gets the signal kill at once. */
#define WARD_OTP_BRUTAL INT64_C(-1)
/** For ward_otp_child_spec.shutdown_ms: the child has unlimited time. */
#define WARD_OTP_INFINITY WARD_FOREVER

/** Sizes of an id and of a text, including the terminating 0; nesting depth of supervisors. */
enum { WARD_OTP_ID = 64, WARD_OTP_TEXT = 256, WARD_OTP_DEPTH_MAX = 16 };

/** A child specification. Zero is the default; `id`, and `props` or `supervisor`, must be set. */
typedef struct ward_otp_child_spec {
	const char *id; /* unique among the children */
	/** What to start, as by ward_spawn(). Without a name, the child's name is the id if that is
	 *  a valid name (letters, digits and some other characters, see S55), otherwise generated;
	 *  with SIMPLE_ONE_FOR_ONE a name is refused here, and generated for each child.
	 */
	ward_props props;
	/** In place of props.behavior and props.args: a nested supervisor. The rest of props
	 *  applies, except child_strategy. Its type is SUPERVISOR, as with ward_otp_behavior. */
	const struct ward_otp_supervisor *supervisor;
	ward_otp_restart restart; /* when it is started again after its end */
	/** Whether auto_shutdown of the supervisor takes this child into account, when it ends by
	 *  itself. Not for a permanent child, nor with SIMPLE_ONE_FOR_ONE. */
	bool significant;
	/** The time that the child has to end when it is told to. 0: 5 seconds for a worker,
	 *  WARD_OTP_INFINITY for a supervisor; or WARD_OTP_BRUTAL. */
	int64_t shutdown_ms;
	ward_otp_type type;
	uintptr_t reserved[2]; /* zero */
} ward_otp_child_spec;

/** What a report is about. Contract: S113, S115. */
typedef enum ward_otp_report_kind {
	/** The child ended by itself, with an abnormal reason or as a permanent child. */
	WARD_OTP_CHILD_TERMINATED = 1,
	WARD_OTP_START_ERROR = 2, /* the child could not be started or restarted */
	/** The child was told to end, but ended with another reason, such as killed. */
	WARD_OTP_SHUTDOWN_ERROR = 3,
	WARD_OTP_SHUTDOWN = 4 /* too many restarts: the supervisor ends */
} ward_otp_report_kind;

/** A report of a supervisor. Borrowed for the call. */
typedef struct ward_otp_report {
	ward_otp_report_kind kind;
	char id[WARD_OTP_ID];     /* of the child */
	ward_ref who;             /* the actor of the child, present or former; or nobody */
	ward_exit_reason reason;  /* of its end; for START_ERROR as far as it is known */
	char text[WARD_OTP_TEXT]; /* the full report, for people */
} ward_otp_report;

/**
 * The table of a supervisor. A start copies the table, so it is needed for the call only;
 * behaviours and strategies must outlive the supervisor, as with ward_spawn().
 *
 * If more than `intensity` restarts, of all children together, happen within `window_ms`, the
 * supervisor stops all children and itself, with the reason shutdown and a text: "more than 3
 * restarts in 10 s: till", with the id of the last one. At the top, the supervisor has given up
 * then: see ward_stats.gave_up and ward_run().
 *
 * Time counts in whole seconds, as in OTP: both the second of a restart and the current one are
 * rounded down, and the restart counts while they differ by at most the window. With 10 s, one of
 * second 0 counts until second 10 is over. A restart that fails is tried again after the messages
 * that are waiting by then, and counts again each time.
 *
 * Each restart is an event of the supervisor, see restart_level. The event of the failure before it
 * is a WARNING, since its directive is to stop the child.
 *
 * Contract   S110-S114
 */
typedef struct ward_otp_supervisor {
	/** The name for ward_otp_start(), and for a nested supervisor if its specification has no
	 *  props.name. NULL: for a nested one the id, as for any child, otherwise generated. A
	 *  spawn of ward_otp_behavior, as in ward_run(), takes the name from its props instead. */
	const char *name;
	ward_otp_strategy strategy;
	/** Maximum number of restarts within window_ms; at most 1000. Caution: 0 is not `intensity
	 *  => 0` of OTP, but the default, 1 restart. For no restart write WARD_RESTARTS_NONE. */
	int32_t intensity;
	/** In milliseconds, but a multiple of WARD_SECOND, and at most 3600 * WARD_SECOND; others
	 *  are refused. 0: OTP's default, 5 seconds. */
	int64_t window_ms;
	ward_otp_auto_shutdown auto_shutdown;
	/** Ended by a row that starts nothing; NULL: no children. With SIMPLE_ONE_FOR_ONE exactly
	 *  one row, the specification of all children. */
	const ward_otp_child_spec *children;
	/** Gets the reports; runs in the supervisor, and must not fail. NULL: each report is an
	 *  event of the supervisor, as by ward_note(), of level SEVERE for SHUTDOWN and WARNING for
	 *  the others; and the last one is its status, see ward_status_set(), behind "restarted;
	 *  last report: " as soon as the restart has succeeded. */
	void (*report)(ward_self *self, const ward_otp_report *report) WARD_NOEXCEPT;
	ward_level restart_level; /* of the event of each restart; default: WARD_LEVEL_INFO */
	/** Of the event of a SHUTDOWN, without `report`; default: WARD_LEVEL_SEVERE. */
	ward_level stop_level;
	uintptr_t reserved[2]; /* zero */
} ward_otp_supervisor;
WARD_MESSAGE(ward_otp_supervisor);

/** The failure of a supervisor whose children did not all start: the text says which and why. It is
 *  a ward_initialization, so the supervisor is stopped by default. A supervisor of ward_otp_start()
 *  does not fail with it; the caller gets the error. If a supervisor is resumed after this
 *  failure, it has no children, and stops at its next request. Contract: S110. */
WARD_API extern const ward_failure_class ward_otp_not_started;

/**
 * Checks a table, with all nested tables. Returns WARD_OK if it can be started.
 *
 * Threads    any.
 * Cost       O(children), squared for ids and names.
 * Errors     WARD_EINVAL: no id; nothing or two things to start; arguments that do not fit the
 *            behaviour; significant without an auto_shutdown, with permanent or in
 *            SIMPLE_ONE_FOR_ONE; an invalid number; nested too deep. WARD_ESIZE, WARD_EUNIQUE: of
 *            arguments, as in ward_props_clone(). WARD_EEXIST: two children have the same id or
 *            name. ward_err_detail() names the child or supervisor by the path of ids that leads to
 *            it, and the field.
 * Contract   S110, S114
 */
WARD_API WARD_MUST_USE ward_err ward_otp_check(const ward_otp_supervisor *table);

/* ---- starting and stopping --------------------------------------------------------------- */

/**
 * Starts a supervisor at the top, and waits until all its children run.
 *
 * To stop its children in order, the supervisor joins the phase "actor-system-terminate" of a
 * shutdown, if there is one of that name.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       as ward_otp_check(), ward_system_spawn() and ward_system_ask_send(), and a copy of the
 *            table with all nested tables; for each child as ward_spawn_link() and ward_ask_send(),
 *            and a watch, one after the other. Each nested supervisor checks and copies its own
 *            table again.
 * Errors     as ward_otp_check() and ward_system_spawn(); WARD_EFAILED a child could not be
 *            started, and ward_err_detail() says which and why: the started children are stopped in
 *            reverse order, and the name is free again; WARD_EDEAD the supervisor ended while it
 *            started, by a failure of its own or with the system; WARD_ETIMEDOUT the supervisor is
 *            told to stop, with all children at once. *ret_supervisor is not written then.
 * Contract   S110
 */
WARD_API WARD_MUST_USE ward_err ward_otp_start(ward_system *system,
					       const ward_otp_supervisor *table, int64_t timeout_ms,
					       ward_ref *ret_supervisor);

/**
 * The behaviour of a supervisor for a tree of your own, or for a child specification. Its arguments
 * are a table.
 *
 *	ward_spawn(self, &ward_otp_behavior, .name = "shop",
 *		   .args = {WARD_COPY(ward_otp_supervisor, &shop)});
 *
 * Its name is that of the props. The name in a table is for ward_otp_start(), and for a supervisor
 * that a specification names in .supervisor.
 *
 * Ownership  the spawn copies the table, with all nested tables.
 * Cost       of the spawn: as ward_otp_check(), and the copy; of the start: as ward_otp_start(),
 *            without the wait.
 * Errors     of the spawn: those of ward_otp_check(); WARD_ENOMEM. A supervisor whose children do
 *            not all start fails with ward_otp_not_started.
 * Contract   S110
 */
WARD_API extern const ward_behavior ward_otp_behavior;

/**
 * Ends a supervisor in order, from the last child to the first, with the reason shutdown, and waits
 * until it has ended.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds; WARD_FOREVER: no limit; 0: does not wait.
 * Cost       as ward_system_ask_stop(); for the supervisor, per child, as ward_exit(), and at most
 *            one timer.
 * Errors     as ward_system_ask_stop(), and WARD_EFULL. After WARD_ETIMEDOUT it continues to end.
 *            An actor that is not a supervisor of this header leaves the message unhandled, and the
 *            call waits for its end or the timeout.
 * Contract   S115
 */
WARD_API WARD_MUST_USE ward_err ward_otp_stop(ward_system *system, ward_ref supervisor,
					      int64_t timeout_ms);

/** Tells a supervisor to end in order, as ward_otp_stop() does; any actor may send it. Contract:
 *  S115. */
WARD_SIGNAL(ward_otp_shut_down);

/** Asks a supervisor to answer with ward_otp_started when all its children run. If they do not all
 *  start, the first that asked is answered WARD_EFAILED; then the supervisor fails, which ends the
 *  other questions. After the start it is answered WARD_OK, as soon as no child is being started or
 *  stopped. Contract: S110. */
WARD_SIGNAL(ward_otp_ready);

/** The answer to ward_otp_ready. */
struct ward_otp_started {
	/** WARD_OK; WARD_EFAILED: the supervisor ends; WARD_ENOMEM, WARD_EFULL: the question could
	 *  not wait in the stash of the supervisor. */
	ward_err err;
	char text[WARD_OTP_TEXT]; /* why it could not start; otherwise empty */
};
WARD_MESSAGE_FLAT(ward_otp_started);

/**
 * Ends a child that has nothing to do: `return ward_otp_ignore(self);` in its init or pre_start.
 * This is not a failure: its specification stays, without an actor. The specification of a
 * temporary child, or of one of SIMPLE_ONE_FOR_ONE, is deleted.
 *
 * The child ends as by ward_exit_self(): after pre_start, with post_stop.
 *
 * Threads    only inside a callback of self.
 * Cost       as ward_exit_self().
 * Errors     returns WARD_FAILED if memory runs out.
 * Contract   S110
 */
WARD_API WARD_MUST_USE ward_result ward_otp_ignore(ward_self *self);

/* ---- requests to a supervisor ------------------------------------------------------------ */

/** The result of a request. The numbers are stable. Contract: S116. */
typedef enum ward_otp_code {
	WARD_OTP_OK = 0,              /* done */
	WARD_OTP_ALREADY_STARTED = 1, /* the id is in use, by the child in `who` */
	WARD_OTP_ALREADY_PRESENT = 2, /* the id is in use, by a specification without an actor */
	WARD_OTP_RUNNING = 3,         /* the child is alive: terminate it first */
	WARD_OTP_RESTARTING = 4,      /* the child failed in a restart, which will be retried */
	WARD_OTP_NOT_FOUND = 5,       /* no such child */
	/** Not possible with SIMPLE_ONE_FOR_ONE, or it must name the child by `who` there. */
	WARD_OTP_SIMPLE = 6,
	WARD_OTP_BAD_SPEC = 7,     /* the specification is invalid; the text says why */
	WARD_OTP_START_FAILED = 8, /* the child did not start; the text says why */
	WARD_OTP_NO_MEMORY = 9     /* out of memory; nothing was done */
} ward_otp_code;

/** Returns "ok", "already_started", ...; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_otp_code_text(ward_otp_code code);

/** The answer to requests that change something. */
struct ward_otp_done {
	ward_otp_code code;
	/** The child, if it is alive: after OK the one that was started, after ALREADY_STARTED and
	 *  RUNNING the one that was there. Otherwise nobody: it was terminated, has ended, or was
	 *  ignored. */
	ward_ref who;
	char text[WARD_OTP_TEXT]; /* for some errors what is wrong; otherwise empty */
};
WARD_MESSAGE_FLAT(ward_otp_done);

/**
 * Asks a supervisor to add a child as the last one, and to start it. ward_otp_start_child_ask() and
 * ward_otp_start_child_wait() make this message, with a copy of the specification. The answer, a
 * ward_otp_done, arrives when the child runs. After START_FAILED the child was not added.
 *
 * Contract   S116
 */
struct ward_otp_start_child {
	ward_otp_child_spec spec; /* owns all that it points to, as ward_props_clone() copies it */
};
WARD_API extern const ward_type ward_type_ward_otp_start_child;

/**
 * Asks a supervisor to add a child, as ward_ask_send() does; question->to is the supervisor.
 *
 * With SIMPLE_ONE_FOR_ONE only props.args, with their size, and props.name are used. The args
 * replace those of the specification. If they are NULL, the child gets those of the specification,
 * without an error; the specification needs args as well if its behaviour takes any. props.behavior
 * gives the type of the args, so it must be set with them, and must be that of the specification. A
 * name that another child has is START_FAILED.
 *
 * Ownership  copies the specification and all that it points to: see ward_props_clone().
 * Cost       as ward_ask_send(), and the copy; with a nested supervisor also as ward_otp_check().
 *            For the supervisor O(children), for the id; O(1) with SIMPLE_ONE_FOR_ONE; and the
 *            start as in ward_otp_start().
 * Errors     as ward_try_ask_send() and ward_props_clone(); WARD_EINVAL args without a behaviour.
 *            Nothing is sent then.
 * Contract   S116
 */
WARD_API WARD_MUST_USE ward_err ward_try_otp_start_child_ask(ward_self *self,
							     const ward_question *question,
							     const ward_otp_child_spec *spec);
/** Calls ward_try_otp_start_child_ask(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_otp_start_child_ask(ward_self *self, const ward_question *question,
					    const ward_otp_child_spec *spec)
{
	(void)ward_noted_(self, ward_try_otp_start_child_ask(self, question, spec));
}

/**
 * Asks a supervisor to add a child, from a thread outside, and waits for the answer. Otherwise as
 * ward_try_otp_start_child_ask().
 *
 * After WARD_ETIMEDOUT the request remains: the child may still be started, and then stays. To find
 * out, use ward_otp_which_children.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       as ward_try_otp_start_child_ask(), with ward_system_ask_send() for the question.
 * Errors     as ward_try_otp_start_child_ask() and ward_system_ask_send().
 * Contract   S116
 */
WARD_API WARD_MUST_USE ward_err ward_otp_start_child_wait(ward_system *system, ward_ref supervisor,
							  int64_t timeout_ms,
							  const ward_otp_child_spec *spec,
							  struct ward_otp_done *ret_done);

/** Asks to terminate a child: by its id, or with SIMPLE_ONE_FOR_ONE by its ref. Its specification
 *  stays, unless it is temporary. The answer is OK if the child has ended already, and for the ref
 *  of any dead actor. Cost: for an id O(children). Contract: S116. */
struct ward_otp_terminate_child {
	char id[WARD_OTP_ID];
	ward_ref who;
};
WARD_MESSAGE_FLAT(ward_otp_terminate_child);

/** Asks to start a child that has no actor. Cost: O(children), and the start. Contract: S116. */
struct ward_otp_restart_child {
	char id[WARD_OTP_ID];
};
WARD_MESSAGE_FLAT(ward_otp_restart_child);

/** Asks to delete the specification of a child that has no actor. Cost: O(children). Contract:
 *  S116. */
struct ward_otp_delete_child {
	char id[WARD_OTP_ID];
};
WARD_MESSAGE_FLAT(ward_otp_delete_child);

/** The state of a child. */
typedef enum ward_otp_child_state {
	WARD_OTP_CHILD_UNDEFINED = 0, /* no actor */
	WARD_OTP_CHILD_ALIVE = 1,     /* it has an actor */
	WARD_OTP_CHILD_RESTARTING = 2 /* no actor: it failed in a restart, which will be retried */
} ward_otp_child_state;

/** Information about a child. */
typedef struct ward_otp_child_info {
	char id[WARD_OTP_ID]; /* empty with SIMPLE_ONE_FOR_ONE */
	ward_ref who;         /* nobody if it is not alive */
	ward_otp_child_state state;
	ward_otp_type type;
	const ward_behavior *behavior;
} ward_otp_child_info;

/** Asks for all children; the answer is a ward_otp_children. Cost: O(children). Contract: S116. */
WARD_SIGNAL(ward_otp_which_children);

/** The children of a supervisor, the last started first, as in OTP. A caller that gets it from
 *  ward_system_ask() frees it by ward_otp_children_drop(). */
struct ward_otp_children {
	ward_otp_code code; /* OK, or NO_MEMORY: then there are no rows */
	size_t count;
	ward_otp_child_info *rows;
};
WARD_API extern const ward_type ward_type_ward_otp_children;
/** Frees the rows. All zero is allowed. Threads: any. Cost: O(1). */
WARD_API void ward_otp_children_drop(struct ward_otp_children *children);

/** Asks for the number of children; the answer is a ward_otp_counts. Cost: O(children). Contract:
 *  S116. */
WARD_SIGNAL(ward_otp_count_children);

/** The answer to ward_otp_count_children. */
struct ward_otp_counts {
	ward_otp_code code;   /* OK, or NO_MEMORY: then the numbers are 0 */
	uint64_t specs;       /* number of specifications; 1 with SIMPLE_ONE_FOR_ONE */
	uint64_t active;      /* children that are alive */
	uint64_t supervisors; /* children of that type, alive or not */
	uint64_t workers;     /* likewise */
};
WARD_MESSAGE_FLAT(ward_otp_counts);

/** Asks for a specification: by its id, or with SIMPLE_ONE_FOR_ONE by the ref of a child. The
 *  answer is a ward_otp_childspec. Cost: for an id O(children). Contract: S116. */
struct ward_otp_get_childspec {
	char id[WARD_OTP_ID];
	ward_ref who;
};
WARD_MESSAGE_FLAT(ward_otp_get_childspec);

/** The answer to ward_otp_get_childspec. */
struct ward_otp_childspec {
	ward_otp_code code; /* OK, NOT_FOUND, SIMPLE, NO_MEMORY */
	ward_otp_restart restart;
	ward_otp_type type;
	bool significant;
	int64_t shutdown_ms; /* never 0: the default of its type is filled in */
	const ward_behavior *behavior;
	char id[WARD_OTP_ID];
};
WARD_MESSAGE(ward_otp_childspec);

#ifndef __cplusplus
WARD_REPLY(ward_otp_ready, ward_otp_started);
WARD_REPLY(ward_otp_start_child, ward_otp_done);
WARD_REPLY(ward_otp_terminate_child, ward_otp_done);
WARD_REPLY(ward_otp_restart_child, ward_otp_done);
WARD_REPLY(ward_otp_delete_child, ward_otp_done);
WARD_REPLY(ward_otp_which_children, ward_otp_children);
WARD_REPLY(ward_otp_count_children, ward_otp_counts);
WARD_REPLY(ward_otp_get_childspec, ward_otp_childspec);
#endif

WARD_END
#endif
