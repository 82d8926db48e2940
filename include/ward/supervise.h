/* SPDX-License-Identifier: MIT
 *
 * ward/supervise.h - how a parent reacts to a failing child: directives, rules, limits.
 *
 *	static const ward_strategy keeper_strategy = {
 *		.rules = {{&no_such_match, WARD_STOP}, {&ward_exception, WARD_RESTART}},
 *		.restarts_max = 10, .window_ms = 30 * WARD_SECOND,
 *	};
 *
 * A failure is decided by the rule whose class is the failure's own or the nearest one above it,
 * regardless of the order of the rules; if there is none, by `decide`; then by `otherwise`; then by
 * the default decider (S20), whose answers failure.h lists. A strategy with a `decide` never
 * reaches the default decider: if `decide` and `otherwise` have no opinion, the failure is
 * escalated.
 *
 * So a rule changes the decision for the class it names, and for nothing else. A rule for
 * ward_exception covers all exceptions, including ward_killed and ward_initialization, which the
 * default decider stops; if that is not intended, give these classes rules of their own. To
 * escalate all other failures, set `.otherwise = WARD_ESCALATE`.
 */
#ifndef WARD_SUPERVISE_H
#define WARD_SUPERVISE_H

#include <ward/failure.h>

WARD_BEGIN

/** The severity of an event; see event.h. */
typedef enum ward_level {
	WARD_LEVEL_DEFAULT = 0, /* the library's default for the event; no event itself has it */
	WARD_LEVEL_DEBUG = 1,
	WARD_LEVEL_INFO = 2,
	WARD_LEVEL_WARNING = 3,
	WARD_LEVEL_SEVERE = 4,
	WARD_LEVEL_NONE = 5 /* for ward_decision_note(): the decision makes no event */
} ward_level;

/** Returns "default", "debug", "info", "warning" or "severe", otherwise "?"; never NULL. Threads:
 *  any. Cost: O(1). */
WARD_API const char *ward_level_text(ward_level level);

/** What happens to a child that failed. Contract: S22-S29. */
typedef enum ward_directive {
	WARD_UNDECIDED = 0, /* no opinion: the next step decides; refused in a rule */
	WARD_RESUME = 1,    /* the child alone continues with its state and the next message */
	WARD_RESTART = 2,   /* a new instance behind the same ref; the mailbox is kept */
	WARD_STOP = 3,      /* the child is stopped for good */
	WARD_ESCALATE = 4,  /* the parent itself fails with the same failure */
	WARD_LATER = 5,     /* from `decide` only: the child waits for ward_decide() */
	/** From `decide` only, the value of ward_decider_failed(): the supervisor itself fails. */
	WARD_DECIDER_FAILED = 6
} ward_directive;

/** Returns "resume", "restart", ..., "decider failed"; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_directive_text(ward_directive directive);

/** The children that a directive applies to. */
typedef enum ward_scope {
	WARD_ONE_FOR_ONE = 0, /* the child that failed */
	/** The child and all its siblings; resume and escalate: the child alone. All are suspended,
	 *  then each is restarted, in no particular order: a new instance may run before an old
	 *  sibling has been released. */
	WARD_ALL_FOR_ONE = 1
} ward_scope;

/** One rule of a strategy. A NULL class ends the table; two rules for one class are refused. */
typedef struct ward_rule {
	/** The rule covers this class and all classes below it. */
	const ward_failure_class *failure_class;
	ward_directive directive;
} ward_rule;

