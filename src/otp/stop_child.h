/* SPDX-License-Identifier: MIT
 *
 * stop_child.h - children of a supervisor of OTP are told to end.
 */
#ifndef WARDI_STOP_CHILD_H
#define WARDI_STOP_CHILD_H

#include <ward/types.h>

struct wardi_otp;
struct wardi_otp_child;

/* One that was told to has ended. */
void wardi_otp_has_stopped(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

bool wardi_otp_is_tick(const ward_msg *msg);

void wardi_otp_kill_all(ward_self *self, struct wardi_otp *me);

/* The time is up. */
void wardi_otp_kill_one(ward_self *self, struct wardi_otp_child *child);

/* All at the same time; me->awaited of them are to be heard of. */
void wardi_otp_stop_all(ward_self *self, struct wardi_otp *me);

/* True: it has. False: it is to be heard of. */
bool wardi_otp_stop_one(ward_self *self, struct wardi_otp_child *child);

void wardi_otp_timer_cancel(ward_self *self);

#endif
