/* SPDX-License-Identifier: MIT
 *
 * delivery_snapshot.h - saves unconfirmed messages over a restart and longer.
 */
#ifndef WARDI_DELIVERY_SNAPSHOT_H
#define WARDI_DELIVERY_SNAPSHOT_H

#include <ward/delivery.h>
#include <ward/types.h>

/* Fails the actor with the detail of the error. */
ward_result wardi_delivery_failed(ward_self *self, ward_err err);

/* Handles a message of ward_delivery_keep(). WARD_UNHANDLED: it is for another ward_delivery. */
ward_result wardi_delivery_kept(ward_self *self, ward_delivery *delivery, const ward_msg *msg);

/* Returns how many messages arrived before the start. */
size_t wardi_delivery_packed(const ward_delivery *delivery);

/* Restores the states that arrived before the start. Without memory they stay for later. */
ward_err wardi_delivery_unpack(ward_self *self, ward_delivery *delivery);

/* The type of the messages of ward_delivery_keep(). */
extern const ward_type wardi_type_delivery_kept;

#endif
