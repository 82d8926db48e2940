/* SPDX-License-Identifier: MIT
 *
 * intensity.h - limits the restarts of a supervisor of OTP, counted over all its children.
 */
#ifndef WARDI_INTENSITY_H
#define WARDI_INTENSITY_H

#include <ward/types.h>

struct wardi_otp;

void wardi_otp_count_text(const struct wardi_otp *me, int64_t now_ns, char *text, size_t max);

bool wardi_otp_intensity_init(ward_self *self, struct wardi_otp *me);

/* "more than 1 restart in 5 s", "1 of 3 in 10 s". */
void wardi_otp_limit_text(const struct wardi_otp *me, char *text, size_t max);

/* Counts a restart; returns whether the limit allows it. */
bool wardi_otp_may_restart(struct wardi_otp *me, int64_t now_ns);

#endif