/** How restarts are counted, and what happens beyond the limit. Contract: S71-S74, S121. */
typedef enum ward_limit {
	/** As in Akka: counts per child, in a window that opens with the first failure that asks
	 *  for a restart; the first one after its end opens the next window. Stops the child. */
	WARD_LIMIT_PER_CHILD = 0,
	/** As in Proto.Actor: counts per child, in the `window_ms` before each failure; stops the
	 *  child. */
	WARD_LIMIT_SLIDING = 1,
	/** As in OTP, but in milliseconds: counts all children together, in the `window_ms` before
	 *  each failure; stops all children, and the supervisor fails with ward_restart_intensity.
	 *  restarts_max 0 stands for the default of OTP: 1 restart in 5 seconds. */
	WARD_LIMIT_INTENSITY = 2,
	/** As in Akka 0.x: like PER_CHILD, and the supervisor gets a ward_restarts_exceeded. */
	WARD_LIMIT_NOTIFY = 3
} ward_limit;

/** Special values and sizes for strategies. */
enum {
	WARD_RULES_MAX = 12,
	WARD_RESTARTS_NONE = -1,      /* restarts_max: no restart at all */
	WARD_RESTARTS_LOG_MAX = 1000, /* the largest restarts_max with a sliding window */
	WARD_RESTARTS_NAME = 64
};

/**
 * Notifies a supervisor that WARD_LIMIT_NOTIFY has stopped a child. If the child is watched, the
 * notice comes before its ward_terminated. A notice that is left unhandled has no effect: it is not
 * a failure, and not counted or reported as unhandled.
 *
 * Contract   S121
 */
struct ward_restarts_exceeded {
	/** The child whose restarts are used up; with WARD_ALL_FOR_ONE maybe not the one that
	 *  failed. */
	ward_ref who;
	int32_t restarts_max;
	int64_t window_ms;
	/** Of the failure that exceeded the limit; cut to fit. */
	char failure_class[WARD_RESTARTS_NAME];
};
WARD_API extern const ward_type ward_type_ward_restarts_exceeded;

/**
 * A supervision strategy. Constant; must outlive all actors that use it.
 *
 * `restarts_max` N allows N restarts and acts when one more is asked for. 0 means no limit (but see
 * WARD_LIMIT_INTENSITY), WARD_RESTARTS_NONE no restart. (Akka differs: there a maxNrOfRetries of 0
 * means no restart, and -1 no limit.) `window_ms` 0 or less counts over the whole life; a failure
 * that is exactly as old as the window still counts. `limit` selects whose restarts are counted and
 * what happens when the limit is exceeded.
 *
 * Only failures that ask for a restart are counted, not a resume, a stop or an escalation; and
 * not a failure of an incarnation that is ordered to restart already, as with WARD_ALL_FOR_ONE
 * when several children fail together: each is an event, and all are restarted and counted once.
 * A sibling that was restarted before it handled a message which makes it fail, too, handles that
 * message after the restart, since mailboxes survive: this failure is counted again. So a cause
 * that reaches each of N children as a message may be counted N times. One-for-all of a
 * ward_otp_supervisor gives all children new mailboxes.
 *
 * Numbers that contradict each other or the limit are refused at the spawn: `window_ms` without
 * `restarts_max`; WARD_LIMIT_SLIDING without `restarts_max`; SLIDING or INTENSITY with a
 * `restarts_max` but without `window_ms`, or with more than WARD_RESTARTS_LOG_MAX;
 * WARD_LIMIT_NOTIFY without `restarts_max`. With WARD_RESTARTS_NONE `window_ms` is optional. A rule
 * or an `otherwise` with WARD_LATER or WARD_DECIDER_FAILED is refused as well.
 *
 * Cost       a decision: O(1), regardless of the number of restarts; WARD_ALL_FOR_ONE: O(children).
 *            A sliding window takes 8 bytes for each of restarts_max, at the spawn.
 * Contract   S18-S27, S70-S74, S121
 */
