/* SPDX-License-Identifier: MIT
 *
 * otp_report.c - what a supervisor of OTP tells of what went wrong.
 *
 * single-threaded: in callbacks of the supervisor.
 */
#include <stdio.h>

#include "patterns/otp.h"

bool wardi_otp_is_normal(const ward_exit_reason *reason)
{
	return reason->kind == WARD_EXIT_NORMAL || reason->kind == WARD_EXIT_SHUTDOWN;
}

static const char *text_of(ward_otp_report_kind kind)
{
	switch (kind) {
	case WARD_OTP_START_ERROR:
		return "was not started";
	case WARD_OTP_SHUTDOWN_ERROR:
		return "was told to end";
	case WARD_OTP_SHUTDOWN:
		return "was restarted too often";
	default:
		return "has ended";
	}
}

void wardi_otp_report(ward_self *self, const struct wardi_otp *me, ward_otp_report_kind kind,
		      const struct wardi_otp_child *child, const ward_exit_reason *reason,
		      const char *text)
{
	ward_otp_report report = {.kind = kind, .who = child->who, .reason = *reason};
	char why[WARD_EXIT_NAME + WARD_EXIT_TEXT];

	ward_exit_text(reason, why, sizeof why);
	snprintf(report.id, sizeof report.id, "%s", child->spec->id);
	snprintf(report.text, sizeof report.text, "child \"%s\" %s: %.180s", child->spec->id,
		 text_of(kind), text != NULL ? text : why);
	if (me->table->report != NULL)
		me->table->report(self, &report);
	else /* which is only for who looks; without memory the one before stays */
		(void)!ward_status_set(self, "%s", report.text);
}
