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
	WARD_ESCALATE = 4   /* the parent itself fails with the same failure */
} ward_directive;

/** Gives "resume", "restart", ...; never NULL. Threads: any. */
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
	 *  it fails, the supervisor escalates with that failure. */
	ward_directive (*decide)(ward_self *self, ward_ref child, const ward_failure *failure);
	ward_directive otherwise;
	int32_t restarts_max;
	int64_t window_ms;
	bool quiet; /* decisions make no event */
	uintptr_t reserved[4];
};

/** The default decider, for a `decide` to end with. Contract: S20. */
WARD_API ward_directive ward_default_decide(ward_self *self, ward_ref child,
					    const ward_failure *failure);

/** One for one, default decisions, no limit. */
WARD_API extern const ward_strategy ward_default_strategy;
/** Stops the child for any exception, escalates the rest. Contract: S21. */
WARD_API extern const ward_strategy ward_stopping_strategy;

WARD_END
#endif
