/* SPDX-License-Identifier: MIT
 *
 * connector.c - an actor that connects again and again, with a child for each connection.
 *
 *	            a connection: a child is made
 *	  opening ---------------------------------> child
 *	     ^                                         |
 *	     +-----------------------------------------+
 *	            the child has ended: a pause
 *
 * With a stash, a child is first asked whether it has started: one that fails in its start would
 * lose the messages in its mailbox.
 */
#include "net/connector/connector.h"

#include <errno.h>
#include <stdio.h>
#include <ward/extend.h>

#include "net/connector/connector_args.h"
#include "net/stream/child.h"
#include "net/stream/life.h"
#include "net/stream/opened.h"

enum { STARTED = 1 }; /* the tag of the question */
enum { CALM = 1 };    /* the key of the timer */

const ward_type wardi_type_connector_calm = {
	.name = "ward.connector_calm",
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET | WARD_TYPE_NOT_INFLUENCING,
};

/* ---- no connection ----------------------------------------------------------------------- */

static ward_result not_connected(const struct wardi_connector *me, ward_self *self)
{
	const struct wardi_opening *opening = me->opening;
	struct ward_net_error body = {.error = opening->refusal.error};
	char why[WARDI_OPENING_WHY];

	snprintf(body.call, sizeof body.call, "%s", opening->refusal.call);
	snprintf(body.address, sizeof body.address, "%s", opening->text);
	return ward_failed_body(self, &ward_not_connected, WARD_COPY(ward_net_error, &body),
				"%s: %s: %s", body.address, body.call,
				wardi_opening_why(opening, why));
}

static void show_pause(const struct wardi_connector *me, ward_self *self)
{
	ward_status_countdown(self, me->opening->pause_ms, "connects to %s in {} (try %u)",
			      me->opening->text, me->opening->tries + 1);
}

/* A try has failed, and another one follows. */
static void tries_again(struct wardi_connector *me, ward_self *self)
{
	const struct wardi_opening *opening = me->opening;

	if (!me->noted)
		ward_note(self, WARD_LEVEL_WARNING, "%s: %s: %s; tries again", opening->text,
			  opening->refusal.call, opening->refusal.text);
	me->noted = true;
	show_pause(me, self);
}

/* ---- a connection ------------------------------------------------------------------------ */

/* If it is resumed, it goes on after a pause. */
static ward_result no_child(struct wardi_connector *me, ward_self *self, ward_err err)
{
	ward_result result =
		ward_failed(self, err == WARD_ENOMEM ? &ward_out_of_memory : &ward_exception,
			    "a connector cannot start its child \"%.64s\": %s",
			    me->args->child.name, ward_err_detail());

	(void)wardi_opening_again(self, me->opening);
	return result;
}

/* Watches the child; with a stash, also asks whether it has started. */
static ward_err look_after(struct wardi_connector *me, ward_self *self, ward_ref child)
{
	ward_err err = ward_try_watch(self, child);

	me->started = me->args->stash_max == 0;
	if (err != WARD_OK || me->started)
		return err;
	err = ward_try_ask(self, child, STARTED, WARD_FOREVER, ward_identify);
	if (err != WARD_OK)
		ward_unwatch(self, child);
	return err;
}

static ward_err make_child(struct wardi_connector *me, ward_self *self, ward_ref *ret_child)
{
	ward_stream *stream = wardi_stream_make_opened(me->opening);
	ward_err err;

	if (stream == NULL)
		return ward_refused(WARD_ENOMEM, "no memory for a stream");
	err = wardi_child_spawn(self, &me->args->child, stream, me->args->stream, ret_child);
	if (err != WARD_OK) {
		wardi_stream_free(stream);
		return err;
	}
	err = look_after(me, self, *ret_child);
	if (err != WARD_OK)
		ward_stop(self, *ret_child);
	return err;
}

static ward_result connected(struct wardi_connector *me, ward_self *self)
{
	const struct ward_connector *args = me->args;
	ward_timer calm = {.key = CALM,
			   .after_ms = args->auto_reset_ms != 0 ? args->auto_reset_ms
								: me->opening->how.min_backoff_ms};
	ward_err err = make_child(me, self, &me->child);

	if (err != WARD_OK) {
		me->child = ward_nobody();
		return no_child(me, self, err);
	}
	if (me->noted)
		ward_note(self, WARD_LEVEL_INFO, "%s: is connected", me->opening->text);
	me->noted = false;
	ward_status_set(self, "is connected to %s", me->opening->text);
	/* Without memory the row of pauses goes on after this connection. */
	(void)!ward_try_timer_start(self, &calm, &wardi_type_connector_calm, NULL, 0);
	return WARD_DONE;
}

static ward_result follow(struct wardi_connector *me, ward_self *self, enum wardi_opening_step step)
{
	if (step == WARDI_STEP_OPEN)
		return connected(me, self);
	if (step == WARDI_STEP_OVER)
		return not_connected(me, self);
	if (step == WARDI_STEP_RETRY)
		tries_again(me, self);
	return WARD_DONE;
}

