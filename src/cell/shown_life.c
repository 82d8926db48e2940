/* SPDX-License-Identifier: MIT
 *
 * shown_life.c - what any thread may read of the life in a cell.
 *
 * A life is shown and hidden without a lock, since each spawn and each end would pay for it. The
 * word `entry` says whether one is shown; the parent writes it last at the beginning, and first at
 * the end:
 *
 *	parent                                   reader
 *	  entry = 0              (the last life)   entry: 0? no life
 *	  behavior, parent, born                   uid
 *	  uid                                      parent, its uid, born, behavior
 *	  entry                  (the next life)   entry and uid again: changed? no life
 *
 * All stores are releases and all loads acquires, so each side does them in that order. Why a
 * mixture is never taken for a life: no two lives of a cell have the same uid. If both looks at uid
 * find that of an old life, the second look at entry was before the entry of the next one: it finds
 * 0 if anything that was read is newer than the end of the old life. If both find that of a new
 * life, all that was read after the first is at least as new; and the life after that one has
 * another uid, or has not been shown, and then entry is 0.
 *
 * The parent of the life may be another life by the time its uid is read. But a parent outlives its
 * children, so if the second look finds the same life, the parent was the same as well. Its memory
 * stays for the visit: it lived when the visit had begun.
 *
 * The name of a life with an entry, and the last failure, are read under the path lock; the parent
 * hides such a life under that lock.
 *
 * Threads: calls may run at the same time.
 * Pairs  [S8] each store of a word that is shown: release - acquire here
 */
#include "cell/shown_life.h"

bool wardi_life_look(const struct wardi_cell *cell, struct wardi_shown_life *ret_life)
{
	const struct wardi_cell *parent;
	uintptr_t entry = atomic_load_explicit(&cell->shown_entry, memory_order_acquire); /* [S8] */
	uint64_t uid;

	if (entry == 0)
		return false;
	uid = atomic_load_explicit(&cell->shown_uid, memory_order_acquire);       /* [S8] */
	parent = atomic_load_explicit(&cell->shown_parent, memory_order_acquire); /* [S8] */
	*ret_life = (struct wardi_shown_life){
		.uid = uid,
		.parent_uid = parent == NULL
				      ? 0
				      : atomic_load_explicit(&parent->shown_uid,
							     memory_order_acquire),    /* [S8] */
		.born = atomic_load_explicit(&cell->shown_born, memory_order_acquire), /* [S8] */
		.behavior = atomic_load_explicit(&cell->shown_behavior,
						 memory_order_acquire), /* [S8] */
		.entry = entry,
	};
	return atomic_load_explicit(&cell->shown_entry, memory_order_acquire) == entry && /* [S8] */
	       atomic_load_explicit(&cell->shown_uid, memory_order_relaxed) == uid;
}
