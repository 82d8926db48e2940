/* SPDX-License-Identifier: MIT
 *
 * backoff_supervisor.c - the actor in front of a child that it restarts after a delay.
 *
 *	            the child ended, and a start follows
 *	      UP --------------------------------------------> DOWN
 *	       ^                                                |
 *	       +------------------------------------------------+
 *	            ward_backoff_start: from the timer, or any actor
 *
 * UP: there is a child, even if it is stopping. DOWN: one timer waits for the start. Any other end
 * of the child ends the supervisor. The counts belong to the incarnation.
 *
 * With a stash, UP begins with a question that a child answers once init and pre_start have
 * succeeded. Until then messages stay in the stash: a child that fails in its start loses its
 * mailbox.
 *
 * Threads: runs as an actor.
 */
#include "patterns/backoff/backoff_supervisor.h"

#include <stdio.h>

#include <ward/ask.h>
#include <ward/event.h>
#include <ward/extend.h>
#include <ward/selection.h>
#include <ward/stash.h>
#include <ward/system.h>
#include <ward/text.h>
#include <ward/watch.h>

#include "common/backoff_delay.h"
#include "patterns/backoff/backoff_args.h"
#include "patterns/backoff/backoff_decide.h"

enum { STARTED = 1 }; /* the tag of the question */

/* ---- the count --------------------------------------------------------------------------- */

const ward_type wardi_type_backoff_reset_from = {
	.name = "ward_backoff_reset_from",
	.size = sizeof(struct wardi_backoff_reset_from),
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET,
};

ward_err wardi_backoff_reset_later(ward_self *self, enum wardi_backoff_timer timer,
				   int64_t after_ms, uint32_t count)
{
	return ward_try_timer_start(self, &(ward_timer){.key = timer, .after_ms = after_ms},
				    &wardi_type_backoff_reset_from,
				    &(struct wardi_backoff_reset_from){count},
				    sizeof(struct wardi_backoff_reset_from));
}

static ward_result no_timer(ward_self *self, const char *what)
{
	return ward_failed(self, &ward_out_of_memory, "no timer for %s: %s", what,
			   ward_err_detail());
}

/* Resets the count if the child runs for this long. */
static ward_result await_calm(const struct wardi_backoff *me, ward_self *self)
{
	const struct ward_backoff *args = me->args;
	int64_t after_ms = args->auto_reset_ms != 0 ? args->auto_reset_ms : args->min_backoff_ms;

	if (args->manual_reset)
		return WARD_DONE;
	if (wardi_backoff_reset_later(self, WARDI_BACKOFF_CALM, after_ms, me->count) != WARD_OK)
		return no_timer(self, "the reset");
	return WARD_DONE;
}

/* ---- up ---------------------------------------------------------------------------------- */

/* Only an actor that has started answers; the end of the child ends the question. The question is
 * repeated at growing intervals, since the notice of a lost answer may find no memory either. */
static ward_err ask_whether_started(struct wardi_backoff *me, ward_self *self, ward_ref child)
{
	ward_err err = ward_try_ask(self, child, STARTED, me->patience_ms, ward_identify);

	if (err != WARD_OK)
		return err;
	ward_timer_cancel(self, WARDI_BACKOFF_ASK);
	if (me->patience_ms < WARD_FOREVER / 2)
		me->patience_ms *= 2;
	return WARD_OK;
}

/* Watches the child. With a stash, also asks whether it has started. */
static ward_err look_after(struct wardi_backoff *me, ward_self *self, ward_ref child)
{
	ward_err err = ward_try_watch(self, child);

	if (err != WARD_OK || me->args->stash_max == 0)
		return err;
	me->patience_ms = WARD_MINUTE;
	err = ask_whether_started(me, self, child);
	if (err != WARD_OK)
		ward_unwatch(self, child);
	return err;
}

static ward_err make_child(struct wardi_backoff *me, ward_self *self)
{
	ward_ref child;
	ward_err err = ward_try_spawn(self, &me->args->child, &child);

	if (err != WARD_OK)
		return err;
	err = look_after(me, self, child);
	if (err != WARD_OK) {
		ward_stop(self, child);
		return err;
	}
	me->child = child;
	me->started = me->args->stash_max == 0;
	return WARD_OK;
}

