/* SPDX-License-Identifier: MIT
 *
 * decision.c - a parent decides about a child that failed.
 *
 *	a report comes -> ask the strategy -> charge the limit -> publish -> order      (S18-S27)
 *	                         |                    ^
 *	                         | later              | ward_decide()
 *	                         v                    |
 *	                  publish, keep the failure with the child
 *
 * Two things wait for ward_decide(): the number of suspensions that the answer lifts, and the
 * failure. Any other way of releasing the child clears both: a stop discards them; a restart also
 * lifts these suspensions.
 *
 * Threads: runs only on the worker that holds the parent.
 */
#include "supervise/decision.h"

#include <stdarg.h>

#include <ward/extend.h>

#include "base/error.h"
#include "base/text.h"
#include "cell/command.h"
#include "cell/path.h"
#include "cell/supervision_table.h"
#include "send/backpressure.h"
#include "send/deliver.h"
#include "send/event.h"
#include "supervise/budget.h"
#include "supervise/fail.h"
#include "supervise/limit.h"
#include "supervise/strategy.h"

struct decision {
	const ward_strategy *strategy;
	struct wardi_cell *child;
	uint32_t times; /* suspensions of the child that this answers */
	bool answered;  /* a restart of the incarnation that failed has been ordered already */
	ward_directive directive;
	bool allowed;              /* by the limit; restart only */
	struct wardi_cell *denied; /* if not: whose restarts are used up */
};

/* ---- the limit --------------------------------------------------------------------------- */

static struct wardi_budget *budget_of(struct ward_self *self, const ward_strategy *strategy,
				      const struct wardi_cell *child)
{
	const struct wardi_entry *entry = wardi_cell_entry(child);

	if (strategy->limit == WARD_LIMIT_INTENSITY)
		return self->cell->rare->children->budget;
	return entry == NULL ? NULL : entry->budget;
}

/* Charges a restart of this child; returns whether the limit allows it. */
static bool charge(struct ward_self *self, struct decision *d, struct wardi_cell *child)
{
	struct wardi_budget *budget;

	if (!wardi_strategy_has_limit(d->strategy))
		return true; /* without a look at the clock */
	budget = budget_of(self, d->strategy, child);
	if (wardi_budget_charge(budget, d->strategy,
				budget == NULL ? 0 : wardi_clock_now(&self->system->clock)))
		return true;
	d->denied = child;
	return false;
}

/* All for one: in order, up to the first one that is denied (S24). An intensity is charged once
 * for all of them, as it is for one (S74). */
static bool charge_scope(struct ward_self *self, struct decision *d)
{
	if (d->strategy->scope == WARD_ONE_FOR_ONE || d->strategy->limit == WARD_LIMIT_INTENSITY)
		return charge(self, d, d->child);
	wardi_for_each_child (child, self->cell)
		if (!charge(self, d, child))
			return false;
	return true;
}

static void fill_restarts(struct ward_self *self, const struct decision *d, ward_event *event)
{
	event->restarts = wardi_budget_count(budget_of(self, d->strategy, d->child), d->strategy,
					     wardi_clock_now(&self->system->clock));
	event->restarts_left = wardi_limit_left(d->strategy, event->restarts);
}

/* ---- events ------------------------------------------------------------------------------ */

static ward_level or_else(ward_level level, ward_level otherwise)
{
	return level != WARD_LEVEL_DEFAULT ? level : otherwise;
}

/* A child that goes on as before is routine; an end, or a failure from further down, is not
 * (S30). */
static ward_level level_of(const struct ward_self *self, const struct decision *d,
			   const ward_failure *failure)
{
	const ward_strategy *strategy = d->strategy;
	bool goes_on = d->directive == WARD_RESUME || (d->directive == WARD_RESTART && d->allowed);
	bool escalated = !ward_ref_is_nobody(failure->actor) &&
			 !ward_ref_equal(failure->actor, wardi_cell_ref(d->child));

	if (self->decision_level != WARD_LEVEL_DEFAULT)
		return self->decision_level;
	if (d->directive == WARD_LATER)
		return WARD_LEVEL_WARNING;
	return goes_on && !escalated ? or_else(strategy->restart_level, WARD_LEVEL_WARNING)
				     : or_else(strategy->stop_level, WARD_LEVEL_SEVERE);
}

