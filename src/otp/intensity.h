/* SPDX-License-Identifier: MIT
 *
 * intensity.h - how often a supervisor of OTP may restart, all its children together.
 */
#ifndef WARDI_INTENSITY_H
#define WARDI_INTENSITY_H

#include <ward/types.h>

struct wardi_otp;

void wardi_otp_count_text(const struct wardi_otp *me, int64_t now_ns, char *text, size_t max);

bool wardi_otp_intensity_init(ward_self *self, struct wardi_otp *me);

/* "more than 1 restart in 5 s", "1 of 3 in 10 s". */
void wardi_otp_limit_text(const struct wardi_otp *me, char *text, size_t max);

/* Counts a restart. False: it is one too many. */
bool wardi_otp_may_restart(struct wardi_otp *me, int64_t now_ns);

#endif
