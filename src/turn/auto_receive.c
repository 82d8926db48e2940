/* SPDX-License-Identifier: MIT
 *
 * auto_receive.c - user messages that the runtime looks at before receive does.
 *
 *	poison pill	stops the actor, once it is reached (S50)
 *	kill		fails it with ward_killed (S50)
 *			These two and identify go to receive if the actor stands in for another one
 *			(S188).
 *	tick		of a timer: delivered if the timer still runs (S87); and so is the message
 *			of a timer that comes without a tick
 *	notice		stands for a message of a watch, or of a question: delivered if it is open
 *	forgotten	message of a watch that is over: nothing (S63)
 *	readiness	of a descriptor: delivered if it is still watched
 *	identify	answered with the actor's ref, or with nobody if it does not arrive
 *	task		of a shutdown: delivered, and marked as delivered (S77)
 *	answer		to a question: its content is delivered if the question is open
 *	over		of a question without an answer: the same with its ward_ask_failed
 *	timeout		of receive: delivered if no message was handled since then (S88)
 *	exit		a signal that was trapped: ward_exited, unless its link is unlinked (S117)
 *	few		children, as the actor waits for: delivered if it still waits (S127)
 *	signal		of the process: delivered as ward_signal, if it is still watched (S131)
 *	detour		of an end that its guest on another node awaits: goes on to that node (S187)
 *	inside		a function of a testkit, run as the actor; if undelivered, it is over
 *	ward_terminated	and the message of a watch in its place: delivered if it is still watched;
 *			forged or forwarded it is dropped (S63)
 *
 * Threads: runs only on the holder's worker.
 */
#include "turn/auto_receive.h"

#include "actor/ask.h"
#include "actor/children_few.h"
#include "actor/failing.h"
#include "actor/fd.h"
#include "actor/receive_timeout.h"
#include "actor/represent.h"
#include "actor/signal_watch.h"
#include "actor/timer.h"
#include "base/text.h"
#include "cell/path.h"
#include "cell/reply_ref.h"
#include "cell/supervision_table.h"
#include "life/hooks.h"
#include "life/life.h"
#include "mail/auto_received.h"
#include "send/dead_letter.h"
#include "send/deliver.h"
#include "send/far.h"
#include "send/waiter.h"
#include "shutdown/task.h"
#include "watch/link.h"

static void fail(struct ward_self *self, struct wardi_failure cause)
{
	wardi_supervision.fail(self, cause, NULL);
}

/* Puts the message that a tick or a notice brings in hand, or handles it if it is for the runtime.
 * Only a notice reports an end. Takes the message. */
static bool bring(struct ward_self *self, struct ward_msg *due, bool notice, bool *ret_gone)
{
	const ward_type *type = wardi_msg_type(due);

	if ((type->flags & WARDI_TYPE_AUTO) == 0 ||
	    (notice && type == &ward_type_ward_terminated)) {
		wardi_self_hold_msg(self, due, true);
		return true;
	}
	if (wardi_auto_receive(self, due, ret_gone)) {
		self->owns_block = true;
		return true;
	}
	wardi_msg_destroy(self->from, due);
	return false;
}

/* ---- what arrives ------------------------------------------------------------------------ */

/* Releases a message that is not for receive. A body outside its block is freed here. */
static bool done_with(struct ward_self *self, struct ward_msg *msg)
{
	wardi_msg_free_body(self->from, msg);
	return false;
}

/* A message that only its own timer or watch can bring. */
static bool told_or_forged(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	if (wardi_msg_is_timed(msg)) {
		if (!wardi_timed_due(self, msg)) {
			wardi_msg_drop(self->from, msg);
			return done_with(self, msg);
		}
		wardi_self_hold_msg(self, msg, false);
		return true;
	}
	if (wardi_supervision.notice_here(self, msg)) {
		wardi_self_hold_msg(self, msg, false);
		return true;
	}
	return done_with(self, msg);
}

static bool forgotten(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)self;
	(void)msg;
	(void)ret_gone;
	return false;
}

static bool pill(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	if (wardi_represents(self->cell)) {
		wardi_self_hold_msg(self, msg, false);
		return true;
	}
	wardi_msg_free_body(self->from, msg); /* the stop may take the message with it */
	self->cell->end = WARDI_END_PILL;
	*ret_gone = !wardi_stop(self);
	return false;
}

static bool exited(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	if (!wardi_exited_due(self, msg))
		return false;
	wardi_self_hold_msg(self, msg, false);
	return true;
}