/* The error that made a start fail says more than the failed start (S30). */
static void fill_text(ward_event *event, const ward_failure *failure)
{
	const ward_failure *cause = failure->cause;

	if (cause != NULL && ward_failure_is(failure, &ward_initialization))
		ward_text_format(event->text, sizeof event->text, "%.*s: %s",
				 WARD_TEXT_FIT(cause->failure_class->name, 60), cause->text);
	else
		wardi_text_copy(event->text, sizeof event->text, failure->text);
}

/* A failure that a restart has answered may be older than the child is now. */
static uint32_t incarnation_of(const struct decision *d, const ward_failure *failure)
{
	if (failure->incarnation != 0 && ward_ref_equal(failure->actor, wardi_cell_ref(d->child)))
		return failure->incarnation;
	return atomic_load_explicit(&d->child->incarnation, memory_order_relaxed);
}

static void publish_wanted(struct ward_self *self, const struct decision *d,
			   struct wardi_failure cause)
{
	ward_system *system = self->system;
	struct ward_failure bare;
	const ward_failure *failure = wardi_failure_view(cause, &bare);
	ward_event event;

	wardi_event_begin(system, &event, WARD_EVENT_FAILURE, level_of(self, d, failure),
			  wardi_cell_ref(d->child));
	event.directive = d->directive;
	event.denied = d->directive == WARD_RESTART && !d->allowed;
	event.incarnation = incarnation_of(d, failure);
	fill_restarts(self, d, &event);
	wardi_text_copy(event.failure_class, sizeof event.failure_class,
			failure->failure_class->name);
	wardi_class_chain(failure->failure_class, event.failure_classes,
			  sizeof event.failure_classes);
	event.origin = failure->actor;
	wardi_path_tail(system, event.origin, event.origin_path, sizeof event.origin_path);
	fill_text(&event, failure);
	wardi_text_copy(event.follows, sizeof event.follows, self->decision_text);
	if (failure->message != NULL)
		wardi_text_copy(event.message_type, sizeof event.message_type,
				failure->message->name);
	wardi_event_publish(system, self, &event);
}

/* Published where the failure is decided, and where the decision is postponed; an escalation is
 * published further up (S27, S30). */
static void publish(struct ward_self *self, const struct decision *d, struct wardi_failure cause)
{
	if (!d->strategy->quiet && d->directive != WARD_ESCALATE &&
	    wardi_event_wanted(self->system, WARD_EVENT_FAILURE) &&
	    self->decision_level != WARD_LEVEL_NONE)
		publish_wanted(self, d, cause);
}

/* A guardian that stops its child has given up on it: ward_run() then returns another status. */
static void note_guardian(struct ward_self *self, const struct decision *d)
{
	ward_system *system = self->system;
	bool ends = d->directive == WARD_STOP || (d->directive == WARD_RESTART && !d->allowed);

	if (self->cell == system->root_cell ||
	    (self->cell == system->user_cell && (ends || d->directive == WARD_ESCALATE)))
		atomic_store_explicit(&system->gave_up, true, memory_order_relaxed);
	if (self->cell == system->root_cell)
		wardi_event_note(system, self, WARD_LEVEL_SEVERE, wardi_cell_ref(d->child),
				 "guardian failed, shutting down system");
}

/* Notifies the supervisor of what its limit did. The message was made with the child (S121). */
static void notify(struct ward_self *self, const struct decision *d, struct wardi_failure cause)
{
	struct ward_msg *notice = wardi_budget_notice(wardi_cell_entry(d->denied)->budget);
	struct ward_restarts_exceeded *body;

	if (notice == NULL)
		return; /* notified already: two failures of the same child came together */
	body = wardi_msg_bytes(notice);
	body->who = wardi_cell_ref(d->denied);
	body->restarts_max = d->strategy->restarts_max;
	body->window_ms = d->strategy->window_ms;
	wardi_text_copy(body->failure_class, sizeof body->failure_class,
			wardi_failure_class(cause)->name);
	notice->sender_uid = body->who.uid;
	wardi_msg_set_sender_place(notice, wardi_ref_place(body->who));
	wardi_deliver_own(self, notice);
}

/* ---- executing the directive ------------------------------------------------------------- */

