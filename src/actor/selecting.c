/* SPDX-License-Identifier: MIT
 *
 * selecting.c - what paths need of few actors: a record of its own, by the first fan-out of an
 * actor that waits, or by a join of two trees.
 *
 * Threads: the holder.
 */
#include "actor/selecting.h"

#include "base/memory.h"
#include "cell/self.h"

struct wardi_selecting *wardi_selecting_of(struct ward_self *self)
{
	struct wardi_extra *extra = wardi_extra_of(self);

	if (extra != NULL && extra->selecting == NULL)
		extra->selecting = wardi_memory_get(self->from, sizeof *extra->selecting);
	return extra == NULL ? NULL : extra->selecting;
}

void wardi_selecting_finish(struct ward_self *self)
{
	struct wardi_extra *extra = self->cell->rare->extra;

	if (extra->selecting == NULL)
		return;
	wardi_memory_put(self->from, extra->selecting, sizeof *extra->selecting);
	extra->selecting = NULL;
}
