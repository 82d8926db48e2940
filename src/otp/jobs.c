/* SPDX-License-Identifier: MIT
 *
 * jobs.c - the jobs of a supervisor of OTP, one after the other.
 *
 *	             stop_at .. stop_last              start_at .. start_last
 *	NOTHING ---> each, backwards; waits ---------> each, onwards; waits ------> NOTHING
 *	   |                                              | one cannot start
 *	   |                                              +-> boot: END
 *	   |                                              +-> restart: tries again later
 *	   |                                              +-> request: answers
 *	   +-- to end: END, then the supervisor stops
 *	   +-- a child has ended since: maybe the next job
 *
 * With SIMPLE_ONE_FOR_ONE all children stop at the same time at the end.
 *
 * Threads: in callbacks of the supervisor.
 */
#include "otp/jobs.h"

#include <stdio.h>

#include <ward/stash.h>
#include <ward/text.h>

#include "otp/admin.h"
#include "otp/otp_children.h"
#include "otp/otp_report.h"
#include "otp/otp_restart.h"
#include "otp/otp_supervisor.h"
#include "otp/start_child.h"
#include "otp/stop_child.h"

/* ---- stopping ---------------------------------------------------------------------------- */

static void stop_next(ward_self *self, struct wardi_otp *me)
{
	struct wardi_otp_child *child = me->job.stop_at;

	/* The child may be deleted by the call below. */
	me->job.stop_at = child == me->job.stop_last ? NULL : wardi_otp_before(me, child);
	wardi_otp_has_stopped(self, me, child);
}

/* Stops the children of the job. True: all have ended. */
static bool stop_them(ward_self *self, struct wardi_otp *me)
{
	while (me->job.stop_at != NULL) {
		me->state = WARDI_OTP_STOPPING;
		if (!wardi_otp_stop_one(self, me->job.stop_at))
			return false;
		stop_next(self, me);
	}
	if (!me->job.parallel)
		return true;
	me->job.parallel = false;
	me->state = WARDI_OTP_CLEARING;
	wardi_otp_stop_all(self, me);
	return me->awaited == 0;
}

/* ---- starting ---------------------------------------------------------------------------- */

static void not_started(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	ward_ref asker = me->job.asker;
	char text[WARD_OTP_TEXT];

	ward_text_format(text, sizeof text, "child \"%s\" cannot be started: %.*s", child->spec->id,
			 WARD_TEXT_FIT(me->why, 160));
	me->job.start_at = me->job.subject = NULL;
	me->job.asker = ward_nobody();
	switch (me->job.purpose) {
	case WARDI_OTP_BOOT:
		wardi_otp_report(self, me, WARD_OTP_START_ERROR, child, &me->why_reason, me->why);
		ward_text_format(me->why, sizeof me->why, "%s", text);
		me->ends = me->not_started = true;
		break;
	case WARDI_OTP_RESTART:
		wardi_otp_report(self, me, WARD_OTP_START_ERROR, child, &me->why_reason, me->why);
		wardi_otp_try_again(self, me, child);
		break;
	case WARDI_OTP_ADD:
		wardi_otp_child_delete(self, me, child);
		wardi_otp_done(self, asker, WARD_OTP_START_FAILED, ward_nobody(), text);
		break;
	default:
		wardi_otp_done(self, asker, WARD_OTP_START_FAILED, ward_nobody(), text);
		break;
	}
}

static void ignored(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	if (child == me->job.subject)
		me->job.subject = NULL;
	wardi_otp_child_off(self, me, child);
}

static void began(ward_self *self, struct wardi_otp *me, enum wardi_otp_outcome outcome)
{
	struct wardi_otp_child *child = me->job.start_at;

	if (outcome == WARDI_OTP_REFUSED) {
		not_started(self, me, child);
		return;
	}
	me->job.start_at = child == me->job.start_last ? NULL : wardi_otp_after(me, child);
	if (outcome == WARDI_OTP_IGNORED)
		ignored(self, me, child);
	else
		child->ran = child->who;
}

/* Starts the children of the job. True: all have started, or one could not. */
static bool start_them(ward_self *self, struct wardi_otp *me)
{
	if (me->job.starts_all)
		me->job.start_at = wardi_otp_first(me);
	me->job.starts_all = false;
	while (me->job.start_at != NULL) {
		enum wardi_otp_outcome outcome = wardi_otp_begin(self, me, me->job.start_at);

		me->state = WARDI_OTP_STARTING;
		if (outcome == WARDI_OTP_PENDING)
			return false;
		began(self, me, outcome);
	}
	return true;
}

/* ---- from job to job --------------------------------------------------------------------- */

void wardi_otp_say_ready(ward_self *self, ward_ref asker, ward_err err, const char *text)
{
	struct ward_otp_started started = {.err = err};

	if (ward_ref_is_nobody(asker))
		return;
	ward_text_format(started.text, sizeof started.text, "%s", text);
	ward_send(self, asker, WARD_COPY(ward_otp_started, &started));
}

/* All children have run, even if some have ended since: that counts as started, as in OTP. The
 * answer comes before those ends are handled. */
