/* SPDX-License-Identifier: MIT
 *
 * otp_report.h - the reports of a supervisor of OTP about failures of its children.
 */
#ifndef WARDI_OTP_REPORT_H
#define WARDI_OTP_REPORT_H

#include <ward/link.h>
#include <ward/otp.h>
#include <ward/types.h>

struct wardi_otp;
struct wardi_otp_child;

bool wardi_otp_is_normal(const ward_exit_reason *reason);

void wardi_otp_report(ward_self *self, struct wardi_otp *me, ward_otp_report_kind kind,
		      const struct wardi_otp_child *child, const ward_exit_reason *reason,
		      const char *text);

/* A restart has succeeded: the status no longer reads as if its cause lasted. */
void wardi_otp_say_restarted(ward_self *self, const struct wardi_otp *me);

#endif
