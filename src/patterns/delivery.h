/* SPDX-License-Identifier: MIT
 *
 * delivery.h - what the parts of at-least-once delivery share: one message that is unconfirmed.
 *
 * single-threaded: all of it belongs to its actor.
 */
#ifndef WARDI_DELIVERY_H
#define WARDI_DELIVERY_H

#include <ward/delivery.h>

#include "patterns/tags.h"

/* In `waiting`, or in `sent`. */
struct wardi_delivery {
	struct wardi_tag id;
	uint64_t series; /* of the ids that this one is of */
	struct wardi_delivery *next, *previous;
	ward_ref to;
	const ward_type *type;
	void *body; /* NULL: all zero */
	size_t size;
	int64_t due_ns;
	uint32_t attempts;
	bool warned;
};

/* With a copy of the body, which may be NULL, in no list. NULL: no memory. */
struct wardi_delivery *wardi_delivery_make(ward_self *self, ward_ref to, const ward_type *type,
					   const void *body, size_t size);
void wardi_delivery_discard(ward_self *self, struct wardi_delivery *one);
/* Before `next`; NULL: last. ends: the first and the last. */
void wardi_delivery_link(struct wardi_delivery *ends[2], struct wardi_delivery *one,
			 struct wardi_delivery *next);
/* Sets the timer, so that it is due soon enough. False: no memory. */
bool wardi_delivery_ready(ward_self *self, ward_delivery *delivery);
/* Without messages it needs no timer. */
void wardi_delivery_rest(ward_self *self, ward_delivery *delivery);
/* Sends what is due, as much as may be. False: no memory for the timer. */
bool wardi_delivery_go_on(ward_self *self, ward_delivery *delivery);

/* Frees what `warn` confirmed while it ran. */
void wardi_delivery_free_gone(ward_self *self, ward_delivery *delivery);

/* delivery_state.c: of ward_delivery_keep(). */
extern const ward_type wardi_type_delivery_kept;
/* WARD_UNHANDLED: it is another one's. */
ward_result wardi_delivery_kept(ward_self *self, ward_delivery *delivery, const ward_msg *msg);

#endif