static void has_started(ward_self *self, struct wardi_otp *me)
{
	if (me->not_started || ward_ref_is_nobody(me->asker))
		return;
	wardi_otp_say_ready(self, me->asker, WARD_OK, "");
	me->knows = true;
}

static void conclude(ward_self *self, struct wardi_otp *me)
{
	const struct wardi_otp_child *child = me->job.subject;
	ward_ref who = ward_nobody();

	if (me->job.purpose == WARDI_OTP_BOOT)
		has_started(self, me);
	if (child != NULL && child->state == WARD_OTP_CHILD_ALIVE)
		who = child->who;
	if (me->job.purpose == WARDI_OTP_RESTART && !ward_ref_is_nobody(who))
		wardi_otp_say_restarted(self, me);
	wardi_otp_done(self, me->job.asker, WARD_OTP_OK, who, "");
	me->job = (struct wardi_otp_job){.purpose = WARDI_OTP_NOTHING};
	me->state = WARDI_OTP_IDLE;
}

static struct wardi_otp_job end_job(const struct wardi_otp *me)
{
	struct wardi_otp_job job = {.purpose = WARDI_OTP_END};

	if (wardi_otp_is_simple(me)) {
		job.parallel = true;
		return job;
	}
	job.stop_at = wardi_otp_last(me);
	job.stop_last = wardi_otp_first(me);
	return job;
}

static ward_result end(ward_self *self, struct wardi_otp *me)
{
	me->state = WARDI_OTP_ENDED;
	if (me->not_started) {
		wardi_otp_say_ready(self, me->asker, WARD_EFAILED, me->why);
		me->knows = true;
		if (!me->from_outside)
			return ward_failed(self, &ward_otp_not_started, "%s", me->why);
		(void)ward_unstash_all(self); /* its starter may ask, and stops it */
		return WARD_DONE;
	}
	if (ward_try_exit_self(self, &me->end_reason) != WARD_OK)
		ward_stop_self(self); /* with reason normal, which the parent treats the same way */
	return WARD_DONE;
}

static ward_result go_on(ward_self *self, struct wardi_otp *me)
{
	while (stop_them(self, me) && start_them(self, me)) {
		struct wardi_otp_child *child;

		if (me->job.purpose == WARDI_OTP_END)
			return end(self, me);
		conclude(self, me);
		if (me->ends) {
			me->job = end_job(me);
			continue;
		}
		child = wardi_otp_unqueue(&me->ended);
		if (child == NULL)
			break;
		wardi_otp_look_after(self, me, child);
	}
	return WARD_DONE;
}

ward_result wardi_otp_go_on(ward_self *self, struct wardi_otp *me)
{
	return go_on(self, me);
}

/* ---- beginning a job --------------------------------------------------------------------- */

ward_result wardi_otp_boot(ward_self *self, struct wardi_otp *me)
{
	me->job = (struct wardi_otp_job){.purpose = WARDI_OTP_BOOT};
	me->job.starts_all = !wardi_otp_is_simple(me);
	return go_on(self, me);
}

ward_result wardi_otp_start_child(ward_self *self, struct wardi_otp *me,
				  struct wardi_otp_child *child, enum wardi_otp_purpose purpose,
				  ward_ref asker)
{
	me->job = (struct wardi_otp_job){.purpose = purpose,
					 .subject = child,
					 .start_at = child,
					 .start_last = child,
					 .asker = asker};
	return go_on(self, me);
}

ward_result wardi_otp_terminate(ward_self *self, struct wardi_otp *me,
				struct wardi_otp_child *child, ward_ref asker)
{
	me->job = (struct wardi_otp_job){.purpose = WARDI_OTP_TERMINATE,
					 .stop_at = child,
					 .stop_last = child,
					 .asker = asker};
	return go_on(self, me);
}

ward_result wardi_otp_end(ward_self *self, struct wardi_otp *me, const ward_exit_reason *reason)
{
	if (me->ends)
		return WARD_DONE;
	me->ends = true;
	me->end_reason = *reason;
	if (me->state != WARDI_OTP_IDLE && me->state != WARDI_OTP_ASLEEP)
		return WARD_DONE; /* ends when the job is done */
	return go_on(self, me);
}

/* ---- continuing a job -------------------------------------------------------------------- */

ward_result wardi_otp_child_began(ward_self *self, struct wardi_otp *me,
				  enum wardi_otp_outcome outcome)
{
	if (outcome == WARDI_OTP_PENDING)
		return WARD_DONE;
	began(self, me, outcome);
	return go_on(self, me);
}

ward_result wardi_otp_child_stopped(ward_self *self, struct wardi_otp *me)
{
	wardi_otp_timer_cancel(self);
	stop_next(self, me);
	return go_on(self, me);
}

ward_result wardi_otp_child_cleared(ward_self *self, struct wardi_otp *me,
				    struct wardi_otp_child *child)
{
	wardi_otp_has_stopped(self, me, child);
	if (--me->awaited > 0)
		return WARD_DONE;
	wardi_otp_timer_cancel(self);
	return go_on(self, me);
}
