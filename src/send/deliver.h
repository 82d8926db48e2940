/* SPDX-License-Identifier: MIT
 *
 * deliver.h - delivers a message into a mailbox.
 */
#ifndef WARDI_DELIVER_H
#define WARDI_DELIVER_H

#include "cell/self.h"

/* Delivers the message. On an error the message stays the caller's and *ret_reason says why. self:
 * the running worker, or NULL for a thread outside. */
ward_err wardi_deliver(ward_system *system, struct ward_self *self, ward_ref to,
		       struct ward_msg *msg, ward_reason *ret_reason);

/* Any thread, in a turn or a visit: returns the present owner of the asker's cell, which may be a
 * later life. */
ward_ref wardi_ask_owner(const ward_system *system, ward_ref question);
/* Wraps the answer in an envelope to be sent to the owner; NULL: no memory. Freeing the envelope
 * returns the answer to the caller. */
struct ward_msg *wardi_answer_wrap(struct wardi_source from, ward_ref owner, ward_ref question,
				   struct ward_msg *answer);

/* Holder: puts a message into its own lane. Cannot fail (a bounded mailbox does not count it). */
void wardi_deliver_own(struct ward_self *self, struct ward_msg *msg);

#endif
