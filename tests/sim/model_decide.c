/* SPDX-License-Identifier: MIT
 *
 * model_decide.c - the model of a supervisor: which directive, what the limit says, whom it orders.
 */
#include "sim/model_inside.h"

static uint32_t less_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void model_order(struct model_life *child, const struct model_orders *more)
{
	struct model_orders *orders = &child->orders;

	if (child->phase == PHASE_GONE ||
	    (more->suspends == 0 && more->resumes == 0 && !more->answers && !more->restart))
		return;
	/* A suspension that is taken back before it was carried out never was: the child's own
	 * children need no notice of it. */
	uint32_t back = less_of(more->resumes, orders->suspends);

	orders->suspends = orders->suspends - back + more->suspends;
	orders->resumes += more->resumes - back;
	orders->restarts += more->restarts;
	orders->restart |= more->restart;
	child->unanswered &= !more->restart;
	orders->answers |= more->answers;
	if (!orders->waiting)
		model_send_note(child, NOTE_ORDERS, NULL);
	orders->waiting = true;
}

/* ---- which directive --------------------------------------------------------------------- */

/* Steps from a class up to another; negative: it is not above it. */
static int distance(const ward_failure_class *from, const ward_failure_class *to)
{
	int steps = 0;

	while (from != NULL && from != to) {
		from = from->parent;
		steps++;
	}
	return from == NULL ? -1 : steps;
}

/* The default decider (S20). */
static ward_directive by_default(const ward_failure_class *cause)
{
	if (distance(cause, &ward_initialization) >= 0 || distance(cause, &ward_killed) >= 0 ||
	    distance(cause, &ward_death_pact) >= 0 || distance(cause, &ward_hardware_fault) >= 0 ||
	    distance(cause, &ward_hang) >= 0)
		return WARD_STOP;
	return distance(cause, &ward_exception) >= 0 ? WARD_RESTART : WARD_ESCALATE;
}

/* The nearest rule, whatever the order of the table (S21). */
static ward_directive by_rules(const ward_strategy *strategy, const ward_failure_class *cause)
{
	ward_directive nearest = WARD_UNDECIDED;
	int best = -1;

	for (int i = 0; i < WARD_RULES_MAX && strategy->rules[i].failure_class != NULL; i++) {
		int steps = distance(cause, strategy->rules[i].failure_class);

		if (steps >= 0 && (best < 0 || steps < best)) {
			best = steps;
			nearest = strategy->rules[i].directive;
		}
	}
	return nearest;
}

/* ---- the limit --------------------------------------------------------------------------- */

static bool permits(const struct model *model, const ward_strategy *strategy,
		    struct model_life *child)
{
	int64_t window_ns = strategy->window_ms * 1000000;

	if (strategy->restarts_max == 0)
		return true;
	if (strategy->restarts_max == WARD_RESTARTS_NONE)
		return false;
	if (window_ns <= 0)
		return ++child->restarts <= (uint32_t)strategy->restarts_max;
	if (!child->window_open || model->now_ns - child->window_ns > window_ns) {
		child->window_open = true;
		child->window_ns = model->now_ns;
		child->restarts = 0; /* a new window; this is its first (S72) */
	}
	return ++child->restarts <= (uint32_t)strategy->restarts_max;
}

/* All for one: in order, up to the first that is denied (S24). */
static bool permitted(const struct model *model, const struct model_life *life,
		      struct model_life *child)
{
	if (life->strategy->scope == WARD_ONE_FOR_ONE)
		return permits(model, life->strategy, child);
	for (size_t i = 0; i < life->children.count; i++)
		if (!permits(model, life->strategy, life->children.items[i]))
			return false;
	return true;
}

/* ---- what becomes of it ------------------------------------------------------------------ */

static void expect_event(struct model *model, const struct model_life *life,
			 const struct model_life *child, ward_directive directive, bool denied)
{
	bool counted = life->strategy->restarts_max > 0;

	MODEL_NEEDS(model, life, model->decisions_count < DECISIONS_MAX, "-", "too many decisions");
	model->decisions[(model->decisions_first + model->decisions_count++) % DECISIONS_MAX] =
		(struct model_decision){child->ref, directive, denied,
					counted ? child->restarts : UINT32_MAX};
}

static void stop_scope(const struct model_life *life, struct model_life *child)
{
	if (life->strategy->scope == WARD_ONE_FOR_ONE) {
		model_stop_child(child);
		return;
	}
	for (size_t i = 0; i < life->children.count; i++)
		model_stop_child(life->children.items[i]);
}

/* What was put off is answered with whatever answers something later. */
uint32_t model_take_pending(struct model_life *child)
{
	uint32_t times = child->pending;

	child->pending = 0;
	return times;
}

static void order_restart(struct model_life *child, uint32_t times)
{
	model_order(child, &(struct model_orders){.restart = true, .restarts = times});
}

