/* SPDX-License-Identifier: MIT
 *
 * admin.h - what a supervisor of OTP is asked: to start, terminate, restart and delete a child;
 * which there are, how many, and how one is specified.
 */
#ifndef WARDI_ADMIN_H
#define WARDI_ADMIN_H

#include <ward/otp.h>
#include <ward/types.h>

struct wardi_otp;

ward_result wardi_otp_asked(ward_self *self, struct wardi_otp *me, const ward_msg *msg);

/* Answers one that had to wait; to nobody: nothing. */
void wardi_otp_done(ward_self *self, ward_ref asker, ward_otp_code code, ward_ref who,
		    const char *text);

/* Whether it is a question of otp_supervisor.h, but for whether it is ready. */
bool wardi_otp_is_question(const ward_msg *msg);

/* Answers it now, since it cannot be put aside. */
void wardi_otp_turned_away(ward_self *self, const ward_msg *msg);

#endif
