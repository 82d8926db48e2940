/* SPDX-License-Identifier: MIT
 *
 * otp_restart.h - a child of a supervisor of OTP has ended by itself: what now.
 */
#ifndef WARDI_OTP_RESTART_H
#define WARDI_OTP_RESTART_H

#include "otp/otp_supervisor.h"

struct wardi_otp;
struct wardi_otp_child;

bool wardi_otp_is_again(const ward_msg *msg);

/* What is to be done about a child that has ended by itself, or is to be tried again. Sets up a
 * job, or an end, or neither. */
void wardi_otp_look_after(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

/* The job of a restart, for the strategy. */
struct wardi_otp_job wardi_otp_restart_job(const struct wardi_otp *me,
					   struct wardi_otp_child *child);

/* One of those. False: its child was terminated, or deleted, meanwhile. */
bool wardi_otp_retry(struct wardi_otp *me, const ward_msg *msg);

/* It was not restarted: it will be tried again. */
void wardi_otp_try_again(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

#endif