static void restart_all(struct ward_self *self, const struct decision *d,
			struct wardi_failure cause)
{
	wardi_for_each_child (child, self->cell) {
		uint32_t times = d->times;

		if (child != d->child) {
			wardi_command_suspend(self, child, 1);
			times = 1 + wardi_cell_take_pending(child);
		}
		wardi_command_restart(self, child, cause, times);
	}
}

static void stop_scope(struct ward_self *self, const struct decision *d)
{
	if (d->strategy->scope == WARD_ALL_FOR_ONE)
		wardi_command_stop_children(self, self->cell);
	else
		wardi_command_stop_child(self, self->cell, d->child);
}

/* Leaves the child one suspension, which stands for the suspension by its parent. Takes the
 * cause. */
static void escalate(struct ward_self *self, const struct decision *d, struct wardi_failure cause)
{
	if (d->times > 1)
		wardi_command_resume(self, d->child, d->times - 1, false);
	if (!wardi_self_receives(self)) {
		wardi_fail(self, cause, d->child);
		return;
	}
	self->escalated = cause; /* the receive that called ward_decide() returns first */
	self->perpetrator = d->child;
	self->has_leftovers = true;
}

/* The limit refuses to restart one child, or, with all for one, all of them. */
static void deny(struct ward_self *self, const struct decision *d, struct wardi_failure cause)
{
	if (d->strategy->limit == WARD_LIMIT_NOTIFY)
		notify(self, d, cause);
	stop_scope(self, d);
}

/* The children fail too often: the supervisor gives up on all of them and fails itself, so that its
 * own supervisor decides (S74). Where ward_decide() led here, the callback that called it fails
 * with this failure. */
static void give_up(struct ward_self *self, const struct decision *d, struct wardi_failure cause)
{
	ward_ref ref = wardi_own_ref(self);
	char path[WARD_EVENT_PATH], limit[WARDI_LIMIT_TEXT];
	struct wardi_failure failure;

	wardi_limit_text(d->strategy, limit);
	wardi_command_stop_children(self, self->cell);
	wardi_budget_reset(self->cell->rare->children->budget);
	wardi_path_tail(self->system, ref, path, sizeof path);
	failure = wardi_failure_text(
		self->system, ref, &ward_restart_intensity, wardi_failure_ref(cause),
		"%.*s: its children needed more than %s", WARD_TEXT_FIT(path, 160), limit);
	if (!self->callback) {
		wardi_fail(self, failure, NULL);
		return;
	}
	self->has_leftovers = true;
	if (wardi_failure_is_none(self->noted))
		self->noted = failure;
	else
		wardi_failure_unref(failure); /* it fails as it is */
}

/* Takes the cause. */
static void carry_out(struct ward_self *self, const struct decision *d, struct wardi_failure cause)
{
	switch (d->directive) {
	case WARD_RESUME: /* the failing child alone, also under all for one (S22) */
		wardi_command_resume(self, d->child, d->times, true);
		break;
	case WARD_RESTART:
		if (d->answered)
			wardi_command_resume(self, d->child, d->times, false);
		else if (!d->allowed && d->strategy->limit == WARD_LIMIT_INTENSITY)
			give_up(self, d, cause);
		else if (!d->allowed)
			deny(self, d, cause);
		else if (d->strategy->scope == WARD_ALL_FOR_ONE)
			restart_all(self, d, cause);
		else
			wardi_command_restart_for(self, d->child, wardi_failure_take(&cause),
						  d->times);
		break;
	case WARD_STOP:
		stop_scope(self, d);
		break;
	case WARD_ESCALATE:
	default:
		escalate(self, d, cause);
		return;
	}
	wardi_failure_unref(cause);
}

/* Carries the directive out, unless the limit refuses. Takes the cause. */
static void settle(struct ward_self *self, struct decision *d, struct wardi_failure cause)
{
	d->allowed = d->directive != WARD_RESTART || d->answered || charge_scope(self, d);
	publish(self, d, cause);
	note_guardian(self, d);
	carry_out(self, d, cause);
}

/* The note of ward_decision_note() belongs to one event only. */
static void forget_note(struct ward_self *self)
{
	self->decision_level = WARD_LEVEL_DEFAULT;
	self->decision_text[0] = '\0';
}

