/* SPDX-License-Identifier: MIT
 *
 * otp_supervisor.c - the supervisor of Erlang/OTP: the actor, and the meaning of each message in
 * each state.
 *
 *	            asked     ready?    to end   child ended    answer    tick     again
 *	ASLEEP      wakes     wakes     ends
 *	IDLE        answers   yes       ends     handles it                         restarts
 *	STARTING    waits     waits     later    or queues      goes on             later
 *	STOPPING    waits     waits     later    or queues                kills     later
 *	CLEARING    waits     waits              counts down              kills
 *	ENDED       stops     no        stops
 *
 * Messages that wait are stashed, and come back one by one in IDLE, so all requests are handled in
 * the order of arrival. Children that end in the meantime are queued, which takes no memory, and
 * are handled first.
 *
 * A supervisor started from a thread outside is ASLEEP until it is asked whether it is ready. So
 * the answer can say what was refused; an actor that fails in pre_start could not answer.
 *
 * Threads: runs as an actor.
 */
#include "otp/otp_supervisor.h"

#include <stdio.h>

#include <ward/stash.h>
#include <ward/text.h>
#include <ward/watch.h>

#include "common/outside_start.h"
#include "otp/admin.h"
#include "otp/intensity.h"
#include "otp/jobs.h"
#include "otp/otp_children.h"
#include "otp/otp_restart.h"
#include "otp/spec_check.h"
#include "otp/spec_copy.h"
#include "otp/start_child.h"
#include "otp/stop_child.h"

static const ward_exit_reason told_to = {.kind = WARD_EXIT_SHUTDOWN};

/* ---- children that fail ------------------------------------------------------------------ */

static ward_exit_reason reason_of(const ward_failure *failure)
{
	const ward_failure *root = ward_failure_root(failure);
	ward_exit_reason reason = {.kind = WARD_EXIT_FAILURE};

	if (ward_failure_is(root, &ward_killed))
		return (ward_exit_reason){.kind = WARD_EXIT_KILLED};
	snprintf(reason.name, sizeof reason.name, "%s", ward_failure_class_of(root)->name);
	ward_text_format(reason.text, sizeof reason.text, "%.*s", WARD_EXIT_TEXT - 1,
			 ward_failure_text(root));
	return reason;
}

/* A child that fails ends; its specification decides what follows. */
static ward_directive decide(ward_self *self, ward_ref who, const ward_failure *failure)
{
	struct wardi_otp *me = ward_state(self);
	struct wardi_otp_child *child = wardi_otp_by_ref(me, who);

	if (child == NULL)
		return WARD_STOP;
	child->noted = true;
	child->reason = reason_of(failure);
	if (me->state == WARDI_OTP_STARTING && child == me->job.start_at && !me->given_up) {
		const ward_failure *root = ward_failure_root(failure);

		me->why_reason = child->reason;
		ward_text_format(me->why, sizeof me->why, "%s: %.*s",
				 ward_failure_class_of(root)->name,
				 WARD_TEXT_FIT(ward_failure_text(root), 180));
	}
	return WARD_STOP;
}

/* A child that ends is restarted or reported, so the event of its failure is only a warning. */
static const ward_strategy child_strategy = {.decide = decide, .stop_level = WARD_LEVEL_WARNING};

/* ---- handlers ---------------------------------------------------------------------------- */

enum event { ASKED, READY, ORDER, GONE, ANSWER, TICK, AGAIN, EVENTS };

struct happening {
	enum event event;
	const ward_msg *msg;
	struct wardi_otp_child *child;  /* GONE */
	const ward_exit_reason *reason; /* ORDER */
};

/* Does not repeat the answer when a question that was already answered comes back from the
 * stash. */
static void answer_ready(ward_self *self, struct wardi_otp *me, const struct happening *what,
			 ward_err err, const char *text)
{
	if (me->knows && ward_ref_equal(ward_msg_sender(what->msg), me->asker))
		me->knows = false;
	else
		wardi_otp_say_ready(self, ward_msg_sender(what->msg), err, text);
}

static ward_result is_ready(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	answer_ready(self, me, what, WARD_OK, "");
	return WARD_DONE;
}

