/* SPDX-License-Identifier: MIT
 *
 * delivery_ids.h - the ids of at-least-once delivery: none is used twice.
 */
#ifndef WARDI_DELIVERY_IDS_H
#define WARDI_DELIVERY_IDS_H

#include <ward/delivery.h>
#include <ward/types.h>

struct wardi_tag;

/* Whether another message here has or had this id, even if it is confirmed: the receiver would
 * confuse the two. */
bool wardi_delivery_id_is_taken(const ward_delivery *delivery, uint64_t id, uint64_t series);

/* Adds a note of an id that came with a state, unless it is known. False: no memory. */
bool wardi_delivery_id_note(ward_self *self, const ward_delivery *delivery, uint64_t id,
			    uint64_t series, struct wardi_tag **notes);

/* Starts the ids in a range that only this incarnation uses. */
void wardi_delivery_ids_begin(ward_self *self, ward_delivery *delivery);

/* New ids begin at next_id. False: no memory, and nothing has changed. */
bool wardi_delivery_ids_begin_above(ward_self *self, ward_delivery *delivery, uint64_t next_id);

/* Enters the notes into the table, which must exist. */
void wardi_delivery_ids_enter(ward_self *self, ward_delivery *delivery, struct wardi_tag *notes);

void wardi_delivery_ids_forget(ward_self *self, struct wardi_tag *notes);

#endif
