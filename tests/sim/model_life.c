/* SPDX-License-Identifier: MIT
 *
 * model_life.c - the model of one life: start, failure, restart, stop, as the contract tells them.
 *
 * Each function carries out what can be carried out without the program. Where a hook must run next
 * it writes that to `due` and returns; model_hook_over() goes on from there.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/model_inside.h"

/* ---- system messages --------------------------------------------------------------------- */

static void push(struct model_notes *notes, struct model_note note)
{
	if (notes->count == notes->room) {
		notes->room = notes->room != 0 ? notes->room * 2 : 8;
		notes->items = realloc(notes->items, notes->room * sizeof note);
		if (notes->items == NULL)
			abort();
	}
	notes->items[notes->count++] = note;
}

static struct model_note shift(struct model_notes *notes)
{
	struct model_note first = notes->items[0];

	memmove(notes->items, notes->items + 1, --notes->count * sizeof first);
	return first;
}

/* What was deferred comes ahead of the rest (S6). */
static void replay(struct model_life *life)
{
	struct model_notes rest = life->notes;

	life->notes = life->deferred;
	for (size_t i = 0; i < rest.count; i++)
		push(&life->notes, rest.items[i]);
	rest.count = 0;
	life->deferred = rest;
}

enum model_gate model_gate_of(const struct model_life *life)
{
	if (life->phase == PHASE_RESTARTING || life->phase == PHASE_RETRYING)
		return GATE_WAITING;
	/* Waiting to terminate counts as suspended (S5). */
	return life->suspended > 0 || life->phase == PHASE_STOPPING ? GATE_SUSPENDED : GATE_OPEN;
}

void model_send_note(struct model_life *to, enum model_kind kind, struct model_life *about)
{
	if (to != NULL && to->phase != PHASE_GONE)
		push(&to->notes, (struct model_note){kind, about});
}

static uint32_t less(uint32_t count, uint32_t times)
{
	return count > times ? count - times : 0; /* never below zero (S8) */
}

/* ---- start, and start again -------------------------------------------------------------- */

static void due(struct model_life *life, ward_point point)
{
	life->due = point;
}

static void new_instance(struct model_life *life)
{
	life->incarnation++;
	life->owes_post_stop = false;
	due(life, WARD_POINT_INIT);
}

/* The children of the failed try are gone, so their names are free (S42). */
static void complete_retry(struct model_life *life)
{
	life->suspended = less(life->suspended, life->lifts);
	life->perpetrator = NULL;
	life->phase = PHASE_STARTING;
	new_instance(life);
}

/* Children of the try that failed: nobody is left who knows of them (S38, S42). */
static void stop_made(struct model *model, struct model_life *life)
{
	for (size_t i = 0; i < life->children.count; i++) {
		struct model_life *child = life->children.items[i];

		if (child->survivor)
			continue;
		model->seen[SEEN_MADE_IN_VAIN]++;
		model_unwatch(model, life->ref, child->ref);
		model_stop_child(child);
	}
}

static void retry(struct model *model, struct model_life *life, uint32_t times)
{
	model->seen[SEEN_RETRY]++;
	life->lifts = times;
	life->phase = PHASE_RETRYING;
	stop_made(model, life);
	if (life->children.count == 0)
		complete_retry(life);
}

/* ---- failure ----------------------------------------------------------------------------- */

void model_fail(struct model *model, struct model_life *life, const ward_failure_class *cause,
		struct model_life *perpetrator)
{
	switch (life->phase) {
	case PHASE_START_FAILED:
	case PHASE_FAILED:
	case PHASE_RESTART_FAILED: /* one at a time (S13) */
	case PHASE_STOPPING:       /* never reaches the supervisor (S47) */
		return;
	default:
		break;
	}
	MODEL_NEEDS(model, life, life->parent != NULL, "-", "the one at the top failed");
	life->suspended++;
	life->perpetrator = perpetrator;
	life->cause = cause;
	for (size_t i = 0; i < life->children.count; i++) {
		struct model_life *child = life->children.items[i];

		if (child != perpetrator && !child->survivor)
			model_order(child, &(struct model_orders){.suspends = 1});
	}
	life->phase = life->phase == PHASE_STARTING     ? PHASE_START_FAILED
		      : life->phase == PHASE_RESTARTING ? PHASE_RESTART_FAILED
							: PHASE_FAILED;
	life->unanswered = !life->orders.restart;
	if (life->reports++ == 0)
		model_send_note(life->parent, NOTE_FAILED, life);
}

/* ---- restart ----------------------------------------------------------------------------- */

static void complete_restart(struct model_life *life)
{
	for (size_t i = 0; i < life->children.count; i++)
		life->children.items[i]->survivor = true;
	life->perpetrator = NULL;
	life->suspended = less(life->suspended, life->lifts);
	new_instance(life);
}

static bool waits_for_children(const struct model_life *life)
{
	for (size_t i = 0; i < life->children.count; i++)
		if (life->children.items[i]->told_to_stop)
			return true;
	return false;
}

