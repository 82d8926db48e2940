/* SPDX-License-Identifier: MIT
 *
 * stop_with_children.c - a receive for actors that only start others: stops when no child is left.
 *
 * Threads: runs only on the actor's worker.
 */
#include <ward/watch.h>

#include "cell/children.h"
#include "cell/self.h"

/* A notice may overtake the report of the same end to the parent: a child that has closed is
 * gone. */
static bool has_living_child(struct ward_self *self)
{
	if (!wardi_has_children(self->cell))
		return false;
	wardi_for_each_child (child, self->cell)
		if (!wardi_child_has_closed(child))
			return true;
	return false;
}

ward_result ward_stop_with_children(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ward_terminated) == NULL || !wardi_self_usable(self))
		return WARD_UNHANDLED;
	return has_living_child(self) ? WARD_DONE : ward_stop_self(self);
}
