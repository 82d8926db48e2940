/* SPDX-License-Identifier: MIT
 *
 * delivery_snapshot.h - what is unconfirmed, kept over a restart and longer.
 */
#ifndef WARDI_DELIVERY_SNAPSHOT_H
#define WARDI_DELIVERY_SNAPSHOT_H

#include <ward/delivery.h>
#include <ward/types.h>

/* Fails the actor, with the detail. */
ward_result wardi_delivery_failed(ward_self *self, ward_err err);

/* WARD_UNHANDLED: it is another one's. */
ward_result wardi_delivery_kept(ward_self *self, ward_delivery *delivery, const ward_msg *msg);

/* How many came before the start. */
size_t wardi_delivery_packed(const ward_delivery *delivery);

/* Takes up what came before the start. Without memory it stays for another time. */
ward_err wardi_delivery_unpack(ward_self *self, ward_delivery *delivery);

/* Of ward_delivery_keep(). */
extern const ward_type wardi_type_delivery_kept;

#endif
