/* SPDX-License-Identifier: MIT
 *
 * stop_child.h - stops children of a supervisor of OTP.
 */
#ifndef WARDI_STOP_CHILD_H
#define WARDI_STOP_CHILD_H

#include <ward/types.h>

struct wardi_otp;
struct wardi_otp_child;

/* A child that was ordered to stop has ended. */
void wardi_otp_has_stopped(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

bool wardi_otp_is_tick(const ward_msg *msg);

void wardi_otp_kill_all(ward_self *self, struct wardi_otp *me);

/* When shutdown_ms are over. */
void wardi_otp_kill_one(ward_self *self, struct wardi_otp_child *child);

/* Stops all at the same time; sets me->awaited to the number of ends to come. */
void wardi_otp_stop_all(ward_self *self, struct wardi_otp *me);

/* True: the child has ended already. False: its end comes as a message. */
bool wardi_otp_stop_one(ward_self *self, struct wardi_otp_child *child);

void wardi_otp_timer_cancel(ward_self *self);

#endif
