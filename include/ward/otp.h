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
 * The supervisor starts its children from the first to the last, each when the one before it runs,
 * and stops them from the last to the first. A child that fails ends, whatever its failure was; it
 * is started anew from its specification, or not, as `restart` says. So that is another actor, with
 * another ref, its first incarnation (ward_incarnation() is 1), and the mail of the old one is dead
 * letters: as in OTP, where a restarted child is another process. Ask for it by
 * ward_otp_which_children, or find it by its path, which stays: its name is props.name, or else the
 * id. Where the id is no name, as "my store" is none, its name is a generated one, "till$1" say,
 * and another one after each restart: so no path finds it.
 *
 *	ends with                          permanent    transient    temporary
 *	normal, shutdown (also with text)  restarted    kept, off    its specification is deleted
 *	any other reason                   restarted    restarted    its specification is deleted
 *
 * A child is linked with its supervisor, which traps exits. To end a child the supervisor sends it
 * the exit signal shutdown, by ward_exit(), and after shutdown_ms the signal kill. A child that
 * traps exits gets the first one as a ward_exited from ward_parent(), tidies up, and ends with the
 * reason that it was given:
 *
 *	const struct ward_exited *exited = ward_match(msg, ward_exited);
 *	if (exited != NULL && ward_ref_equal(exited->who, ward_parent(self)))
 *		return ward_exit_self(self, &exited->reason);
 *
 * By ward_stop_self() its reason would be normal, and of a permanent child that is reported: `ended
 * with "normal", not "shutdown"`. One that ignores the signal "did not end within 5000 ms, was
 * killed".
 *
 * A supervisor itself ends in order, from its last child to its first, when its parent sends it an
 * exit signal, as a supervisor of this profile does; by ward_otp_stop() and ward_otp_shut_down; and
 * one of ward_otp_start() in the phase "actor-system-terminate" of a shutdown. By ward_stop(), or
 * with a parent of another kind, its children all end at once, as those of any actor.
 *
 * It does one thing after the other: what it is asked while it starts or stops children waits. It
 * takes no messages but those of this header; any other is unhandled.
 */
#ifndef WARD_OTP_H
#define WARD_OTP_H

#include <ward/ask.h>
#include <ward/link.h>
#include <ward/system.h>

WARD_BEGIN

/* ---- tables ------------------------------------------------------------------------------ */

/** Which children are restarted when one of them is. Contract: S111. */
typedef enum ward_otp_strategy {
	WARD_OTP_ONE_FOR_ONE = 0,
	/** All: the others are stopped first, from the last to the first. */
	WARD_OTP_ONE_FOR_ALL = 1,
	/** It and those that were started after it. */
	WARD_OTP_REST_FOR_ONE = 2,
	/** One for one, where all children are of one specification and each is started by
	 *  ward_otp_start_child; at the end they stop all at the same time. */
	WARD_OTP_SIMPLE_ONE_FOR_ONE = 3
} ward_otp_strategy;

/** When a child that has ended is restarted. Contract: S112. */
typedef enum ward_otp_restart {
	WARD_OTP_PERMANENT = 0, /* always */
	WARD_OTP_TRANSIENT = 1, /* if its reason was neither normal nor shutdown */
	WARD_OTP_TEMPORARY = 2  /* never, nor with another one */
} ward_otp_restart;

/** What a child is. Contract: S110. */
typedef enum ward_otp_type { WARD_OTP_WORKER = 0, WARD_OTP_SUPERVISOR = 1 } ward_otp_type;

/** Whether a supervisor ends with its significant children. Only those count that end by
 *  themselves: transient ones with a normal reason, temporary ones with any. Contract: S114. */
typedef enum ward_otp_auto_shutdown {
	WARD_OTP_NEVER = 0,
	WARD_OTP_ANY_SIGNIFICANT = 1, /* when one of them has ended */
	WARD_OTP_ALL_SIGNIFICANT = 2  /* when the last of them that was alive has */
} ward_otp_auto_shutdown;

