/* SPDX-License-Identifier: MIT
 *
 * stranger.c - an actor of a shared object, which fails with classes that are declared there, too.
 */
#include "stranger.h"

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct stranger_end *end = ward_match(msg, stranger_end);

	(void)state;
	if (end == NULL)
		return WARD_UNHANDLED;
	return ward_failed(self, end->shot ? &stranger_shot : &stranger_killed, "told to");
}
const ward_behavior stranger = {.name = "stranger", .receive = receive};

bool stranger_is_copy(const ward_failure_class *killed)
{
	return killed != &stranger_killed;
}
