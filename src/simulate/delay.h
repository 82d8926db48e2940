/* SPDX-License-Identifier: MIT
 *
 * delay.h - messages that are late.
 */
#ifndef WARDI_DELAY_H
#define WARDI_DELAY_H

#include <ward/types.h>

struct ward_self;

/* Delays the message; false: no memory. sender: the uid of the sender; 0: a thread outside. */
bool wardi_delay(ward_system *system, uint64_t sender, ward_ref to, struct ward_msg *msg,
		 int64_t until_ns);
/* The same behind a message that is late between the same two; false: there is none. Cannot
 * fail. */
bool wardi_delay_behind(ward_system *system, uint64_t sender, ward_ref to, struct ward_msg *msg);
/* Delivers the delayed messages of this sender at once, in order: none arrives after its end. */
void wardi_delays_of(struct ward_self *self, uint64_t sender);
/* The same for all. */
void wardi_delays_all(struct ward_self *self);

#endif
