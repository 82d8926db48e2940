/* SPDX-License-Identifier: MIT
 *
 * tell.h - sending: from the sender's body to a message in a mailbox.
 */
#ifndef WARDI_TELL_H
#define WARDI_TELL_H

#include <ward/types.h>

struct ward_msg;
struct ward_self;

/* Thread outside, in the name of the sender: sends; an undeliverable message is a dead letter. */
void wardi_outside_send(ward_system *system, ward_ref sender, ward_ref to, const ward_type *type,
			const void *body, size_t size);

/* Running actor, in the name of the sender: sends; an undeliverable message is a dead letter. Takes
 * the message. */
void wardi_send_msg(struct ward_self *self, ward_ref sender, ward_ref to, struct ward_msg *msg);

/* The same; on an error the message stays the caller's, and a detail is noted. */
ward_err wardi_try_send_msg(struct ward_self *self, ward_ref sender, ward_ref to,
			    struct ward_msg *msg);

#endif
