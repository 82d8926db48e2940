/* SPDX-License-Identifier: MIT
 *
 * otp_restart.c - what follows when a child of a supervisor of OTP ends by itself.
 *
 *	               permanent    transient    temporary
 *	normal         restart      off          off
 *	any other      restart      restart      off
 *
 *	off      without an actor, or deleted; if significant, the supervisor may end
 *	restart  beyond the limit the supervisor ends; else a job, according to the strategy
 *
 * A restart that fails is retried by a message to itself, so requests that arrived in the meantime,
 * and an order to end, come first.
 *
 * Threads: in callbacks of the supervisor.
 */
#include "otp/otp_restart.h"

#include <stdio.h>

#include <ward/event.h>
#include <ward/text.h>

#include "otp/intensity.h"
#include "otp/otp_children.h"
#include "otp/otp_report.h"
#include "otp/otp_supervisor.h"

enum { OTHERS_NAMED = 4 /* in the event of a restart */ };

/* Names the child, since it may no longer wait for a retry when the message arrives. */
struct wardi_otp_again {
	uint64_t number;
};
WARD_MESSAGE(wardi_otp_again);

static const ward_exit_reason told_to = {.kind = WARD_EXIT_SHUTDOWN};

bool wardi_otp_is_again(const ward_msg *msg)
{
	return ward_match(msg, wardi_otp_again) != NULL;
}

bool wardi_otp_retry(struct wardi_otp *me, const ward_msg *msg)
{
	const struct wardi_otp_again *again = ward_match(msg, wardi_otp_again);
	struct wardi_otp_child *child = wardi_otp_to_retry(me, again->number);

	if (child != NULL)
		wardi_otp_queue(&me->ended, child);
	return child != NULL;
}

/* Without memory for the message the retry comes next. */
void wardi_otp_try_again(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	wardi_otp_child_has_none(me, child, WARD_OTP_CHILD_RESTARTING);
	if (ward_try_tell(self, ward_self_ref(self), wardi_otp_again, .number = child->number) ==
	    WARD_OK)
		wardi_otp_queue(&me->to_retry, child);
	else
		wardi_otp_queue(&me->ended, child);
}

/* ---- the end of the supervisor itself ---------------------------------------------------- */

static void end_soon(struct wardi_otp *me)
{
	me->ends = true;
	me->end_reason = told_to;
}

/* Reason shutdown, as in OTP; the text tells the cause. */
static void end_of_intensity(struct wardi_otp *me, const char *id)
{
	char limit[WARD_EXIT_TEXT];

	end_soon(me);
	wardi_otp_limit_text(me, limit, sizeof limit);
	ward_text_format(me->end_reason.text, sizeof me->end_reason.text, "%.*s: %.*s",
			 WARD_TEXT_FIT(limit, 40), WARD_TEXT_FIT(id, 20));
}

static bool has_significant(const struct wardi_otp *me)
{
	for (const struct wardi_otp_child *at = wardi_otp_first(me); at != NULL;
	     at = wardi_otp_after(me, at))
		if (at->spec->significant && at->state != WARD_OTP_CHILD_UNDEFINED)
			return true;
	return false;
}

static void went_off(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	bool significant = child->spec->significant;

	wardi_otp_child_off(self, me, child);
	if (!significant || me->table->auto_shutdown == WARD_OTP_NEVER)
		return;
	if (me->table->auto_shutdown == WARD_OTP_ANY_SIGNIFICANT || !has_significant(me))
		end_soon(me);
}

/* ---- a restart --------------------------------------------------------------------------- */

struct wardi_otp_job wardi_otp_restart_job(const struct wardi_otp *me,
					   struct wardi_otp_child *child)
{
	struct wardi_otp_job job = {.purpose = WARDI_OTP_RESTART, .subject = child};

	switch (me->table->strategy) {
	case WARD_OTP_ONE_FOR_ALL:
		job.stop_at = wardi_otp_last(me);
		job.stop_last = wardi_otp_first(me);
		job.starts_all = true;
		break;
	case WARD_OTP_REST_FOR_ONE:
		job.stop_at = wardi_otp_last(me);
		job.stop_last = job.start_at = child;
		break;
	default:
		job.start_at = job.start_last = child;
		break;
	}
	return job;
}

/* Whether the job starts this child because another one has ended, also one without an actor. */
static bool goes_with(const struct wardi_otp_job *job, const struct wardi_otp_child *child)
{
	return child != job->subject && child->spec->restart != WARD_OTP_TEMPORARY;
}

/* Writes `, with "b", "c" and 3 more`; nothing if no other child is restarted. */
static void others_text(const struct wardi_otp *me, const struct wardi_otp_job *job, char *text,
			size_t max)
{
	size_t count = 0, length = 0;

	text[0] = '\0';
	if (job->stop_last == NULL)
		return;
	for (const struct wardi_otp_child *at = job->stop_last; at != NULL;
	     at = at == job->stop_at ? NULL : wardi_otp_after(me, at)) {
		if (goes_with(job, at) && count++ < OTHERS_NAMED)
			length += (size_t)snprintf(text + length, max - length, "%s \"%s\"",
						   count == 1 ? ", with" : ",", at->spec->id);
	}
	if (count > OTHERS_NAMED)
		snprintf(text + length, max - length, " and %zu more", count - OTHERS_NAMED);
}

/* The event of the failure says that the child was stopped; this event, which are restarted. */
static void say_restart(ward_self *self, const struct wardi_otp *me,
			const struct wardi_otp_job *job, int64_t now_ns)
{
	char count[WARD_EXIT_TEXT], others[OTHERS_NAMED * (WARD_OTP_ID + 8) + 32];

	wardi_otp_count_text(me, now_ns, count, sizeof count);
	others_text(me, job, others, sizeof others);
	ward_note(self, me->table->restart_level, "child \"%s\" is restarted (%s)%s",
		  job->subject->spec->id, count, others);
}

static void restart(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	int64_t now_ns = ward_now_ns(self);

	if (wardi_otp_may_restart(me, now_ns)) {
		wardi_otp_child_has_none(me, child, WARD_OTP_CHILD_UNDEFINED);
		me->job = wardi_otp_restart_job(me, child);
		say_restart(self, me, &me->job, now_ns);
		return;
	}
	wardi_otp_report(self, me, WARD_OTP_SHUTDOWN, child, &child->reason, NULL);
	end_of_intensity(me, child->spec->id);
	wardi_otp_child_off(self, me, child);
}

void wardi_otp_look_after(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	bool normal = wardi_otp_is_normal(&child->reason);
	ward_otp_restart life = child->spec->restart;

	if (child->state == WARD_OTP_CHILD_RESTARTING) {
		restart(self, me, child);
		return;
	}
	if (life == WARD_OTP_PERMANENT || !normal)
		wardi_otp_report(self, me, WARD_OTP_CHILD_TERMINATED, child, &child->reason, NULL);
	if (life == WARD_OTP_PERMANENT || (life == WARD_OTP_TRANSIENT && !normal))
		restart(self, me, child);
	else
		went_off(self, me, child);
}