/** For ward_otp_child_spec.shutdown_ms: it gets the signal kill at once. */
#define WARD_OTP_BRUTAL INT64_C(-1)
/** For ward_otp_child_spec.shutdown_ms: it has all the time it needs. */
#define WARD_OTP_INFINITY WARD_FOREVER

/** Sizes of an id and of a text, the 0 at their end included; how deep supervisors are nested. */
enum { WARD_OTP_ID = 64, WARD_OTP_TEXT = 256, WARD_OTP_DEPTH_MAX = 16 };

/** A child specification. Zero is the default, but id and what to start must be set. */
typedef struct ward_otp_child_spec {
	const char *id; /* unique among the children */
	/** What is started, as by ward_spawn(). Without a name it has the id for one, if that can
	 *  be a name (letters, digits and a few signs, see S55), or else a generated one. */
	ward_props props;
	/** In place of props.behavior and its args: a supervisor below; the rest of props counts,
	 *  but for child_strategy. Its type is SUPERVISOR, as that of any ward_otp_behavior. */
	const struct ward_otp_supervisor *supervisor;
	ward_otp_restart restart;
	bool significant; /* see ward_otp_auto_shutdown */
	/** How long it may take to end when it is told to. 0: of a worker 5 seconds, of a
	 *  supervisor WARD_OTP_INFINITY; or WARD_OTP_BRUTAL. */
	int64_t shutdown_ms;
	ward_otp_type type;
	uintptr_t reserved[2]; /* zero */
} ward_otp_child_spec;

/** What a supervisor reports. Contract: S113, S115. */
typedef enum ward_otp_report_kind {
	WARD_OTP_CHILD_TERMINATED = 1, /* by itself, with a reason that is not normal; or it is
					  permanent */
	WARD_OTP_START_ERROR = 2,      /* it could not be started, or restarted */
	WARD_OTP_SHUTDOWN_ERROR = 3,   /* it was told to end, and had another reason: killed, say */
	WARD_OTP_SHUTDOWN = 4          /* too many restarts: the supervisor ends */
} ward_otp_report_kind;

/** A report. Borrowed for the call. */
typedef struct ward_otp_report {
	ward_otp_report_kind kind;
	char id[WARD_OTP_ID];     /* of the child */
	ward_ref who;             /* which it is, or was; or nobody */
	ward_exit_reason reason;  /* of its end; of a START_ERROR: as far as it is known */
	char text[WARD_OTP_TEXT]; /* all of it, for people */
} ward_otp_report;

/**
 * A supervisor. Each that is made of it has a copy, so it is needed for the call only; behaviours
 * and strategies must outlive them, as with ward_spawn().
 *
 * More than `intensity` restarts within `window_ms`, of all its children together, and the
 * supervisor stops all of them and itself, with the reason shutdown and a text that says so: "more
 * than 3 restarts in 10 s: till", with the id of the last one. At the top that is giving up: see
 * ward_stats.gave_up and ward_run(). Each restart is an event of the supervisor, see restart_level;
 * the event of the failure before it is a WARNING, since it is told to stop the child.
 * Time counts in whole seconds. A restart that fails counts again each time that it is tried again.
 * Contract: S110-S114.
 */
typedef struct ward_otp_supervisor {
	/** Of ward_otp_start(), and of a child; NULL: as a child that of its specification, else
	 *  generated. A spawn of ward_otp_behavior, and so ward_run(), names it in its props. */
	const char *name;
	ward_otp_strategy strategy;
	int32_t intensity; /* 0: OTP's default, 1; WARD_RESTARTS_NONE; at most 1000 */
	int64_t window_ms; /* whole seconds, at most 3600 of them; 0: OTP's default, 5 s */
	ward_otp_auto_shutdown auto_shutdown;
	/** Ended by one that starts nothing; NULL: none. With SIMPLE_ONE_FOR_ONE exactly one, which
	 *  is what each child is started from. */
	const ward_otp_child_spec *children;
	/** Hears what goes wrong; runs as the supervisor, and must not fail. NULL: each report is
	 *  an event of the supervisor, as by ward_note(), SHUTDOWN a SEVERE one, the others a
	 *  WARNING; and the last one is its status, see ward_status_set(). */
	void (*report)(ward_self *self, const ward_otp_report *report) WARD_NOEXCEPT;
	ward_level restart_level; /* of the event of each restart; default: WARD_LEVEL_INFO */
	ward_level stop_level;    /* of that of a SHUTDOWN, without `report`; WARD_LEVEL_SEVERE */
	uintptr_t reserved[2];    /* zero */
} ward_otp_supervisor;
WARD_MESSAGE(ward_otp_supervisor);

