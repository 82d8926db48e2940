/* SPDX-License-Identifier: MIT
 *
 * rare.c - making and freeing the records of what few actors need.
 *
 * single-threaded: runs only on the holder's worker.
 */
#include "actor/rare.h"

#include "base/memory.h"
#include "cell/props.h"

struct wardi_gear *wardi_gear_for(struct wardi_cell *cell, struct wardi_source from)
{
	struct wardi_gear *gear = cell->gear;

	if (gear == &wardi_no_gear) {
		gear = wardi_piece_get(from, sizeof *gear);
		if (gear != NULL)
			cell->gear = gear;
	}
	return gear;
}

struct wardi_extra *wardi_extra_for_asks(struct ward_self *self)
{
	struct wardi_gear *gear = wardi_gear_of(self);

	if (gear != NULL && gear->extra == NULL)
		gear->extra = wardi_piece_get(self->from, sizeof *gear->extra);
	return gear == NULL ? NULL : gear->extra;
}

struct wardi_extra *wardi_extra_of(struct ward_self *self)
{
	struct wardi_extra *extra = wardi_extra_for_asks(self);

	if (extra != NULL && !self->cell->gear->extra_is_odd) {
		self->cell->gear->extra_is_odd = true;
		wardi_cell_judge(self->cell);
	}
	return extra;
}

void wardi_gear_free(struct wardi_cell *cell, struct wardi_source from)
{
	struct wardi_gear *gear = cell->gear;

	if (gear == &wardi_no_gear)
		return;
	cell->gear = WARDI_NO_GEAR;
	wardi_args_free(from, gear->args);
	if (gear->extra != NULL)
		wardi_piece_put(from, gear->extra, sizeof *gear->extra);
	wardi_piece_put(from, gear, sizeof *gear);
}
