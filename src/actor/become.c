/* SPDX-License-Identifier: MIT
 *
 * become.c - the stack of receives that handle messages.
 *
 *	cell->receive -> below -> below -> behavior->receive
 *	    the top      what ward_become_stacked() has covered
 *
 * An actor that never stacks a receive has no record: the top is in the cell, and below it is
 * always that of the behaviour.
 *
 * Threads: runs only on the holder's worker.
 */
#include "actor/become.h"

#include "actor/failing.h"
#include "actor/rare.h"
#include "base/error.h"
#include "base/memory.h"
#include "cell/props.h"

struct wardi_receive {
	struct wardi_receive *below;
	ward_receive receive;
};

void ward_become(ward_self *self, ward_receive receive)
{
	if (!wardi_self_usable(self))
		return;
	if (receive == NULL)
		wardi_note_misuse(self, "ward_become() with a NULL receive");
	else
		self->cell->receive = receive;
}

ward_err ward_try_become_stacked(ward_self *self, ward_receive receive)
{
	struct wardi_extra *extra;
	struct wardi_receive *covered;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (receive == NULL)
		return wardi_error(WARD_EINVAL, "ward_become_stacked: the receive is NULL");
	extra = wardi_extra_of(self);
	covered = extra == NULL ? NULL : wardi_memory_get(self->from, sizeof *covered);
	if (covered == NULL)
		return wardi_no_memory(self->system, "no memory to keep what handles messages now");
	covered->receive = self->cell->receive;
	covered->below = extra->become.below;
	extra->become.below = covered;
	self->cell->receive = receive;
	return WARD_OK;
}

/* False: nothing was covered. */
static bool uncover(struct ward_self *self)
{
	struct wardi_extra *extra = self->cell->rare->extra;
	struct wardi_receive *covered = extra == NULL ? NULL : extra->become.below;

	if (covered == NULL)
		return false;
	self->cell->receive = covered->receive;
	extra->become.below = covered->below;
	wardi_memory_put(self->from, covered, sizeof *covered);
	return true;
}

void ward_unbecome(ward_self *self)
{
	if (wardi_self_usable(self) && !uncover(self))
		self->cell->receive = wardi_receive_of(wardi_behavior(self));
}

void wardi_become_reset(struct ward_self *self)
{
	while (uncover(self))
		;
	self->cell->receive = wardi_receive_of(wardi_behavior(self));
}
