/* SPDX-License-Identifier: MIT
 *
 * extra.c - making and freeing the record of what few actors need.
 *
 * single-threaded: runs only on the holder's worker.
 */
#include "core/extra.h"

struct wardi_extra *wardi_extra_of(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (cell->extra == NULL)
		cell->extra = wardi_alloc_zeroed(&self->system->alloc, sizeof *cell->extra);
	return cell->extra;
}

void wardi_extra_free(struct wardi_cell *cell)
{
	if (cell->extra == NULL)
		return;
	wardi_free(&cell->system->alloc, cell->extra, sizeof *cell->extra);
	cell->extra = NULL;
}
