/* SPDX-License-Identifier: MIT
 *
 * start_child.c - the start of one child of a supervisor of OTP.
 *
 *	spawn, link and watch ------> ask for identity ---> it answers: STARTED
 *	   |                            |      \----------> it ends: IGNORED, or REFUSED
 *	   |                            +-- refused: is stopped, and after its end: REFUSED
 *	   +-- refused: REFUSED
 *
 * The runtime answers for the child when init and pre_start are over; a nested supervisor is asked
 * whether it is ready. A child that ends before that has not started, as in OTP. The start may take
 * long, so the question is repeated: the answer may have been lost without memory, and the
 * notice of that loss too.
 *
 * Threads: in callbacks of the supervisor.
 */
#include "otp/start_child.h"

#include <stdio.h>
#include <string.h>

#include <ward/selection.h>
#include <ward/text.h>
#include <ward/watch.h>

#include "otp/otp_children.h"
#include "otp/otp_supervisor.h"
#include "otp/spec_check.h"

enum { ASK_AGAIN_MS = 10000 };

static const char ignored[] = "ward_otp_ignore";

ward_result ward_otp_ignore(ward_self *self)
{
	ward_exit_reason reason = {.kind = WARD_EXIT_OTHER};

	snprintf(reason.name, sizeof reason.name, "%s", ignored);
	if (ward_try_exit_self(self, &reason) == WARD_OK)
		return WARD_DONE;
	return ward_failed(self, &ward_out_of_memory, "%s", ward_err_detail());
}

static bool is_ignored(const ward_exit_reason *reason)
{
	return reason->kind == WARD_EXIT_OTHER && strcmp(reason->name, ignored) == 0;
}

/* ---- props and question ------------------------------------------------------------------ */

/* With SIMPLE_ONE_FOR_ONE the additions override the common specification. */
static ward_props props_of(const struct wardi_otp *me, const struct wardi_otp_child *child)
{
	const ward_otp_child_spec *spec = child->spec;
	ward_props props = spec->props;

	if (spec->supervisor != NULL) {
		if (props.name == NULL)
			props.name = spec->supervisor->name;
		props.behavior = &ward_otp_behavior;
		props.args = (ward_body){WARD_COPY(ward_otp_supervisor, spec->supervisor)};
	}
	if (!wardi_otp_is_simple(me) || child->own == NULL)
		return props;
	props.name = child->own->spec.props.name;
	if (child->own->spec.props.args.type != NULL)
		props.args = child->own->spec.props.args;
	return props;
}

/* Without another name the child is named by its id, if that is a valid name. */
static ward_err spawn(ward_self *self, const struct wardi_otp *me,
		      const struct wardi_otp_child *child, ward_ref *ret_who)
{
	ward_props props = props_of(me, child);
	ward_err err;

	if (props.name != NULL || wardi_otp_is_simple(me))
		return ward_try_spawn_link(self, &props, ret_who);
	props.name = child->spec->id;
	err = ward_try_spawn_link(self, &props, ret_who);
	if (err != WARD_ENAME)
		return err;
	props.name = NULL;
	return ward_try_spawn_link(self, &props, ret_who);
}

static ward_err ask(ward_self *self, struct wardi_otp *me, const struct wardi_otp_child *child)
{
	const ward_question question = {
		.to = child->who, .timeout_ms = ASK_AGAIN_MS, .tag = ++me->question};

	if (wardi_otp_behavior(child->spec) == &ward_otp_behavior)
		return ward_try_ask_send(self, &question, WARD_BODY(ward_otp_ready));
	return ward_try_ask_send(self, &question, WARD_BODY(ward_identify, .tag = me->question));
}

/* ---- beginning --------------------------------------------------------------------------- */

static void note_why(struct wardi_otp *me, const char *name, const char *text)
{
	me->why_reason = (ward_exit_reason){.kind = WARD_EXIT_FAILURE};
	snprintf(me->why_reason.name, sizeof me->why_reason.name, "%s", name);
	ward_text_format(me->why_reason.text, sizeof me->why_reason.text, "%.*s",
			 WARD_EXIT_TEXT - 1, text);
	ward_text_format(me->why, sizeof me->why, "%s", text);
}

static enum wardi_otp_outcome refused(struct wardi_otp *me)
{
	note_why(me, "ward_otp_not_started", ward_err_detail());
	return WARDI_OTP_REFUSED;
}

/* The child runs, but its start cannot be confirmed: stops it. */
static enum wardi_otp_outcome give_up(ward_self *self, struct wardi_otp *me,
				      const struct wardi_otp_child *child, const char *why)
{
	note_why(me, "ward_otp_not_started", why);
	me->given_up = true;
	ward_ask_cancel(self, me->question);
	ward_stop(self, child->who);
	return WARDI_OTP_PENDING;
}

enum wardi_otp_outcome wardi_otp_begin(ward_self *self, struct wardi_otp *me,
				       struct wardi_otp_child *child)
{
	ward_ref who;
	ward_err err;

	me->given_up = false;
	me->why[0] = '\0';
	if (!wardi_tags_reserve(self, &me->by_ref))
		return refused(me);
	if (spawn(self, me, child, &who) != WARD_OK)
		return refused(me);
	wardi_otp_child_is(me, child, who);
	err = ward_try_watch(self, who);
	if (err == WARD_OK)
		err = ask(self, me, child);
	return err == WARD_OK ? WARDI_OTP_PENDING : give_up(self, me, child, ward_err_detail());
}

/* ---- outcome ----------------------------------------------------------------------------- */

enum wardi_otp_outcome wardi_otp_answered(ward_self *self, struct wardi_otp *me,
					  struct wardi_otp_child *child, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct ward_otp_started *below = ward_match(msg, ward_otp_started);
	const struct ward_identity *identity = ward_match(msg, ward_identity);

	if (ward_ask_tag(self) != me->question || me->given_up)
		return WARDI_OTP_PENDING;
	if (below != NULL && below->err != WARD_OK)
		return give_up(self, me, child, below->text);
	/* The end of the child comes as a separate message. */
	if ((identity != NULL && ward_ref_is_nobody(identity->who)) ||
	    (failed != NULL && failed->why == WARD_EDEAD))
		return WARDI_OTP_PENDING;
	if (failed == NULL)
		return WARDI_OTP_STARTED;
	if (failed->why == WARD_ETIMEDOUT && ask(self, me, child) == WARD_OK)
		return WARDI_OTP_PENDING;
	return give_up(self, me, child, failed->text);
}

enum wardi_otp_outcome wardi_otp_stillborn(ward_self *self, struct wardi_otp *me,
					   struct wardi_otp_child *child)
{
	ward_exit_reason reason = child->reason;
	char text[WARD_EXIT_NAME + WARD_EXIT_TEXT];

	ward_ask_cancel(self, me->question);
	wardi_otp_child_has_none(me, child, WARD_OTP_CHILD_UNDEFINED);
	if (is_ignored(&reason) && !me->given_up)
		return WARDI_OTP_IGNORED;
	if (me->why[0] != '\0') /* it was given up, or has failed */
		return WARDI_OTP_REFUSED;
	ward_exit_format(&reason, text, sizeof text);
	ward_text_format(me->why, sizeof me->why, "it ended during its start: %s", text);
	me->why_reason = reason;
	return WARDI_OTP_REFUSED;
}
