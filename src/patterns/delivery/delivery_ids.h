/* SPDX-License-Identifier: MIT
 *
 * delivery_ids.h - which ids messages had in at-least-once delivery, so that none is given twice.
 */
#ifndef WARDI_DELIVERY_IDS_H
#define WARDI_DELIVERY_IDS_H

#include <ward/delivery.h>
#include <ward/types.h>

struct wardi_tag;

/* Whether the id is that of another message here, also of one that is confirmed: its receiver
 * would take this one for that. */
bool wardi_delivery_id_is_taken(const ward_delivery *delivery, uint64_t id, uint64_t series);

/* Makes one more of the notes that a state brings an id, unless it is known. False: no memory. */
bool wardi_delivery_id_note(ward_self *self, const ward_delivery *delivery, uint64_t id,
			    uint64_t series, struct wardi_tag **notes);

/* In a range that is this incarnation's alone. */
void wardi_delivery_ids_begin(ward_self *self, ward_delivery *delivery);

/* New ids are next_id and more. False: no memory, and nothing has changed. */
bool wardi_delivery_ids_begin_above(ward_self *self, ward_delivery *delivery, uint64_t next_id);

/* The table must be there. */
void wardi_delivery_ids_enter(ward_self *self, ward_delivery *delivery, struct wardi_tag *notes);

void wardi_delivery_ids_forget(ward_self *self, struct wardi_tag *notes);

#endif
