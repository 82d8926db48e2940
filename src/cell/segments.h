/* SPDX-License-Identifier: MIT
 *
 * segments.h - segments of cells: made, filled with free cells, freed. table.c hands the cells out.
 */
#ifndef WARDI_SEGMENTS_H
#define WARDI_SEGMENTS_H

#include "cell/cell.h"
#include "cell/system.h"

/* The first segments stay as long as the system: 2,032 cells, with all `near` ones. */
enum { WARDI_SEGMENTS_KEPT = 7, WARDI_TABLE_KEPT = 2032 };

/* Segments that nobody has needed for this long are freed. */
#define WARDI_SEGMENTS_PERIOD_NS (INT64_C(1000) * 1000 * 1000)

void wardi_segments_init(struct wardi_table *table);
/* All threads have ended. Finishes each cell that was ever used, and frees all segments. */
void wardi_segments_finish(ward_system *system);

/* ---- under table.mu ---------------------------------------------------------------------- */

/* Returns the cell of a slot that never had one. NULL: no memory. */
struct wardi_cell *wardi_segments_new_cell(ward_system *system, uint32_t slot);
/* Takes a free cell. */
void wardi_segments_put(struct wardi_table *table, struct wardi_cell *cell);
/* Returns a free cell of a present segment; NULL: there is none. */
struct wardi_cell *wardi_segments_get(struct wardi_table *table);
/* Makes a freed segment again, of free cells. False: there is none, or no memory. */
bool wardi_segments_bring_back(ward_system *system);

/* ---- any thread -------------------------------------------------------------------------- */

/* Whether there is, or ever was, a segment that may be freed. Relaxed: a late view does no harm. */
static inline bool wardi_segments_are_many(const ward_system *system)
{
	return atomic_load_explicit(&system->table.published, memory_order_relaxed) >
	       WARDI_TABLE_KEPT;
}
/* Frees segments that were not needed, a little at a time. Returns when to call again: not after
 * now_ns: there is more to do; INT64_MAX: after the next put. */
int64_t wardi_segments_tidy(ward_system *system, int64_t now_ns);
/* Returns when to call wardi_segments_tidy(); INT64_MAX: after the next put, INT64_MIN + 1: now. */
int64_t wardi_segments_due(ward_system *system);

/* Holder: returns the counters of questions of this cell. NULL: no memory. */
struct wardi_numbers *wardi_cell_numbers(const struct wardi_cell *cell);

/* Holder: notes the first question of the life of that generation, if it has not asked before. */
void wardi_numbers_begin(struct wardi_numbers *numbers, uint32_t gen);

/* Any thread: whether the life of that generation asked the question with that number; the slot
 * must have been used. */
bool wardi_table_has_asked(const ward_system *system, uint32_t slot, uint32_t gen, uint64_t number);

#endif
