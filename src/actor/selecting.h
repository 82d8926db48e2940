/* SPDX-License-Identifier: MIT
 *
 * selecting.h - what paths need of few actors: a record of its own, by the first fan-out of an
 * actor that waits, or by a join of two trees.
 */
#ifndef WARDI_SELECTING_H
#define WARDI_SELECTING_H

#include "actor/rare.h"
#include "base/memory.h"
#include "cell/self.h"

struct wardi_selection;

/* Holder only. */
struct wardi_selecting {
	/* The fan-out that is not finished. */
	const struct wardi_selection *away;   /* comes back for the next portion; NULL: none */
	struct wardi_cell *next;              /* the child it goes on with; NULL: none is left */
	struct wardi_selection *first, *last; /* these came later, and wait for it */
	/* Where paths go on that would go down from here, or come up; nobody: in this tree. */
	ward_ref below, above;
};

/* Returns the record; NULL: there is none. */
static inline struct wardi_selecting *wardi_selecting_in(const struct wardi_cell *cell)
{
	return cell->rare->extra == NULL ? NULL : cell->rare->extra->selecting;
}

/* The same for writing. NULL: no memory. */
static inline struct wardi_selecting *wardi_selecting_of(struct ward_self *self)
{
	struct wardi_extra *extra = wardi_extra_of(self);

	if (extra != NULL && extra->selecting == NULL)
		extra->selecting = wardi_memory_get(self->from, sizeof *extra->selecting);
	return extra == NULL ? NULL : extra->selecting;
}

/* The life is over, and no selection waits: frees the record. The actor has a second record. */
static inline void wardi_selecting_finish(struct ward_self *self)
{
	struct wardi_extra *extra = self->cell->rare->extra;

	if (extra->selecting == NULL)
		return;
	wardi_memory_put(self->from, extra->selecting, sizeof *extra->selecting);
	extra->selecting = NULL;
}

#endif
