/* SPDX-License-Identifier: MIT
 *
 * stop_child.c - stops children of a supervisor of OTP.
 *
 *	brutal:   the signal kill ----------------------------------------> it has ended
 *	else:     the signal shutdown --> shutdown_ms pass --> the signal kill --> it has ended
 *
 * A signal that finds no memory is replaced by ward_stop(), which needs none and cannot be trapped.
 *
 * The end of a child is reported by its link, or by the watch if the child has unlinked itself. So
 * the supervisor never waits for a child that is gone.
 *
 * Threads: in callbacks of the supervisor.
 */
#include "otp/stop_child.h"

#include <inttypes.h>
#include <stdio.h>

#include <ward/text.h>
#include <ward/timer.h>

#include "otp/otp_children.h"
#include "otp/otp_report.h"
#include "otp/otp_supervisor.h"
#include "otp/spec_check.h"

WARD_SIGNAL(wardi_otp_tick);

enum { TIME_IS_UP = 1 }; /* key of the timer */

bool wardi_otp_is_tick(const ward_msg *msg)
{
	return ward_match(msg, wardi_otp_tick) != NULL;
}

void wardi_otp_timer_cancel(ward_self *self)
{
	ward_timer_cancel(self, TIME_IS_UP);
}

static void force(ward_self *self, struct wardi_otp_child *child)
{
	child->forced = true;
	child->told = WARD_EXIT_SHUTDOWN;
	ward_stop(self, child->who);
}

static void send_signal(ward_self *self, struct wardi_otp_child *child, ward_exit_kind kind)
{
	const ward_exit_reason reason = {.kind = kind};

	child->told = kind;
	if (ward_exit(self, child->who, &reason) != WARD_OK)
		force(self, child);
}

static void tell(ward_self *self, struct wardi_otp_child *child, bool timed)
{
	if (wardi_otp_shutdown_ms(child->spec) == WARD_OTP_BRUTAL)
		send_signal(self, child, WARD_EXIT_KILL);
	else if (timed)
		send_signal(self, child, WARD_EXIT_SHUTDOWN);
	else /* without a timer nothing would limit its time */
		force(self, child);
}

/* Starts the timer for the shutdown. True: it runs, or none is needed. */
static bool set_timer(ward_self *self, const ward_otp_child_spec *spec)
{
	int64_t ms = wardi_otp_shutdown_ms(spec);

	if (ms == WARD_OTP_BRUTAL || ms == WARD_OTP_INFINITY)
		return true;
	return ward_try_timer_start(self, &(ward_timer){.key = TIME_IS_UP, .after_ms = ms},
				    WARD_BODY(wardi_otp_tick)) == WARD_OK;
}

bool wardi_otp_stop_one(ward_self *self, struct wardi_otp_child *child)
{
	if (child->state != WARD_OTP_CHILD_ALIVE || child->gone)
		return true;
	tell(self, child, set_timer(self, child->spec));
	return false;
}

static bool is_to_end(const struct wardi_otp_child *child)
{
	return child->state == WARD_OTP_CHILD_ALIVE && !child->gone;
}

void wardi_otp_stop_all(ward_self *self, struct wardi_otp *me)
{
	bool timed = set_timer(self, me->table->children);

	me->awaited = 0;
	for (struct wardi_otp_child *at = wardi_otp_first(me); at != NULL;
	     at = wardi_otp_after(me, at)) {
		if (!is_to_end(at))
			continue;
		me->awaited++;
		tell(self, at, timed);
	}
}

void wardi_otp_kill_one(ward_self *self, struct wardi_otp_child *child)
{
	if (is_to_end(child))
		send_signal(self, child, WARD_EXIT_KILL);
}

void wardi_otp_kill_all(ward_self *self, struct wardi_otp *me)
{
	for (struct wardi_otp_child *at = wardi_otp_first(me); at != NULL;
	     at = wardi_otp_after(me, at))
		wardi_otp_kill_one(self, at);
}

/* ---- whether a child ended as ordered ---------------------------------------------------- */

static bool is_expected(const struct wardi_otp_child *child)
{
	const ward_exit_reason *reason = &child->reason;
	bool permanent = child->spec->restart == WARD_OTP_PERMANENT;

	if (reason->kind == WARD_EXIT_NORMAL)
		return !permanent;
	if (wardi_otp_shutdown_ms(child->spec) == WARD_OTP_BRUTAL)
		return reason->kind == WARD_EXIT_KILLED || child->forced ||
		       (reason->kind == WARD_EXIT_SHUTDOWN && !permanent);
	return reason->kind == WARD_EXIT_SHUTDOWN && (reason->text[0] == '\0' || !permanent);
}

/* Says how the end of a child differs from the order. */
static void end_text(char *text, size_t max, const struct wardi_otp_child *child,
		     const ward_exit_reason *reason)
{
	char why[WARD_EXIT_NAME + WARD_EXIT_TEXT];
	int64_t ms = wardi_otp_shutdown_ms(child->spec);

	ward_exit_format(reason, why, sizeof why);
	if (child->told == WARD_EXIT_KILL && ms != WARD_OTP_BRUTAL &&
	    reason->kind == WARD_EXIT_KILLED)
		ward_text_format(text, max, "did not end within %" PRId64 " ms and was killed", ms);
	else
		ward_text_format(text, max, "ended with \"%s\", not \"%s\", when it was stopped",
				 why, ms == WARD_OTP_BRUTAL ? "killed" : "shutdown");
}

void wardi_otp_has_stopped(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	char text[WARD_OTP_TEXT];

	if (child->state == WARD_OTP_CHILD_ALIVE && !is_expected(child)) {
		end_text(text, sizeof text, child, &child->reason);
		wardi_otp_report(self, me, WARD_OTP_SHUTDOWN_ERROR, child, &child->reason, text);
	}
	wardi_otp_child_off(self, me, child);
}
