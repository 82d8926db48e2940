/* SPDX-License-Identifier: MIT
 *
 * dead_letter.h - messages that do not arrive: counted, published, dropped. Never silently.
 */
#ifndef WARDI_DEAD_LETTER_H
#define WARDI_DEAD_LETTER_H

#include <ward/event.h>
#include <ward/types.h>

struct ward_msg;
struct ward_self;
struct ward_system;
struct wardi_dead;

/* Counts, publishes, and drops the body. */
void wardi_dead(ward_system *system, struct ward_self *self, const struct wardi_dead *dead);

/* The same for a body that never became a message. */
void wardi_dead_body(ward_system *system, struct ward_self *self, ward_ref sender, ward_ref to,
		     const ward_type *type, const void *body, size_t size, ward_reason reason);

/* Counts, publishes, and drops the body; the message itself stays the caller's, without one. */
void wardi_dead_letter(ward_system *system, struct ward_self *self, ward_ref to,
		       struct ward_msg *msg, ward_reason reason);

/* The same without an event, where the delivery of an event caused it. */
void wardi_dead_letter_quiet(ward_system *system, struct ward_self *self, struct ward_msg *msg);

/* The same with sender, type and body of the message; the message itself stays the caller's,
 * without a body. */
void wardi_dead_message(ward_system *system, struct ward_self *self, struct wardi_dead *dead,
			struct ward_msg *msg);

/* Publishes the event alone, for a message without a sender, which is counted and dropped already.
 * body: NULL: none. */
void wardi_dead_publish(ward_system *system, ward_ref to, const ward_type *type, const void *body,
			size_t size, ward_reason reason);

/* For an auto-received message that is not delivered. True: it was the runtime's own, about
 * something that ended with the receiver, and is freed with what belongs to it; a shortage is
 * counted. False: it is a dead letter like any other. */
bool wardi_auto_dropped(struct ward_system *system, struct ward_self *self, struct ward_msg *msg,
			ward_reason reason);

#endif
