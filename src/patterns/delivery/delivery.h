/* SPDX-License-Identifier: MIT
 *
 * delivery.h - what the parts of at-least-once delivery share: an unconfirmed message.
 *
 * Threads: all of it belongs to its actor.
 */
#ifndef WARDI_DELIVERY_H
#define WARDI_DELIVERY_H

#include <ward/delivery.h>

#include "common/records.h"
#include "patterns/common/kept_body.h"

/* A message in `waiting` or in `sent`. */
struct wardi_delivery {
	struct wardi_tag id;
	uint64_t series; /* the series of ids that this id belongs to */
	struct wardi_delivery *next, *previous;
	ward_ref to;
	const ward_type *type;
	void *body; /* NULL: all zero */
	size_t size;
	int64_t due_ns;
	uint32_t attempts;
	bool warned;
	bool refused; /* it came with a state, and its clone refuses for good */
};

/* Makes a message with a copy of the body, which may be NULL, in no list. Returns WARD_ENOMEM, or
 * the error of the clone. */
ward_err wardi_delivery_make(ward_self *self, ward_ref to, const ward_type *type, const void *body,
			     size_t size, struct wardi_delivery **ret_one);
/* Reports a dead letter without its body, of which there is no copy. */
void wardi_delivery_dead(ward_self *self, const ward_type *type);
void wardi_delivery_discard(ward_self *self, struct wardi_delivery *one);
/* Inserts a message before `next`; NULL: at the end. ends: the first and the last. */
void wardi_delivery_link(struct wardi_delivery *ends[2], struct wardi_delivery *one,
			 struct wardi_delivery *next);
/* Sets the timer early enough for a new message. False: no memory. */
bool wardi_delivery_ready(ward_self *self, ward_delivery *delivery);
/* Stops the timer if there are no messages. */
void wardi_delivery_rest(ward_self *self, ward_delivery *delivery);
/* Sends what is due, within the limit of the window. False: no memory for the timer. */
bool wardi_delivery_go_on(ward_self *self, ward_delivery *delivery);

/* Frees the messages that `warn` confirmed while it ran. */
void wardi_delivery_free_gone(ward_self *self, ward_delivery *delivery);

#endif
