/* SPDX-License-Identifier: MIT
 *
 * ward/supervise.h - what a parent does about a failing child: directives, rules, limits.
 *
 *	static const ward_strategy keeper_strategy = {
 *		.rules = {{&no_such_match, WARD_STOP}, {&ward_exception, WARD_RESTART}},
 *		.restarts_max = 10, .window_ms = 30 * WARD_SECOND,
 *	};
 *
 * Order of the questions: the rule whose class is nearest above the failure's, whatever the order
 * of the table; then `decide`; then `otherwise`. What is left is for the default decider (S20),
 * whose answers failure.h lists; but it escalates where there is a `decide`, which had no opinion.
 * So a rule changes what it names, and nothing else. A rule for ward_exception names all
 * exceptions, and so also ward_killed and ward_initialization, which the default decider stops;
 * give them rules of their own where that is not meant. To escalate the rest, say so:
 * `.otherwise = WARD_ESCALATE`.
 */
#ifndef WARD_SUPERVISE_H
#define WARD_SUPERVISE_H

#include <ward/failure.h>

WARD_BEGIN

/** How bad an event is; see event.h. */
typedef enum ward_level {
	WARD_LEVEL_DEFAULT = 0, /* as the library has it; no event has it */
	WARD_LEVEL_DEBUG = 1,
	WARD_LEVEL_INFO = 2,
	WARD_LEVEL_WARNING = 3,
	WARD_LEVEL_SEVERE = 4,
	WARD_LEVEL_NONE = 5 /* of ward_decision_note(): the decision makes no event */
} ward_level;

/** Returns "default", "debug", "info", "warning" or "severe"; never NULL. Threads: any. Cost: O(1).
 */
WARD_API const char *ward_level_text(ward_level level);

/** What becomes of a child that failed. Contract: S22-S29. */
typedef enum ward_directive {
	WARD_UNDECIDED = 0, /* no opinion: the next in line is asked; refused in a rule */
	WARD_RESUME = 1,    /* go on with the next message, state kept; that child alone */
	WARD_RESTART = 2,   /* a fresh instance behind the same ref, mailbox kept */
	WARD_STOP = 3,      /* for good */
	WARD_ESCALATE = 4,  /* the parent itself fails with the same failure */
	WARD_LATER = 5,     /* `decide` only: the child waits for ward_decide() */
	/** `decide` only, as the value of ward_decider_failed(): the supervisor itself fails. */
	WARD_DECIDER_FAILED = 6
} ward_directive;

/** Returns "resume", "restart", ..., "decider failed"; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_directive_text(ward_directive directive);

/** Whom a directive concerns. */
typedef enum ward_scope {
	WARD_ONE_FOR_ONE = 0, /* the child that failed */
	/** It and all its siblings; resume and escalate: it alone. All are suspended, then each is
	 *  restarted, in no order: a new instance may run before an old sibling is released. */
	WARD_ALL_FOR_ONE = 1
} ward_scope;

/** One row of a decider. A NULL class ends the table; two rows for one class are refused. */
typedef struct ward_rule {
	const ward_failure_class *failure_class; /* this class and all below it */
	ward_directive directive;
} ward_rule;

/** How restarts are counted, and what follows when there are too many. Contract: S71-S74, S121. */
typedef enum ward_limit {
	/** Per child, in a window that opens with its first failure; the child is stopped.
	 *  Akka's. */
	WARD_LIMIT_PER_CHILD = 0,
	/** Per child, in the `window_ms` before each failure; the child is stopped.
	 *  Proto.Actor's. */
	WARD_LIMIT_SLIDING = 1,
	/** All children together, in the `window_ms` before each failure; all children are stopped,
	 *  and the supervisor fails with ward_restart_intensity. OTP's, in milliseconds instead of
	 *  seconds; without numbers 1 in 5 seconds, as there. */
	WARD_LIMIT_INTENSITY = 2,
	/** As PER_CHILD, and the supervisor gets a ward_restarts_exceeded. That of Akka 0.x. */
	WARD_LIMIT_NOTIFY = 3
} ward_limit;

/** Numbers of a strategy. */
enum {
	WARD_RULES_MAX = 12,
	WARD_RESTARTS_NONE = -1,      /* for restarts_max: no restart at all */
	WARD_RESTARTS_LOG_MAX = 1000, /* for restarts_max where the window slides */
	WARD_RESTARTS_NAME = 64
};

/**
 * The notice: the limit, WARD_LIMIT_NOTIFY, has stopped a child. It comes before the
 * ward_terminated of a child that is watched. One that is left unhandled is nothing: neither a
 * failure, nor counted or told of.
 *
 * Contract   S121
 */
struct ward_restarts_exceeded {
	ward_ref who; /* whose restarts are used up; with WARD_ALL_FOR_ONE maybe not who failed */
	int32_t restarts_max;
	int64_t window_ms;
	char failure_class[WARD_RESTARTS_NAME]; /* of the failure that was too much; cut to fit */
};
WARD_API extern const ward_type ward_type_ward_restarts_exceeded;