/** The failure of a supervisor whose children did not all start: the text says which and why. An
 *  initialization, so by default it is stopped. One of ward_otp_start() does not fail with it: who
 *  called that is told. One that is resumed has no children, and stops at
 *  the next thing it is asked. Contract: S110. */
WARD_API extern const ward_failure_class ward_otp_not_started;

/**
 * Says whether a table is one that could be started, with all that are nested in it.
 *
 * Threads    any.
 * Cost       O(children), squared for ids and names.
 * Errors     WARD_EINVAL, and the detail says what is wrong: no id, nothing or two things to start,
 *            significant without an auto_shutdown or with permanent or in SIMPLE_ONE_FOR_ONE, a
 *            number that is none, nested too deep; WARD_EEXIST two children have one id or name.
 * Contract   S110, S114
 */
WARD_API WARD_MUST_USE ward_err ward_otp_check(const ward_otp_supervisor *table);

/* ---- starting and stopping --------------------------------------------------------------- */

/**
 * Starts a supervisor at the top, and waits until all its children run.
 *
 * It joins the phase "actor-system-terminate" of a shutdown, if there is one of that name, to stop
 * its children in order.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       as ward_otp_check(), ward_system_spawn() and ward_system_ask_send(), and a copy of the
 *            table with all that are nested in it; for each child as ward_spawn_link() and
 *            ward_ask_send(), and a watch, one after the other. Each nested supervisor checks and
 *            copies its own table again.
 * Errors     as ward_otp_check() and ward_system_spawn(); WARD_EFAILED a child could not be
 *            started, and the detail says which and why: what was started is stopped, in reverse
 *            order, and the name is free again. WARD_EDEAD: the supervisor went while it started,
 *            by a failure of its own or with the system.
 *            WARD_ETIMEDOUT: it is told to stop, all at once. *ret_supervisor is not written
 *            then.
 * Contract   S110
 */
WARD_API WARD_MUST_USE ward_err ward_otp_start(ward_system *system,
					       const ward_otp_supervisor *table, int64_t timeout_ms,
					       ward_ref *ret_supervisor);

/**
 * A supervisor in a tree of one's own, or in a child specification, which starts by itself: give it
 * props with a table.
 *
 *	ward_spawn(self, &ward_otp_behavior, .name = "shop",
 *		   .args = {WARD_COPY(ward_otp_supervisor, &shop)});
 *
 * Its name is that of the props. The name in a table is for ward_otp_start(), and for one that a
 * specification names as .supervisor.
 *
 * Ownership  the spawn copies the table, with all that are nested in it.
 * Cost       of the spawn as ward_otp_check(), and the copy; the start as ward_otp_start(), but for
 *            the wait.
 * Errors     of the spawn: those of ward_otp_check(); WARD_ENOMEM. One whose children do not all
 *            start fails with ward_otp_not_started.
 * Contract   S110
 */
WARD_API extern const ward_behavior ward_otp_behavior;

/**
 * Ends a supervisor in order, from the last child to the first, and waits for that. Its reason is
 * shutdown.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds; WARD_FOREVER.
 * Cost       as ward_system_ask_stop(); to the supervisor, for each child, as ward_exit(), and
 *            at most a timer.
 * Errors     as ward_system_ask_stop(), and WARD_EFULL. At WARD_ETIMEDOUT it still goes on.
 * Contract   S115
 */
