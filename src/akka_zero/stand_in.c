/* SPDX-License-Identifier: MIT
 *
 * stand_in.c - a child of a supervising actor that stands in for an orphan.
 *
 *	exit of the orphan --> it fails likewise --> its supervisor decides:
 *	    restart --> pre_restart --\
 *	    stop    --> post_stop   ----> the verdict, for the orphanage to carry out
 *	    resume  --> a message to itself, behind the exit
 *	restart or stop with others --> the same, not about a failure
 *
 * Without memory for a verdict the orphan is stopped, since it would wait forever.
 *
 * Threads: runs as an actor.
 */
#include "akka_zero/stand_in.h"

#include <ward/text.h>
#include <ward/ward.h>

#include "akka_zero/akka_zero.h"

/* To itself, behind an exit. When it arrives the stand-in was resumed, unless it was restarted in
 * the meantime. */
struct wardi_zero_resumed {
	uint64_t number;
};
WARD_MESSAGE_FLAT(wardi_zero_resumed);

const ward_type wardi_type_zero_stand_in = {.name = "ward_zero_stand_in",
					    .size = sizeof(struct wardi_zero_stand_in)};

/* The copy made by the spawn belongs to this actor alone. */
static struct wardi_zero_stand_in *mine(ward_self *self)
{
	return (struct wardi_zero_stand_in *)(uintptr_t)ward_args(self);
}

/* Sent even before the link is confirmed: the orphanage may have set it, with its answer on the
 * way. It ignores verdicts about an orphan that is not linked to this stand-in. */
static void give_verdict(ward_self *self, ward_directive directive, const ward_failure *why)
{
	struct wardi_zero_stand_in *me = mine(self);
	struct wardi_zero_verdict verdict = {
		.who = me->who, .number = me->number, .directive = directive};

	if (why != NULL) {
		verdict.failure_class = ward_failure_class_of(why);
		ward_text_format(verdict.text, sizeof verdict.text, "%s", ward_failure_text(why));
	}
	if (ward_try_send(self, me->orphanage, WARD_COPY(wardi_zero_verdict, &verdict)) !=
		    WARD_OK &&
	    me->linked)
		ward_stop(self, me->who);
	me->number = 0;
}

static void release(ward_self *self)
{
	mine(self)->linked = false;
	ward_stop_self(self);
}

static void report(ward_self *self, ward_err err)
{
	ward_tell(self, ward_parent(self), ward_zero_linked, .who = mine(self)->who, .err = err);
	if (err != WARD_OK)
		release(self);
}

/* ---- hooks ------------------------------------------------------------------------------- */

/* Watches the orphanage, too: if it ends, no answer comes. */
static ward_result start(ward_self *self, void *state)
{
	const struct wardi_zero_stand_in *me = mine(self);
	ward_err err = ward_try_watch(self, me->who);

	(void)state;
	if (err == WARD_OK)
		err = ward_try_watch(self, me->orphanage);
	if (err == WARD_OK)
		return WARD_DONE;
	(void)!ward_try_tell(self, me->orphanage, wardi_zero_let_go, .who = me->who,
			     .stand_in = ward_self_ref(self));
	report(self, err);
	return WARD_DONE;
}

static ward_result stop(ward_self *self, void *state)
{
	(void)state;
	give_verdict(self, WARD_STOP, NULL);
	return WARD_DONE;
}

static ward_result before_restart(ward_self *self, void *state, const ward_failure *why,
				  const ward_msg *msg)
{
	(void)state, (void)msg;
	give_verdict(self, WARD_RESTART, why);
	return WARD_DONE;
}

/* Without pre_start: the link exists already. */
static ward_result after_restart(ward_self *self, void *state, const ward_failure *why)
{
	(void)self, (void)state, (void)why;
	return WARD_DONE;
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result routed(ward_self *self, ward_err err)
{
	mine(self)->linked = err == WARD_OK;
	report(self, err);
	return WARD_DONE;
}

static ward_result exited(ward_self *self, const struct wardi_zero_exit *why)
{
	mine(self)->number = why->number;
	if (ward_try_tell(self, ward_self_ref(self), wardi_zero_resumed, .number = why->number) !=
	    WARD_OK)
		ward_stop(self, mine(self)->who);
	return ward_failed(self, why->failure_class, "%s", why->text);
}

static ward_result ended(ward_self *self, ward_ref who)
{
	if (!mine(self)->linked)
		report(self, ward_ref_equal(who, mine(self)->who) ? WARD_ENOENT : WARD_EDEAD);
	release(self);
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct wardi_zero_routed *answer;
	const struct wardi_zero_exit *why;
	const struct wardi_zero_resumed *resumed;
	const struct ward_terminated *gone;

	(void)state;
	if ((answer = ward_match(msg, wardi_zero_routed)))
		return routed(self, answer->err);
	if ((why = ward_match(msg, wardi_zero_exit)))
		return exited(self, why);
	if ((gone = ward_match(msg, ward_terminated)))
		return ended(self, gone->who);
	if (ward_match(msg, wardi_zero_unlink)) {
		release(self);
		return WARD_DONE;
	}
	if (!(resumed = ward_match(msg, wardi_zero_resumed)))
		return WARD_UNHANDLED;
	if (resumed->number == mine(self)->number)
		give_verdict(self, WARD_RESUME, NULL);
	return WARD_DONE;
}

const ward_behavior wardi_zero_stand_in = {
	.name = "ward_zero_stand_in",
	.args = &wardi_type_zero_stand_in,
	.receive = receive,
	.pre_start = start,
	.post_stop = stop,
	.pre_restart = before_restart,
	.post_restart = after_restart,
};
