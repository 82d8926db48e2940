/* SPDX-License-Identifier: MIT
 *
 * join_paths.c - where a path goes on that leaves this tree at an actor. selection.c goes there.
 *
 * Threads: runs only on the holder's worker.
 */
#include <ward/extend.h>

#include "actor/rare.h"
#include "base/error.h"
#include "cell/places.h"

ward_err ward_try_join_paths(ward_self *self, ward_ref below, ward_ref above)
{
	struct wardi_extra *extra;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if ((!ward_ref_is_nobody(below) && !wardi_place_has_actor(self->system, below)) ||
	    (!ward_ref_is_nobody(above) && !wardi_place_has_actor(self->system, above)))
		return wardi_error(WARD_EFOREIGN, "ward_join_paths: an actor of another system");
	extra = wardi_extra_of(self);
	if (extra == NULL)
		return wardi_no_memory(self->system, "no memory to join paths");
	extra->selecting.below = below;
	extra->selecting.above = above;
	return WARD_OK;
}
