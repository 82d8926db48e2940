/* SPDX-License-Identifier: MIT
 *
 * guest.c - a child about which another actor decides: its failures wait for a verdict.
 *
 *	failure --> the number of the one that waits --> the stand-in fails likewise
 *	verdict --> with that number: ward_decide()
 *	            with 0: a restart that is not about a failure; one that waits is answered by it
 *	            with another: it has been answered since, and nothing happens
 *
 * A failure that a restart with 0 has answered did not reach the parent of the stand-in, which
 * decides about each. The restarted stand-in gets it again, until the verdict with its number
 * comes; a second one takes the place of the first.
 *
 * News for the stand-in is an answer to its wardi_guest_watch; if none is open, to the next one.
 *
 * Threads: in callbacks of the parent.
 */
#include <ward/ask.h>
#include <ward/extend.h>

#include "common/records.h"
#include "patterns/common/kept_body.h"
#include "patterns/remote/wire.h"

/* ---- news for the stand-in --------------------------------------------------------------- */

/* Without memory the stand-in is told to ask again; without memory for that the guest is stopped:
 * it would wait, or go on, without its parent. */
static void answer(ward_self *self, struct ward_guest *guest, ward_ref to, const ward_type *type,
		   const void *body, size_t size)
{
	ward_err err = ward_try_send(self, to, type, body, size);

	if (err == WARD_ENOMEM)
		err = ward_try_tell(self, to, wardi_guest_ask_again);
	if (err == WARD_ENOMEM)
		ward_guest_stop(self, guest);
}

static void tell_failure(ward_self *self, struct ward_guest *guest,
			 const struct ward_guest_failure_ *failure, ward_ref to, bool answered)
{
	struct wardi_guest_failed failed = {
		.number = failure->number, .has_body = failure->body != NULL, .answered = answered};

	if (failure->why != NULL)
		failed.why = *(const struct wardi_remote_why *)failure->why;
	else
		wardi_remote_why_of(&failed.why, failure->failure_class, "(no memory for it)");
	answer(self, guest, to, WARD_COPY(wardi_guest_failed, &failed));
}

/* Tells it what it waits for, if there is anything. A question is answered once. */
static void tell_news(ward_self *self, struct ward_guest *guest)
{
	ward_ref to = guest->asker_;
	bool ready = guest->ready_ && !guest->knows_ready_;

	if (ward_ref_is_nobody(to) ||
	    (!ready && guest->waits_.number == 0 && guest->answered_.number == 0))
		return;
	guest->asker_ = ward_nobody();
	if (ready)
		answer(self, guest, to, &ward_type_wardi_guest_ready, NULL, 0);
	else if (guest->answered_.number != 0)
		tell_failure(self, guest, &guest->answered_, to, true);
	else
		tell_failure(self, guest, &guest->waits_, to, false);
}

/* Frees what was kept of it. It has a number still. */
static void forget(ward_self *self, struct ward_guest_failure_ *failure)
{
	ward_discard(self, failure->why);
	ward_discard(self, failure->body);
	failure->why = failure->body = NULL;
}

static void forget_answered(ward_self *self, struct ward_guest *guest)
{
	forget(self, &guest->answered_);
	guest->answered_.number = 0;
}

/* The failure that waits is about to be answered by a restart that is not about it. */
static void keep_answered(ward_self *self, struct ward_guest *guest)
{
	forget_answered(self, guest);
	guest->answered_ = guest->waits_;
	guest->waits_.why = guest->waits_.body = NULL;
}

/* A body that cannot be copied stays here; one without memory is counted by the runtime. */
static void keep_failure(ward_self *self, struct ward_guest *guest, const ward_failure *failure)
{
	const ward_type *type = NULL;
	size_t size = 0;
	const void *body = ward_failure_any_body(failure, &type, &size);

	forget(self, &guest->waits_);
	guest->waits_.failure_class = ward_failure_class_of(failure);
	guest->waits_.why = wardi_record_make(self, sizeof(struct wardi_remote_why));
	if (guest->waits_.why != NULL)
		wardi_remote_why_of(guest->waits_.why, guest->waits_.failure_class,
				    ward_failure_text(failure));
	if (body == NULL || guest->keeps_bodies || !wardi_copyable(type))
		return;
	guest->waits_.body = wardi_copy_of(self, type, body, size);
	guest->waits_.body_type = type;
	guest->waits_.body_size = size;
}

