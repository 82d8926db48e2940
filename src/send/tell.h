/* SPDX-License-Identifier: MIT
 *
 * tell.h - sending: from a body in the sender's hands to a message in a mailbox.
 */
#ifndef WARDI_TELL_H
#define WARDI_TELL_H

#include <ward/types.h>

struct ward_msg;
struct ward_self;

/* By a thread outside, which stands for the sender; what cannot be delivered is a dead letter. */
void wardi_outside_send(ward_system *system, ward_ref sender, ward_ref to, const ward_type *type,
			const void *body, size_t size);

/* By the running actor, in the name of the sender; what cannot be delivered is a dead letter.
 * Takes. */
void wardi_send_msg(struct ward_self *self, ward_ref sender, ward_ref to, struct ward_msg *msg);

/* The same; unless it is WARD_OK, msg is still the caller's, and a detail is noted. */
ward_err wardi_try_send_msg(struct ward_self *self, ward_ref sender, ward_ref to,
			    struct ward_msg *msg);

#endif