/**
 * A strategy: constant; must outlive every actor that names it.
 *
 * `restarts_max` 0 is no limit, WARD_RESTARTS_NONE is none at all; N lets N restarts happen and
 * acts at failure N + 1. This is not as in Akka, where a maxNrOfRetries of 0 is no restart, and -1
 * is no limit. `window_ms` 0 (or less) counts a whole life; a failure that is exactly as
 * old as the window counts still. `limit` says whose restarts are counted and what happens then.
 * Numbers that contradict each other or the limit are refused at spawn: a window without a maximum;
 * one that slides without both, or with more than WARD_RESTARTS_LOG_MAX; a notice that cannot come.
 *
 * Cost       a decision O(1), however many restarts there were; with WARD_ALL_FOR_ONE O(children).
 *            With a window that slides, 8 bytes for each of restarts_max, taken at the spawn.
 * Contract   S18-S27, S70-S74, S121
 */
struct ward_strategy {
	ward_scope scope;
	ward_rule rules[WARD_RULES_MAX];
	/** Runs as the supervisor, between two of its messages; the current sender is the child. If
	 *  it fails, by ward_decider_failed() or by a jump, the supervisor escalates with that
	 *  failure. With WARD_LATER the failure waits
	 *  for ward_decide(); in a strategy of the guardian that is no opinion, since there is no
	 *  callback to decide in. */
	ward_directive (*decide)(ward_self *self, ward_ref child,
				 const ward_failure *failure) WARD_NOEXCEPT;
	ward_directive otherwise;
	ward_limit limit;
	/** 0: no limit (Akka's -1); WARD_RESTARTS_NONE, -1: no restart (Akka's 0). */
	int32_t restarts_max;
	int64_t window_ms;
	bool quiet; /* decisions make no event */
	/** Of the events of what goes on: a resume, a restart. Default: WARD_LEVEL_WARNING. */
	ward_level restart_level;
	/** Of those of what ends, or goes further up: a stop, a restart that the limit denies, any
	 *  decision about a failure that was escalated. Default: WARD_LEVEL_SEVERE. */
	ward_level stop_level;
	uintptr_t reserved[4];
};

/**
 * Decides a failure that `decide` answered with WARD_LATER: once, in any later callback of self.
 *
 * What follows is what follows an answer of `decide`: the limit is charged and may turn a restart
 * into a stop, the scope counts, the hooks of a restart see the failure. The child and all below it
 * are suspended until then, and nobody else decides: set a timer if what you wait for may not come.
 * The failure stops waiting without a decision when the child is told to stop, and when it is
 * restarted with its siblings or by a restart of self that keeps it. When self is resumed, it
 * waits on.
 *
 * WARD_ESCALATE is for receive: that is finished first, then self fails with the failure of the
 * child; with its own instead, if receive fails by itself. In pre_restart self sees no message.
 *
 * Threads    only inside a callback of self.
 * Cost       O(1) here; O(children) for all for one, and where an intensity gives up.
 * Errors     WARD_EINVAL none of the four directives, or WARD_ESCALATE outside receive; WARD_ENOENT
 *            no child of self, or none of its failures waits; WARD_ESTOPPING it was told to stop;
 *            WARD_EEXIST this receive escalates another failure already. Nothing happens then.
 * Contract   S18, S22-S28
 */
WARD_API WARD_MUST_USE ward_err ward_decide(ward_self *self, ward_ref child,
					    ward_directive directive);

/**
 * Notes a failure of the supervisor, for a `decide` that cannot decide.
 *
 *	return ward_decider_failed(self, &no_plan, "no plan for %s", name);
 *
 * It takes the place of the failure that was to be decided, and the supervisor fails with it. A
 * `decide` that answers WARD_DECIDER_FAILED without a failure is ward_misuse.
 *
 * Threads    only inside a callback of self.
 * Cost       as ward_failed().
 * Errors     none; always returns WARD_DECIDER_FAILED.
 * Contract   S11, S19
 */
WARD_API WARD_MUST_USE WARD_PRINTF(3, 4) ward_directive
	ward_decider_failed(ward_self *self, const ward_failure_class *failure_class,
			    const char *text, ...);

/** Room for what ward_decision_note() says, the 0 at its end included; it is cut to fit. */
enum { WARD_DECISION_TEXT = 64 };

/** The default decider, for a `decide` to end with. Cost: O(classes above that of the failure).
 *  Contract: S20. */
WARD_API ward_directive ward_default_decide(ward_self *self, ward_ref child,
					    const ward_failure *failure) WARD_NOEXCEPT;

/** One for one, default decisions, no limit. */
WARD_API extern const ward_strategy ward_default_strategy;
/** Stops the child for any exception, escalates the rest. Contract: S21. */
WARD_API extern const ward_strategy ward_stopping_strategy;
/** Escalates all: at the top the program ends with status 1. */
WARD_API extern const ward_strategy ward_escalating_strategy;

WARD_END
#endif