/* pre_restart is over, or there was no instance to ask (S34, S38). */
static void await_children(struct model *model, struct model_life *life)
{
	life->phase = PHASE_RESTARTING;
	if (waits_for_children(life))
		model->seen[SEEN_WAIT]++;
	else
		complete_restart(life);
}

static void restart(struct model *model, struct model_life *life, uint32_t times)
{
	if (life->phase == PHASE_STOPPING) {
		life->suspended = less(life->suspended, times); /* balance only (S41) */
		return;
	}
	if (life->phase == PHASE_START_FAILED) {
		retry(model, life, times);
		return;
	}
	life->lifts = times;
	if (life->phase == PHASE_RESTART_FAILED) {
		stop_made(model, life); /* the broken instance never gets pre_restart (S37) */
		await_children(model, life);
	} else {
		due(life, WARD_POINT_PRE_RESTART);
	}
}

static void restarted(struct model *model, struct model_life *life)
{
	life->phase = PHASE_RUNNING;
	for (size_t i = 0; i < life->children.count; i++) {
		struct model_life *child = life->children.items[i];

		if (!child->survivor)
			continue; /* made by the new instance (S36) */
		child->survivor = false;
		model->seen[SEEN_SURVIVOR]++;
		model_order(child, &(struct model_orders){.restart = true,
							  .restarts = life->lifts +
								      model_take_pending(child)});
	}
}

/* The survivors follow: as many suspensions as were lifted go, and one comes (S37). */
static void restart_failed(struct model *model, struct model_life *life)
{
	for (size_t i = 0; i < life->children.count; i++) {
		struct model_life *child = life->children.items[i];

		if (child->survivor && life->lifts == 0)
			model_order(child, &(struct model_orders){.suspends = 1});
		else if (child->survivor && life->lifts > 1)
			model_order(child, &(struct model_orders){.resumes = life->lifts - 1});
	}
	model->seen[SEEN_RESTART_FAILED]++;
	model_fail(model, life, &ward_post_restart, NULL);
}

/* ---- resume ------------------------------------------------------------------------------ */

static void resume(struct model *model, struct model_life *life, uint32_t times, bool answers)
{
	struct model_life *perpetrator = life->perpetrator;

	if (answers && life->phase == PHASE_START_FAILED) {
		retry(model, life, times);
		return;
	}
	if (answers && life->phase == PHASE_RESTART_FAILED) {
		model->seen[SEEN_NOT_RESUMED]++;
		restart(model, life, times); /* "changing Resume into Restart" (S38) */
		return;
	}
	life->suspended = less(life->suspended, times);
	if (answers && life->phase == PHASE_FAILED) {
		life->perpetrator = NULL;
		life->phase = PHASE_RUNNING;
	}
	for (size_t i = 0; i < life->children.count; i++) {
		struct model_life *child = life->children.items[i];

		model_order(child,
			    &(struct model_orders){.resumes = times,
						   .answers = answers && child == perpetrator});
	}
}

/* ---- stop -------------------------------------------------------------------------------- */

void model_stop_child(struct model_life *child)
{
	child->told_to_stop = true;
	if (!child->stop_sent)
		model_send_note(child, NOTE_STOP, NULL);
	child->stop_sent = true;
}

/* post_stop has run: the notice to the parent, the notices to the watchers (S46). */
static void gone(struct model *model, struct model_life *life)
{
	life->phase = PHASE_GONE;
	life->notes.count = life->deferred.count = 0; /* discarded (S6) */
	model->alive--;
	model_send_note(life->parent, NOTE_GONE, life);
	for (size_t i = 0; i < life->watchers.count; i++)
		model_send_note(life->watchers.items[i], NOTE_TERMINATED, life);
	life->watchers.count = 0;
}

static void finish(struct model *model, struct model_life *life)
{
	if (life->owes_post_stop)
		due(life, WARD_POINT_POST_STOP);
	else
		gone(model, life);
}

void model_begin_stop(struct model *model, struct model_life *life)
{
	if (life->phase == PHASE_STOPPING)
		return;
	while (life->watching.count > 0)
		model_unwatch(model, life->ref, life->watching.items[0]->ref);
	life->phase = PHASE_STOPPING;
	if (life->children.count == 0) {
		finish(model, life);
		return;
	}
	life->suspended++;
	for (size_t i = 0; i < life->children.count; i++)
		model_stop_child(life->children.items[i]);
}

/* ---- carrying out ------------------------------------------------------------------------ */

static void on_orders(struct model *model, struct model_life *life)
{
	struct model_orders orders = life->orders;

	life->orders = (struct model_orders){0};
	life->suspended += orders.suspends;
	for (size_t i = 0; orders.suspends > 0 && i < life->children.count; i++)
		model_order(life->children.items[i],
			    &(struct model_orders){.suspends = orders.suspends}); /* S10 */
	if (life->stop_sent || !orders.restart) { /* a stop wins; the balance is kept (S41) */
		model->seen[SEEN_STOP_WON] += orders.restart;
		resume(model, life, orders.resumes + orders.restarts,
		       orders.answers && !life->stop_sent);
		return;
	}
	/* The restart answers the failure, so these are suspensions of the parent; they wait if it
	 * waits (S5). */
	model_order(life, &(struct model_orders){.resumes = orders.resumes});
	model->seen[SEEN_ONE_FOR_TWO] += orders.restarts > 1;
	restart(model, life, orders.restarts);
}