WARD_API WARD_MUST_USE ward_err ward_otp_stop(ward_system *system, ward_ref supervisor,
					      int64_t timeout_ms);

/** Tells a supervisor to do that; of any actor. Contract: S115. */
WARD_SIGNAL(ward_otp_shut_down);

/** Asks a supervisor; it answers when all its children run. One that does not get so far fails,
 *  which ends the question. Contract: S110. */
WARD_SIGNAL(ward_otp_ready);

/** The answer. */
struct ward_otp_started {
	ward_err err;
	char text[WARD_OTP_TEXT]; /* of what kept it from starting */
};
WARD_MESSAGE_FLAT(ward_otp_started);

/**
 * For the init or pre_start of a child that has nothing to do: `return ward_otp_ignore(self);`. It
 * ends, and that is no failure: its specification stays, with no actor. One that is temporary, or
 * of SIMPLE_ONE_FOR_ONE, is deleted.
 *
 * It ends as by ward_exit_self(): after pre_start, with post_stop.
 *
 * Threads    only inside a callback of self.
 * Cost       as ward_exit_self().
 * Errors     returns WARD_FAILED without memory.
 * Contract   S110
 */
WARD_API WARD_MUST_USE ward_result ward_otp_ignore(ward_self *self);

/* ---- asking a supervisor ----------------------------------------------------------------- */

/** What came of it. The numbers are stable. Contract: S116. */
typedef enum ward_otp_code {
	WARD_OTP_OK = 0,
	WARD_OTP_ALREADY_STARTED = 1, /* the id is taken; `who` has it */
	WARD_OTP_ALREADY_PRESENT = 2, /* the id is taken, by a specification without an actor */
	WARD_OTP_RUNNING = 3,         /* it is alive: terminate it first */
	WARD_OTP_RESTARTING = 4,      /* it failed in a restart, which is tried again */
	WARD_OTP_NOT_FOUND = 5,
	WARD_OTP_SIMPLE = 6,       /* not with SIMPLE_ONE_FOR_ONE; or there only by `who` */
	WARD_OTP_BAD_SPEC = 7,     /* the text says what is wrong */
	WARD_OTP_START_FAILED = 8, /* the text says why */
	WARD_OTP_NO_MEMORY = 9     /* nothing was done */
} ward_otp_code;

/** Returns "ok", "already_started", ...; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_otp_code_text(ward_otp_code code);

/** The answer to those that change something. */
struct ward_otp_done {
	ward_otp_code code;
	ward_ref
		who; /* the child that runs now, or already; nobody: it was ignored, or has ended */
	char text[WARD_OTP_TEXT];
};
WARD_MESSAGE_FLAT(ward_otp_done);

/**
 * Asks to add a child and to start it, as the last one; made by ward_otp_start_child_ask() and
 * ward_otp_start_child_wait(), which copy the specification. The answer, a ward_otp_done, comes
 * when it runs: START_FAILED, and it is not added. Contract: S116.
 */
struct ward_otp_start_child {
	ward_otp_child_spec spec; /* owns all it points to; NULL: nothing */
};
WARD_API extern const ward_type ward_type_ward_otp_start_child;

/**
 * Asks a supervisor to add a child, as ward_ask_send() does: question->to is the supervisor.
 *
 * With SIMPLE_ONE_FOR_ONE only props.args, with their size, and props.name count: args in place of
 * those of the one specification, unless they are NULL; that one needs some, too, if its behaviour
 * takes any. props.behavior tells of what type they are, so it is needed with args, and must be
 * that of the specification.
 *
 * Ownership  copies the specification, by ward_props_clone() and deep.
 * Cost       as ward_ask_send(), and the copy; with a supervisor below also as ward_otp_check().
 *            To the supervisor O(children), for the id; O(1) with SIMPLE_ONE_FOR_ONE; and the start
 *            as in ward_otp_start().
 * Errors     as ward_ask_send() and ward_props_clone(), WARD_EINVAL args without a behaviour; then
 *            nothing was sent.
 * Contract   S116
 */
