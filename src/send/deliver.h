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

/* By the running actor, in the name of the sender; what cannot be delivered is a dead letter.
 * Takes. */
void wardi_send_msg(struct ward_self *self, ward_ref sender, ward_ref to, struct ward_msg *msg);
/* The same; unless it is WARD_OK, msg is still the caller's, and a detail is noted. */
ward_err wardi_try_send_msg(struct ward_self *self, ward_ref sender, ward_ref to,
			    struct ward_msg *msg);

/* The holder's way into its own lane: cannot fail (a bounded one does not count it). */
void wardi_deliver_own(struct ward_self *self, struct ward_msg *msg);

/* By a thread outside, which stands for the sender; what cannot be delivered is a dead letter. */
void wardi_outside_send(ward_system *system, ward_ref sender, ward_ref to, const ward_type *type,
			const void *body, size_t size);

/* outside.c: has a thread ask, by `send`, in the name of a ref that stands for it, and wait. The
 * answer is the caller's. WARD_ETIMEDOUT, or WARD_EDEAD. No detail. */
ward_err wardi_outside_ask(ward_system *system, const ward_type *asked, int64_t timeout_ms,
			   void (*send)(ward_system *system, ward_ref asker, void *arg), void *arg,
			   struct ward_msg **ret_answer);
/* outside.c: /user looks at a request for an actor. */
void wardi_spawn_requested(struct ward_self *self, struct wardi_sysmsg *msg);
void wardi_spawn_refused(ward_system *system, struct wardi_sysmsg *msg);

#endif