/* Stashes the message. False: it could not, and has answered that. */
static bool put_aside(ward_self *self, const struct happening *what)
{
	ward_err err = ward_try_stash(self);

	if (err == WARD_OK)
		return true;
	if (what->event == READY)
		wardi_otp_say_ready(self, ward_msg_sender(what->msg), err, ward_err_detail());
	else
		wardi_otp_turned_away(self, what->msg);
	return false;
}

static ward_result waits(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	if (put_aside(self, what) && what->event == READY && ward_ref_is_nobody(me->asker))
		me->asker = ward_msg_sender(what->msg);
	return WARD_DONE;
}

static ward_result wakes(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	if (!put_aside(self, what))
		return WARD_DONE;
	if (what->event == READY)
		me->asker = ward_msg_sender(what->msg);
	return wardi_otp_boot(self, me);
}

static ward_result asked(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	return wardi_otp_asked(self, me, what->msg);
}

static ward_result ends(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	return wardi_otp_end(self, me, what->reason);
}

static ward_result looks_after(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	wardi_otp_queue(&me->ended, what->child);
	return wardi_otp_go_on(self, me);
}

static ward_result began_or_not(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	if (what->child == me->job.start_at)
		return wardi_otp_child_began(self, me, wardi_otp_stillborn(self, me, what->child));
	wardi_otp_queue(&me->ended, what->child);
	return WARD_DONE;
}

static ward_result stopped(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	if (what->child == me->job.stop_at)
		return wardi_otp_child_stopped(self, me);
	wardi_otp_queue(&me->ended, what->child);
	return WARD_DONE;
}

static ward_result cleared(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	return wardi_otp_child_cleared(self, me, what->child);
}

static ward_result answered(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	return wardi_otp_child_began(self, me,
				     wardi_otp_answered(self, me, me->job.start_at, what->msg));
}

static ward_result kills(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	(void)what;
	wardi_otp_kill_one(self, me->job.stop_at);
	return WARD_DONE;
}

static ward_result kills_all(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	(void)what;
	wardi_otp_kill_all(self, me);
	return WARD_DONE;
}

/* The start failed and the parent resumed this actor: it cannot go on. */
static ward_result stops(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	(void)me, (void)what;
	ward_stop_self(self);
	return WARD_UNHANDLED;
}

/* The thread that started it will stop it, and may not be the first asker. */
static ward_result is_not_ready(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	if (!me->from_outside)
		return stops(self, me, what);
	answer_ready(self, me, what, WARD_EFAILED, me->why);
	return WARD_DONE;
}

static ward_result again(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	return wardi_otp_retry(me, what->msg) ? wardi_otp_go_on(self, me) : WARD_DONE;
}

/* Puts the retry behind earlier requests. Without memory for that it comes next. */
static ward_result again_later(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	if (ward_try_stash(self) != WARD_OK)
		(void)wardi_otp_retry(me, what->msg);
	return WARD_DONE;
}

typedef ward_result (*handler)(ward_self *self, struct wardi_otp *me, const struct happening *what);

/* NULL: the event is ignored in that state. */
static const handler handlers[WARDI_OTP_STATES][EVENTS] = {
	[WARDI_OTP_ASLEEP] = {[ASKED] = wakes, [READY] = wakes, [ORDER] = ends},
	[WARDI_OTP_IDLE] = {[ASKED] = asked,
			    [READY] = is_ready,
			    [ORDER] = ends,
			    [GONE] = looks_after,
			    [AGAIN] = again},
	[WARDI_OTP_STARTING] = {[ASKED] = waits,
				[READY] = waits,
				[ORDER] = ends,
				[GONE] = began_or_not,
				[ANSWER] = answered,
				[AGAIN] = again_later},
	[WARDI_OTP_STOPPING] = {[ASKED] = waits,
				[READY] = waits,
				[ORDER] = ends,
				[GONE] = stopped,
				[TICK] = kills,
				[AGAIN] = again_later},
	[WARDI_OTP_CLEARING] =
		{[ASKED] = waits, [READY] = waits, [GONE] = cleared, [TICK] = kills_all},
	[WARDI_OTP_ENDED] = {[ASKED] = stops, [READY] = is_not_ready, [ORDER] = stops},
};

/* ---- messages ---------------------------------------------------------------------------- */

/* The link reports the reason. */
static void note_reason(struct wardi_otp_child *child, const ward_exit_reason *reason)
{
	if (!child->noted || reason->kind != WARD_EXIT_FAILURE)
		child->reason = *reason;
}

