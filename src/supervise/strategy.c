/* SPDX-License-Identifier: MIT
 *
 * strategy.c - deciders: rules, a function, a default; and the check of a strategy at the spawn.
 *
 * In this order: the rule whose class is nearest above that of the failure; decide; otherwise; the
 * default decider. Where decide returns no directive: escalate (S18-S21).
 *
 * Threads: runs only on the supervisor's worker.
 */
#include <ward/extend.h>

#include "supervise/strategy.h"

#include "base/error.h"
#include "life/hooks.h"
#include "send/event.h"

const ward_strategy ward_default_strategy = {.scope = WARD_ONE_FOR_ONE};

const ward_strategy ward_stopping_strategy = {
	.rules = {{&ward_exception, WARD_STOP}},
	.otherwise = WARD_ESCALATE,
};

const ward_strategy ward_escalating_strategy = {.otherwise = WARD_ESCALATE};

/* The classes directly below ward_exception for which the default is to stop. */
static const ward_failure_class *const stopped[] = {
	&ward_initialization, &ward_killed, &ward_death_pact, &ward_hardware_fault, &ward_hang};

static ward_directive decide_by_default(const ward_failure_class *failure_class)
{
	const ward_failure_class *root = failure_class, *kind = failure_class;

	for (; root->parent != NULL; root = root->parent)
		kind = root;
	if (!wardi_class_same(root, &ward_exception))
		return WARD_ESCALATE;
	for (size_t i = 0; i < sizeof stopped / sizeof stopped[0]; i++)
		/* Most names differ in the first byte. */
		if (kind->name[0] == stopped[i]->name[0] && wardi_class_same(kind, stopped[i]))
			return WARD_STOP;
	return WARD_RESTART;
}

ward_directive ward_default_decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	return failure == NULL ? WARD_ESCALATE : decide_by_default(failure->failure_class);
}

/* ---- the check at the spawn -------------------------------------------------------------- */

bool wardi_directive_is_final(ward_directive directive)
{
	return (unsigned)directive >= WARD_RESUME && (unsigned)directive <= WARD_ESCALATE;
}

/* Returns WARD_OK if a rule, or `otherwise`, may have this directive. */
static ward_err check_directive(ward_directive directive)
{
	if (directive == WARD_LATER || directive == WARD_DECIDER_FAILED)
		return wardi_error(WARD_EINVAL,
				   "directive %s, which only a decide function may answer",
				   directive == WARD_LATER ? "WARD_LATER" : "WARD_DECIDER_FAILED");
	if (!wardi_directive_is_final(directive))
		return wardi_error(WARD_EINVAL, "directive %d, which is not a ward_directive",
				   (int)directive);
	return WARD_OK;
}

static ward_err check_rule(const ward_rule *rules, int at)
{
	const ward_rule *rule = &rules[at];
	ward_err err = ward_failure_class_check(rule->failure_class);

	if (err != WARD_OK)
		return wardi_error(err, "rules[%d]: %s", at, ward_err_detail());
	if (rule->directive == WARD_UNDECIDED)
		return wardi_error(WARD_EINVAL,
				   "rules[%d], for \"%s\", has no directive: leave the rule out to "
				   "have decide or otherwise asked",
				   at, rule->failure_class->name);
	if (check_directive(rule->directive) != WARD_OK)
		return wardi_error(WARD_EINVAL, "rules[%d], for \"%s\", has %s", at,
				   rule->failure_class->name, ward_err_detail());
	for (int other = 0; other < at; other++)
		if (wardi_class_same(rules[other].failure_class, rule->failure_class))
			return wardi_error(WARD_EINVAL,
					   "rules[%d] and rules[%d] are both for \"%s\": one class "
					   "has one rule",
					   other, at, rule->failure_class->name);
	return WARD_OK;
}

static ward_err check_rules(const ward_strategy *strategy)
{
	ward_err err = WARD_OK;

	for (int i = 0; err == WARD_OK && i < WARD_RULES_MAX; i++) {
		if (strategy->rules[i].failure_class == NULL)
			break;
		err = check_rule(strategy->rules, i);
	}
	return err;
}

