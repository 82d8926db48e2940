/* SPDX-License-Identifier: MIT
 *
 * admin.h - the requests to a supervisor of OTP: start, terminate, restart and delete a child;
 * list, count and describe the children.
 */
#ifndef WARDI_ADMIN_H
#define WARDI_ADMIN_H

#include <ward/otp.h>
#include <ward/types.h>

struct wardi_otp;

ward_result wardi_otp_asked(ward_self *self, struct wardi_otp *me, const ward_msg *msg);

/* Answers a request that had to wait. asker: nobody: does nothing. */
void wardi_otp_done(ward_self *self, ward_ref asker, ward_otp_code code, ward_ref who,
		    const char *text);

/* Whether the message is a request of otp_supervisor.h, other than the question whether the
 * supervisor is ready. */
bool wardi_otp_is_question(const ward_msg *msg);

/* Refuses a request that cannot be stashed. */
void wardi_otp_turned_away(ward_self *self, const ward_msg *msg);

#endif
