/* SPDX-License-Identifier: MIT
 *
 * otp_restart.h - what follows when a child of a supervisor of OTP ends by itself.
 */
#ifndef WARDI_OTP_RESTART_H
#define WARDI_OTP_RESTART_H

#include "otp/otp_supervisor.h"

struct wardi_otp;
struct wardi_otp_child;

bool wardi_otp_is_again(const ward_msg *msg);

/* Handles a child that has ended by itself, or waits for a retry. Sets up a job, or an end, or
 * neither. */
void wardi_otp_look_after(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

/* Returns the job of a restart, according to the strategy. */
struct wardi_otp_job wardi_otp_restart_job(const struct wardi_otp *me,
					   struct wardi_otp_child *child);

/* Handles a retry message. False: its child was terminated or deleted in the meantime. */
bool wardi_otp_retry(struct wardi_otp *me, const ward_msg *msg);

/* After a failed restart: schedules a retry. */
void wardi_otp_try_again(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

#endif
