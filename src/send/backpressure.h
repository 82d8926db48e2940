/* SPDX-License-Identifier: MIT
 *
 * backpressure.h - senders that wait until a full mailbox has drained (WARD_OVERFLOW_HOLD_SENDER).
 *
 * One record for each mailbox that holds an actor back. While it has one it handles no user
 * message; system messages run as ever.
 */
#ifndef WARDI_BACKPRESSURE_H
#define WARDI_BACKPRESSURE_H

#include "cell/self.h"

/* The running actor has overfilled this mailbox of `owner`: holds it back after its callback,
 * unless that would never end, the actor owes a decision, or there is no memory for the record. */
void wardi_backpressure_hold(struct ward_self *self, struct wardi_bounded *bounded, uint64_t owner);

/* After a message was taken out of the mailbox, or the mailbox was closed: releases the actors that
 * it need no longer hold. */
void wardi_backpressure_drained(struct ward_self *self, struct wardi_bounded *bounded);

/* Ends all holds of the running actor: its life is over, or others wait for it to act. */
void wardi_backpressure_withdraw(struct ward_self *self, struct wardi_cell *cell);

/* A system message brought the record back: the hold is over. */
void wardi_backpressure_over(struct ward_self *self, struct wardi_sysmsg *msg);

/* Any thread: returns the uid of the actor whose mailbox holds this one back, or 0. */
uint64_t wardi_backpressure_by(ward_system *system, struct wardi_cell *cell, uint64_t uid);

#endif