static bool killed(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	char path[WARD_EVENT_PATH];
	ward_ref sender = wardi_ref_make(msg->sender_uid, wardi_msg_sender_place(msg));

	(void)ret_gone;
	if (wardi_represents(self->cell)) {
		wardi_self_hold_msg(self, msg, false);
		return true;
	}
	wardi_msg_free_body(self->from, msg);
	if (ward_ref_is_nobody(sender))
		wardi_text_copy(path, sizeof path, "a thread outside");
	else
		wardi_path_tail(self->system, sender, path, sizeof path);
	fail(self, wardi_failure_text(self->system, wardi_own_ref(self), &ward_killed,
				      WARDI_NO_FAILURE, "killed by %s", path));
	return false;
}

static bool tick(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	struct wardi_failure cause = WARDI_NO_FAILURE;
	struct ward_msg *due = wardi_tick_due(self, wardi_msg_bytes(msg), &cause);

	if (due != NULL)
		return bring(self, due, false, ret_gone);
	if (!wardi_failure_is_none(cause))
		fail(self, cause);
	return false;
}

static bool notice(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	struct ward_msg *due = wardi_supervision.notice_due(self, msg);

	return due != NULL && bring(self, due, true, ret_gone);
}

static bool fd_ready(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	if (!wardi_fd_due(self, msg))
		return done_with(self, msg);
	wardi_self_hold_msg(self, msg, false);
	return true;
}

static bool signalled(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	if (!wardi_signal_due(self, msg))
		return done_with(self, msg);
	wardi_self_hold_msg(self, msg, false);
	return true;
}

/* No memory for an answer: ends the wait for it, which may have no timeout. */
static void identity_lost(ward_system *system, struct ward_self *self, ward_ref asker)
{
	if (wardi_is_question(system, asker))
		wardi_ask_unheard(system, self, asker, ward_nobody(), WARD_REASON_NO_MEMORY);
	else if (wardi_ref_is_waiter(system->place, asker))
		wardi_waiter_dead(system, asker, WARD_REASON_NO_MEMORY);
}

/* Answers ward_identify. `who` is nobody if the path was not found. */
static void tell_identity(struct ward_system *system, struct ward_self *self,
			  const struct ward_msg *question, ward_ref who)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	struct ward_identity identity = {
		.tag = ((const struct ward_identify *)wardi_msg_bytes(question))->tag,
		.who = who,
		.found = !ward_ref_is_nobody(who),
	};
	ward_ref asker = ward_msg_sender(question);
	struct ward_msg *msg;
	ward_reason reason;

	if (ward_ref_is_nobody(asker))
		return;
	msg = wardi_msg_make(from, &ward_type_ward_identity, &identity, sizeof identity);
	if (msg == NULL) {
		wardi_dead_body(system, self, who, asker, &ward_type_ward_identity, &identity,
				sizeof identity, WARD_REASON_NO_MEMORY);
		identity_lost(system, self, asker);
		return;
	}
	msg->sender_uid = who.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(who));
	if (wardi_deliver(system, self, asker, msg, &reason) == WARD_OK)
		return;
	wardi_dead_letter(system, self, asker, msg, reason);
	wardi_msg_free(from, msg);
	if (reason == WARD_REASON_NO_MEMORY)
		identity_lost(system, self, asker);
}

static bool identify(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	if (wardi_represents(self->cell)) {
		wardi_self_hold_msg(self, msg, false);
		return true;
	}
	tell_identity(self->system, self, msg, wardi_own_ref(self));
	return done_with(self, msg);
}

static bool task(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	wardi_task_arrived(self, msg);
	wardi_self_hold_msg(self, msg, false);
	return true;
}

/* Such a message is auto-received only so that a bounded mailbox accepts it. */
static bool exceeded(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	wardi_self_hold_msg(self, msg, false);
	return true;
}

static bool answer(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	struct ward_msg *due = wardi_answer_due(self, msg);

	return due != NULL && bring(self, due, false, ret_gone);
}

static bool ask_over(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	struct ward_msg *due = wardi_ask_over_due(self, msg);

	return due != NULL && bring(self, due, false, ret_gone);
}

static bool receive_timeout(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	if (!wardi_receive_timeout_due(self))
		return done_with(self, msg);
	wardi_self_hold_msg(self, msg, false);
	return true;
}

static bool few_children(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	if (!wardi_children_few_due(self, msg))
		return done_with(self, msg);
	wardi_self_hold_msg(self, msg, false);
	return true;
}