ward_directive ward_guest_failed(ward_self *self, struct ward_guest *guest,
				 const ward_failure *failure)
{
	if (guest->stops || ward_ref_is_nobody(guest->stand_in))
		return WARD_STOP;
	guest->waits_.number = ++guest->failures_;
	keep_failure(self, guest, failure);
	tell_news(self, guest);
	return guest->stops ? WARD_STOP : WARD_LATER;
}

void ward_guest_set_ready(ward_self *self, struct ward_guest *guest)
{
	guest->ready_ = true;
	tell_news(self, guest);
}

/* A stand-in that is suspended handles no answer. Once; without memory it ends when it goes on. */
static void end_stand_in(ward_self *self, struct ward_guest *guest,
			 const struct wardi_guest_ended *ended)
{
	ward_exit_reason reason = wardi_guest_end_reason(ended);

	if (guest->suspended_ && !guest->stops)
		(void)!ward_exit(self, guest->stand_in, &reason);
	guest->suspended_ = false;
}

bool ward_guest_ended(ward_self *self, struct ward_guest *guest, ward_end end,
		      const ward_exit_reason *reason)
{
	ward_ref to = guest->asker_;
	struct wardi_guest_ended ended = {.end = end, .reason = *reason};

	end_stand_in(self, guest, &ended);
	forget(self, &guest->waits_);
	forget_answered(self, guest);
	guest->waits_.number = 0;
	if (ward_ref_is_nobody(to))
		return false;
	guest->asker_ = ward_nobody();
	ward_send(self, to, WARD_COPY(wardi_guest_ended, &ended));
	return true;
}

/* ---- suspension -------------------------------------------------------------------------- */

static void hold(ward_self *self, struct ward_guest *guest, bool on)
{
	if (on == guest->holds_ || ward_ref_is_nobody(guest->who))
		return;
	guest->holds_ = on;
	(void)!(on ? ward_suspend_child(self, guest->who) : ward_resume_child(self, guest->who));
}

/* Suspends the guest while the stand-in is. A guest that has failed, and waits, is suspended by
 * that: the stand-in, which failed likewise, adds nothing. */
static void follow(ward_self *self, struct ward_guest *guest)
{
	hold(self, guest, guest->suspended_ && guest->waits_.number == 0);
}

static void set_suspended(ward_self *self, struct ward_guest *guest, bool suspended)
{
	guest->suspended_ = suspended;
	follow(self, guest);
}

/* ---- orders ------------------------------------------------------------------------------ */

/* Decides the failure that waits. A refusal is ignored: it was decided otherwise in the meantime,
 * or ended with the child. */
static void decide(ward_self *self, struct ward_guest *guest, ward_directive directive)
{
	guest->waits_.number = 0;
	forget(self, &guest->waits_);
	(void)!ward_decide(self, guest->who, directive);
}

static void carry_out(ward_self *self, struct ward_guest *guest,
		      const struct wardi_guest_verdict *verdict)
{
	const ward_failure_class *failure_class;
	uint64_t number = verdict->number;

	if (number != 0 && number == guest->answered_.number) {
		forget_answered(self, guest);
		if (verdict->directive == WARD_RESTART)
			number = 0; /* for another failure: one for this would be none */
	}
	hold(self, guest, guest->suspended_); /* nothing is handled before that is over */
	if (guest->waits_.number != 0 && (number == 0 || number == guest->waits_.number)) {
		if (number == 0)
			keep_answered(self, guest);
		decide(self, guest, (ward_directive)verdict->directive);
	} else if (number == 0) {
		failure_class = wardi_remote_class(&verdict->why, guest->failure_classes);
		(void)!ward_restart_child(self, guest->who,
					  failure_class != NULL ? failure_class : &ward_exception,
					  verdict->why.text);
	}
	follow(self, guest);
}

void ward_guest_stop(ward_self *self, struct ward_guest *guest)
{
	guest->stops = true;
	if (guest->waits_.number != 0)
		decide(self, guest, WARD_STOP);
	else
		ward_stop(self, guest->who);
}

void ward_guest_set_child(ward_self *self, struct ward_guest *guest, ward_ref child)
{
	guest->who = child;
	follow(self, guest);
}

void ward_guest_set_stand_in(ward_self *self, struct ward_guest *guest, ward_ref stand_in)
{
	set_suspended(self, guest, false);
	forget_answered(self, guest);
	if (guest->waits_.number != 0)
		decide(self, guest, WARD_STOP);
	guest->stand_in = stand_in;
	guest->asker_ = ward_nobody();
	guest->attended_ = false;
	guest->told_ = 0;
}