/* The child has unlinked itself: infers the reason from the last signal sent to it. */
static void guess_reason(struct wardi_otp_child *child)
{
	if (child->noted)
		return;
	child->reason = (ward_exit_reason){.kind = WARD_EXIT_NOPROC};
	if (child->told == WARD_EXIT_KILL)
		child->reason.kind = WARD_EXIT_KILLED;
	else if (child->told == WARD_EXIT_SHUTDOWN)
		child->reason.kind = WARD_EXIT_SHUTDOWN;
}

static bool is_gone(ward_self *self, struct happening *what, struct wardi_otp_child *child)
{
	if (child == NULL || child->gone ||
	    ward_system_is_alive(ward_self_system(self), child->who))
		return false;
	child->gone = true;
	what->event = GONE;
	what->child = child;
	return true;
}

/* Handles an exit signal. From the parent: an order. From a child that has ended: GONE. False:
 * ignored, as it comes from a living child or from another actor. */
static bool exited(ward_self *self, struct wardi_otp *me, const struct ward_exited *signal,
		   struct happening *what)
{
	struct wardi_otp_child *child = wardi_otp_by_ref(me, signal->who);

	if (ward_ref_equal(signal->who, ward_parent(self))) {
		what->event = ORDER;
		what->reason = &signal->reason;
		return true;
	}
	if (!is_gone(self, what, child))
		return false;
	note_reason(child, &signal->reason);
	ward_unwatch(self, child->who);
	return true;
}

static bool terminated(ward_self *self, struct wardi_otp *me, ward_ref who, struct happening *what)
{
	struct wardi_otp_child *child = wardi_otp_by_ref(me, who);

	if (!is_gone(self, what, child))
		return false;
	guess_reason(child);
	return true;
}

/* Classifies a message other than ward_exited and ward_terminated. EVENTS: not one for the
 * supervisor. */
static enum event event_of(ward_self *self, const ward_msg *msg)
{
	if (ward_ask_tag(self) != 0)
		return ANSWER;
	if (wardi_otp_is_tick(msg))
		return TICK;
	if (wardi_otp_is_again(msg))
		return AGAIN;
	if (ward_match(msg, ward_otp_ready))
		return READY;
	if (ward_match(msg, ward_otp_shut_down) || ward_match(msg, ward_shutdown_task))
		return ORDER;
	return wardi_otp_is_question(msg) ? ASKED : EVENTS;
}

static ward_result happens(ward_self *self, struct wardi_otp *me, const struct happening *what)
{
	handler handle = handlers[me->state][what->event];
	ward_result result;

	if (handle == NULL)
		return me->state == WARDI_OTP_ENDED ? WARD_UNHANDLED : WARD_DONE;
	result = handle(self, me, what);
	if (me->state == WARDI_OTP_IDLE)
		(void)ward_unstash(self);
	return result;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct wardi_otp *me = state;
	struct happening what = {.msg = msg, .reason = &told_to};
	const struct ward_exited *signal = ward_match(msg, ward_exited);
	const struct ward_terminated *notice = ward_match(msg, ward_terminated);

	if (signal != NULL)
		return exited(self, me, signal, &what) ? happens(self, me, &what) : WARD_DONE;
	if (notice != NULL)
		return terminated(self, me, notice->who, &what) ? happens(self, me, &what)
								: WARD_DONE;
	what.event = event_of(self, msg);
	return what.event == EVENTS ? WARD_UNHANDLED : happens(self, me, &what);
}

/* ---- the behaviours ---------------------------------------------------------------------- */

static ward_result no_memory(ward_self *self)
{
	return ward_failed(self, &ward_out_of_memory, "%s", ward_err_detail());
}

/* With SIMPLE_ONE_FOR_ONE there are no children at first, only the specification. */
static ward_result init(ward_self *self, void *state, const void *args)
{
	struct wardi_otp *me = state;
	const ward_otp_child_spec *at;

	me->table = args;
	me->state = WARDI_OTP_IDLE;
	wardi_otp_lists_init(me);
	(void)ward_trap_exit(self, true);
	if (!wardi_otp_intensity_init(self, me))
		return no_memory(self);
	if (wardi_otp_is_simple(me) || me->table->children == NULL)
		return WARD_DONE;
	for (at = me->table->children; !wardi_otp_is_end(at); at++)
		if (wardi_otp_child_make(self, me, at) == NULL)
			return no_memory(self);
	return WARD_DONE;
}