/* Stands as the decider of a strategy, so that inside() can run it as a hook; `what` takes the
 * place of the failure. */
static ward_directive run_inside(struct ward_self *self, ward_ref nobody,
				 const ward_failure *failure)
{
	const struct ward_inside *what = (const void *)failure;
	ward_result result = what->run(self, self->cell->memory, what->arg);

	(void)nobody;
	if ((unsigned)result > WARD_UNHANDLED)
		wardi_note_misuse(self, "what ran inside of it failed without ward_failed()");
	return WARD_UNDECIDED;
}

/* Runs the function as a hook, without a message in hand and with a save point of its own. It is
 * called as a decider about nobody, which points.c knows: a hook kind of its own would cost all
 * hooks an instruction. */
static bool inside(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	const struct ward_inside what = *(const struct ward_inside *)wardi_msg_bytes(msg);
	static const ward_strategy strategy = {.decide = run_inside};
	struct wardi_call call = {
		.kind = WARDI_HOOK_DECIDE, .strategy = &strategy, .why = (const void *)&what};
	struct wardi_failure cause;

	(void)ret_gone;
	wardi_self_show(self, wardi_msg_type(msg));
	if (!wardi_guarded(self, &call, &cause))
		fail(self, cause);
	what.over(what.arg, true);
	return done_with(self, msg);
}

static bool detour(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	struct wardi_token *token = wardi_msg_bytes(msg);

	(void)ret_gone;
	(void)wardi_far_submit(self->system, self, token->record);
	return false;
}

/* ---- what does not ----------------------------------------------------------------------- */

static void nothing_hangs_on_it(struct ward_system *system, struct ward_self *self,
				struct ward_msg *msg)
{
	(void)system;
	(void)self;
	(void)msg;
}

static void notice_dropped(struct ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	(void)system;
	wardi_supervision.notice_dropped(self, msg);
}

static void exited_dropped(struct ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	wardi_exited_dropped(system, self, msg);
}

static void identify_dropped(struct ward_system *system, struct ward_self *self,
			     struct ward_msg *msg)
{
	tell_identity(system, self, msg, ward_nobody());
}

static void inside_dropped(struct ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	const struct ward_inside *what = wardi_msg_bytes(msg);

	(void)system;
	(void)self;
	what->over(what->arg, false);
}

/* The one that waits for it ends with its stand-in. */
static void detour_dropped(ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	struct wardi_token *token = wardi_msg_bytes(msg);

	wardi_msg_hand_over(self == NULL ? wardi_outside_source(system) : self->from,
			    token->record);
}

static void answer_dropped(ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	wardi_answer_dropped(system, self, msg);
}

const struct wardi_auto_received wardi_auto_received[] = {
	[WARDI_AUTO_FORGED] = {told_or_forged, NULL},
	[WARDI_AUTO_PILL] = {pill, NULL},
	[WARDI_AUTO_KILL] = {killed, NULL},
	[WARDI_AUTO_TICK] = {tick, nothing_hangs_on_it},
	[WARDI_AUTO_NOTICE] = {notice, notice_dropped},
	[WARDI_AUTO_FD_READY] = {fd_ready, nothing_hangs_on_it},
	[WARDI_AUTO_IDENTIFY] = {identify, identify_dropped},
	[WARDI_AUTO_TASK] = {task, NULL},
	[WARDI_AUTO_ANSWER] = {answer, answer_dropped},
	[WARDI_AUTO_ASK_OVER] = {ask_over, nothing_hangs_on_it},
	[WARDI_AUTO_EXCEEDED] = {exceeded, nothing_hangs_on_it},
	[WARDI_AUTO_RECEIVE_TIMEOUT] = {receive_timeout, nothing_hangs_on_it},
	[WARDI_AUTO_FORGOTTEN] = {forgotten, nothing_hangs_on_it},
	[WARDI_AUTO_EXIT] = {exited, exited_dropped},
	[WARDI_AUTO_INSIDE] = {inside, inside_dropped},
	[WARDI_AUTO_FEW] = {few_children, nothing_hangs_on_it},
	[WARDI_AUTO_SIGNAL] = {signalled, nothing_hangs_on_it},
	[WARDI_AUTO_DETOUR] = {detour, detour_dropped},
};
_Static_assert(sizeof wardi_auto_received / sizeof wardi_auto_received[0] == WARDI_AUTO_KINDS,
	       "one row for each kind");

bool wardi_auto_receive(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	return wardi_auto_received[wardi_auto_kind(wardi_msg_type(msg))].arrived(self, msg,
										 ret_gone);
}
