/* SPDX-License-Identifier: MIT
 *
 * stand_in.c - a child that stands in for a guest which is there.
 *
 *	guest fails --> it fails likewise --> its parent decides:
 *	    restart --> pre_restart --\
 *	    resume  --> an answer      --> the verdict, to the host
 *	    stop    --> the runtime says so (ward_try_represent())
 *
 * What comes from the host are answers to questions, which pass a closed mailbox and a full one.
 *
 * An exit signal is for the guest, which may trap exits: it is passed on. While the stand-in is
 * suspended the runtime does that.
 *
 * A message that it handles after a failure that it repeated, and in the same incarnation, shows
 * that it was resumed. A question to the host makes sure that one comes: its answer is of no
 * interest.
 *
 * After a restart its mailbox is closed until the host has answered, and so has passed the restart
 * on: mail goes straight to the guest, and would overtake it.
 *
 * Threads: in callbacks of the stand-in.
 */
#include <string.h>

#include <ward/ask.h>
#include <ward/extend.h>
#include <ward/remote.h>
#include <ward/selection.h>
#include <ward/stash.h>

#include "patterns/remote/wire.h"

enum tag { TAG_NEWS = WARD_STAND_IN_OWN, TAG_BODY, TAG_RESUMED, TAG_RESTARTED };
enum { RESTARTED_TIMEOUT_MS = 5000 };

/* To itself: when it is handled, the stand-in was resumed. */
WARD_SIGNAL_FLAGS(wardi_guest_resumed, WARD_TYPE_QUIET);

/* Without memory it fails, and if it is resumed, the next message asks. */
static ward_err ask_news(ward_self *self, struct ward_stand_in *me)
{
	ward_err err = ward_try_ask(self, me->host, TAG_NEWS, WARD_FOREVER, wardi_guest_watch,
				    .stand_in = ward_self_ref(self), .knows_ready = me->is_ready);

	me->unasked_ = err == WARD_ENOMEM;
	if (me->unasked_)
		(void)!ward_try_tell(self, ward_self_ref(self), wardi_guest_resumed);
	return err;
}

/* Takes no mail until the guest was told to restart. The answer may find no memory, so there is a
 * timeout. */
static ward_err await_restart(ward_self *self, const struct ward_stand_in *me)
{
	ward_err err = ward_try_mailbox_close(self);

	return err == WARD_OK ? ward_try_ask(self, me->host, TAG_RESTARTED, RESTARTED_TIMEOUT_MS,
					     ward_identify)
			      : err;
}

ward_err ward_stand_in_attend(ward_self *self, struct ward_stand_in *me)
{
	ward_err err = ward_try_represent(self, me->host, me->until);

	me->failed_ = 0;
	me->failure_ = NULL;
	if (err == WARD_OK && me->restarted_)
		err = await_restart(self, me);
	me->restarted_ = false;
	return err == WARD_OK ? ask_news(self, me) : err;
}

static void stop_guest(ward_self *self, const struct ward_stand_in *me)
{
	ward_stop(self, ward_ref_is_nobody(me->until) ? me->guest : me->until);
}

static void give_verdict(ward_self *self, struct ward_stand_in *me, ward_directive directive,
			 const ward_failure *why)
{
	struct wardi_guest_verdict verdict = {.number = me->failed_, .directive = directive};

	if (why != NULL)
		wardi_remote_why_of(&verdict.why, ward_failure_class_of(why),
				    ward_failure_text(why));
	me->failed_ = 0;
	/* Without memory the guest is stopped: it would wait, or go on, without its parent. */
	if (ward_try_send(self, me->host, WARD_COPY(wardi_guest_verdict, &verdict)) == WARD_ENOMEM)
		stop_guest(self, me);
}

void ward_stand_in_restart(ward_self *self, struct ward_stand_in *me, const ward_failure *why)
{
	give_verdict(self, me, WARD_RESTART, why);
	me->restarted_ = true;
}

/* ---- a failure --------------------------------------------------------------------------- */

static ward_result fail_likewise(ward_self *self, struct ward_stand_in *me,
				 const struct wardi_guest_failed *failed, const ward_msg *body)
{
	const ward_failure_class *known = wardi_remote_class(&failed->why, me->failure_classes);
	const ward_type *type = body == NULL ? NULL : ward_msg_type(body);
	size_t size = body == NULL ? 0 : ward_msg_size(body);
	bool pact = body != NULL && ward_match(body, wardi_guest_pact) != NULL;
	void *kept = body == NULL ? NULL : ward_take_body(self, type);

	me->failed_ = failed->number;
	if (failed->answered)
		ward_represent_answered(self);
	/* Without either the next message shows that it was resumed. */
	if (ward_try_ask(self, me->host, TAG_RESUMED, WARD_FOREVER, ward_identify) != WARD_OK)
		(void)!ward_try_tell(self, ward_self_ref(self), wardi_guest_resumed);
	if (known == NULL)
		return ward_failed(self, &ward_remote_failure, "%s: %s", failed->why.chain,
				   failed->why.text);
	if (kept == NULL)
		return ward_failed(self, known, "%s", failed->why.text);
	(void)!ward_failed_body(self, known, pact ? &ward_type_ward_terminated : type, kept, size,
				"%s", failed->why.text);
	memset(kept, 0, size); /* the failure has what it owned */
	ward_discard(self, kept);
	return WARD_FAILED;
}

/* The one whose body it has asked for. */
static ward_result fail_with(ward_self *self, struct ward_stand_in *me, const ward_msg *body)
{
	ward_result result = fail_likewise(self, me, me->failure_, body);

	ward_discard(self, me->failure_);
	me->failure_ = NULL;
	return result;
}

