/* SPDX-License-Identifier: MIT
 *
 * start_child.h - the start of one child of a supervisor of OTP.
 */
#ifndef WARDI_START_CHILD_H
#define WARDI_START_CHILD_H

#include "otp/otp_supervisor.h"

struct wardi_otp;
struct wardi_otp_child;

/* Handles a message that ends a question. */
enum wardi_otp_outcome wardi_otp_answered(ward_self *self, struct wardi_otp *me,
					  struct wardi_otp_child *child, const ward_msg *msg);

enum wardi_otp_outcome wardi_otp_begin(ward_self *self, struct wardi_otp *me,
				       struct wardi_otp_child *child);

/* The child has ended during its start. */
enum wardi_otp_outcome wardi_otp_stillborn(ward_self *self, struct wardi_otp *me,
					   struct wardi_otp_child *child);

#endif