WARD_API WARD_MUST_USE ward_err ward_try_otp_start_child_ask(ward_self *self,
							     const ward_question *question,
							     const ward_otp_child_spec *spec);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_otp_start_child_ask(ward_self *self, const ward_question *question,
					    const ward_otp_child_spec *spec)
{
	(void)ward_noted_(self, ward_try_otp_start_child_ask(self, question, spec));
}

/** The same from a thread outside, which waits for the answer. Cost: the same, but for the question
 *  as ward_system_ask_send(). Errors: also as ward_system_ask_send(). At WARD_ETIMEDOUT nothing is
 *  taken back: the child may still be started, and stays then; ask for it by
 *  ward_otp_which_children. Contract: S116. */
WARD_API WARD_MUST_USE ward_err ward_otp_start_child_wait(ward_system *system, ward_ref supervisor,
							  int64_t timeout_ms,
							  const ward_otp_child_spec *spec,
							  struct ward_otp_done *ret_done);

/** Asks to end a child: by its id, or with SIMPLE_ONE_FOR_ONE by its ref. Its specification stays,
 *  unless it is temporary; one that has ended already is OK, and so is any ref of who is dead.
 *  Cost: of an id O(children). Contract: S116. */
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

/** What there is of a child. */
typedef enum ward_otp_child_state {
	WARD_OTP_CHILD_UNDEFINED = 0, /* no actor */
	WARD_OTP_CHILD_ALIVE = 1,
	WARD_OTP_CHILD_RESTARTING = 2 /* no actor: it failed in a restart, which is tried again */
} ward_otp_child_state;

/** One child. */
typedef struct ward_otp_child_info {
	char id[WARD_OTP_ID]; /* "": of SIMPLE_ONE_FOR_ONE */
	ward_ref who;         /* nobody, unless it is alive */
	ward_otp_child_state state;
	ward_otp_type type;
	const ward_behavior *behavior;
} ward_otp_child_info;

/** Asks for all children. Cost: O(children). Contract: S116. */
WARD_SIGNAL(ward_otp_which_children);

/** The answer: the last started first, as OTP has them. Whoever takes it out of a message by
 *  ward_system_ask() frees it by ward_otp_children_drop(). */
struct ward_otp_children {
	ward_otp_code code; /* OK, or NO_MEMORY: then there are none here */
	size_t count;
	ward_otp_child_info *rows;
};
WARD_API extern const ward_type ward_type_ward_otp_children;
/** Frees the rows. All zero is fine. Threads: any. Cost: O(1). */
WARD_API void ward_otp_children_drop(struct ward_otp_children *children);

/** Asks how many there are. Cost: O(children). Contract: S116. */
WARD_SIGNAL(ward_otp_count_children);

/** The answer. */
struct ward_otp_counts {
	ward_otp_code code;   /* OK, or NO_MEMORY: then they are 0 here */
	uint64_t specs;       /* specifications; with SIMPLE_ONE_FOR_ONE 1 */
	uint64_t active;      /* children that are alive */
	uint64_t supervisors; /* of that type, alive or not */
	uint64_t workers;     /* likewise */
};
WARD_MESSAGE_FLAT(ward_otp_counts);

/** Asks for a specification: by its id, or with SIMPLE_ONE_FOR_ONE by the ref of a child. Cost: of
 *  an id O(children). Contract: S116. */
struct ward_otp_get_childspec {
	char id[WARD_OTP_ID];
	ward_ref who;
};
WARD_MESSAGE_FLAT(ward_otp_get_childspec);

/** The answer. */
struct ward_otp_childspec {
	ward_otp_code code; /* OK, NOT_FOUND, SIMPLE, NO_MEMORY */
	ward_otp_restart restart;
	ward_otp_type type;
	bool significant;
	int64_t shutdown_ms; /* never 0: the default of its type */
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