static ward_err check_sliding(const ward_strategy *strategy, const char *name, bool has_default)
{
	if (strategy->restarts_max == WARD_RESTARTS_NONE ||
	    (has_default && strategy->restarts_max == 0))
		return WARD_OK;
	if (strategy->restarts_max == 0)
		return wardi_error(WARD_EINVAL,
				   "limit is %s, but there is no restarts_max: set it, and "
				   "window_ms, or leave limit out",
				   name);
	if (strategy->window_ms <= 0)
		return wardi_error(WARD_EINVAL,
				   "limit is %s, but there is no window_ms for it: set one, or "
				   "leave limit out to count over a whole life",
				   name);
	if (strategy->restarts_max > WARD_RESTARTS_LOG_MAX)
		return wardi_error(WARD_EINVAL,
				   "restarts_max is %d, with %s at most %d are possible: each has "
				   "its time kept",
				   (int)strategy->restarts_max, name, WARD_RESTARTS_LOG_MAX);
	return WARD_OK;
}

static ward_err check_limit(const ward_strategy *strategy)
{
	if (strategy->restarts_max < WARD_RESTARTS_NONE)
		return wardi_error(WARD_EINVAL,
				   "restarts_max is %d: 0 means no limit, "
				   "WARD_RESTARTS_NONE is none at all",
				   (int)strategy->restarts_max);
	if (strategy->window_ms > 0 && strategy->restarts_max == 0)
		return wardi_error(WARD_EINVAL,
				   "window_ms is %lld, but there is no restarts_max: what would it "
				   "count to? Set restarts_max, or leave both 0",
				   (long long)strategy->window_ms);
	switch (strategy->limit) {
	case WARD_LIMIT_PER_CHILD:
		return WARD_OK;
	case WARD_LIMIT_SLIDING:
		return check_sliding(strategy, "WARD_LIMIT_SLIDING", false);
	case WARD_LIMIT_INTENSITY:
		return check_sliding(strategy, "WARD_LIMIT_INTENSITY", true);
	case WARD_LIMIT_NOTIFY:
		if (strategy->restarts_max != 0)
			return WARD_OK;
		return wardi_error(WARD_EINVAL,
				   "limit is WARD_LIMIT_NOTIFY, but there is no restarts_max: "
				   "without it the limit never notifies");
	default:
		return wardi_error(WARD_EINVAL, "limit is %d, which is not a ward_limit",
				   (int)strategy->limit);
	}
}

static ward_err check_levels(const ward_strategy *strategy)
{
	if ((unsigned)strategy->restart_level > WARD_LEVEL_SEVERE)
		return wardi_error(WARD_EINVAL, "restart_level is %d, which is not a ward_level",
				   (int)strategy->restart_level);
	if ((unsigned)strategy->stop_level > WARD_LEVEL_SEVERE)
		return wardi_error(WARD_EINVAL, "stop_level is %d, which is not a ward_level",
				   (int)strategy->stop_level);
	return WARD_OK;
}

ward_err wardi_strategy_check(const ward_strategy *strategy)
{
	ward_err err;

	if (strategy == NULL)
		return WARD_OK;
	if ((unsigned)strategy->scope > WARD_ALL_FOR_ONE)
		return wardi_error(WARD_EINVAL, "scope is %d, which is not a ward_scope",
				   (int)strategy->scope);
	if (strategy->otherwise != WARD_UNDECIDED &&
	    check_directive(strategy->otherwise) != WARD_OK)
		return wardi_error(WARD_EINVAL, "otherwise has %s", ward_err_detail());
	err = check_limit(strategy);
	if (err == WARD_OK)
		err = check_levels(strategy);
	if (err != WARD_OK)
		return err;
	if (!WARDI_ALL_ZERO(strategy->reserved))
		return wardi_error(WARD_EINVAL,
				   "a reserved word is not zero: leave it out of the initializer");
	return check_rules(strategy);
}

