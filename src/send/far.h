/* SPDX-License-Identifier: MIT
 *
 * far.h - sends to other places, through the actors of their associations.
 */
#ifndef WARDI_FAR_H
#define WARDI_FAR_H

#include "cell/places.h"
#include "cell/self.h"

/* In a turn or a visit: sends the message to a ref with the place of this row; otherwise as
 * wardi_deliver(). */
ward_err wardi_far_deliver(ward_system *system, struct ward_self *self,
			   struct wardi_place_row *place, ward_ref to, struct ward_msg *msg,
			   ward_reason *ret_reason);

/* The sender of what the running actor sends there: that one, or the actor in whose name a guest
 * speaks. */
ward_ref wardi_far_name(const struct ward_self *self, ward_ref sender, ward_ref to);

/* The uid of that actor, which stands in for the running one; 0: it is not a guest, or `watcher` is
 * another one. */
uint64_t wardi_far_stand_in(const struct ward_self *self, ward_ref watcher, ward_ref to);

/* In a turn or a visit: makes an outgoing message one of the association that is open now. If that
 * ends first, the message is lost, also where the next one has the same place. */
void wardi_far_address(const ward_system *system, struct ward_msg *msg);

/* Whether a message of its type and size can go to this place. */
bool wardi_far_may_leave(ward_system *system, uint32_t place, const struct ward_msg *msg);
/* Counts a message that was not given to this place, for a reason of the caller's. */
void wardi_far_refused(ward_system *system, struct ward_self *self, uint32_t place,
		       const struct ward_msg *msg);
/* Sends an outgoing message with a message in it; undelivered, that becomes a dead letter. Takes
 * it. */
void wardi_far_send(ward_system *system, struct ward_self *self, struct ward_msg *envelope);

/* Sends a control message to the association of its receiver; frees it if that is closed, or takes
 * no more. False: so it was. */
bool wardi_far_submit(ward_system *system, struct ward_self *self, struct ward_msg *msg);

/* The running actor has made a watch or a link with the peer of this association: it is held, if
 * that association's mailbox is full, as if it had sent a message. */
void wardi_far_press(struct ward_self *self, uint64_t owner);

/* An outgoing message was not handled: what it carries becomes a dead letter with this reason; DEAD
 * means UNREACHED. The message stays the caller's, with nothing in it. */
void wardi_far_lost(ward_system *system, struct ward_self *self, struct ward_msg *msg,
		    ward_reason reason);

/* A message of a question or a thread of another place was not delivered to `last`. */
void wardi_far_unheard(ward_system *system, struct ward_self *self, ward_ref asker, ward_ref last,
		       ward_reason reason);

#endif