static void on_gone(struct model *model, struct model_life *life, struct model_life *child)
{
	MODEL_NEEDS(model, life, model_lives_remove(&life->children, child), "S46",
		    "hears twice of the end of one child");
	if (life->phase == PHASE_STOPPING && life->children.count == 0)
		finish(model, life);
	else if (life->phase == PHASE_RESTARTING && !waits_for_children(life))
		complete_restart(life);
	else if (life->phase == PHASE_RETRYING && life->children.count == 0)
		complete_retry(life);
}

static void on_terminated(struct model *model, struct model_life *life, struct model_life *who)
{
	if (life->phase == PHASE_STOPPING || !model_lives_have(&life->watching, who))
		return; /* S64 */
	model_sent(model, who->ref, life->ref, MODEL_TERMINATED, 0);
}

static void carry_out(struct model *model, struct model_life *life, struct model_note note)
{
	switch (note.kind) {
	case NOTE_ORDERS:
		on_orders(model, life);
		break;
	case NOTE_STOP:
		model_begin_stop(model, life);
		break;
	case NOTE_FAILED:
		if (!model_lives_have(&life->children, note.about)) {
			model->seen[SEEN_STALE_REPORT]++; /* S15 */
			break;
		}
		model->seen[SEEN_TWO_REPORTS] += note.about->reports > 1;
		life->deciding = note.about;
		life->decisions_left = note.about->reports;
		life->last_unanswered = note.about->unanswered;
		note.about->reports = 0;
		note.about->unanswered = false;
		model_decide(model, life);
		break;
	case NOTE_GONE:
		on_gone(model, life, note.about);
		break;
	case NOTE_TERMINATED:
		on_terminated(model, life, note.about);
		break;
	}
}

void model_advance(struct model *model, struct model_life *life)
{
	/* The highest gate that lets a kind through (S5). */
	static const enum model_gate passes[] = {
		[NOTE_ORDERS] = GATE_SUSPENDED,   [NOTE_STOP] = GATE_WAITING,
		[NOTE_FAILED] = GATE_OPEN,        [NOTE_GONE] = GATE_WAITING,
		[NOTE_TERMINATED] = GATE_WAITING,
	};

	while (life->due == NOTHING_DUE && life->calls_count == 0 && life->phase != PHASE_GONE) {
		if (life->carrying_out && model_gate_of(life) < life->gate_before)
			replay(life);
		life->carrying_out = false;
		if (life->notes.count == 0)
			return;
		struct model_note note = shift(&life->notes);
		life->gate_before = model_gate_of(life);
		if (life->gate_before > passes[note.kind]) {
			push(&life->deferred, note);
			model->seen[SEEN_DEFERRED]++;
			continue;
		}
		life->carrying_out = true;
		carry_out(model, life, note);
	}
}

/* ---- hooks ------------------------------------------------------------------------------- */

static void start_failed(struct model *model, struct model_life *life)
{
	life->owes_post_stop = false; /* it never was an actor (S42) */
	model_fail(model, life, &ward_initialization, NULL);
}

static void instance_failed(struct model *model, struct model_life *life)
{
	if (life->phase == PHASE_STARTING)
		start_failed(model, life);
	else
		restart_failed(model, life);
}

void model_hook_over(struct model *model, struct model_life *life, ward_point point,
		     const struct model_outcome *outcome)
{
	bool failed = outcome->failed != NULL;

	switch (point) {
	case WARD_POINT_INIT:
		life->owes_post_stop = !failed;
		if (failed)
			instance_failed(model, life);
		else
			due(life, life->phase == PHASE_STARTING ? WARD_POINT_PRE_START
								: WARD_POINT_POST_RESTART);
		break;
	case WARD_POINT_PRE_START:
	case WARD_POINT_POST_RESTART:
		if (failed)
			instance_failed(model, life);
		else if (point == WARD_POINT_PRE_START)
			life->phase = PHASE_RUNNING;
		else
			restarted(model, life);
		break;
	case WARD_POINT_PRE_RESTART: /* an error in it is only reported (S33) */
		await_children(model, life);
		break;
	case WARD_POINT_POST_STOP:
		gone(model, life);
		break;
	case WARD_POINT_DECIDE:
		model_decided(model, life, outcome);
		break;
	default:
		model->seen[SEEN_PACT] += outcome->failed == &ward_death_pact;
		if (life->escalated != NULL) /* its own failure, if there is one, takes the place */
			model_fail(model, life, failed ? outcome->failed : life->escalated_cause,
				   life->escalated);
		else if (failed)
			model_fail(model, life, outcome->failed, NULL);
		life->escalated = NULL;
		break;
	}
}
