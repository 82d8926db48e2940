/* SPDX-License-Identifier: MIT
 *
 * sender_pending.h - the messages that a back-off sender keeps until they are done.
 */
#ifndef WARDI_SENDER_PENDING_H
#define WARDI_SENDER_PENDING_H

#include <ward/types.h>

struct wardi_pending;
struct wardi_pendings;

/* Makes a copy of one, in *ret_copy. WARD_ENOMEM; or its clone says why there can be none. */
ward_err wardi_pending_copy(const struct wardi_pending *pending, ward_self *self, void **ret_copy);

/* Sends that copy, or discards it. */
ward_err wardi_pending_send(struct wardi_pending *pending, ward_self *self, ward_ref to,
			    void *copy);

/* Drops those with this number, in O(1). */
void wardi_pendings_done(struct wardi_pendings *all, ward_self *self, uint64_t id);

void wardi_pendings_init(struct wardi_pendings *all);

/* Keeps the current message, as the last. False: no memory, and it is where it was. */
bool wardi_pendings_keep(struct wardi_pendings *all, ward_self *self, const ward_msg *msg,
			 uint64_t id);

/* Takes the first one out; it is good until the next one is kept. Its body is the caller's. */
const struct wardi_pending *wardi_pendings_shift(struct wardi_pendings *all);

/* Takes that one out, as wardi_pendings_shift() does the first. */
void wardi_pendings_take(struct wardi_pendings *all, struct wardi_pending *pending);

void wardi_pendings_unsent(struct wardi_pendings *all);

#endif
