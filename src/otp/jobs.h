/* SPDX-License-Identifier: MIT
 *
 * jobs.h - the jobs of a supervisor of OTP, one after the other.
 */
#ifndef WARDI_JOBS_H
#define WARDI_JOBS_H

#include "otp/otp_supervisor.h"

struct wardi_otp;
struct wardi_otp_child;

/* Each begins a job and runs it as far as it gets, then the jobs that follow from it. */
ward_result wardi_otp_boot(ward_self *self, struct wardi_otp *me);

/* Continue the current job after the event that it waited for. */
ward_result wardi_otp_child_began(ward_self *self, struct wardi_otp *me,
				  enum wardi_otp_outcome outcome);

ward_result wardi_otp_child_cleared(ward_self *self, struct wardi_otp *me,
				    struct wardi_otp_child *child);

ward_result wardi_otp_child_stopped(ward_self *self, struct wardi_otp *me);

ward_result wardi_otp_end(ward_self *self, struct wardi_otp *me, const ward_exit_reason *reason);

/* While there is no job: handles the children that have ended. */
ward_result wardi_otp_go_on(ward_self *self, struct wardi_otp *me);

/* Answers the question whether the supervisor is ready. asker: nobody: does nothing. */
void wardi_otp_say_ready(ward_self *self, ward_ref asker, ward_err err, const char *text);

ward_result wardi_otp_start_child(ward_self *self, struct wardi_otp *me,
				  struct wardi_otp_child *child, enum wardi_otp_purpose purpose,
				  ward_ref asker);

ward_result wardi_otp_terminate(ward_self *self, struct wardi_otp *me,
				struct wardi_otp_child *child, ward_ref asker);

#endif