/* A change may come by another way than an earlier one, and later than it. */
static void stand_in_is(ward_self *self, struct ward_guest *guest,
			const struct ward_represented *told)
{
	if (told->standing == WARD_STANDING_STOPPING) {
		ward_guest_stop(self, guest);
	} else if (told->number > guest->told_) {
		guest->told_ = told->number;
		set_suspended(self, guest, told->standing == WARD_STANDING_SUSPENDED);
	}
}

/* ---- messages ---------------------------------------------------------------------------- */

/* The first time the stand-in runs, whatever was told before. */
static void watched(ward_self *self, struct ward_guest *guest, const ward_msg *msg,
		    const struct wardi_guest_watch *question)
{
	guest->knows_ready_ = question->knows_ready;
	if (!guest->attended_)
		set_suspended(self, guest, false);
	guest->attended_ = true;
	guest->asker_ = ward_msg_sender(msg);
	tell_news(self, guest);
}

/* It stays until the verdict: a restart of the stand-in may end the question. */
static void asked_for_body(ward_self *self, struct ward_guest *guest, const ward_msg *msg,
			   const struct wardi_guest_body *question)
{
	bool answered = question->number == guest->answered_.number;
	const struct ward_guest_failure_ *failure = answered ? &guest->answered_ : &guest->waits_;
	bool kept = question->number == failure->number && failure->body != NULL;
	ward_ref to = ward_msg_sender(msg);
	ward_err err = WARD_ENOMEM;
	void *copy = NULL;

	if (kept && failure->body_type == &ward_type_ward_terminated) {
		answer(self, guest, to, &ward_type_wardi_guest_pact, failure->body,
		       sizeof(struct wardi_guest_pact));
		return;
	}
	if (kept)
		copy = wardi_copy_of(self, failure->body_type, failure->body, failure->body_size);
	if (copy != NULL)
		err = ward_try_give_body_from(self, ward_self_ref(self), to, failure->body_type,
					      copy);
	if (err == WARD_OK)
		return;
	if (err != WARD_ENOMEM) { /* a dead letter */
		ward_give_body(self, to, failure->body_type, copy);
		return;
	}
	ward_discard(self, copy);
	answer(self, guest, to, &ward_type_wardi_guest_no_body, NULL, 0);
}

/* The stand-in passes on what it gets. A signal of its parent is one of the guest's parent: it
 * cannot be trapped, and needs no memory, if it is a stop. One that the guest has sent to the
 * stand-in is from the guest itself, as a message is. */
static void exit_came(ward_self *self, struct ward_guest *guest, const struct ward_exited *signal)
{
	ward_ref from = signal->who;

	if (ward_ref_equal(from, guest->parent))
		from = ward_self_ref(self);
	else if (ward_ref_equal(from, guest->stand_in))
		from = guest->who;

	if (ward_exit_child(self, guest->who, from, &signal->reason) == WARD_ENOMEM)
		ward_guest_stop(self, guest);
}

ward_ref ward_guest_sender(const ward_msg *msg)
{
	const struct wardi_guest_watch *watch = ward_match(msg, wardi_guest_watch);
	const struct wardi_guest_body *body = ward_match(msg, wardi_guest_body);

	if (watch != NULL)
		return watch->stand_in;
	return body != NULL ? body->stand_in : ward_msg_sender(msg);
}

bool ward_guest_receive(ward_self *self, struct ward_guest *guest, const ward_msg *msg)
{
	const struct ward_represented *told;
	const struct wardi_guest_verdict *verdict;
	const struct wardi_guest_watch *watch;
	const struct wardi_guest_body *body;
	const struct ward_exited *signal;

	if (guest == NULL) /* a late order */
		return ward_match(msg, wardi_guest_verdict) || ward_match(msg, ward_represented) ||
		       ward_match(msg, wardi_guest_watch) || ward_match(msg, wardi_guest_body);
	if ((verdict = ward_match(msg, wardi_guest_verdict)))
		carry_out(self, guest, verdict);
	else if ((watch = ward_match(msg, wardi_guest_watch)))
		watched(self, guest, msg, watch);
	else if ((told = ward_match(msg, ward_represented)))
		stand_in_is(self, guest, told);
	else if ((signal = ward_match(msg, ward_exited)) &&
		 ward_ref_equal(ward_msg_sender(msg), guest->stand_in))
		exit_came(self, guest, signal);
	else if ((body = ward_match(msg, wardi_guest_body)))
		asked_for_body(self, guest, msg, body);
	else
		return false;
	return true;
}