struct ward_strategy {
	ward_scope scope;
	ward_rule rules[WARD_RULES_MAX];
	/** Runs in the supervisor, between two of its messages. A failure in it, by
	 *  ward_decider_failed() or by a jump, makes the supervisor escalate that failure.
	 *  WARD_LATER postpones the decision until ward_decide(); in a strategy of a guardian it
	 *  counts as no opinion, since a guardian has no callback to decide in. */
	ward_directive (*decide)(ward_self *self, ward_ref child,
				 const ward_failure *failure) WARD_NOEXCEPT;
	/** The decision if no rule covers the class and `decide` has no opinion. */
	ward_directive otherwise;
	ward_limit limit;
	/** 0: no limit (Akka: -1); WARD_RESTARTS_NONE, -1: no restart (Akka: 0). */
	int32_t restarts_max;
	int64_t window_ms;
	bool quiet; /* true: decisions make no event */
	/** Level of the events of a resume and of a restart. Default: WARD_LEVEL_WARNING. */
	ward_level restart_level;
	/** Level of the events of a stop, of an escalation, of a restart that the limit denies, and
	 *  of any decision about a failure that the child itself has escalated. Default:
	 *  WARD_LEVEL_SEVERE. The event of a WARD_LATER is always a WARD_LEVEL_WARNING. */
	ward_level stop_level;
	uintptr_t reserved[4];
};

/**
 * Decides a failure for which `decide` returned WARD_LATER: once, in any later callback of self.
 *
 * The effect is that of the same answer from `decide`: the limit is charged and may turn a restart
 * into a stop, the scope applies, and the hooks of a restart get the failure. Until then the child
 * and all actors below it are suspended, and nobody else decides: set a timer if the information
 * that you wait for may not come. The wait ends without a decision when the child is told to stop,
 * and when it is restarted with its siblings or by a restart of self that keeps it. A resume of
 * self does not end it.
 *
 * WARD_ESCALATE is allowed only in receive: receive is finished first, then self fails with the
 * failure of the child, or with its own if receive fails. pre_restart of self then gets no message.
 *
 * Threads    only inside a callback of self.
 * Cost       O(1) here; O(children) with WARD_ALL_FOR_ONE, and if an intensity is exceeded.
 * Errors     WARD_EINVAL not one of the four directives, or WARD_ESCALATE outside receive;
 *            WARD_ENOENT not a child of self, or no failure of it waits; WARD_ESTOPPING the child
 *            was told to stop; WARD_EEXIST this receive already escalates another failure. Nothing
 *            happens then.
 * Contract   S18, S22-S28
 */
WARD_API WARD_MUST_USE ward_err ward_decide(ward_self *self, ward_ref child,
					    ward_directive directive);

/**
 * Notes a failure of the supervisor, for a `decide` that cannot decide.
 *
 *	return ward_decider_failed(self, &no_plan, "no plan for %s", name);
 *
 * The supervisor fails with this failure, which replaces the one that was to be decided. A `decide`
 * that returns WARD_DECIDER_FAILED without noting a failure is ward_misuse.
 *
 * Threads    only inside a callback of self.
 * Cost       as ward_failed().
 * Errors     none; always returns WARD_DECIDER_FAILED.
 * Contract   S11, S19
 */
WARD_API WARD_MUST_USE WARD_PRINTF(3, 4) ward_directive
	ward_decider_failed(ward_self *self, const ward_failure_class *failure_class,
			    const char *text, ...);

/** Size of the text of ward_decision_note(), including the terminating 0; longer texts are cut. */
enum { WARD_DECISION_TEXT = 64 };

/** Returns the answer of the default decider, for a `decide` to end with; WARD_ESCALATE if the
 *  failure is NULL. Only the failure counts: self and child are not used. Threads: any. Cost:
 *  O(classes above the failure's). Contract: S20. */
WARD_API ward_directive ward_default_decide(ward_self *self, ward_ref child,
					    const ward_failure *failure) WARD_NOEXCEPT;

/** One-for-one, default decider, no limit. */
WARD_API extern const ward_strategy ward_default_strategy;
/** Stops the child for any exception, escalates all other failures. Contract: S21. */
WARD_API extern const ward_strategy ward_stopping_strategy;
/** Escalates all failures. For an actor at the top that ends the system, and ward_run() returns 1.
 */
WARD_API extern const ward_strategy ward_escalating_strategy;

WARD_END
#endif