/* The body comes as an answer. Without memory to wait for it, it fails without it. */
static ward_result has_failed(ward_self *self, struct ward_stand_in *me,
			      const struct wardi_guest_failed *failed)
{
	uint64_t number = failed->number;

	if (failed->has_body)
		me->failure_ = ward_take_body(self, &ward_type_wardi_guest_failed);
	if (me->failure_ == NULL)
		return fail_likewise(self, me, failed, NULL);
	if (ward_try_ask(self, me->host, TAG_BODY, WARD_FOREVER, wardi_guest_body,
			 .stand_in = ward_self_ref(self), .number = number) == WARD_OK)
		return WARD_DONE;
	return fail_with(self, me, NULL);
}

static ward_result has_body(ward_self *self, struct ward_stand_in *me, const ward_msg *msg)
{
	bool none = ward_match(msg, wardi_guest_no_body) || ward_match(msg, ward_ask_failed);

	return fail_with(self, me, none ? NULL : msg);
}

/* ---- other news -------------------------------------------------------------------------- */

static ward_result has_ended(ward_self *self, const struct wardi_guest_ended *ended)
{
	ward_exit_reason reason = wardi_guest_end_reason(ended);

	if (reason.kind == WARD_EXIT_NORMAL)
		return ward_stop_self(self);
	return ward_failed_err(self, ward_try_exit_self(self, &reason));
}

static ward_err is_ready(ward_self *self, struct ward_stand_in *me)
{
	me->is_ready = true;
	(void)ward_unstash_all(self);
	return ask_news(self, me);
}

static ward_err on_news(ward_self *self, struct ward_stand_in *me, const ward_msg *msg,
			ward_result *ret_result)
{
	const struct wardi_guest_failed *failed = ward_match(msg, wardi_guest_failed);
	const struct wardi_guest_ended *ended = ward_match(msg, wardi_guest_ended);
	const struct ward_ask_failed *unheard = ward_match(msg, ward_ask_failed);

	if (ward_match(msg, wardi_guest_ready))
		return is_ready(self, me);
	if (ward_match(msg, wardi_guest_ask_again))
		return ask_news(self, me);
	if (failed != NULL)
		*ret_result = has_failed(self, me, failed);
	else if (ended != NULL)
		*ret_result = has_ended(self, ended);
	else if (unheard != NULL && unheard->why == WARD_ENOMEM)
		return ask_news(self, me);
	else
		return unheard != NULL && unheard->why == WARD_EUNREACHED ? WARD_EUNREACHED
									  : WARD_EDEAD;
	return WARD_OK;
}

/* If the host is gone, there is news of that. */
static ward_err has_restarted(ward_self *self, const struct ward_stand_in *me, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);

	if (failed == NULL)
		ward_mailbox_open(self);
	else if (failed->why != WARD_EDEAD && failed->why != WARD_EUNREACHED)
		return await_restart(self, me);
	return WARD_OK;
}

/* The asker may want to know whether it has started, so the answer waits for the guest; where the
 * stash is full, it does not: a question is no reason to fail. */
static ward_result identify(ward_self *self, const struct ward_stand_in *me, const ward_msg *msg,
			    const struct ward_identify *question)
{
	if (ward_ref_is_nobody(ward_msg_sender(msg)) ||
	    (!me->is_ready && ward_try_stash(self) == WARD_OK))
		return WARD_DONE;
	return ward_reply(self, msg, ward_identity, .tag = question->tag,
			  .who = ward_self_ref(self), .found = true);
}

/* Whether the guest traps it is known there. What comes before it has started waits. Where there is
 * no memory, or room in the stash, the stand-in ends by it. */
static ward_result exited(ward_self *self, const struct ward_stand_in *me,
			  const struct ward_exited *signal)
{
	ward_err err = me->is_ready ? ward_try_send(self, me->host, WARD_COPY(ward_exited, signal))
				    : ward_try_stash(self);

	if ((err != WARD_ENOMEM && err != WARD_EFULL) || signal->reason.kind == WARD_EXIT_NORMAL)
		return WARD_DONE;
	return ward_failed_err(self, ward_try_exit_self(self, &signal->reason));
}

ward_err ward_stand_in_receive(ward_self *self, struct ward_stand_in *me, const ward_msg *msg,
			       ward_result *ret_result)
{
	const struct ward_identify *question;
	const struct ward_exited *signal;
	ward_err err = WARD_OK;

	*ret_result = WARD_DONE;
	if (me->failed_ != 0) {
		give_verdict(self, me, WARD_RESUME, NULL);
		err = ask_news(self, me);
	} else if (me->unasked_) {
		err = ask_news(self, me);
	}
	if (err != WARD_OK)
		return err;
	switch (ward_ask_tag(self)) {
	case TAG_NEWS:
		return on_news(self, me, msg, ret_result);
	case TAG_BODY:
		*ret_result = has_body(self, me, msg);
		return WARD_OK;
	case TAG_RESUMED:
		return WARD_OK;
	case TAG_RESTARTED:
		return has_restarted(self, me, msg);
	default:
		break;
	}
	if (ward_match(msg, wardi_guest_resumed))
		return WARD_OK;
	if ((question = ward_match(msg, ward_identify)))
		*ret_result = identify(self, me, msg, question);
	else if ((signal = ward_match(msg, ward_exited)))
		*ret_result = exited(self, me, signal);
	else
		return WARD_ENOENT;
	return WARD_OK;
}
