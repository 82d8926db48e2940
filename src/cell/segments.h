/* SPDX-License-Identifier: MIT
 *
 * segments.h - the segments that cells lie in: made, filled with free cells, given back. table.c
 * hands the cells out.
 */
#ifndef WARDI_SEGMENTS_H
#define WARDI_SEGMENTS_H

#include "cell/cell.h"
#include "cell/system.h"

/* The first segments stay as long as the system: 2,032 cells, with all that have a near way. */
enum { WARDI_SEGMENTS_KEPT = 7, WARDI_TABLE_KEPT = 2032 };

/* What nobody has needed for so long is given back. */
#define WARDI_SEGMENTS_PERIOD_NS (INT64_C(1000) * 1000 * 1000)

void wardi_segments_init(struct wardi_table *table);
/* All threads have ended. Finishes each cell that was ever used, and frees all segments. */
void wardi_segments_finish(ward_system *system);

/* ---- under table.mu ---------------------------------------------------------------------- */

/* A cell of a slot that never had one. NULL: no memory. */
struct wardi_cell *wardi_segments_new_cell(ward_system *system, uint32_t slot);
/* Takes a free cell. */
void wardi_segments_put(struct wardi_table *table, struct wardi_cell *cell);
/* A free cell, of a segment that was not given back; NULL: there is none. */
struct wardi_cell *wardi_segments_get(struct wardi_table *table);
/* Makes a segment anew that was given back, of free cells. False: there is none, or no memory. */
bool wardi_segments_bring_back(ward_system *system);

/* ---- any thread -------------------------------------------------------------------------- */

/* Whether there is, or ever was, a segment that may be given back. Relaxed: a moment late does no
 * harm. */
static inline bool wardi_segments_are_many(const ward_system *system)
{
	return atomic_load_explicit(&system->table.published, memory_order_relaxed) >
	       WARDI_TABLE_KEPT;
}
/* Frees what was not needed, a little at a time. Returns when to call again: not after now_ns,
 * there is more to do; INT64_MAX, when something was put. */
int64_t wardi_segments_tidy(ward_system *system, int64_t now_ns);
/* When that is to be called; INT64_MAX: not before something is put, INT64_MIN + 1: it is time. */
int64_t wardi_segments_due(ward_system *system);

/* Holder: where the questions of all lives of this cell are counted. NULL: no memory. */
struct wardi_numbers *wardi_cell_numbers(const struct wardi_cell *cell);

/* Holder: the life of that generation has begun to ask, if it had not, with the last number. */
void wardi_numbers_begin(struct wardi_numbers *numbers, uint32_t gen);

/* Whether the life of that generation asked the question with that number; the slot was used. Any
 * thread, as above (segments.c). */
bool wardi_table_has_asked(const ward_system *system, uint32_t slot, uint32_t gen, uint64_t number);

#endif
