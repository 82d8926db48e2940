/* SPDX-License-Identifier: MIT
 *
 * deliver.h - one made message on its way into a mailbox.
 */
#ifndef WARDI_DELIVER_H
#define WARDI_DELIVER_H

#include "cell/self.h"

/* Puts the message where `to` says. On another answer than WARD_OK the message is the caller's and
 * *ret_reason says why. self: the running worker, or NULL outside. */
ward_err wardi_deliver(ward_system *system, struct ward_self *self, ward_ref to,
		       struct ward_msg *msg, ward_reason *ret_reason);

/* Who lives in the asker's cell now: perhaps not the asker any more. Any thread, in a
 * turn or a visit. */
ward_ref wardi_ask_owner(const ward_system *system, ward_ref question);
/* An envelope for the answer, to be sent to the owner; NULL: no memory. Who frees it has the answer
 * back. */
struct ward_msg *wardi_answer_wrap(struct wardi_source from, ward_ref owner, ward_ref question,
				   struct ward_msg *answer);

/* The holder's way into its own lane: cannot fail (a bounded one does not count it). */
void wardi_deliver_own(struct ward_self *self, struct ward_msg *msg);

#endif