static ward_result start_child(struct wardi_backoff *me, ward_self *self)
{
	ward_err err = make_child(me, self);

	if (err != WARD_OK)
		return ward_failed(self, err == WARD_ENOMEM ? &ward_out_of_memory : &ward_exception,
				   "a back-off supervisor cannot start its child \"%.*s\": %s",
				   WARD_TEXT_FIT(me->args->child.name, 64), ward_err_detail());
	me->at_once = 0;
	ward_status_clear(self);
	return WARD_DONE;
}

/* Whether the child has yet to confirm its start, and no question is open. */
static bool has_to_be_asked(const struct wardi_backoff *me, const ward_self *self)
{
	return !me->started && !ward_ref_is_nobody(me->child) && !ward_ask_open(self, STARTED) &&
	       ward_system_is_alive(ward_self_system(self), me->child);
}

/* Asks by way of ward_backoff_start, which does nothing else while there is a child. */
static ward_result ask_later(const struct wardi_backoff *me, ward_self *self)
{
	const ward_timer timer = {.key = WARDI_BACKOFF_ASK, .after_ms = me->args->min_backoff_ms};

	if (ward_try_timer_start(self, &timer, WARD_BODY(ward_backoff_start)) != WARD_OK)
		return no_timer(self, "the next look at the child");
	return WARD_DONE;
}

/* The question has ended. Stashed messages go before all newer ones. The end of a child is reported
 * by its ward_terminated. */
static ward_result on_answer(struct wardi_backoff *me, ward_self *self, const ward_msg *msg)
{
	const struct ward_identity *identity = ward_match(msg, ward_identity);

	if (identity != NULL && identity->found) {
		me->started = true;
		(void)ward_unstash_all(self);
		return WARD_DONE;
	}
	/* No memory for the answer, no room for the question, or the start takes long. */
	return has_to_be_asked(me, self) ? ask_later(me, self) : WARD_DONE;
}

/* ---- down -------------------------------------------------------------------------------- */

const char *wardi_backoff_ending_of(uint32_t number)
{
	static const char *const endings[] = {"th", "st", "nd", "rd"};

	if (number / 10 % 10 == 1 || number % 10 > 3)
		return endings[0];
	return endings[number % 10];
}

/* Without memory the status is left out: the shortage is counted, and not worth a failure. */
static void show_countdown(const struct wardi_backoff *me, ward_self *self)
{
	char of[24] = "";
	uint32_t max;

	if (wardi_backoff_max(me->args, &max))
		snprintf(of, sizeof of, " of %u", max);
	ward_status_countdown(self, me->delay_ms, "new child in {} (%u%s time%s)", me->count,
			      wardi_backoff_ending_of(me->count), of);
}

/* The timer repeats until there is a child, so that a failed start is tried again if the parent
 * resumes the supervisor. */
static ward_err start_after_delay(const struct wardi_backoff *me, ward_self *self)
{
	const ward_timer timer = {.key = WARDI_BACKOFF_START,
				  .mode = WARD_TIMER_FIXED_DELAY,
				  .after_ms = me->delay_ms};

	return ward_try_timer_start(self, &timer, WARD_BODY(ward_backoff_start));
}

static int64_t delay_ms(const struct ward_backoff *args, uint32_t count, uint64_t random)
{
	return wardi_backoff_delay_ms(count, args->min_backoff_ms, args->max_backoff_ms,
				      args->random_factor, random);
}

static uint64_t next_random(struct wardi_backoff *me, ward_self *self)
{
	bool drawn = me->drawn;

	me->drawn = false;
	if (drawn)
		return me->random;
	return me->args->random != NULL ? me->args->random(self) : ward_random(self);
}

static ward_result start_later(struct wardi_backoff *me, ward_self *self)
{
	const struct ward_backoff *args = me->args;
	uint32_t count = me->count;

	if (me->count < UINT32_MAX)
		me->count++;
	/* The program's generator may fail: then the start follows with the delay set here. */
	me->delay_ms = delay_ms(args, count, 0);
	(void)!start_after_delay(me, self);
	me->delay_ms = delay_ms(args, count, next_random(me, self));
	if (start_after_delay(me, self) == WARD_OK) {
		show_countdown(me, self);
		return WARD_DONE;
	}
	(void)no_timer(self, "the next start");
	/* If resumed, it starts at once; if restarted, it has a child by then. */
	(void)!ward_try_tell(self, ward_self_ref(self), ward_backoff_start);
	return WARD_FAILED;
}

