/* SPDX-License-Identifier: MIT
 *
 * otp_report.c - the reports of a supervisor of OTP about failures of its children.
 *
 * Threads: in callbacks of the supervisor.
 */
#include "otp/otp_report.h"

#include <inttypes.h>
#include <stdio.h>

#include <ward/event.h>
#include <ward/text.h>

#include "otp/intensity.h"
#include "otp/otp_supervisor.h"

bool wardi_otp_is_normal(const ward_exit_reason *reason)
{
	return reason->kind == WARD_EXIT_NORMAL || reason->kind == WARD_EXIT_SHUTDOWN;
}

static void what_text(char *text, size_t max, const struct wardi_otp *me, ward_otp_report_kind kind,
		      const ward_exit_reason *reason, const char *cause)
{
	char why[WARD_EXIT_NAME + WARD_EXIT_TEXT], limit[WARD_EXIT_TEXT];

	if (cause == NULL) {
		ward_exit_format(reason, why, sizeof why);
		cause = why;
	}
	switch (kind) {
	case WARD_OTP_START_ERROR:
		ward_text_format(text, max, "was not started: %.*s", WARD_TEXT_FIT(cause, 160));
		break;
	case WARD_OTP_SHUTDOWN_ERROR:
		ward_text_format(text, max, "%.*s", (int)max - 1, cause);
		break;
	case WARD_OTP_SHUTDOWN:
		wardi_otp_limit_text(me, limit, sizeof limit);
		ward_text_format(text, max, "was restarted too often, %s: %.*s", limit,
				 WARD_TEXT_FIT(cause, 100));
		break;
	default:
		ward_text_format(text, max, "has ended: %.*s", WARD_TEXT_FIT(cause, 160));
		break;
	}
}

static void publish(ward_self *self, struct wardi_otp *me, const ward_otp_report *report)
{
	bool is_end = report->kind == WARD_OTP_SHUTDOWN;
	ward_level level = is_end ? me->table->stop_level : WARD_LEVEL_WARNING;

	ward_note(self, level == WARD_LEVEL_DEFAULT ? WARD_LEVEL_SEVERE : level, "%s%s",
		  report->text, is_end ? "; the supervisor ends" : "");
	/* only information: without memory the previous status stays */
	ward_status_set(self, "%s", report->text);
	ward_text_format(me->reported, sizeof me->reported, "%s", report->text);
}

void wardi_otp_say_restarted(ward_self *self, const struct wardi_otp *me)
{
	if (me->reported[0] != '\0')
		ward_status_set(self, "restarted; last report: %s", me->reported);
}

void wardi_otp_report(ward_self *self, struct wardi_otp *me, ward_otp_report_kind kind,
		      const struct wardi_otp_child *child, const ward_exit_reason *reason,
		      const char *text)
{
	ward_otp_report report = {.kind = kind, .who = child->who, .reason = *reason};
	char what[WARD_OTP_TEXT - WARD_OTP_ID - 8];

	what_text(what, sizeof what, me, kind, reason, text);
	snprintf(report.id, sizeof report.id, "%s", child->spec->id);
	ward_text_format(report.text, sizeof report.text, "child \"%.*s\" %s", WARD_OTP_ID - 1,
			 child->spec->id, what);
	if (me->table->report != NULL)
		me->table->report(self, &report);
	else
		publish(self, me, &report);
}

const ward_failure_class ward_otp_not_started = {.name = "ward_otp_not_started",
						 .parent = &ward_initialization,
						 .reserved = {WARD_CLASS_OWN_}};
