/* SPDX-License-Identifier: MIT
 *
 * table.h - from a ref to a cell: a few instructions, since each tell does it. table.c has the
 * picture, and what [S1] and [S2] pair.
 */
#ifndef WARDI_TABLE_H
#define WARDI_TABLE_H

#include "base/prefetch.h"
#include "cell/cell.h"
#include "cell/system.h"

enum {
	WARDI_SLOTS_FIRST_BITS = 4, /* cells of the first segment */
	WARDI_SLOTS_FULL_BITS = 12  /* of those that do not grow any more */
};

/* Where the cell of a slot lies. */
struct wardi_place {
	uint32_t segment, index;
};

static inline struct wardi_place wardi_place_of(uint32_t slot)
{
	/* Then a segment begins at each power of two. */
	uint32_t at = slot + (UINT32_C(1) << WARDI_SLOTS_FIRST_BITS);
	uint32_t bits = 31 - (uint32_t)__builtin_clz(at);

	if (bits >= WARDI_SLOTS_FULL_BITS)
		return (struct wardi_place){(at >> WARDI_SLOTS_FULL_BITS) + WARDI_SLOTS_FULL_BITS -
						    WARDI_SLOTS_FIRST_BITS - 1,
					    at & ((1 << WARDI_SLOTS_FULL_BITS) - 1)};
	return (struct wardi_place){bits - WARDI_SLOTS_FIRST_BITS,
				    at & ((UINT32_C(1) << bits) - 1)};
}

/* One of the first, which are found with one load less. */
static inline bool wardi_table_is_near(uint32_t slot)
{
	return slot < WARDI_NEAR * 16;
}

/* As wardi_table_cell(), of one that is near. */
static inline struct wardi_cell *wardi_table_near(const ward_system *system, uint32_t slot)
{
	const struct wardi_table *table = &system->table;

	if (slot >= atomic_load_explicit(&table->published, memory_order_acquire)) /* [S1] */
		return NULL;
	/* Relaxed: it was written before `published`. */
	return atomic_load_explicit(&table->near[slot / 16], memory_order_relaxed) + slot % 16;
}

/* The cell of a slot, whoever lives in it; NULL: never used. Any thread, in a turn or in a visit
 * (below): it may be taken away when they are over. Where nobody lives it may be one that serves
 * for all that are gone: no generation is open, nobody is known, and it must not be written. */
static inline struct wardi_cell *wardi_table_cell(const ward_system *system, uint32_t slot)
{
	const struct wardi_table *table = &system->table;
	struct wardi_segment *segment;
	struct wardi_place place;

	if (wardi_table_is_near(slot))
		return wardi_table_near(system, slot);
	if (slot >= atomic_load_explicit(&table->published, memory_order_acquire)) /* [S1] */
		return NULL;
	place = wardi_place_of(slot);
	segment = atomic_load_explicit(&table->segments[place.segment],
				       memory_order_acquire); /* [S1] */
	return &segment->cells[place.index];
}

/* Whether that life of the cell takes mail. Any thread; may be stale at once. */
static inline bool wardi_cell_is_open(const struct wardi_cell *cell, uint64_t uid)
{
	return wardi_uid_gen(uid) != 0 &&
	       atomic_load_explicit(&cell->open_gen, memory_order_acquire) == /* [S2] */
		       wardi_uid_gen(uid);
}

/* Takes a free cell by its scheduling bit. False: a worker is busy just now with mail that came too
 * late for its last life. One that never had a life is held by whoever has it. */
static inline bool wardi_table_seize(struct wardi_cell *cell)
{
	return wardi_uid_gen(cell->uid) == 0 || wardi_mailbox_wake(&cell->mailbox);
}

/* The cell if that life takes mail. Any thread, as above; may be stale at once. */
static inline struct wardi_cell *wardi_table_open(const ward_system *system, uint64_t uid)
{
	struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(uid));

	return cell != NULL && wardi_cell_is_open(cell, uid) ? cell : NULL;
}

/* In a turn or a visit: the cell will soon be sent something. */
static inline void wardi_table_expect(const ward_system *system, uint64_t uid)
{
	struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(uid));

	if (cell != NULL)
		wardi_prefetch_to_write(&cell->mailbox);
}

void wardi_table_give(ward_system *system, struct wardi_cell *cell);

/* A free cell, held, with its lane; NULL: *ret_err says why. */
struct wardi_cell *wardi_table_take(ward_system *system, ward_err *ret_err);

void wardi_table_finish(ward_system *system);

/* What a worker had at hand, by the link of siblings. */
void wardi_table_give_some(ward_system *system, struct wardi_list *cells);

ward_err wardi_table_init(ward_system *system, uint32_t max);

/* Free cells to a worker (free_cells.c), not held; none at the limit. Returns how many. */
uint32_t wardi_table_take_some(ward_system *system, struct wardi_cell **ret_cells, uint32_t max);

/* The segment that a cell lies in. */
static inline struct wardi_segment *wardi_segment_of(const struct wardi_cell *cell)
{
	const struct wardi_cell *first = cell - wardi_place_of(wardi_cell_slot(cell)).index;

	return wardi_container_of(first, struct wardi_segment, cells);
}

#endif
