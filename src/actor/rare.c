/* SPDX-License-Identifier: MIT
 *
 * rare.c - makes and frees the records of what few actors need.
 *
 * Threads: runs only on the holder's worker.
 */
#include "actor/rare.h"

#include "base/memory.h"
#include "cell/props.h"

struct wardi_rare *wardi_rare_for(struct wardi_cell *cell, struct wardi_source from)
{
	struct wardi_rare *rare = cell->rare;

	if (rare == &wardi_no_rare) {
		rare = wardi_memory_get(from, sizeof *rare);
		if (rare != NULL)
			cell->rare = rare;
	}
	return rare;
}

struct wardi_extra *wardi_extra_for_asks(struct ward_self *self)
{
	struct wardi_rare *rare = wardi_rare_of(self);

	if (rare != NULL && rare->extra == NULL)
		rare->extra = wardi_memory_get(self->from, sizeof *rare->extra);
	return rare == NULL ? NULL : rare->extra;
}

struct wardi_extra *wardi_extra_of(struct ward_self *self)
{
	struct wardi_extra *extra = wardi_extra_for_asks(self);

	if (extra != NULL && !self->cell->rare->extra_needs_general_turn) {
		self->cell->rare->extra_needs_general_turn = true;
		wardi_cell_judge(self->cell);
	}
	return extra;
}

void wardi_rare_free(struct wardi_cell *cell, struct wardi_source from)
{
	struct wardi_rare *rare = cell->rare;

	if (rare == &wardi_no_rare)
		return;
	cell->rare = WARDI_NO_RARE;
	wardi_args_free(from, rare->args);
	if (rare->extra != NULL)
		wardi_memory_put(from, rare->extra, sizeof *rare->extra);
	wardi_memory_put(from, rare, sizeof *rare);
}