void ward_decision_note(ward_self *self, ward_level level, const char *text, ...)
{
	va_list args;

	if (!wardi_self_usable(self) || text == NULL || !self->deciding)
		return;
	va_start(args, text);
	ward_text_vformat(self->decision_text, sizeof self->decision_text, text, args);
	va_end(args);
	self->decision_level = (unsigned)level > WARD_LEVEL_NONE ? WARD_LEVEL_SEVERE : level;
}

/* Takes the cause. */
static void decide(struct ward_self *self, struct wardi_cell *child, struct wardi_failure cause,
		   bool answered)
{
	struct decision d = {
		.strategy = wardi_child_strategy(self->cell), .child = child, .answered = answered};

	d.directive = wardi_strategy_decide(self, d.strategy, child, &cause);
	if (d.directive == WARD_LATER) {
		publish(self, &d, cause);
		forget_note(self);
		wardi_failure_unref(cause);
		wardi_cell_add_pending(child, answered);
		wardi_backpressure_withdraw(self, self->cell);
		return;
	}
	/* This decision also answers the failures that wait from before. */
	d.times = 1 + wardi_cell_take_pending(child);
	settle(self, &d, cause);
	forget_note(self);
}

void wardi_child_failed(struct ward_self *self, struct wardi_cell *child)
{
	struct wardi_reports reports = wardi_command_take_reports(child);
	struct wardi_failure cause = wardi_cell_last_failure(child);

	/* One decision for each reported failure, also where several came together (S18). When one
	 * of them made this actor fail, the others wait, as those of other children do (S7): an
	 * escalation that is swallowed would leave the child suspended forever. */
	while (reports.count > 0 && wardi_cell_suspended(self->cell) == 0) {
		bool answered = --reports.count > 0 || !reports.unanswered;

		decide(self, child, wardi_failure_ref(cause), answered);
	}
	if (reports.count > 0)
		wardi_command_put_reports_back(self, child, reports);
	wardi_failure_unref(cause);
}

/* ---- deciding later ---------------------------------------------------------------------- */

static ward_err check_directive(const struct ward_self *self, ward_directive directive)
{
	if (!wardi_directive_is_final(directive))
		return wardi_error(
			WARD_EINVAL,
			"ward_decide: directive %d (%s) is not a decision: resume, restart, "
			"stop or escalate",
			(int)directive, ward_directive_text(directive));
	if (directive != WARD_ESCALATE)
		return WARD_OK;
	if (!wardi_self_receives(self))
		return wardi_error(
			WARD_EINVAL,
			"ward_decide: only receive can escalate: a failure in a hook is "
			"another one, and a decide function is asked about its own child");
	if (self->perpetrator != NULL)
		return wardi_error(WARD_EEXIST,
				   "ward_decide: this receive escalates a failure already, and an "
				   "actor fails with one at a time");
	return WARD_OK;
}

static ward_err check_child(const struct ward_self *self, ward_ref ref,
			    const struct wardi_cell *child)
{
	char path[WARD_EVENT_PATH];

	wardi_path_tail(self->system, ref, path, sizeof path);
	if (child == NULL)
		return wardi_error(WARD_ENOENT,
				   "ward_decide: %s is not, or no longer, a child of this actor",
				   path);
	if (child->dying)
		return wardi_error(
			WARD_ESTOPPING,
			"ward_decide: %s was told to stop, so there is nothing to decide", path);
	if (child->pending_times == 0)
		return wardi_error(WARD_ENOENT,
				   "ward_decide: no failure of %s waits: it was not put off by "
				   "WARD_LATER, is decided, or was answered by a restart",
				   path);
	return WARD_OK;
}

ward_err ward_decide(ward_self *self, ward_ref child, ward_directive directive)
{
	struct decision d = {.directive = directive};
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	d.strategy = wardi_child_strategy(self->cell);
	d.child = wardi_self_child(self, child);
	err = check_directive(self, directive);
	if (err == WARD_OK)
		err = check_child(self, child, d.child);
	if (err != WARD_OK)
		return err;
	d.answered = d.child->pending_answered;
	d.times = wardi_cell_take_pending(d.child);
	settle(self, &d, wardi_cell_last_failure(d.child));
	return WARD_OK;
}