static void restart_scope(struct model *model, const struct model_life *life,
			  struct model_life *child, uint32_t times)
{
	if (life->strategy->scope == WARD_ONE_FOR_ONE) {
		order_restart(child, times);
		return;
	}
	model->seen[SEEN_GROUP]++;
	for (size_t i = 0; i < life->children.count; i++) {
		struct model_life *sibling = life->children.items[i];

		if (sibling != child) { /* the failing one has suspended itself (S24) */
			model_order(sibling, &(struct model_orders){.suspends = 1});
			order_restart(sibling, 1 + model_take_pending(sibling));
		} else {
			order_restart(child, times);
		}
	}
}

/* answered: the incarnation that failed is ordered to restart already, or has been (S26). */
static void carry_out(struct model *model, struct model_life *life, struct model_life *child,
		      ward_directive directive, const ward_failure_class *cause, uint32_t times,
		      bool answered)
{
	bool denied = directive == WARD_RESTART && !answered && !permitted(model, life, child);

	if (directive != WARD_ESCALATE) /* published where it is decided (S27, S30) */
		expect_event(model, life, child, directive, denied);
	model->seen[SEEN_DENIED] += denied;
	switch (directive) {
	case WARD_RESUME: /* of the failing child alone, also under all for one (S22) */
		model_order(child, &(struct model_orders){.resumes = times, .answers = true});
		break;
	case WARD_RESTART:
		if (answered)
			model_order(child, &(struct model_orders){.resumes = times});
		else if (denied)
			stop_scope(life, child);
		else
			restart_scope(model, life, child, times);
		break;
	case WARD_STOP:
		stop_scope(life, child);
		break;
	default:
		model->seen[SEEN_ESCALATED]++;
		model->seen[SEEN_HIGHER] += child->perpetrator != NULL;
		/* What it is left stands for the suspension by its parent. */
		model_order(child, &(struct model_orders){.resumes = times - 1});
		if (life->calls_count == 0) {
			model_fail(model, life, cause, child);
		} else { /* the receive that decides so is finished first */
			life->escalated = child;
			life->escalated_cause = cause;
		}
		break;
	}
}

/* True: the next decision, if any, may be made. */
static void decided(struct model *model, struct model_life *life, ward_directive directive,
		    const ward_failure_class *cause)
{
	struct model_life *child = life->deciding;
	bool answered = --life->decisions_left > 0 || !life->last_unanswered;

	model->seen[SEEN_ANSWERED] += answered && directive == WARD_RESTART;
	if (directive == WARD_LATER) {
		expect_event(model, life, child, directive, false);
		child->pending_answered =
			answered && (child->pending == 0 || child->pending_answered);
		child->pending++;
		child->pending_cause = cause;
	} else {
		carry_out(model, life, child, directive, cause, 1 + model_take_pending(child),
			  answered);
	}
	model_decide(model, life);
}

void model_decide(struct model *model, struct model_life *life)
{
	const ward_strategy *strategy = life->strategy;
	struct model_life *child = life->deciding;

	if (life->decisions_left > 0 && life->suspended > 0) {
		/* It has failed over the one before: the rest waits (S7). */
		if (child->reports == 0) {
			model_send_note(life, NOTE_FAILED, child);
			child->unanswered = life->last_unanswered;
		}
		child->reports += life->decisions_left;
		life->decisions_left = 0;
	}
	if (life->decisions_left == 0) {
		life->deciding = NULL;
		return;
	}
	ward_directive directive = by_rules(strategy, child->cause);

	if (directive == WARD_UNDECIDED && strategy->decide != NULL) {
		life->due = WARD_POINT_DECIDE;
		return;
	}
	if (directive == WARD_UNDECIDED)
		directive = strategy->otherwise;
	if (directive == WARD_UNDECIDED)
		directive = by_default(child->cause);
	decided(model, life, directive, child->cause);
}

ward_err model_decide_later(struct model *model, ward_ref by, ward_ref child_ref,
			    ward_directive directive)
{
	struct model_life *life = model_find(model, by), *child = model_find(model, child_ref);

	if (directive == WARD_ESCALATE && life->escalated != NULL)
		return WARD_EEXIST;
	if (child == NULL || !model_lives_have(&life->children, child))
		return WARD_ENOENT;
	if (child->told_to_stop)
		return WARD_ESTOPPING;
	if (child->pending == 0)
		return WARD_ENOENT;
	model->seen[SEEN_LATER]++;
	carry_out(model, life, child, directive, child->pending_cause, model_take_pending(child),
		  child->pending_answered);
	return WARD_OK;
}

void model_decided(struct model *model, struct model_life *life,
		   const struct model_outcome *outcome)
{
	ward_directive directive = outcome->directive;

	if (outcome->failed != NULL) { /* as escalate, but the new error is the cause (S19) */
		decided(model, life, WARD_ESCALATE, outcome->failed);
		return;
	}
	if (directive == WARD_UNDECIDED)
		directive = life->strategy->otherwise;
	if (directive == WARD_UNDECIDED)
		directive = WARD_ESCALATE;
	decided(model, life, directive, life->deciding->cause);
}