/* Makes up for what found no memory before the actor was resumed: DOWN without a timer, or UP
 * without an open question. */
static void catch_up(struct wardi_backoff *me, ward_self *self)
{
	if (has_to_be_asked(me, self))
		(void)!ask_whether_started(me, self, me->child);
	if (ward_ref_is_nobody(me->child) && !ward_timer_open(self, WARDI_BACKOFF_START))
		(void)!start_after_delay(me, self);
}

/* While there is a child there is nothing to start: a second request only came too late. */
static ward_result on_start(struct wardi_backoff *me, ward_self *self)
{
	if (!ward_ref_is_nobody(me->child))
		return WARD_DONE;
	if (await_calm(me, self) == WARD_FAILED)
		return WARD_FAILED;
	if (start_child(me, self) == WARD_FAILED) {
		ward_timer_cancel(self, WARDI_BACKOFF_CALM);
		if (ward_timer_periods(self) > 0) /* by the timer, which runs again */
			show_countdown(me, self);
		return WARD_FAILED;
	}
	ward_timer_cancel(self, WARDI_BACKOFF_START);
	return WARD_DONE;
}

static ward_result ended_on_stop(struct wardi_backoff *me, ward_self *self)
{
	if (!me->final && wardi_backoff_may_retry(me))
		return start_later(me, self);
	if (!me->final)
		wardi_backoff_give_up(me, self, "has ended");
	ward_stop_self(self);
	return WARD_DONE;
}

/* If no failure asked for a restart, the child ended by itself, or by the strategy. */
static ward_result ended_on_failure(struct wardi_backoff *me, ward_self *self)
{
	if (me->failed) {
		me->failed = false;
		return start_later(me, self);
	}
	if (me->gives_up)
		wardi_backoff_give_up(me, self, "failed");
	ward_stop_self(self);
	return WARD_DONE;
}

/* ---- messages for the child -------------------------------------------------------------- */

/* Not in reply to a message of the same type: two supervisors that are down would reply forever. */
static bool may_reply(const ward_constant *reply, const ward_msg *msg)
{
	return reply->type != NULL && !ward_ref_is_nobody(ward_msg_sender(msg)) &&
	       !ward_type_same(reply->type, ward_msg_type(msg));
}

static bool put_aside(const struct ward_backoff *args, ward_self *self)
{
	return ward_stash_count(self) < args->stash_max && ward_try_stash(self) == WARD_OK;
}

static void turn_away(const struct ward_backoff *args, ward_self *self, const ward_msg *msg)
{
	const ward_constant *reply = &args->reply_while_stopped;

	if (may_reply(reply, msg))
		ward_send(self, ward_msg_sender(msg), reply->type, reply->body, reply->size);
	else if (!ward_ref_is_nobody(args->handler_while_stopped))
		ward_forward(self, args->handler_while_stopped);
	else
		ward_dead_letter(self, ward_self_ref(self), WARD_REASON_DOWN);
}

static void hand_on(struct wardi_backoff *me, ward_self *self, const ward_msg *msg)
{
	bool down = ward_ref_is_nobody(me->child), final = me->final;

	/* Asked before the body is gone, and never again after the final message. */
	if (!final && me->args->final_stop != NULL)
		final = me->args->final_stop(msg);
	if (down && final) {
		ward_stop_self(self);
	} else if (!down && me->started) {
		me->final = final;
		ward_forward(self, me->child);
	} else if (put_aside(me->args, self)) {
		me->final = final; /* a child will get it */
	} else {
		turn_away(me->args, self, msg);
	}
}

static ward_result cannot_pass_on(ward_self *self, const ward_type *type)
{
	return ward_failed(self, &ward_out_of_memory, "no memory to pass on \"%.*s\"",
			   WARD_TEXT_FIT(type->name, 64));
}

/* Sent in the supervisor's own name, since the child changes. The child believes that it is sent:
 * so without memory the supervisor fails, as a child that checks would have. */
static ward_result tell_parent(ward_self *self, const ward_msg *msg)
{
	const ward_type *type = ward_msg_type(msg);
	ward_ref me = ward_self_ref(self), parent = ward_parent(self);
	void *body = ward_take_body(self, type);
	ward_err err;

	if (body == NULL)
		return cannot_pass_on(self, type);
	err = ward_try_give_body_from(self, me, parent, type, body);
	if (err == WARD_ENOMEM) {
		ward_discard(self, body);
		return cannot_pass_on(self, type);
	}
	if (err != WARD_OK)
		ward_give_body(self, parent, type, body); /* a dead letter, with the reason */
	return WARD_DONE;
}

