/* SPDX-License-Identifier: MIT
 *
 * delay.h - messages that are late.
 */
#ifndef WARDI_DELAY_H
#define WARDI_DELAY_H

#include <ward/types.h>

struct ward_self;

/* Keeps the message aside; false: no memory for that. sender: the uid of who sends, 0: outside. */
bool wardi_delay(ward_system *system, uint64_t sender, ward_ref to, struct ward_msg *msg,
		 int64_t until_ns);
/* The same behind what is late already between these two; false: nothing is. Cannot fail. */
bool wardi_delay_behind(ward_system *system, uint64_t sender, ward_ref to, struct ward_msg *msg);
/* Delivers at once what this one sent, in its order: nothing of a life comes after its end. */
void wardi_delays_of(struct ward_self *self, uint64_t sender);
/* The same for all. */
void wardi_delays_all(struct ward_self *self);

#endif