ward_err ward_strategy_check(const ward_strategy *strategy)
{
	ward_err err = wardi_strategy_check(strategy);

	return err == WARD_OK ? err : wardi_error(err, "a strategy: %s", ward_err_detail());
}

/* ---- deciding ---------------------------------------------------------------------------- */

static ward_directive nearest_rule(const ward_strategy *strategy,
				   const ward_failure_class *failure_class)
{
	ward_directive nearest = WARD_UNDECIDED;
	unsigned best = UINT32_MAX;

	for (int i = 0; i < WARD_RULES_MAX && strategy->rules[i].failure_class != NULL; i++) {
		unsigned distance;

		if (wardi_class_below(failure_class, strategy->rules[i].failure_class, &distance) &&
		    distance < best) {
			best = distance;
			nearest = strategy->rules[i].directive;
		}
	}
	return nearest;
}

/* WARD_LATER is an answer only where the program has a callback to decide in, so not for a
 * guardian. */
static ward_directive heard(struct ward_self *self, ward_ref child, ward_directive answer)
{
	if (answer == WARD_LATER && self->cell != self->system->user_cell)
		return answer;
	if (answer == WARD_LATER)
		wardi_event_note(self->system, self, WARD_LEVEL_SEVERE, child,
				 "a strategy of the guardian answered WARD_LATER: it has no "
				 "callback to decide in, so this counts as no opinion");
	return wardi_directive_is_final(answer) ? answer : WARD_UNDECIDED;
}

/* Calls the program's function, under a save point. A failure in it replaces the cause. */
static ward_directive ask(struct ward_self *self, const ward_strategy *strategy,
			  struct wardi_cell *child, struct wardi_failure *cause)
{
	struct ward_failure bare;
	struct wardi_call call = {
		.kind = WARDI_HOOK_DECIDE,
		.why = wardi_failure_view(*cause, &bare),
		.strategy = strategy,
		.child = wardi_cell_ref(child),
	};
	struct wardi_failure error;
	bool fine;

	self->deciding = true;
	fine = wardi_guarded(self, &call, &error);
	self->deciding = false;
	if (fine)
		return heard(self, call.child, call.directive);
	wardi_failure_unref(*cause);
	*cause = error;
	return WARD_ESCALATE;
}

/* The directive where neither a rule nor `decide` has an answer. */
static ward_directive last_resort(const ward_strategy *strategy,
				  const ward_failure_class *failure_class)
{
	if (strategy->otherwise != WARD_UNDECIDED)
		return strategy->otherwise;
	if (strategy->decide != NULL)
		return WARD_UNDECIDED;
	return decide_by_default(failure_class);
}

ward_directive wardi_strategy_decide(struct ward_self *self, const ward_strategy *strategy,
				     struct wardi_cell *child, struct wardi_failure *cause)
{
	ward_directive directive = nearest_rule(strategy, wardi_failure_class(*cause));

	if (directive == WARD_UNDECIDED && strategy->decide != NULL)
		directive = ask(self, strategy, child, cause);
	if (directive == WARD_UNDECIDED)
		directive = last_resort(strategy, wardi_failure_class(*cause));
	return directive == WARD_UNDECIDED ? WARD_ESCALATE : directive;
}

ward_directive ward_strategy_decide(ward_self *self, const ward_strategy *strategy, ward_ref child,
				    const ward_failure *failure)
{
	ward_directive directive;

	if (!wardi_self_usable(self) || failure == NULL)
		return WARD_UNDECIDED;
	if (strategy == NULL)
		strategy = &ward_default_strategy;
	directive = nearest_rule(strategy, failure->failure_class);
	if (directive == WARD_UNDECIDED && strategy->decide != NULL) {
		directive = strategy->decide(self, child, failure);
		if (directive != WARD_LATER && directive != WARD_DECIDER_FAILED &&
		    !wardi_directive_is_final(directive))
			directive = WARD_UNDECIDED;
	}
	if (directive == WARD_UNDECIDED)
		directive = last_resort(strategy, failure->failure_class);
	return directive;
}
