/* SPDX-License-Identifier: MIT
 *
 * shown_life.h - what any thread may read of the life in a cell, and how the parent shows it.
 */
#ifndef WARDI_SHOWN_LIFE_H
#define WARDI_SHOWN_LIFE_H

#include "cell/cell.h"

/* All of one life. */
struct wardi_shown_life {
	uint64_t uid;
	uint64_t parent_uid; /* 0: the root has none */
	uint64_t born;
	const ward_behavior *behavior;
	uintptr_t entry; /* as in the cell; a struct wardi_entry only under the path lock */
};

/* Any thread, in a visit. False: no life is shown in the cell; or it changed during the look, and
 * the life that was there at first is over. */
bool wardi_life_look(const struct wardi_cell *cell, struct wardi_shown_life *ret_life);

/* Any thread: the uid of the life in the cell, or of the last one; stale at once. */
static inline uint64_t wardi_life_uid(const struct wardi_cell *cell)
{
	return atomic_load_explicit(&cell->shown_uid, memory_order_relaxed);
}

/* The parent, whose cell it is: shows a new life. Under the path lock, if the entry is a struct
 * wardi_entry. */
static inline void wardi_life_show(struct wardi_cell *cell, const struct wardi_shown_life *life,
				   struct wardi_cell *parent)
{
	atomic_store_explicit(&cell->shown_behavior, life->behavior,
			      memory_order_release);                                  /* [S8] */
	atomic_store_explicit(&cell->shown_parent, parent, memory_order_release);     /* [S8] */
	atomic_store_explicit(&cell->shown_born, life->born, memory_order_release);   /* [S8] */
	atomic_store_explicit(&cell->shown_uid, life->uid, memory_order_release);     /* [S8] */
	atomic_store_explicit(&cell->shown_entry, life->entry, memory_order_release); /* [S8] */
}

/* The parent: shows the life no longer. Under the path lock, if the entry is a struct wardi_entry,
 * or if there is a last failure. */
static inline void wardi_life_hide(struct wardi_cell *cell)
{
	atomic_store_explicit(&cell->shown_entry, 0, memory_order_release); /* [S8] */
}

#endif