/* An answer ends a question, so it keeps its sender. The runtime reports the outcome of a question
 * to the child. */
static ward_result from_child(const struct wardi_backoff *me, ward_self *self, const ward_msg *msg)
{
	if (ward_ref_equal(ward_msg_sender(msg), me->child))
		return tell_parent(self, msg);
	ward_forward(self, ward_parent(self));
	return WARD_DONE;
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result on_reset(struct wardi_backoff *me)
{
	if (!me->args->manual_reset)
		return WARD_UNHANDLED;
	me->count = 0;
	return WARD_DONE;
}

/* Handles messages for the supervisor itself. False: the message is not for it. */
static bool control(struct wardi_backoff *me, ward_self *self, const ward_msg *msg,
		    ward_result *ret_result)
{
	const struct wardi_backoff_reset_from *reset =
		ward_msg_body(msg, &wardi_type_backoff_reset_from);

	*ret_result = WARD_DONE;
	if (ward_match(msg, ward_backoff_start))
		*ret_result = on_start(me, self);
	else if (ward_match(msg, ward_backoff_reset))
		*ret_result = on_reset(me);
	else if (ward_match(msg, ward_get_current_child))
		ward_answer(self, msg, ward_get_current_child, .child = me->child);
	else if (ward_match(msg, ward_get_restart_count))
		ward_answer(self, msg, ward_get_restart_count, .count = me->count);
	else if (reset != NULL)
		me->count = reset->count == me->count ? 0 : me->count;
	else
		return false;
	return true;
}

/* Also ends the question and the timers of that child. */
static void forget_child(struct wardi_backoff *me, ward_self *self)
{
	me->child = ward_nobody();
	ward_ask_cancel(self, STARTED);
	ward_timer_cancel(self, WARDI_BACKOFF_ASK);
	ward_timer_cancel(self, WARDI_BACKOFF_CALM);
}

static ward_result receive(struct wardi_backoff *me, ward_self *self, const ward_msg *msg,
			   ward_result (*ended)(struct wardi_backoff *me, ward_self *self))
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	ward_result result;

	if (gone != NULL && !ward_ref_equal(gone->who, me->child))
		return WARD_UNHANDLED;
	if (gone != NULL) {
		forget_child(me, self);
		return ended(me, self);
	}
	if (ward_ask_tag(self) == STARTED)
		return on_answer(me, self, msg);
	catch_up(me, self);
	if (control(me, self, msg, &result))
		return result;
	if (!ward_ref_is_nobody(me->child) &&
	    ward_ref_equal(ward_asker(self, ward_msg_sender(msg)), me->child))
		return from_child(me, self, msg);
	hand_on(me, self, msg);
	return WARD_DONE;
}

static ward_result receive_on_stop(ward_self *self, void *state, const ward_msg *msg)
{
	return receive(state, self, msg, ended_on_stop);
}

static ward_result receive_on_failure(ward_self *self, void *state, const ward_msg *msg)
{
	return receive(state, self, msg, ended_on_failure);
}

/* ---- the behaviours ---------------------------------------------------------------------- */

static ward_result init(ward_self *self, void *state, const void *args)
{
	(void)self;
	((struct wardi_backoff *)state)->args = args;
	return WARD_DONE;
}

static ward_result start(ward_self *self, void *state)
{
	return start_child(state, self);
}

const ward_behavior ward_backoff_on_stop = {
	.name = "ward_backoff_on_stop",
	.state_size = sizeof(struct wardi_backoff),
	.args = &wardi_type_backoff_on_stop,
	.child_strategy = &wardi_backoff_stop_strategy,
	.own_strategy = true,
	.init = init,
	.receive = receive_on_stop,
	.pre_start = start,
};

const ward_behavior ward_backoff_on_failure = {
	.name = "ward_backoff_on_failure",
	.state_size = sizeof(struct wardi_backoff),
	.args = &wardi_type_backoff_on_failure,
	.child_strategy = &wardi_backoff_failure_strategy,
	.own_strategy = true,
	.init = init,
	.receive = receive_on_failure,
	.pre_start = start,
};
