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
 * of the table; then `decide`; then `otherwise`; then escalate. With none of the three given, the
 * default decider answers (S20).
 */
#ifndef WARD_SUPERVISE_H
#define WARD_SUPERVISE_H

#include <ward/failure.h>

WARD_BEGIN

/** What becomes of a child that failed. Contract: S22-S29. */
typedef enum ward_directive {
	WARD_UNDECIDED = 0, /* no opinion: the next in line is asked; refused in a rule */
	WARD_RESUME = 1,    /* go on with the next message, state kept; that child alone */
	WARD_RESTART = 2,   /* a fresh instance behind the same ref, mailbox kept */
	WARD_STOP = 3,      /* for good */
	WARD_ESCALATE = 4,  /* the parent itself fails with the same failure */
	WARD_LATER = 5      /* `decide` only: the child waits for ward_decide() */
} ward_directive;

/** Gives "resume", "restart", ..., "later"; never NULL. Threads: any. */
WARD_API const char *ward_directive_text(ward_directive directive);

/** Whom a directive concerns. */
typedef enum ward_scope {
	WARD_ONE_FOR_ONE = 0, /* the child that failed */
	WARD_ALL_FOR_ONE = 1  /* it and all its siblings; resume and escalate: it alone */
} ward_scope;

/** One row of a decider. A NULL class ends the table; two rows for one class are refused. */
typedef struct ward_rule {
	const ward_failure_class *failure_class; /* this class and all below it */
	ward_directive directive;
} ward_rule;

/** Numbers of a strategy. */
enum {
	WARD_RULES_MAX = 12,
	WARD_RESTARTS_NONE = -1 /* for restarts_max: no restart at all */
};

/**
 * A strategy: constant; must outlive every actor that names it.
 *
 * Limits are per child. `restarts_max` 0 is no limit, WARD_RESTARTS_NONE is none at all; N lets N
 * restarts happen and stops the child at failure N + 1. `window_ms` counts them in a window that
 * opens with its first failure; 0 (or less) counts a whole life. A window without a maximum is
 * refused at spawn.
 *
 * Contract   S18-S27, S70-S73
 */
struct ward_strategy {
	ward_scope scope;
	ward_rule rules[WARD_RULES_MAX];
	/** Runs as the supervisor, between two of its messages; the current sender is the child. If
	 *  it fails, the supervisor escalates with that failure. With WARD_LATER the failure waits
	 *  for ward_decide(); in a strategy of the guardian that is no opinion, since there is no
	 *  callback to decide in. */
	ward_directive (*decide)(ward_self *self, ward_ref child, const ward_failure *failure);
	ward_directive otherwise;
	int32_t restarts_max;
	int64_t window_ms;
	bool quiet; /* decisions make no event */
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
 * Errors     WARD_EINVAL none of the four directives, or WARD_ESCALATE outside receive; WARD_ENOENT
 *            no child of self, or none of its failures waits; WARD_ESTOPPING it was told to stop;
 *            WARD_EEXIST this receive escalates another failure already. Nothing happens then.
 * Contract   S18, S22-S28
 */
WARD_API WARD_MUST_USE ward_err ward_decide(ward_self *self, ward_ref child,
					    ward_directive directive);

/** The default decider, for a `decide` to end with. Contract: S20. */
WARD_API ward_directive ward_default_decide(ward_self *self, ward_ref child,
					    const ward_failure *failure);

/** One for one, default decisions, no limit. */
WARD_API extern const ward_strategy ward_default_strategy;
/** Stops the child for any exception, escalates the rest. Contract: S21. */
WARD_API extern const ward_strategy ward_stopping_strategy;

WARD_END
#endif