/* A failure of the child is an event of its own. */
static void note_end(const struct wardi_connector *me, ward_self *self,
		     const struct ward_terminated *gone)
{
	ward_note(self, WARD_LEVEL_INFO,
		  "%s: the connection has ended (%s: %s); connects again in "
		  "%lld.%03lld s",
		  me->opening->text, me->args->child.name, ward_end_text(gone->end),
		  (long long)me->opening->pause_ms / WARD_SECOND,
		  (long long)me->opening->pause_ms % WARD_SECOND);
}

static ward_result child_ended(struct wardi_connector *me, ward_self *self,
			       const struct ward_terminated *gone)
{
	me->child = ward_nobody();
	ward_ask_cancel(self, STARTED);
	ward_timer_cancel(self, CALM);
	if (wardi_opening_again(self, me->opening) == WARDI_STEP_OVER)
		return not_connected(me, self);
	note_end(me, self, gone);
	show_pause(me, self);
	return WARD_DONE;
}

/* ---- messages ---------------------------------------------------------------------------- */

/* Stashed messages go before all newer ones. The end of a child is told by its ward_terminated. */
static ward_result on_answer(struct wardi_connector *me, ward_self *self, const ward_msg *msg)
{
	const struct ward_identity *identity = ward_match(msg, ward_identity);
	const struct ward_ask_failed *lost = ward_match(msg, ward_ask_failed);

	if (identity != NULL ? !identity->found : lost == NULL || lost->why != WARD_ENOMEM)
		return WARD_DONE;
	me->started = true;
	(void)ward_unstash_all(self);
	return WARD_DONE;
}

static ward_result hand_on(const struct wardi_connector *me, ward_self *self, const ward_msg *msg)
{
	if (ward_ref_is_nobody(me->child) || !me->started) {
		if (ward_stash_count(self) >= me->args->stash_max ||
		    ward_try_stash(self) != WARD_OK)
			ward_dead_letter(self, ward_self_ref(self), WARD_REASON_DOWN);
		return WARD_DONE;
	}
	if (ward_ref_equal(ward_asker(self, ward_msg_sender(msg)), me->child))
		ward_forward(self, ward_parent(self));
	else
		ward_forward(self, me->child);
	return WARD_DONE;
}

/* Messages for the connector itself. False: it is not one. */
static bool control(struct wardi_connector *me, ward_self *self, const ward_msg *msg,
		    ward_result *ret_result)
{
	*ret_result = WARD_DONE;
	if (ward_match(msg, ward_backoff_start))
		*ret_result = follow(me, self, wardi_opening_hurry(self, me->opening));
	else if (ward_match(msg, ward_get_current_child))
		ward_answer(self, msg, ward_get_current_child, .child = me->child);
	else if (ward_match(msg, ward_get_restart_count))
		ward_answer(self, msg, ward_get_restart_count, .count = me->opening->pauses);
	else if (ward_msg_body(msg, &wardi_type_connector_calm) != NULL)
		wardi_opening_lasts(me->opening);
	else
		return false;
	return true;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct wardi_connector *me = state;
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	enum wardi_opening_step step = wardi_opening_take(self, me->opening, msg);
	ward_result result;

	if (step != WARDI_STEP_OTHER)
		return follow(me, self, step);
	if (gone != NULL)
		return ward_ref_equal(gone->who, me->child) ? child_ended(me, self, gone)
							    : WARD_UNHANDLED;
	if (ward_ask_tag(self) == STARTED)
		return on_answer(me, self, msg);
	if (control(me, self, msg, &result))
		return result;
	return hand_on(me, self, msg);
}

/* ---- the behaviour ----------------------------------------------------------------------- */

static void release(void *arg) WARD_NOEXCEPT
{
	wardi_opening_free(arg);
}

static ward_result init(ward_self *self, void *state, const void *args)
{
	struct wardi_connector *me = state;
	struct wardi_opening_how how;
	ward_err err;

	me->args = args;
	how = wardi_connector_how(me->args);
	err = wardi_opening_begin(self, me->args->address, &how, &me->opening);
	if (err != WARD_OK)
		return ward_failed_err(self, err);
	err = ward_try_defer(self, release, me->opening, NULL);
	if (err != WARD_OK) {
		release(me->opening);
		return ward_failed_err(self, err);
	}
	ward_status_set(self, "connects to %s", me->opening->text);
	return WARD_DONE;
}

/* A child that failed is stopped, and the connection with it. */
static const ward_strategy strategy = {.otherwise = WARD_STOP};

const ward_behavior ward_connect = {
	.name = "connector",
	.state_size = sizeof(struct wardi_connector),
	.args = &ward_type_ward_connector,
	.child_strategy = &strategy,
	.init = init,
	.receive = receive,
};
