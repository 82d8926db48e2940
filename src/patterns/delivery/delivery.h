/* SPDX-License-Identifier: MIT
 *
 * delivery.h - what the parts of at-least-once delivery share: one message that is unconfirmed.
 *
 * single-threaded: all of it belongs to its actor.
 */
#ifndef WARDI_DELIVERY_H
#define WARDI_DELIVERY_H

#include <ward/delivery.h>

#include "common/records.h"
#include "patterns/common/kept_body.h"

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
	bool refused; /* of a state: there never will be a copy */
};

/* With a copy of the body, which may be NULL, in no list. WARD_ENOMEM; or what the clone said. */
ward_err wardi_delivery_make(ward_self *self, ward_ref to, const ward_type *type, const void *body,
			     size_t size, struct wardi_delivery **ret_one);
/* A dead letter, without its body: there is no copy of that. */
void wardi_delivery_dead(ward_self *self, const ward_type *type);
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

#endif