static ward_result start(ward_self *self, void *state)
{
	return wardi_otp_boot(self, state);
}

/* Joins the ordered shutdown, to stop while all else still works. A system may lack that phase. */
static ward_err join_shutdown(ward_self *self)
{
	ward_err err =
		ward_try_shutdown_join(self, "actor-system-terminate", "ward_otp_supervisor");

	return err == WARD_ENOMEM ? err : WARD_OK;
}

/* Only the first incarnation waits for a question. */
static ward_result start_when_asked(ward_self *self, void *state)
{
	struct wardi_otp *me = state;

	if (join_shutdown(self) != WARD_OK)
		return no_memory(self);
	if (ward_incarnation(self) > 1)
		return wardi_otp_boot(self, me);
	me->state = WARDI_OTP_ASLEEP;
	me->from_outside = true;
	return WARD_DONE;
}

#define SUPERVISOR                                                                                 \
	.name = "ward_otp_supervisor", .state_size = sizeof(struct wardi_otp),                     \
	.args = &wardi_type_otp_table, .child_strategy = &child_strategy, .own_strategy = true,    \
	.init = init, .receive = receive

const ward_behavior ward_otp_behavior = {SUPERVISOR, .pre_start = start};
static const ward_behavior when_asked = {SUPERVISOR, .pre_start = start_when_asked};

/* ---- from outside ------------------------------------------------------------------------ */

ward_err ward_otp_start(ward_system *system, const ward_otp_supervisor *table, int64_t timeout_ms,
			ward_ref *ret_supervisor)
{
	struct ward_otp_started started;
	const struct wardi_outside_start start = {
		.props = WARD_PROPS(&when_asked, .name = table == NULL ? NULL : table->name,
				    .args = {WARD_COPY(ward_otp_supervisor, table)}),
		.ready = &ward_type_ward_otp_ready,
		.started = &ward_type_ward_otp_started,
		.answer = &started,
		.err = &started.err,
		.text = started.text,
		.late = "not all children have started in time",
	};
	ward_ref supervisor;
	ward_err err = ward_otp_check(table);

	if (err == WARD_OK)
		err = wardi_outside_start(system, &start, timeout_ms, &supervisor);
	if (err == WARD_OK)
		*ret_supervisor = supervisor;
	return err;
}

ward_err ward_otp_stop(ward_system *system, ward_ref supervisor, int64_t timeout_ms)
{
	ward_err err = ward_system_wait_for(system, supervisor, 0);

	if (err != WARD_ETIMEDOUT) /* already gone, or the call was refused */
		return err;
	err = ward_system_try_tell(system, supervisor, ward_otp_shut_down);
	return err == WARD_OK || err == WARD_EDEAD
		       ? ward_system_wait_for(system, supervisor, timeout_ms)
		       : err;
}

/* ---- start_child, which copies the specification ----------------------------------------- */

static ward_err copy_of(const ward_otp_child_spec *spec, struct ward_otp_start_child *ret_copy)
{
	ward_err err = WARD_OK;

	if (spec == NULL)
		return ward_refused(WARD_EINVAL, "no child specification");
	if (spec->supervisor != NULL) /* the tables may form a circle */
		err = wardi_otp_check_nested(spec->supervisor, spec->id);
	return err == WARD_OK ? wardi_otp_spec_clone(&ret_copy->spec, spec) : err;
}

ward_err ward_try_otp_start_child_ask(ward_self *self, const ward_question *question,
				      const ward_otp_child_spec *spec)
{
	struct ward_otp_start_child copy;
	ward_err err = copy_of(spec, &copy);

	if (err != WARD_OK)
		return err;
	return ward_try_ask_send(self, question, WARD_COPY(ward_otp_start_child, &copy));
}

ward_err ward_otp_start_child_wait(ward_system *system, ward_ref supervisor, int64_t timeout_ms,
				   const ward_otp_child_spec *spec, struct ward_otp_done *ret_done)
{
	struct ward_otp_start_child copy;
	ward_err err = copy_of(spec, &copy);

	if (err != WARD_OK)
		return err;
	return ward_system_ask_send(system, supervisor, timeout_ms, &ward_type_ward_otp_done,
				    ret_done, WARD_COPY(ward_otp_start_child, &copy));
}
