/* SPDX-License-Identifier: MIT
 *
 * sender_pending.h - the messages that a back-off sender keeps until they are confirmed.
 */
#ifndef WARDI_SENDER_PENDING_H
#define WARDI_SENDER_PENDING_H

#include <ward/types.h>

struct wardi_pending;
struct wardi_pendings;

/* Copies the body to *ret_copy. Returns WARD_ENOMEM, or the error of the clone. */
ward_err wardi_pending_copy(const struct wardi_pending *pending, ward_self *self, void **ret_copy);

/* Sends that copy, or discards it on an error. */
ward_err wardi_pending_send(struct wardi_pending *pending, ward_self *self, ward_ref to,
			    void *copy);

/* Drops the messages with this id, in O(1). */
void wardi_pendings_done(struct wardi_pendings *all, ward_self *self, uint64_t id);

void wardi_pendings_init(struct wardi_pendings *all);

/* Appends the current message. False: no memory, and nothing has changed. */
bool wardi_pendings_keep(struct wardi_pendings *all, ward_self *self, const ward_msg *msg,
			 uint64_t id);

/* Removes and returns the first message, which is valid until the next is kept. Its body is the
 * caller's. */
const struct wardi_pending *wardi_pendings_shift(struct wardi_pendings *all);

/* Removes a message, as wardi_pendings_shift() does the first. */
void wardi_pendings_take(struct wardi_pendings *all, struct wardi_pending *pending);

void wardi_pendings_unsent(struct wardi_pendings *all);

#endif
